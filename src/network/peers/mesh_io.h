#pragma once

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "connection.h"
#include "mesh_state.h"

namespace slidemesh::peers {

/// Which of two threads runs a mesh's I/O, one at a time. While the method is in the mesh its own thread does, since
/// all it could do otherwise is wait for the other one: a message that changes threads on both sides costs two more
/// waits for a processor, milliseconds each where others want the processors too. While the method computes, the I/O
/// thread does.
class IoTurns {
 public:
  /// `mutex` is the one of all that both threads share; `changed` is what the method's thread waits for.
  IoTurns(asio::io_context& io, std::mutex& mutex, std::condition_variable& changed)
      : io_(io), mutex_(mutex), changed_(changed) {}

  /// The life of the I/O thread, until `stop`.
  void run();
  void stop();

  /// For the method's thread: whether it has the turn now. If not, the I/O thread gives it up as soon as it has done
  /// what there is to do, and notifies `changed`. The lock is held.
  [[nodiscard]] bool try_take();
  /// The method's thread has done what it wanted. The lock is held.
  void give_back();

 private:
  enum class Holder { kNobody, kIoThread, kMethod };

  void wait_for_method(std::unique_lock<std::mutex>& lock);

  asio::io_context& io_;
  std::mutex& mutex_;
  std::condition_variable& changed_;
  std::condition_variable vacant_;  ///< what the I/O thread waits for
  Holder holder_ = Holder::kNobody;
  bool wanted_ = false;      ///< by the method's thread
  bool asleep_ = false;      ///< the I/O thread, until it is woken
  std::uint64_t taken_ = 0;  ///< how often the method's thread has had it
  bool stopping_ = false;
  std::chrono::steady_clock::time_point not_before_;  ///< when the I/O thread may take the turn
};

/// The I/O thread's part of a mesh: listens, calls, keeps one connection for each neighbour, and passes on what
/// arrives.
class MeshIo final : public ConnectionOwner {
 public:
  MeshIo(const MeshOptions& options, MeshState& state, Trust trust);
  ~MeshIo() override;

  [[nodiscard]] int port() const { return port_; }
  /// There is something to write to the neighbour: written at once by the method's thread where it can have the turn.
  void wake(const std::string& neighbour);
  /// Does one thing that there is to do, or waits for one; for whoever has the turn.
  void work(std::chrono::milliseconds most);
  [[nodiscard]] IoTurns& turns() { return turns_; }
  /// Tells all neighbours what was consumed, without waiting for a reason to. From any thread.
  void tell_consumed();
  /// Refuses everyone from now on, for that reason. From any thread.
  void leave(const std::string& reason);

  const AdmissionRules& rules() const override { return trust_.rules; }
  std::string greeting_for(const std::string& party) override;
  void greeted(Connection& connection, const Hello& hello) override;
  void received(Connection& connection, Facts&& facts) override;
  void arrived(Connection& connection, Frame&& frame) override;
  void wrong_message(Connection& connection, const FrameHeader& header, const std::string& what) override;
  void ended(Connection& connection, const std::string& reason) override;

 private:
  struct Neighbour {
    std::string address;
    std::shared_ptr<Connection> connection;  ///< greeted
    std::shared_ptr<Connection> dialled;     ///< under way
    Incarnation incarnation;
    Clock::time_point next_call = Clock::now();
    double pause_seconds = 0.0;
  };

  void listen();
  void accept();
  void tick();
  void call(const std::string& party, Neighbour& neighbour);
  void keep_up(const std::string& party, Neighbour& neighbour);
  void write_pulse(const std::string& party, Connection& connection);
  void flush(const std::string& party);
  void write_to(const std::string& party);
  void install(Connection& connection, const Hello& hello, Neighbour& neighbour);
  void take_record(Connection& connection, const Record& record);
  void tell_all(const Record& record, const Connection* but);
  void epoch_began();
  void reload_trust();
  void apply_neighbours();
  void call_later(Neighbour& neighbour);
  void log(const std::string& line);
  /// The same line at most once a minute.
  void log_seldom(const std::string& line);

  const MeshOptions& options_;
  MeshState& state_;
  Trust trust_;
  std::shared_ptr<asio::ssl::context> context_;
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  IoTurns turns_;
  int port_ = 0;
  bool accepts_ = true;  ///< false: an attempt failed, and the next tick makes another
  std::map<std::string, Neighbour> neighbours_;
  std::set<std::shared_ptr<Connection>> strangers_;  ///< called here and not greeted yet
  std::map<std::string, Clock::time_point> said_;
  Clock::time_point trust_asked_ = Clock::now();
  int outdone_ = 0;
  std::string farewell_;  ///< why this party leaves; empty while it stays
  std::thread thread_;
};

/// The method's thread runs the I/O while this lives, if it can have the turn. Made and destroyed with the lock held.
class IoTurn {
 public:
  IoTurn(MeshIo& io, std::unique_lock<std::mutex>& lock) : io_(io), lock_(lock) { try_again(); }
  ~IoTurn() {
    if (!taken_) {
      return;
    }
    if (!lock_.owns_lock()) {
      lock_.lock();
    }
    io_.turns().give_back();
  }
  IoTurn(const IoTurn&) = delete;
  IoTurn& operator=(const IoTurn&) = delete;

  bool try_again() { return taken_ = taken_ || io_.turns().try_take(); }
  [[nodiscard]] bool is_taken() const { return taken_; }

 private:
  MeshIo& io_;
  std::unique_lock<std::mutex>& lock_;
  bool taken_ = false;
};

}  // namespace slidemesh::peers
