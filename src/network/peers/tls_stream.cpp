#include "tls_stream.h"

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ssl/error.hpp>

#include <algorithm>
#include <ctime>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/network/peers/identity.h"

namespace slidemesh::peers {

namespace {

int judged_later(X509_STORE_CTX* /*context*/, void* /*unused*/) { return 1; }

void use_certificates(SSL_CTX* context, const std::string& pem) {
  auto chain = read_certificates(pem);
  require<UsageError>(!chain.empty(), "certificate", "one in PEM", "none");
  require_openssl(SSL_CTX_use_certificate(context, chain.front().get()) == 1, "the certificate");
  for (std::size_t i = 1; i < chain.size(); ++i) {
    require_openssl(SSL_CTX_add1_chain_cert(context, chain[i].get()) == 1, "the certificate's chain");
  }
}

}  // namespace

std::shared_ptr<asio::ssl::context> make_context(const Trust& trust) {
  require_same_key(trust.key, trust.certificate);
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls);
  SSL_CTX* raw = context->native_handle();
  require_openssl(SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION) == 1, "TLS 1.3");
  SSL_CTX_set_max_proto_version(raw, TLS1_3_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  use_certificates(raw, trust.certificate);
  const Key key = read_key(trust.key);
  require_openssl(SSL_CTX_use_PrivateKey(raw, key.get()) == 1 && SSL_CTX_check_private_key(raw) == 1,
                  "the private key");
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(raw, judged_later, nullptr);
  return context;
}

Shown judge_connection(SSL* ssl, const AdmissionRules& rules, const std::string& expected) {
  Shown shown;
  const Certificate own(SSL_get1_peer_certificate(ssl));
  if (own == nullptr) {
    shown.verdict = judge(std::vector<X509*>{}, rules, std::time(nullptr), expected);
    return shown;
  }
  std::vector<X509*> chain{own.get()};
  shown.chain = to_pem(own.get());
  const STACK_OF(X509)* others = SSL_get_peer_cert_chain(ssl);
  constexpr int kMost = 8;
  for (int i = 0; i < sk_X509_num(others) && i < kMost; ++i) {
    X509* one = sk_X509_value(others, i);
    if (X509_cmp(one, own.get()) != 0) {  // a client sees the other side's own certificate in the chain too
      chain.push_back(one);
      shown.chain += to_pem(one);
    }
  }
  shown.verdict = judge(chain, rules, std::time(nullptr), expected);
  return shown;
}

namespace {

constexpr std::size_t kPiece = 64U << 10U;  ///< to be decrypted before somebody looks at it
/// On its way to or from the socket at once: enough that the other side is not woken for crumbs.
constexpr std::size_t kTogether = 256U << 10U;

}  // namespace

TlsStream::TlsStream(asio::io_context& io, asio::ssl::context& context,
                     std::function<std::shared_ptr<void>()> keep_alive)
    : socket_(io), ssl_(SSL_new(context.native_handle())), keep_alive_(std::move(keep_alive)) {
  require_openssl(ssl_ != nullptr, "a connection");
  BIO* in = BIO_new(BIO_s_mem());
  out_ = BIO_new(BIO_s_mem());
  require_openssl(in != nullptr && out_ != nullptr, "a connection");
  BIO_set_mem_eof_return(in, -1);
  SSL_set_bio(ssl_.get(), in, out_);
}

std::error_code TlsStream::last_error(int result) const {
  if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_ZERO_RETURN) {
    return asio::error::eof;
  }
  const unsigned long code = ERR_get_error();
  return code == 0 ? std::error_code(asio::ssl::error::unexpected_result)
                   : std::error_code(static_cast<int>(code), asio::error::get_ssl_category());
}

void TlsStream::flush(Done then) {
  const std::size_t size = BIO_ctrl_pending(out_);
  if (size == 0) {
    then({});
    return;
  }
  if (is_sending_) {
    behind_.push_back(std::move(then));
    return;
  }
  sending_.resize(size);
  BIO_read(out_, sending_.data(), static_cast<int>(size));
  is_sending_ = true;
  send_rest(0, std::move(then));
}

/// asio::async_write would pass on 64 KiB at a time.
void TlsStream::send_rest(std::size_t sent, Done then) {
  const auto rest = asio::buffer(sending_) + sent;
  socket_.async_write_some(rest, [this, owner = keep_alive_(), sent, then = std::move(then)](
                                     const std::error_code& error, std::size_t size) mutable {
    if (!error && sent + size < sending_.size()) {
      send_rest(sent + size, std::move(then));
      return;
    }
    is_sending_ = false;
    const auto behind = std::exchange(behind_, {});
    then(error);
    for (const Done& next : behind) {
      flush(next);
    }
  });
}

void TlsStream::read_from_socket(std::function<void()> then, const Done& failed) {
  cipher_.resize(shaken_ ? kPiece : kTogether);  // strangers get less
  socket_.async_read_some(asio::buffer(cipher_), [this, owner = keep_alive_(), then = std::move(then), failed](
                                                     const std::error_code& error, std::size_t size) {
    if (closed_ || error) {
      failed(closed_ ? std::error_code(asio::error::operation_aborted) : error);
      return;
    }
    BIO* in = BIO_new_mem_buf(cipher_.data(), static_cast<int>(size));  // it reads from there, and copies nothing
    BIO_set_mem_eof_return(in, -1);
    SSL_set0_rbio(ssl_.get(), in);
    then();
  });
}

// ---- the handshake ----

void TlsStream::handshake(bool as_client, Done done) {
  shaken_ = std::move(done);
  if (as_client) {
    SSL_set_connect_state(ssl_.get());
  } else {
    SSL_set_accept_state(ssl_.get());
  }
  shake();
}

void TlsStream::shake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  const int kind = SSL_get_error(ssl_.get(), result);
  const std::error_code wrong = result == 1 || kind == SSL_ERROR_WANT_READ ? std::error_code() : last_error(result);
  flush([this, result, wrong](const std::error_code& error) {  // an alert is worth sending, whatever comes of it
    if (result == 1 || wrong || error || closed_) {
      std::exchange(shaken_, {})(wrong ? wrong : error);
    } else {
      read_from_socket([this] { shake(); }, [this](const std::error_code& e) { std::exchange(shaken_, {})(e); });
    }
  });
}

// ---- what arrives ----

void TlsStream::start_reading(std::function<void(std::string_view)> arrived, Done failed) {
  arrived_ = std::move(arrived);
  failed_ = std::move(failed);
  plain_.resize(kPiece);
  decrypt();  // what came with the end of the handshake
}

void TlsStream::decrypt() {
  while (true) {
    std::size_t size = 0;
    int result = 1;
    ERR_clear_error();
    while (size < plain_.size() &&
           (result = SSL_read(ssl_.get(), plain_.data() + size, static_cast<int>(plain_.size() - size))) > 0) {
      size += static_cast<std::size_t>(result);
    }
    const bool wants_more = result > 0 || SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
    const std::error_code wrong = wants_more ? std::error_code() : last_error(result);
    if (size > 0) {
      arrived_({plain_.data(), size});
    }
    if (closed_) {
      return;
    }
    if (wrong) {
      flush([](const std::error_code&) {});
      failed_(wrong);
      return;
    }
    if (result <= 0) {
      break;
    }
  }
  flush([](const std::error_code&) {});  // an answer to a change of keys
  read_from_socket([this] { decrypt(); }, [this](const std::error_code& error) { failed_(error); });
}

// ---- what leaves ----

void TlsStream::write(std::vector<std::shared_ptr<const std::string>> frames, Done done) {
  frames_.assign(std::make_move_iterator(frames.begin()), std::make_move_iterator(frames.end()));
  wrote_ = std::move(done);
  write_more();
}

void TlsStream::write_more() {
  std::error_code wrong;
  while (!frames_.empty() && !wrong && BIO_ctrl_pending(out_) < kTogether) {
    const std::string& frame = *frames_.front();
    const auto size = std::min(frame.size() - written_, kPiece);
    ERR_clear_error();
    const int result = SSL_write(ssl_.get(), frame.data() + written_, static_cast<int>(size));
    wrong = result > 0 ? std::error_code() : last_error(result);
    written_ += result > 0 ? static_cast<std::size_t>(result) : 0;
    if (written_ == frame.size()) {
      frames_.pop_front();
      written_ = 0;
    }
  }
  flush([this, wrong](const std::error_code& error) {
    if (wrong || error || closed_) {
      frames_.clear();
      written_ = 0;
      std::exchange(wrote_, {})(wrong ? wrong : error);
    } else if (frames_.empty() && BIO_ctrl_pending(out_) == 0) {
      std::exchange(wrote_, {})({});
    } else {
      write_more();
    }
  });
}

void TlsStream::close() {
  closed_ = true;
  std::error_code ignored;
  socket_.close(ignored);
}

}  // namespace slidemesh::peers
