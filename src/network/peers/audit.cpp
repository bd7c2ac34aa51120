#include "slidemesh/network/peers/audit.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>
#include <utility>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/network/peers/invitation.h"

namespace slidemesh::peers {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 6> kKinds{"none", "round", "measuring round", "agreement", "measuring agreement",
                                            "bytes"};
constexpr std::string_view kChainKey = ",\"chain\":\"";
constexpr std::size_t kChainTail = 64 + 2;  // the digest, a quote and a brace

/// The line without its chain, and the chain; empty if it has none.
std::pair<std::string_view, std::string_view> parts_of(std::string_view line) {
  if (line.size() < kChainKey.size() + kChainTail ||
      line.substr(line.size() - kChainTail - kChainKey.size(), kChainKey.size()) != kChainKey) {
    return {};
  }
  const std::size_t end = line.size() - kChainTail - kChainKey.size();
  return {line.substr(0, end), line.substr(end + kChainKey.size(), 64)};
}

AuditEntry entry_of(const std::string& line, const std::string& where) {
  try {
    const Json json = Json::parse(line);
    AuditEntry entry;
    entry.entry = json.at("entry").get<std::uint64_t>();
    entry.party = json.at("party").get<std::string>();
    entry.sent = json.at("way").get<std::string>() == "sent";
    entry.peer = json.at("peer").get<std::string>();
    entry.epoch = json.at("epoch").get<std::string>();
    entry.sequence = json.at("sequence").get<std::uint64_t>();
    entry.step = json.at("step").get<std::uint64_t>();
    entry.kind = json.at("kind").get<std::string>();
    entry.bytes = json.at("bytes").get<std::uint64_t>();
    entry.hash = json.at("hash").get<std::string>();
    return entry;
  } catch (const Json::exception&) {
    fail<DataError>(where, "a line of a ledger of messages", "something else");
  }
}

}  // namespace

AuditWriter::AuditWriter(std::filesystem::path path, std::string party)
    : path_(std::move(path)), party_(std::move(party)), chain_(sha256(party_)) {
  if (std::filesystem::exists(path_)) {
    std::string before = read_text(path_);
    before.resize(before.rfind('\n') == std::string::npos ? 0 : before.rfind('\n') + 1);
    const auto entries = read_audit(before, path_.string());
    if (!entries.empty()) {
      require<DataError>(entries.front().party == party_, path_.string(), fmt::format("the ledger of {}", party_),
                         fmt::format("that of {}", entries.front().party));
      entries_ = entries.size();
      const std::size_t begin = before.rfind('\n', before.size() - 2);
      const auto last = std::string_view(before).substr(begin == std::string::npos ? 0 : begin + 1);
      chain_ = parts_of(last.substr(0, last.size() - 1)).second;
    }
    std::filesystem::resize_file(path_, before.size());
  }
  file_.open(path_, std::ios::app | std::ios::binary);
  if (!file_) {
    throw UsageError(path_.string() + ": cannot be written");
  }
  if (entries_ == 0) {  // whom a party talks to, and when, is its own business
    std::filesystem::permissions(path_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
}

void AuditWriter::note(bool sent, const std::string& peer, const FrameHeader& header, std::string_view payload) {
  const Json json{{"entry", ++entries_},
                  {"party", party_},
                  {"way", sent ? "sent" : "received"},
                  {"peer", peer},
                  {"epoch", fmt::format("{:x}", header.epoch)},
                  {"sequence", header.sequence},
                  {"step", header.step},
                  {"kind", kKinds[static_cast<std::size_t>(header.kind)]},
                  {"bytes", payload.size()},
                  {"hash", sha256(payload)}};
  std::string line = json.dump();
  line.pop_back();
  chain_ = sha256(chain_ + line);
  file_ << line << kChainKey << chain_ << "\"}\n";
  if (sent) {
    flush();  // before the message leaves: a process that is killed must not have sent what its ledger does not know
  }
}

void AuditWriter::flush() {
  file_.flush();
  if (!file_) {
    throw UsageError(path_.string() + ": cannot be written: is the disk full?");
  }
}

std::vector<AuditEntry> read_audit(const std::string& text, const std::string& source) {
  std::vector<AuditEntry> entries;
  std::istringstream lines(text);
  std::string line;
  std::string chain;
  while (std::getline(lines, line)) {
    const std::string where = source + ":" + std::to_string(entries.size() + 1);
    AuditEntry entry = entry_of(line, where);
    if (entries.empty()) {
      chain = sha256(entry.party);
    }
    const auto [content, written] = parts_of(line);
    chain = sha256(chain + std::string(content));
    require<DataError>(written == chain && entry.entry == entries.size() + 1, where, "the chain to hold",
                       "a line that was changed, or one before it was");
    entries.push_back(std::move(entry));
  }
  return entries;
}

namespace {

/// A message between the two: epoch, whether the first sent it, number.
using MessageKey = std::tuple<std::string, bool, std::uint64_t>;

std::map<MessageKey, const AuditEntry*> messages_with(const std::vector<AuditEntry>& entries, const std::string& peer,
                                                      bool is_first) {
  std::map<MessageKey, const AuditEntry*> found;
  for (const AuditEntry& entry : entries) {
    if (entry.peer == peer) {
      found[{entry.epoch, entry.sent == is_first, entry.sequence}] = &entry;
    }
  }
  return found;
}

std::string describe(const AuditEntry& entry) {
  return entry.party + "'s entry " + std::to_string(entry.entry) + " (" + (entry.sent ? "sent to " : "received from ") +
         entry.peer + ", epoch " + entry.epoch + ", message " + std::to_string(entry.sequence) + ", " +
         std::to_string(entry.bytes) + " bytes)";
}

void compare(const AuditEntry& one, const AuditEntry* other, const std::string& other_party, AuditComparison& result) {
  if (other == nullptr) {
    if (one.sent) {
      ++result.under_way;
    } else {
      result.differences.push_back(describe(one) + ": " + other_party + " has not sent it");
    }
  } else if (one.hash != other->hash || one.bytes != other->bytes || one.kind != other->kind) {
    result.differences.push_back(describe(one) + ": " + describe(*other) + " is another message");
  } else {
    ++result.agreed;
  }
}

}  // namespace

AuditComparison compare_audits(const std::vector<AuditEntry>& a, const std::vector<AuditEntry>& b) {
  AuditComparison result;
  if (a.empty() || b.empty()) {
    return result;
  }
  const std::string& first = a.front().party;
  const std::string& second = b.front().party;
  const auto of_a = messages_with(a, second, true);
  const auto of_b = messages_with(b, first, false);
  for (const auto& [key, entry] : of_a) {
    const auto other = of_b.find(key);
    compare(*entry, other == of_b.end() ? nullptr : other->second, second, result);
  }
  for (const auto& [key, entry] : of_b) {
    if (!of_a.contains(key)) {
      compare(*entry, nullptr, first, result);
    }
  }
  return result;
}

}  // namespace slidemesh::peers
