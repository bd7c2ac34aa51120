#ifdef SLIDEMESH_SQLITE

#include "handles.h"

#include "slidemesh/base/fail.h"

namespace slidemesh::sqlite {

Database::Database(const std::filesystem::path& path, Mode mode) : name_(path.string()) {
  sqlite3* raw = nullptr;
  // One thread at a time uses a connection, as it does the source that owns it.
  const int flags =
      SQLITE_OPEN_NOMUTEX | (mode == Mode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const int status = sqlite3_open_v2(name_.c_str(), &raw, flags, nullptr);
  handle_.reset(raw);
  if (status != SQLITE_OK) {
    throw DataError(name_ +
                    ": expected an SQLite file, got: " + (raw == nullptr ? "out of memory" : sqlite3_errmsg(raw)));
  }
  constexpr int kBusyMilliseconds = 10'000;
  sqlite3_busy_timeout(raw, kBusyMilliseconds);
}

void Database::execute(const std::string& sql) const {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail();
  }
}

void Database::fail() const {
  std::string reason = sqlite3_errmsg(handle_.get());
  for (char& c : reason) {
    c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  throw DataError(name_ + ": expected an answer from SQLite, got: " + reason);
}

Statement::Statement(const Database& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &raw, &rest) != SQLITE_OK) {
    database.fail();
  }
  handle_.reset(raw);
}

void Statement::bind(int place, std::int64_t value) const { sqlite3_bind_int64(handle_.get(), place, value); }
void Statement::bind(int place, double value) const { sqlite3_bind_double(handle_.get(), place, value); }
void Statement::bind(int place, std::span<const std::byte> blob) const {
  // A null pointer would be SQL's NULL and not a blob of no bytes.
  static constexpr std::byte kNothing{};
  sqlite3_bind_blob64(handle_.get(), place, blob.empty() ? &kNothing : blob.data(), blob.size(), SQLITE_TRANSIENT);
}

void Statement::bind(int place, std::string_view text) const {
  sqlite3_bind_text64(handle_.get(), place, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
}

bool Statement::step() const {
  const int status = sqlite3_step(handle_.get());
  if (status != SQLITE_ROW && status != SQLITE_DONE) {
    database_.fail();
  }
  return status == SQLITE_ROW;
}

void Statement::reset() const { sqlite3_reset(handle_.get()); }

std::string quoted(const std::string& identifier) {
  std::string result = "\"";
  for (const char c : identifier) {
    require<UsageError>(c != '\0', "data", "names without nul bytes", "one");
    result.append(c == '"' ? "\"" : "").push_back(c);
  }
  return result + '"';
}

}  // namespace slidemesh::sqlite

#endif  // SLIDEMESH_SQLITE
