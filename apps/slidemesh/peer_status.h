#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "slidemesh/network/peers/home.h"
#include "slidemesh/network/peers/mesh.h"

namespace slidemesh::app {

/// The line with the time in front of it: who reads a log of parties asks when.
[[nodiscard]] std::string stamped(const std::string& line);

/// Whether a run of this party goes on now, which then has the port.
[[nodiscard]] bool is_running(const peers::Home& home);

/// Keeps a file up to date that says how a party's run stands, for `slidemesh peer status`, and tells on stderr whom it
/// waits for when that changes.
class PeerStatus {
 public:
  PeerStatus(std::filesystem::path path, const peers::Mesh& mesh, bool quiet);
  ~PeerStatus();
  PeerStatus(const PeerStatus&) = delete;
  PeerStatus& operator=(const PeerStatus&) = delete;

  void set_phase(const std::string& phase);
  /// For how long no neighbour has been connected.
  [[nodiscard]] double seconds_alone() const;

 private:
  void keep();
  void write();

  std::filesystem::path path_;
  const peers::Mesh& mesh_;
  bool quiet_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::string phase_ = "starting";
  std::string said_;
  std::atomic<std::chrono::steady_clock::time_point> company_ = std::chrono::steady_clock::now();
  std::thread thread_;
};

}  // namespace slidemesh::app
