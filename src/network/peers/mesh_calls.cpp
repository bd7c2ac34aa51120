// How connections come to be and are kept up.

#include <algorithm>
#include <ctime>
#include <set>
#include <utility>

#include "mesh_io.h"
#include "slidemesh/base/errors.h"

namespace slidemesh::peers {

namespace {

constexpr double kTickSeconds = 0.05;
constexpr double kFirstPause = 0.05;
constexpr double kLongestPause = 2.0;
constexpr std::size_t kMostStrangers = 64;  ///< connections that have not said who they are

}  // namespace

void MeshIo::listen() {
  const Address address = parse_address(options_.listen, "peer.listen");
  try {
    listen_at(address, acceptor_);
    port_ = acceptor_.local_endpoint().port();
  } catch (const std::system_error& error) {
    throw UsageError("peer.listen: cannot listen at " + options_.listen + ": " + error.code().message());
  }
  accept();
}

void MeshIo::accept() {
  auto connection =
      std::make_shared<Connection>(io_, context_, *this, "", options_.largest_message, options_.greeting_seconds);
  acceptor_.async_accept(connection->socket(), [this, connection](const std::error_code& error) {
    if (!acceptor_.is_open()) {
      return;
    }
    if (error) {  // too many open files: asked again at once it would say so for ever
      accepts_ = false;
      log_seldom("cannot accept connections: " + error.message());
      return;
    }
    if (strangers_.size() < kMostStrangers) {
      strangers_.insert(connection);
      connection->start();
    }
    accept();
  });
}

void MeshIo::call(const std::string& party, Neighbour& neighbour) {
  neighbour.dialled =
      std::make_shared<Connection>(io_, context_, *this, party, options_.largest_message, options_.greeting_seconds);
  neighbour.dialled->call(io_, parse_address(neighbour.address, "address of " + party));
}

void MeshIo::call_later(Neighbour& neighbour) {
  neighbour.pause_seconds = std::clamp(2.0 * neighbour.pause_seconds, kFirstPause, kLongestPause);
  neighbour.next_call = Clock::now() + duration(neighbour.pause_seconds);
}

void MeshIo::tick() {
  if (!accepts_) {
    accepts_ = true;
    accept();
  }
  for (auto& [party, neighbour] : neighbours_) {
    keep_up(party, neighbour);
  }
  if (Clock::now() - trust_asked_ >= duration(options_.trust_poll_seconds)) {
    trust_asked_ = Clock::now();
    reload_trust();
  }
  timer_.expires_after(duration(kTickSeconds));
  timer_.async_wait([this](const std::error_code& error) {
    if (!error) {
      tick();
    }
  });
}

void MeshIo::keep_up(const std::string& party, Neighbour& neighbour) {
  if (const auto connection = neighbour.connection) {
    if (connection->silence_seconds() > options_.silence_seconds) {
      connection->close("it has been silent for too long");
    } else if (connection->called() && connection->age_seconds() > options_.greatest_age_seconds) {
      connection->close("the connection reached its greatest age and is made again");
      neighbour.next_call = Clock::now();
    } else if (Clock::now() >= connection->next_pulse) {
      write_pulse(party, *connection);
    }
  } else if (farewell_.empty() && !neighbour.address.empty() && neighbour.dialled == nullptr &&
             Clock::now() >= neighbour.next_call) {
    call(party, neighbour);
  }
}

void MeshIo::write_pulse(const std::string& party, Connection& connection) {
  connection.next_pulse = Clock::now() + duration(options_.pulse_seconds);
  FrameHeader header;
  header.type = FrameType::kPulse;
  {
    const std::lock_guard lock(state_.mutex);
    EdgeState& edge = state_.edges[party];
    header.epoch = edge.epoch();
    header.ack = edge.acknowledge();
  }
  connection.write(encode(header, ""));
}

// News of certificates, lists and neighbours while a mesh runs.

void MeshIo::apply_neighbours() {
  std::set<std::string> listed;
  for (std::size_t i = 0; i < trust_.rules.neighbours.size(); ++i) {
    const std::string& party = trust_.rules.neighbours[i].party;
    listed.insert(party);
    const bool is_new = !neighbours_.contains(party);
    Neighbour& neighbour = neighbours_[party];
    neighbour.address = i < trust_.addresses.size() ? trust_.addresses[i] : "";
    if (is_new && party < options_.party) {
      neighbour.next_call = Clock::now() + duration(options_.grace_seconds);
    }
  }
  for (auto at = neighbours_.begin(); at != neighbours_.end();) {
    if (listed.contains(at->first)) {
      ++at;
      continue;
    }
    const auto gone = std::move(at->second);
    at = neighbours_.erase(at);
    for (const auto& connection : {gone.connection, gone.dialled}) {
      if (connection != nullptr) {
        connection->refuse("no longer listed as a neighbour");
      }
    }
  }
  bool another_epoch = false;
  bool changed = false;
  Record own;
  {
    const std::lock_guard lock(state_.mutex);
    for (const auto& party : listed) {
      state_.edges.try_emplace(party);
      state_.status.try_emplace(party, NeighbourStatus{party, false, "it has not been met yet"});
    }
    std::erase_if(state_.edges, [&](const auto& edge) { return !listed.contains(edge.first); });
    std::erase_if(state_.status, [&](const auto& status) { return !listed.contains(status.first); });
    changed = state_.map.set_neighbours({listed.begin(), listed.end()});
    another_epoch = state_.refresh();
    own = state_.map.own();
  }
  if (changed) {
    tell_all(own, nullptr);
  }
  if (another_epoch) {
    epoch_began();
  }
}

void MeshIo::reload_trust() {
  Trust news;
  try {
    news = options_.trust();
    if (news == trust_) {
      return;
    }
    context_ = make_context(news);
  } catch (const Error& error) {
    log_seldom(std::string("identity and lists stay as they were: ") + error.what());
    return;
  }
  const bool shows_another = news.key != trust_.key || news.certificate != trust_.certificate;
  trust_ = std::move(news);
  log("identity or lists were replaced");
  apply_neighbours();
  for (auto& [party, neighbour] : neighbours_) {
    if (const auto connection = neighbour.connection) {
      const Verdict verdict = judge(connection->chain(), trust_.rules, std::time(nullptr), party);
      if (!verdict.admitted) {
        connection->refuse(verdict.reason);
      } else if (shows_another) {
        connection->close("this party's certificate was replaced, and the connection is made again");
      }
    }
  }
}

}  // namespace slidemesh::peers
