#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "slidemesh/network/peers/wire.h"

/// What left a party's machine and what came in, message by message, so that two parties can compare afterwards. A
/// line:
///
///   {"entry":12,"party":"clinic-a","way":"sent","peer":"clinic-b","epoch":"9f...","sequence":6,"step":11,
///    "kind":"round","bytes":176,"hash":"<sha256 of the message>","chain":"<sha256 of the chain so far and this line>"}
///
/// The chain makes a line that is changed, taken out or put in later show in all lines after it; a party that wants to
/// forge its own ledger must forge all of it from there on, and then disagrees with its neighbours'.

namespace slidemesh::peers {

struct AuditEntry {
  std::uint64_t entry = 0;
  std::string party;
  bool sent = false;
  std::string peer;
  std::string epoch;
  std::uint64_t sequence = 0;
  std::uint64_t step = 0;
  std::string kind;
  std::uint64_t bytes = 0;
  std::string hash;
};

/// Writes one party's ledger of messages.
class AuditWriter {
 public:
  /// Goes on with the file that is there; a last line that a kill cut short is taken off. UsageError if it cannot be
  /// written, DataError if it is another party's or its chain is broken.
  AuditWriter(std::filesystem::path path, std::string party);

  void note(bool sent, const std::string& peer, const FrameHeader& header, std::string_view payload);
  void flush();

 private:
  std::filesystem::path path_;
  std::string party_;
  std::ofstream file_;
  std::uint64_t entries_ = 0;
  std::string chain_;
};

/// The entries of a ledger whose chain holds; DataError with the line where it does not.
[[nodiscard]] std::vector<AuditEntry> read_audit(const std::string& text, const std::string& source);

/// What two parties' ledgers say of one another.
struct AuditComparison {
  std::uint64_t agreed = 0;     ///< messages that both have, with one hash
  std::uint64_t under_way = 0;  ///< sent and never consumed, at the end of an epoch: void when a party restarted
  std::vector<std::string> differences;  ///< one line each
};
[[nodiscard]] AuditComparison compare_audits(const std::vector<AuditEntry>& a, const std::vector<AuditEntry>& b);

}  // namespace slidemesh::peers
