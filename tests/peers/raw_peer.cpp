#include "raw_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace slidemesh::testing {

RawPeer::RawPeer(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  std::signal(SIGPIPE, SIG_IGN);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{2, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    throw std::runtime_error("the test's client cannot connect");
  }
}

RawPeer::RawPeer(int port, const Party& party, Options options) : RawPeer(port) {
  context_ = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_max_proto_version(context_, options.newest_version);
  if (options.shows_certificate) {
    BIO* bio = BIO_new_mem_buf(party.certificate.data(), static_cast<int>(party.certificate.size()));
    X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    bio = BIO_new_mem_buf(party.key.data(), static_cast<int>(party.key.size()));
    EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    SSL_CTX_use_certificate(context_, certificate);
    SSL_CTX_use_PrivateKey(context_, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ssl_ = SSL_new(context_);
  SSL_set_fd(ssl_, socket_);
  shaken_ = SSL_connect(ssl_) == 1;
}

RawPeer::~RawPeer() {
  SSL_free(ssl_);
  SSL_CTX_free(context_);
  ::close(socket_);
}

void RawPeer::send(const std::string& bytes) {
  if (ssl_ != nullptr) {
    SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
  } else {
    static_cast<void>(!::write(socket_, bytes.data(), bytes.size()));
  }
}

std::string RawPeer::read_some() {
  std::array<char, 4096> buffer{};
  const auto got = ssl_ != nullptr ? SSL_read(ssl_, buffer.data(), static_cast<int>(buffer.size()))
                                   : static_cast<int>(::read(socket_, buffer.data(), buffer.size()));
  return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
}

std::vector<peers::Frame> RawPeer::read_to_end() {
  for (std::string bytes = read_some(); !bytes.empty(); bytes = read_some()) {
    reader_.feed(bytes, [&](peers::Frame&& frame) { frames_.push_back(std::move(frame)); });
  }
  return std::move(frames_);
}

std::string RawPeer::refusal() {
  for (const auto& frame : read_to_end()) {
    if (frame.header.type == peers::FrameType::kRefusal) {
      return peers::decode_refusal(frame.payload);
    }
  }
  return {};
}

peers::Frame RawPeer::read_frame() {
  while (frames_.empty()) {
    const std::string bytes = read_some();
    if (bytes.empty()) {
      throw std::runtime_error("the mesh said nothing");
    }
    reader_.feed(bytes, [&](peers::Frame&& frame) { frames_.push_back(std::move(frame)); });
  }
  peers::Frame first = std::move(frames_.front());
  frames_.erase(frames_.begin());
  return first;
}

}  // namespace slidemesh::testing
