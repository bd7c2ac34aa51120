#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

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

}  // namespace slidemesh::peers
