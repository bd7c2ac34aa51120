#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace slidemesh::sqlite {

/// A connection to a file.
class Database {
 public:
  enum class Mode { kRead, kWrite };
  Database(const std::filesystem::path& path, Mode mode);

  void execute(const std::string& sql) const;
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// A DataError with what SQLite has to say.
  [[noreturn]] void fail() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement; to be used while its database lives.
class Statement {
 public:
  Statement(const Database& database, const std::string& sql);

  void bind(int place, std::int64_t value) const;
  void bind(int place, double value) const;
  void bind(int place, std::span<const std::byte> blob) const;
  void bind(int place, std::string_view text) const;
  /// To the next row; false at the end.
  [[nodiscard]] bool step() const;
  void reset() const;
  [[nodiscard]] sqlite3_stmt* get() const { return handle_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// An identifier in quotes, whatever is in it.
[[nodiscard]] std::string quoted(const std::string& identifier);

}  // namespace slidemesh::sqlite
