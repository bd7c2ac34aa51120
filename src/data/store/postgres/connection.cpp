#ifdef SLIDEMESH_POSTGRES

#include "connection.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "slidemesh/base/fail.h"
#include "slidemesh/data/store/postgres.h"

namespace slidemesh::postgres {
namespace {

using Clock = std::chrono::steady_clock;

bool is_secret(std::string_view keyword) { return keyword.find("password") != std::string_view::npos; }

template <class Word>
Word read_big_endian(const char* data) {
  Word word{};
  std::memcpy(&word, data, sizeof word);
  if constexpr (sizeof(Word) == 8) {
    return static_cast<Word>(__builtin_bswap64(word));
  } else {
    return static_cast<Word>(__builtin_bswap32(word));
  }
}

void ignore_notices(void* /*unused*/, const char* /*message*/) {}

}  // namespace

static_assert(std::endian::native == std::endian::little, "numbers of the protocol are swapped on this machine");

std::int64_t read_int64(const char* data) { return static_cast<std::int64_t>(read_big_endian<std::uint64_t>(data)); }
std::int32_t read_int32(const char* data) { return static_cast<std::int32_t>(read_big_endian<std::uint32_t>(data)); }
double read_double(const char* data) { return std::bit_cast<double>(read_big_endian<std::uint64_t>(data)); }

void write_int16(std::string& out, std::int16_t value) {
  const auto word = static_cast<std::uint16_t>(value);
  out.push_back(static_cast<char>(word >> 8U));
  out.push_back(static_cast<char>(word & 255U));
}
void write_int32(std::string& out, std::int32_t value) {
  const std::uint32_t word = __builtin_bswap32(static_cast<std::uint32_t>(value));
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}
void write_int64(std::string& out, std::int64_t value) {
  const std::uint64_t word = __builtin_bswap64(static_cast<std::uint64_t>(value));
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}
void write_double(std::string& out, double value) { write_int64(out, std::bit_cast<std::int64_t>(value)); }

void refuse_nul(const std::string& text, const char* key) {
  require<UsageError>(text.find('\0') == std::string::npos, key, "text without nul bytes", "one");
}

Connection::Connection(std::string dsn, std::string what, double retry_seconds, bool read_only)
    : dsn_(std::move(dsn)), what_(std::move(what)), retry_seconds_(retry_seconds), read_only_(read_only) {
  refuse_nul(dsn_, "data.dsn");
  // libpq's own message would quote a piece of the string, and that piece may be the password.
  PQconninfoOption* parsed = PQconninfoParse(dsn_.c_str(), nullptr);
  require<UsageError>(parsed != nullptr, "data.dsn", "a libpq connection string or URI",
                      "one that libpq cannot read (not shown)");
  for (const PQconninfoOption* option = parsed; option->keyword != nullptr; ++option) {
    if (is_secret(option->keyword) && option->val != nullptr && *option->val != '\0') {
      secrets_.emplace_back(option->val);
    }
  }
  PQconninfoFree(parsed);
  if (const char* password = std::getenv("PGPASSWORD"); password != nullptr && *password != '\0') {
    secrets_.emplace_back(password);
  }
  try {
    connect();
  } catch (const ConnectionLost& lost) {
    fail(lost.reason);
  }
}

Connection::~Connection() { drop(); }

void Connection::drop() {
  PQfinish(session_);
  session_ = nullptr;
}

void Connection::connect() {
  drop();
  // What stands before dbname, which is the whole string, is a default that it may change. A machine that has gone
  // without a word is to be noticed in seconds, not in the hours that TCP allows.
  std::vector<const char*> keywords = {"fallback_application_name", "client_encoding", "keepalives_idle",
                                       "keepalives_interval", "keepalives_count"};
  std::vector<const char*> values = {"slidemesh", "UTF8", "15", "5", "3"};
  const auto add = [&](const char* keyword, const char* value) {
    keywords.push_back(keyword);
    values.push_back(value);
  };
  if (std::getenv("PGCONNECT_TIMEOUT") == nullptr) {
    add("connect_timeout", "10");
  }
  if (!dsn_.empty()) {
    add("dbname", dsn_.c_str());
  }
  add(nullptr, nullptr);
  session_ = PQconnectdbParams(keywords.data(), values.data(), 1);
  if (session_ == nullptr || PQstatus(session_) != CONNECTION_OK) {
    const std::string reason = session_ == nullptr ? "out of memory" : one_line(PQerrorMessage(session_));
    drop();
    throw ConnectionLost{reason};
  }
  ++session_number_;
  PQsetNoticeProcessor(session_, ignore_notices, nullptr);
  if (read_only_) {
    execute(session_, "SET default_transaction_read_only = on", PGRES_COMMAND_OK);
  }
  run_setup();
}

void Connection::set_up_sessions(const std::string& sql) {
  setup_ = sql;
  with_retries([this](PGconn*) { run_setup(); });
}

void Connection::run_setup() {
  if (!setup_.empty()) {
    execute(session_, setup_, PGRES_TUPLES_OK);
  }
}

void Connection::with_retries(const std::function<void(PGconn*)>& action) {
  using Seconds = std::chrono::duration<double>;
  constexpr auto kFirstPause = std::chrono::milliseconds(50);
  constexpr auto kLongestPause = std::chrono::milliseconds(2000);
  auto pause = kFirstPause;
  std::optional<Clock::time_point> lost_since;
  for (;;) {
    const auto begin = Clock::now();
    try {
      if (session_ == nullptr || PQstatus(session_) != CONNECTION_OK) {
        connect();
      }
      action(session_);
      return;
    } catch (const ConnectionLost& lost) {
      drop();
      // A session that worked for a while and then broke is a new loss, not the old one going on.
      const auto now = Clock::now();
      if (!lost_since || now - begin > kLongestPause) {
        lost_since = now;
        pause = kFirstPause;
      }
      if (Seconds(now + pause - *lost_since).count() > retry_seconds_) {
        throw SourceLostError(what_ +
                              ": expected the server to come back within data.retry_seconds, got: " + lost.reason);
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLongestPause);
    } catch (...) {
      drop();  // it may be in the middle of a statement
      throw;
    }
  }
}

bool Connection::try_once(const std::function<void(PGconn*)>& action) {
  if (session_ == nullptr || PQstatus(session_) != CONNECTION_OK) {
    return false;
  }
  try {
    action(session_);
    return true;
  } catch (const ConnectionLost&) {
    drop();
    return false;
  } catch (...) {
    drop();
    throw;
  }
}

Result Connection::execute(PGconn* session, const std::string& sql, ExecStatusType expected) {
  constexpr int kBinary = 1;
  return checked(session, PQexecParams(session, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, kBinary), expected);
}

Result Connection::checked(PGconn* session, PGresult* raw, ExecStatusType expected) {
  Result result(raw);
  const ExecStatusType status = PQresultStatus(raw);
  if (status == expected) {
    return result;
  }
  // An error with no code is not the server's: libpq made it, because the server no longer answers.
  const char* state = raw == nullptr ? nullptr : PQresultErrorField(raw, PG_DIAG_SQLSTATE);
  const std::string_view code = state == nullptr ? "" : state;
  const bool no_answer = raw == nullptr || (status == PGRES_FATAL_ERROR && code.empty());
  if (no_answer || PQstatus(session) != CONNECTION_OK || code.starts_with("57P") || code.starts_with("08")) {
    throw ConnectionLost{one_line(PQerrorMessage(session))};
  }
  const char* primary = PQresultErrorField(raw, PG_DIAG_MESSAGE_PRIMARY);
  fail(one_line(primary == nullptr ? "an answer that was not asked for" : primary));
}

void Connection::copy_out(PGconn* session, const std::string& sql, int columns,
                          const std::function<void(std::span<const Field>)>& row) {
  const Result begun = execute(session, "COPY (" + sql + ") TO STDOUT (FORMAT binary)", PGRES_COPY_OUT);
  expect(PQnfields(begun.get()) == columns, "another number of columns than asked for");
  constexpr int kSignature = 11;
  bool first = true;
  std::vector<Field> fields;
  for (;;) {
    char* raw = nullptr;
    const int size = PQgetCopyData(session, &raw, 0);
    if (size == -1) {
      break;
    }
    if (size < 0) {
      throw ConnectionLost{one_line(PQerrorMessage(session))};
    }
    const std::unique_ptr<char, void (*)(void*)> owner(raw, PQfreemem);
    const char* at = raw;
    const char* end = raw + size;
    // A server's lengths are not to be trusted further than its message goes.
    const auto pass = [&](std::ptrdiff_t bytes) {
      expect(bytes <= end - at, "a row that is cut off");
      return std::exchange(at, at + bytes);
    };
    if (first) {
      pass(kSignature + 4);
      pass(std::max(read_int32(pass(4)), 0));
      first = false;
    }
    while (end - at >= 2) {
      const int count = (static_cast<unsigned char>(at[0]) << 8) | static_cast<unsigned char>(at[1]);
      at += 2;
      if (count == 0xffff) {  // the trailer
        break;
      }
      expect(count == columns, "a row with another number of columns than asked for");
      fields.clear();
      for (int f = 0; f < count; ++f) {
        const int length = read_int32(pass(4));
        fields.push_back({pass(std::max(length, 0)), length});
      }
      row(fields);
    }
  }
  last_result(session, PGRES_COMMAND_OK);
}

Result Connection::last_result(PGconn* session, ExecStatusType expected) {
  Result result = checked(session, PQgetResult(session), expected);
  while (PGresult* rest = PQgetResult(session)) {
    PQclear(rest);
  }
  return result;
}

std::string Connection::taken(char* escaped) const {
  require<UsageError>(escaped != nullptr, what_, "names in UTF-8", "one that is not");
  std::string result = escaped;
  PQfreemem(escaped);
  return result;
}

std::string Connection::quoted(const std::string& identifier) {
  refuse_nul(identifier, "data");
  return taken(PQescapeIdentifier(session_, identifier.data(), identifier.size()));
}

std::string Connection::literal(const std::string& text) {
  refuse_nul(text, "data");
  return taken(PQescapeLiteral(session_, text.data(), text.size()));
}

std::string Connection::quoted_table(const std::string& table) {
  const std::size_t dot = table.find('.');
  return dot == std::string::npos ? quoted(table) : quoted(table.substr(0, dot)) + "." + quoted(table.substr(dot + 1));
}

void Connection::fail(const std::string& reason) const {
  throw DataError(what_ + ": expected an answer from PostgreSQL, got: " + reason);
}

/// A message on one line and without passwords.
std::string Connection::one_line(std::string_view message) const {
  std::string line(message.substr(0, message.find_last_not_of(" \n\t") + 1));
  for (char& c : line) {
    c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  for (const std::string& secret : secrets_) {
    for (std::size_t at = line.find(secret); at != std::string::npos; at = line.find(secret, at + 3)) {
      line.replace(at, secret.size(), "***");
    }
  }
  return line;
}

}  // namespace slidemesh::postgres

namespace slidemesh {

std::string without_credentials(const std::string& dsn) {
  if (dsn.empty()) {
    return "";
  }
  PQconninfoOption* parsed = dsn.find('\0') != std::string::npos ? nullptr : PQconninfoParse(dsn.c_str(), nullptr);
  if (parsed == nullptr) {
    return "(not shown)";
  }
  std::string shown;
  for (const PQconninfoOption* option = parsed; option->keyword != nullptr; ++option) {
    if (option->val == nullptr || *option->val == '\0' || postgres::is_secret(option->keyword)) {
      continue;
    }
    std::string value;
    for (const char* c = option->val; *c != '\0'; ++c) {
      value.append(*c == '\'' || *c == '\\' ? "\\" : "").push_back(*c);
    }
    const bool plain = value.find_first_of(" '\\") == std::string::npos;
    shown.append(shown.empty() ? "" : " ")
        .append(option->keyword)
        .append(plain ? "=" : "='")
        .append(value)
        .append(plain ? "" : "'");
  }
  PQconninfoFree(parsed);
  return shown;
}

}  // namespace slidemesh

#endif  // SLIDEMESH_POSTGRES
