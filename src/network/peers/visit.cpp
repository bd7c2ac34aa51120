#include "slidemesh/network/peers/visit.h"

#include <algorithm>
#include <asio/ip/tcp.hpp>
#include <map>
#include <utility>

#include "connection.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/network/peers/invitation.h"

namespace slidemesh::peers {
namespace {

std::uint64_t clock_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

constexpr std::uint32_t kLargestMessage = 1U << 10U;  // nobody sends any
constexpr std::size_t kMostCallers = 64;

/// All connections of one visit, on the caller's thread.
class Visitor final : public ConnectionOwner {
 public:
  Visitor(const Trust& trust, const Facts& own, double seconds)
      : trust_(trust), own_(own), seconds_(seconds), context_(make_context(trust)), acceptor_(io_) {
    for (const auto& neighbour : trust_.rules.neighbours) {
      visits_.push_back({neighbour.party, std::nullopt, 0.0, 0.0, false, ""});
    }
  }

  std::vector<Visit> visit(const std::string& listen) {
    if (!listen.empty()) {
      wait_for_calls(parse_address(listen, "peer.listen"));
    }
    for (const Visit& one : visits_) {
      call(one.party);
    }
    const auto until = Clock::now() + duration(seconds_);
    while (!is_done() && Clock::now() < until) {
      io_.run_one_until(until);
    }
    for (Visit& one : visits_) {
      if (!one.facts && one.trouble.empty()) {
        one.trouble = kNotReached + "no word from it in time";
      }
    }
    return visits_;
  }

  const AdmissionRules& rules() const override { return trust_.rules; }
  std::string greeting_for(const std::string& party) override {
    asked_[party] = Clock::now();
    return facts_frame(own_);
  }
  /// From one that runs, before it has read what this one says: its facts follow.
  void greeted(Connection& /*connection*/, const Hello& /*hello*/) override {}
  void received(Connection& connection, Facts&& facts) override { take(connection, std::move(facts)); }
  void arrived(Connection& connection, Frame&& frame) override {
    if (frame.header.type == FrameType::kFacts) {
      take(connection, decode_facts(frame.payload));
    }
  }
  void wrong_message(Connection& /*connection*/, const FrameHeader& /*header*/, const std::string& /*what*/) override {}
  void ended(Connection& connection, const std::string& reason) override {
    Visit* visit = find(connection.called() ? connection.expected() : connection.party());
    if (visit == nullptr || visit->facts) {
      return;
    }
    visit->trouble = reason;
    visit->was_refused = !reason.starts_with(kNotReached) && reason.find("refused") != std::string::npos;
    if (connection.called() && !visit->was_refused) {
      call_again(visit->party);
    }
  }

 private:
  [[nodiscard]] Visit* find(const std::string& party) {
    const auto found =
        std::find_if(visits_.begin(), visits_.end(), [&](const Visit& one) { return one.party == party; });
    return found == visits_.end() ? nullptr : &*found;
  }

  /// Who was not reached may come yet: both sides' administrators look at the same time.
  [[nodiscard]] bool is_done() const {
    return std::all_of(visits_.begin(), visits_.end(), [](const Visit& one) { return one.facts || one.was_refused; });
  }

  void take(Connection& connection, Facts&& facts) {
    if (facts.party != connection.party()) {
      throw DataError("the facts are " + facts.party + "'s, and the certificate " + connection.party() + "'s");
    }
    Visit* visit = find(facts.party);
    if (visit == nullptr) {
      return;
    }
    const double took = std::chrono::duration<double>(Clock::now() - asked_[facts.party]).count();
    const double ahead = (static_cast<double>(facts.clock) - static_cast<double>(clock_now())) * 1e-6;
    visit->ahead_seconds = ahead + took / 2.0;  // it was written at some time while this side waited
    visit->within_seconds = took / 2.0;
    visit->facts = std::move(facts);
    visit->trouble.clear();
    connection.close("all was said");
  }

  void wait_for_calls(const Address& address) {
    try {
      listen_at(address, acceptor_);
      accept();
    } catch (const std::system_error&) {  // that this party cannot listen is found out and said elsewhere
    }
  }

  void accept() {
    auto connection = std::make_shared<Connection>(io_, context_, *this, "", kLargestMessage, seconds_);
    acceptor_.async_accept(connection->socket(), [this, connection](const std::error_code& error) {
      if (!error && ++callers_ < kMostCallers) {
        connection->start();
        accept();
      }
    });
  }

  void call(const std::string& party) {
    const auto at = static_cast<std::size_t>(find(party) - visits_.data());
    if (at >= trust_.addresses.size() || trust_.addresses[at].empty()) {
      return;
    }
    auto connection = std::make_shared<Connection>(io_, context_, *this, party, kLargestMessage, seconds_);
    connection->call(io_, parse_address(trust_.addresses[at], "address of " + party));
  }

  void call_again(const std::string& party) {
    auto timer = std::make_shared<asio::steady_timer>(io_, std::chrono::milliseconds(200));
    timer->async_wait([this, party, timer](const std::error_code& error) {
      if (!error && !find(party)->facts) {
        call(party);
      }
    });
  }

  const Trust& trust_;
  const Facts& own_;
  double seconds_;
  asio::io_context io_;
  std::shared_ptr<asio::ssl::context> context_;
  asio::ip::tcp::acceptor acceptor_;
  std::size_t callers_ = 0;
  std::map<std::string, Clock::time_point> asked_;
  std::vector<Visit> visits_;
};

}  // namespace

std::string facts_frame(Facts facts) {
  facts.clock = clock_now();
  return frame_of(FrameType::kFacts, encode(facts));
}

std::vector<Visit> visit_neighbours(const Trust& trust, const std::string& listen, const Facts& own, double seconds) {
  return Visitor(trust, own, seconds).visit(listen);
}

std::string why_not_listening(const std::string& text) {
  const Address address = parse_address(text, "address");
  asio::io_context io;
  asio::ip::tcp::acceptor acceptor(io);
  try {
    listen_at(address, acceptor);
    return "";
  } catch (const std::system_error& error) {
    return error.code().message();
  }
}

}  // namespace slidemesh::peers
