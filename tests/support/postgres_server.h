#pragma once

#include <fcntl.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_dir.h"

namespace slidemesh::testing {

/// A PostgreSQL server for one test program: its own data, a Unix socket in its own directory, no
/// network. It ends with the object, and with the process whatever becomes of that.
class PostgresServer {
 public:
  /// Nothing where PostgreSQL is not installed.
  static std::unique_ptr<PostgresServer> start_one() {
    const auto programs = find_programs();
    return programs ? std::unique_ptr<PostgresServer>(new PostgresServer(*programs)) : nullptr;
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer() { kill(); }

  /// Starts it and waits until it answers, which takes its time on a busy machine.
  void start() {
    launch(std::chrono::milliseconds(0));
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < give_up) {
      if (run({(programs_ / "pg_isready").string(), "-q", "-h", directory_.path().string()}) == 0) {
        return;
      }
      if (::waitpid(child_, nullptr, WNOHANG) == child_) {  // as where the one before has not quite gone
        launch(std::chrono::milliseconds(200));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    throw std::runtime_error("the PostgreSQL server did not start");
  }

  /// Starts it after a while, and does not wait. To be called by the main thread: the server ends
  /// with the thread that launched it.
  void launch(std::chrono::milliseconds delay) {
    child_ = ::fork();
    if (child_ == 0) {
      become_postgres();
      ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
      silence();
      const int log = ::open((directory_ / "server.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      ::dup2(log, 2);
      ::usleep(static_cast<useconds_t>(1000 * delay.count()));
      const std::string program = (programs_ / "postgres").string();
      ::execl(program.c_str(), "postgres", "-D", data_.c_str(), "-k", directory_.path().c_str(), "-c",
              "listen_addresses=", "-F", "-c", "log_min_messages=error", static_cast<char*>(nullptr));
      ::_exit(127);
    }
  }

  /// As a power cut would.
  void kill() {
    if (child_ > 0) {
      ::kill(child_, SIGQUIT);
      ::waitpid(child_, nullptr, 0);
      child_ = -1;
    }
  }

  [[nodiscard]] std::string dsn() const {
    return "host=" + directory_.path().string() + " user=postgres dbname=postgres";
  }

  /// Statements, as the superuser; throws if one fails.
  void sql(const std::string& statements) const { (void)query(statements); }

  /// The same, and what the last one gave, as text without decoration.
  [[nodiscard]] std::string query(const std::string& statements) const {
    const std::string answer = (directory_ / "answer").string();
    if (run({(programs_ / "psql").string(), "-q", "-A", "-t", "-o", answer, "-h", directory_.path().string(), "-U",
             "postgres", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", statements}) != 0) {
      throw std::runtime_error("psql refused: " + statements);
    }
    return slurp(answer);
  }

  /// What the server complained of so far.
  [[nodiscard]] std::string log() const { return slurp(directory_ / "server.log"); }

 private:
  explicit PostgresServer(std::filesystem::path programs)
      : programs_(std::move(programs)), data_((directory_ / "data").string()) {
    if (::geteuid() == 0) {
      const passwd* user = ::getpwnam("postgres");
      if (user == nullptr || ::chown(directory_.path().c_str(), user->pw_uid, user->pw_gid) != 0) {
        throw std::runtime_error("no user postgres to run the server as");
      }
    }
    if (run({(programs_ / "initdb").string(), "-D", data_, "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8",
             "--locale=C"}) != 0) {
      throw std::runtime_error("initdb failed");
    }
    start();
  }

  static std::string slurp(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static std::optional<std::filesystem::path> find_programs() {
    const std::filesystem::path root = "/usr/lib/postgresql";
    if (std::filesystem::exists(root)) {
      for (const auto& version : std::filesystem::directory_iterator(root)) {
        if (std::filesystem::exists(version.path() / "bin" / "postgres")) {
          return version.path() / "bin";
        }
      }
    }
    return std::nullopt;
  }

  /// The server refuses root.
  static void become_postgres() {
    if (::geteuid() == 0) {
      const passwd* user = ::getpwnam("postgres");
      if (user == nullptr || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0) {
        ::_exit(126);
      }
    }
    if (::chdir("/") != 0) {
      ::_exit(126);
    }
  }

  static void silence() {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int file = 0; file < 3; ++file) {
      ::dup2(nothing, file);
    }
  }

  static int run(std::vector<std::string> command) {
    const pid_t child = ::fork();
    if (child == 0) {
      become_postgres();
      silence();
      std::vector<char*> arguments;
      for (std::string& word : command) {
        arguments.push_back(word.data());
      }
      arguments.push_back(nullptr);
      ::execv(arguments.front(), arguments.data());
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  std::filesystem::path programs_;
  TempDir directory_;
  std::string data_;
  pid_t child_ = -1;
};

}  // namespace slidemesh::testing
