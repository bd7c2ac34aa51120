#pragma once

#include <openssl/ssl.h>

#include <string>
#include <vector>

#include "certificates.h"
#include "slidemesh/network/peers/wire.h"

namespace slidemesh::testing {

/// A hostile or clumsy party: a blocking TLS client of OpenSSL's own that sends whatever a test wants.
class RawPeer {
 public:
  struct Options {
    int newest_version = TLS1_3_VERSION;
    bool shows_certificate = true;
  };
  /// Connects to the loopback. Without a party: no TLS at all.
  explicit RawPeer(int port);
  RawPeer(int port, const Party& party, Options options);
  RawPeer(int port, const Party& party) : RawPeer(port, party, Options{}) {}
  ~RawPeer();
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  [[nodiscard]] bool shaken() const { return shaken_; }
  void send(const std::string& bytes);
  /// Frames until the other side closes or two seconds are over.
  [[nodiscard]] std::vector<peers::Frame> read_to_end();
  /// The refusal in them, or "".
  [[nodiscard]] std::string refusal();
  /// The next frame; throws if none comes.
  [[nodiscard]] peers::Frame read_frame();

 private:
  [[nodiscard]] std::string read_some();

  int socket_ = -1;
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  bool shaken_ = false;
  peers::FrameReader reader_{1U << 20U};
  std::vector<peers::Frame> frames_;
};

}  // namespace slidemesh::testing
