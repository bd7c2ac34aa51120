#include "mesh_io.h"

#include <algorithm>
#include <asio/connect.hpp>
#include <asio/post.hpp>
#include <utility>

#include "slidemesh/base/errors.h"

namespace slidemesh::peers {
namespace {

constexpr double kTickSeconds = 0.05;
constexpr double kFirstPause = 0.05;
constexpr double kLongestPause = 2.0;
constexpr int kMostOutdone = 2;  ///< an earlier life with a faster clock is outdone once; a rival answers back
constexpr std::size_t kMostStrangers = 64;  ///< connections that have not said who they are

Clock::duration duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string begin_of(const std::string& digest) { return digest.substr(0, 12); }

}  // namespace

MeshIo::MeshIo(const MeshOptions& options, MeshState& state, Trust trust)
    : options_(options),
      state_(state),
      trust_(std::move(trust)),
      context_(make_context(trust_)),
      work_(asio::make_work_guard(io_)),
      acceptor_(io_),
      timer_(io_) {
  apply_neighbours();
  if (!options_.listen.empty()) {
    listen();
  }
  tick();
  thread_ = std::thread([this] { io_.run(); });
}

MeshIo::~MeshIo() {
  asio::post(io_, [this] {
    std::error_code ignored;
    acceptor_.close(ignored);
    io_.stop();
  });
  thread_.join();
}

void MeshIo::log(const std::string& line) {
  if (options_.log) {
    options_.log(line);
  }
}

void MeshIo::log_seldom(const std::string& line) {
  constexpr std::size_t kMostKept = 256;
  const auto now = Clock::now();
  const auto found = said_.find(line);
  if (found != said_.end() && now - found->second < std::chrono::minutes(1)) {
    return;
  }
  if (said_.size() >= kMostKept) {
    said_.clear();
  }
  said_[line] = now;
  log(line);
}

// ---- connections come to be ----

void MeshIo::listen() {
  const Address address = parse_address(options_.listen, "peer.listen");
  try {
    asio::ip::tcp::resolver resolver(io_);
    const auto ends = resolver.resolve(address.host, address.port, asio::ip::tcp::resolver::passive);
    const asio::ip::tcp::endpoint end = ends.begin()->endpoint();
    acceptor_.open(end.protocol());
    acceptor_.set_option(asio::ip::tcp::acceptor::reuse_address(true));
    acceptor_.bind(end);
    acceptor_.listen();
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
  neighbour.dialled->await_answer();
  connect(neighbour.dialled, parse_address(neighbour.address, "address of " + party));
}

void MeshIo::connect(const std::shared_ptr<Connection>& connection, const Address& address) {
  auto resolver = std::make_shared<asio::ip::tcp::resolver>(io_);
  resolver->async_resolve(
      address.host, address.port,
      [connection, resolver](const std::error_code& error, const asio::ip::tcp::resolver::results_type& ends) {
        if (error) {
          connection->close("its address cannot be resolved: " + error.message());
        }
        if (connection->has_ended()) {
          return;
        }
        asio::async_connect(connection->socket(), ends,
                            [connection](const std::error_code& failed, const asio::ip::tcp::endpoint&) {
                              if (failed) {
                                connection->close(kNotReached + failed.message());
                              } else {
                                connection->start();
                              }
                            });
      });
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
      connection->close("the connection reached its greatest age and is made anew");
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
    header.ack = edge.tell();
  }
  connection.write(encode(header, ""));
}

// ---- greetings ----

Hello MeshIo::hello_for(const std::string& party) {
  const std::lock_guard lock(state_.mutex);
  const EdgeState& edge = state_.edges[party];
  Hello hello;
  hello.party = options_.party;
  hello.incarnation = state_.map.own().incarnation;
  hello.problem = options_.problem;
  hello.epoch = edge.epoch();
  hello.received = edge.received();
  hello.received_from = neighbours_[party].incarnation;
  return hello;
}

void MeshIo::greeted(Connection& connection, const Hello& hello) {
  if (!farewell_.empty()) {
    throw DataError(farewell_);
  }
  if (hello.party != connection.party()) {
    throw DataError("the hello is " + hello.party + "'s, and the certificate " + connection.party() + "'s");
  }
  if (hello.problem != options_.problem) {
    throw DataError("the shared config of " + options_.party + " has the digest " + begin_of(options_.problem) +
                    "..., that of " + hello.party + " " + begin_of(hello.problem) + "...");
  }
  const auto found = neighbours_.find(connection.party());
  if (found == neighbours_.end()) {
    throw DataError(connection.party() + " is not listed as a neighbour");
  }
  Neighbour& neighbour = found->second;
  if (hello.incarnation < neighbour.incarnation) {
    throw DataError("a newer process of " + hello.party + " is known: two run at once, or a clock went back");
  }
  if (neighbour.connection != nullptr && hello.incarnation == neighbour.incarnation) {
    // Both called at once: the call of the party that comes first in the alphabet stays, and both sides know which that
    // is.
    const auto is_firsts = [&](const Connection& c) { return c.called() == (options_.party < hello.party); };
    if (is_firsts(*neighbour.connection) && !is_firsts(connection) &&
        neighbour.connection->silence_seconds() < 2.0 * options_.pulse_seconds) {
      throw DataError("there is a connection already");
    }
  }
  install(connection, hello, neighbour);
}

void MeshIo::install(Connection& connection, const Hello& hello, Neighbour& neighbour) {
  const auto self = connection.shared_from_this();
  strangers_.erase(self);
  if (neighbour.dialled == self) {
    neighbour.dialled.reset();
  }
  std::vector<Record> records;
  {
    const std::lock_guard lock(state_.mutex);
    EdgeState& edge = state_.edges[hello.party];
    connection.written = edge.resume_after(hello, state_.map.own().incarnation);
    connection.replayed_until = edge.received();
    records = state_.map.all();
  }
  if (const auto old = std::exchange(neighbour.connection, self)) {
    old->close("replaced by a newer connection");
  }
  neighbour.incarnation = hello.incarnation;
  neighbour.pause_seconds = 0.0;
  {
    const std::lock_guard lock(state_.mutex);
    state_.status[hello.party] = {hello.party, true, ""};
    state_.changed.notify_all();
  }
  log("connected to " + connection.other_side());
  // The map first: what the messages below belong to is known to the other side only with it.
  for (const Record& record : records) {
    FrameHeader header;
    header.type = FrameType::kRecord;
    connection.write(encode(header, encode(record)));
  }
  connection.next_pulse = Clock::now() + duration(options_.pulse_seconds);
  flush(hello.party);
}

// ---- what arrives ----

void MeshIo::arrived(Connection& connection, Frame&& frame) {
  if (frame.header.type == FrameType::kRecord) {
    take_record(connection, decode_record(frame.payload));
    return;
  }
  bool owes_word = false;
  {
    const std::lock_guard lock(state_.mutex);
    EdgeState& edge = state_.edges[connection.party()];
    if (frame.header.type == FrameType::kPulse) {
      edge.acknowledged(frame.header.epoch, frame.header.ack);
    } else if (frame.header.epoch == edge.epoch() && frame.header.sequence <= connection.replayed_until) {
      return;  // it came over the connection before, after the hello of this one was written
    } else {
      edge.arrived(std::move(frame));
    }
    owes_word = edge.owes_word();
  }
  state_.changed.notify_all();  // without the lock: whoever wakes needs it at once
  if (owes_word) {
    write_pulse(connection.party(), connection);
  }
  flush(connection.party());
}

void MeshIo::take_record(Connection& connection, const Record& record) {
  Record newest = record;
  bool another_epoch = false;
  {
    const std::lock_guard lock(state_.mutex);
    if (!state_.map.update(record)) {
      return;
    }
    if (record.party == options_.party) {
      newest = state_.map.own();
      if (++outdone_ > kMostOutdone) {
        state_.failure = "another process runs under the name " + options_.party;
      }
    }
    another_epoch = state_.refresh();
  }
  tell_all(newest, record.party == options_.party ? nullptr : &connection);
  if (another_epoch) {
    epoch_began();
  }
}

void MeshIo::tell_all(const Record& record, const Connection* but) {
  FrameHeader header;
  header.type = FrameType::kRecord;
  const auto bytes = std::make_shared<const std::string>(encode(header, encode(record)));
  for (auto& [party, neighbour] : neighbours_) {
    if (neighbour.connection != nullptr && neighbour.connection.get() != but) {
      neighbour.connection->write(bytes);
    }
  }
}

void MeshIo::epoch_began() {
  for (auto& [party, neighbour] : neighbours_) {
    if (neighbour.connection != nullptr) {
      neighbour.connection->written = 0;
      neighbour.connection->replayed_until = 0;
    }
  }
  state_.changed.notify_all();
}

void MeshIo::wrong_message(Connection& connection, const FrameHeader& header, const std::string& what) {
  const std::string line = connection.party() + ", step " + std::to_string(header.step) + ": " + what;
  log_seldom("bad message from " + line);
  const std::lock_guard lock(state_.mutex);
  if (options_.end_on_bad_message) {
    state_.failure = line;
  }
  state_.changed.notify_all();
}

void MeshIo::ended(Connection& connection, const std::string& reason) {
  const auto self = connection.shared_from_this();
  strangers_.erase(self);
  if (farewell_.empty()) {  // who has left has said why, and all connections end
    log_seldom(connection.other_side() + ": " + reason);
  }
  const std::string party = connection.called() ? connection.expected() : connection.party();
  const auto found = neighbours_.find(party);
  if (found == neighbours_.end()) {
    return;
  }
  Neighbour& neighbour = found->second;
  const bool was_the_one = neighbour.connection == self;
  if (was_the_one) {
    neighbour.connection.reset();
    call_later(neighbour);
  }
  if (neighbour.dialled == self) {
    neighbour.dialled.reset();
    call_later(neighbour);
  }
  const std::lock_guard lock(state_.mutex);
  auto& status = state_.status[party];
  status.party = party;
  if (neighbour.connection == nullptr) {
    status.connected = false;
    // Why it left says more than that nobody is there now.
    const bool has_left = status.trouble.starts_with(party + " left: ") && reason.starts_with(kNotReached);
    status.trouble = !farewell_.empty() ? "this party left" : has_left ? status.trouble : reason;
  }
  state_.changed.notify_all();
}

// ---- what leaves ----

void MeshIo::wake(const std::string& neighbour) {
  asio::post(io_, [this, neighbour] {
    const auto found = neighbours_.find(neighbour);
    if (found == neighbours_.end() || found->second.connection == nullptr) {
      return;
    }
    bool owes_word = false;
    flush(neighbour);
    {
      const std::lock_guard lock(state_.mutex);
      owes_word = state_.edges[neighbour].owes_word();
    }
    if (owes_word) {
      write_pulse(neighbour, *found->second.connection);
    }
  });
}

void MeshIo::tell_consumed() {
  asio::post(io_, [this] {
    for (auto& [party, neighbour] : neighbours_) {
      if (neighbour.connection != nullptr) {
        write_pulse(party, *neighbour.connection);
      }
    }
  });
}

void MeshIo::leave(const std::string& reason) {
  asio::post(io_, [this, reason] {
    farewell_ = options_.party + " left: " + reason;
    for (const auto& [party, neighbour] : neighbours_) {
      if (const auto connection = neighbour.connection) {
        connection->refuse(farewell_);
      }
    }
  });
}

void MeshIo::flush(const std::string& party) {
  const auto found = neighbours_.find(party);
  if (found == neighbours_.end() || found->second.connection == nullptr) {
    return;
  }
  Connection& connection = *found->second.connection;
  std::vector<std::shared_ptr<const std::string>> waiting;  // written below: encryption needs no lock
  {
    const std::lock_guard lock(state_.mutex);
    const EdgeState& edge = state_.edges[party];
    while (const auto* next = edge.next_after(connection.written)) {
      connection.written = next->sequence;
      waiting.push_back(next->bytes);
    }
  }
  for (auto& bytes : waiting) {
    connection.write(std::move(bytes));
  }
}

// ---- news of certificates, lists and neighbours ----

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
        connection->close("this party's certificate was replaced, and the connection is made anew");
      }
    }
  }
}

}  // namespace slidemesh::peers
