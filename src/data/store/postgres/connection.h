#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "late_libpq.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh::postgres {

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

/// Thrown inside `Connection::with_retries` when the server is gone.
struct ConnectionLost {
  std::string reason;
};

/// One field of a row in binary form; a negative length is SQL's NULL.
struct Field {
  const char* data = nullptr;
  int length = -1;
};

/// A session that comes back. Messages name `what` (a table), never the connection string.
class Connection {
 public:
  /// Connects at once; what fails now is an error at once.
  Connection(std::string dsn, std::string what, double retry_seconds, bool read_only = true);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Runs `action` on a live session; reconnects and runs it again when the server was lost, with
  /// growing pauses, until `retry_seconds` have passed. Then SourceLostError.
  void with_retries(const std::function<void(PGconn*)>& action);
  /// The same without any: false if there is no session, or if it is lost on the way.
  [[nodiscard]] bool try_once(const std::function<void(PGconn*)>& action);

  /// A statement with results in binary form. For use inside `with_retries`.
  Result execute(PGconn* session, const std::string& sql, ExecStatusType expected);
  /// Takes a result that has arrived: throws ConnectionLost or a DataError unless it is as expected.
  Result checked(PGconn* session, PGresult* result, ExecStatusType expected);

  /// The same of the result that is still to arrive, and waits for the end of its statement.
  Result last_result(PGconn* session, ExecStatusType expected);
  /// COPY (sql) TO STDOUT in binary form, row by row, each with as many fields as `columns`.
  void copy_out(PGconn* session, const std::string& sql, int columns,
                const std::function<void(std::span<const Field>)>& row);

  /// A DataError: an answer other than was expected.
  [[noreturn]] void fail(const std::string& reason) const;
  /// The same unless `holds`.
  void expect(bool holds, const char* reason) const {
    if (!holds) {
      fail(reason);
    }
  }

  /// An identifier in quotes, whatever is in it.
  [[nodiscard]] std::string quoted(const std::string& identifier);
  /// A table's name, perhaps with its schema before a dot, in quotes.
  [[nodiscard]] std::string quoted_table(const std::string& table);
  /// A string constant, whatever is in it.
  [[nodiscard]] std::string literal(const std::string& text);
  [[nodiscard]] const std::string& what() const { return what_; }
  /// Whether the session has the statement that fetches rows, which all sources that share a session share.
  [[nodiscard]] bool has_prepared() const { return prepared_session_ == session_number_; }
  void set_prepared() { prepared_session_ = session_number_; }
  /// A SELECT that this and every later session begins with.
  void set_up_sessions(const std::string& sql);
  [[nodiscard]] const std::string& session_setup() const { return setup_; }
  /// Ends the session, for when its state is not known.
  void drop();

  /// Held by whoever uses the connection.
  std::mutex mutex;

 private:
  void connect();
  void run_setup();
  /// What libpq escaped, which it allocated.
  [[nodiscard]] std::string taken(char* escaped) const;
  [[nodiscard]] std::string one_line(std::string_view message) const;

  std::string dsn_;
  std::string what_;
  double retry_seconds_;
  bool read_only_;
  PGconn* session_ = nullptr;
  int session_number_ = 0;
  int prepared_session_ = 0;
  std::string setup_;
  std::vector<std::string> secrets_;
};

/// Binary numbers as the protocol has them: big-endian.
[[nodiscard]] std::int64_t read_int64(const char* data);
[[nodiscard]] std::int32_t read_int32(const char* data);
[[nodiscard]] double read_double(const char* data);
void write_int16(std::string& out, std::int16_t value);
void write_int32(std::string& out, std::int32_t value);
void write_int64(std::string& out, std::int64_t value);
void write_double(std::string& out, double value);

/// "(expected no nul byte)" for strings that go to libpq as C strings.
void refuse_nul(const std::string& text, const char* key);

}  // namespace slidemesh::postgres
