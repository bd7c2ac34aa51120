#pragma once

#include <openssl/ssl.h>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ssl/context.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "openssl.h"
#include "slidemesh/network/peers/mesh.h"

namespace slidemesh::peers {

/// TLS 1.3 and nothing older, both sides show a certificate, no session is resumed. The handshake itself proves that
/// the other side has the key of the certificate that it shows; whether that certificate is welcome is judged after it
/// and before anything that arrives is looked at, so that a refusal can be given in words (TLS's alerts know a few
/// numbers).
[[nodiscard]] std::shared_ptr<asio::ssl::context> make_context(const Trust& trust);

/// The verdict on whoever is at the other end of a finished handshake, and its chain as PEM, to be judged again by new
/// rules.
struct Shown {
  Verdict verdict;
  std::string chain;
};
[[nodiscard]] Shown judge_connection(SSL* ssl, const AdmissionRules& rules, const std::string& expected);

/// TLS over a socket, asynchronous. As Asio's own stream, but for one thing: that one passes every record of 16 KiB to
/// the socket by itself, which wakes the other side for each, and here as many travel together as there are. Whoever
/// owns it keeps it alive while something is under way: handlers hold what `keep_alive` gives.
class TlsStream {
 public:
  using Done = std::function<void(const std::error_code&)>;

  TlsStream(asio::io_context& io, asio::ssl::context& context, std::function<std::shared_ptr<void>()> keep_alive);

  [[nodiscard]] asio::ip::tcp::socket& socket() { return socket_; }
  [[nodiscard]] SSL* native_handle() { return ssl_.get(); }

  void handshake(bool as_client, Done done);
  /// From now on: `arrived` for what arrives, piece by piece, and `failed` once, at the end. After the handshake.
  void start_reading(std::function<void(std::string_view)> arrived, Done failed);
  /// Writes all of it; one at a time. After the handshake.
  void write(std::vector<std::shared_ptr<const std::string>> frames, Done done);
  /// Nothing is called after this but what is under way, with an error.
  void close();

 private:
  void shake();
  void read_from_socket(std::function<void()> then, const Done& failed);
  void decrypt();
  void write_more();
  /// What TLS wants to send, to the socket; then `then`.
  void flush(Done then);
  void send_rest(std::size_t sent, Done then);
  [[nodiscard]] std::error_code last_error(int result) const;

  asio::ip::tcp::socket socket_;
  std::unique_ptr<SSL, Freed<SSL_free>> ssl_;
  BIO* out_ = nullptr;  ///< the SSL's; what it has encrypted
  std::function<std::shared_ptr<void>()> keep_alive_;
  std::vector<char> cipher_;  ///< as it comes from the socket, of which `in` of the SSL reads
  std::vector<char> plain_;
  std::string sending_;  ///< on its way to the socket
  bool is_sending_ = false;
  std::vector<Done> behind_;  ///< what is to be done after that
  bool closed_ = false;
  Done shaken_;
  std::function<void(std::string_view)> arrived_;
  Done failed_;
  std::deque<std::shared_ptr<const std::string>> frames_;
  std::size_t written_ = 0;  ///< of the first of them
  Done wrote_;
};

}  // namespace slidemesh::peers
