#include "mesh_io.h"

#include <asio/post.hpp>
#include <utility>

#include "slidemesh/base/fail.h"

namespace slidemesh::peers {
namespace {

constexpr int kMostOutdone = 2;  ///< an earlier life with a faster clock is outdone once; a rival answers back

std::string begin_of(const std::string& digest) { return digest.substr(0, 12); }

}  // namespace

MeshIo::MeshIo(const MeshOptions& options, MeshState& state, Trust trust)
    : options_(options),
      state_(state),
      trust_(std::move(trust)),
      context_(make_context(trust_)),
      work_(asio::make_work_guard(io_)),
      acceptor_(io_),
      timer_(io_),
      turns_(io_, state.mutex, state.changed) {
  apply_neighbours();
  if (!options_.listen.empty()) {
    listen();
  }
  tick();
  thread_ = std::thread([this] { turns_.run(); });
}

MeshIo::~MeshIo() {
  turns_.stop();
  thread_.join();
  std::error_code ignored;
  acceptor_.close(ignored);
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

// ---- greetings ----

std::string MeshIo::greeting_for(const std::string& party) {
  const std::lock_guard lock(state_.mutex);
  const EdgeState& edge = state_.edges[party];
  Hello hello;
  hello.party = options_.party;
  hello.incarnation = state_.map.own().incarnation;
  hello.problem = options_.problem;
  hello.epoch = edge.epoch();
  hello.received = edge.received();
  hello.received_from = neighbours_[party].incarnation;
  return frame_of(FrameType::kHello, encode(hello));
}

void MeshIo::received(Connection& connection, Facts&& /*facts*/) {
  Facts facts = options_.facts ? options_.facts() : Facts();
  facts.party = options_.party;
  facts.problem = options_.problem;
  connection.write_last(facts_frame(facts),
                        "its doctor asked, and was sent the clock, the problem and the columns here");
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
    connection.write(frame_of(FrameType::kRecord, encode(record)));
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
  require<DataError>(frame.header.type != FrameType::kFacts, "frame.type", "a record, message or pulse over a link",
                     "facts");
  bool owes_acknowledgement = false;
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
    owes_acknowledgement = edge.owes_acknowledgement();
  }
  state_.changed.notify_all();  // without the lock: whoever wakes needs it at once
  if (owes_acknowledgement) {
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
  const auto bytes = std::make_shared<const std::string>(frame_of(FrameType::kRecord, encode(record)));
  for (auto& [party, neighbour] : neighbours_) {
    const auto connection = neighbour.connection;  // it may end by this
    if (connection != nullptr && connection.get() != but) {
      connection->write_news(bytes);
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
  std::unique_lock lock(state_.mutex);
  const IoTurn turn(*this, lock);
  lock.unlock();
  if (turn.is_taken()) {
    write_to(neighbour);
    io_.poll();
  } else {
    asio::post(io_, [this, neighbour] { write_to(neighbour); });
  }
  lock.lock();
}

void MeshIo::write_to(const std::string& party) {
  const auto found = neighbours_.find(party);
  const auto connection = found != neighbours_.end() ? found->second.connection : nullptr;  // a write may end it
  if (connection == nullptr) {
    return;
  }
  flush(party);
  bool owes_acknowledgement = false;
  {
    const std::lock_guard lock(state_.mutex);
    owes_acknowledgement = state_.edges[party].owes_acknowledgement();
  }
  if (owes_acknowledgement) {
    write_pulse(party, *connection);
  }
}

void MeshIo::work(std::chrono::milliseconds most) { io_.run_one_for(most); }

void MeshIo::tell_consumed() {
  asio::post(io_, [this] {
    for (const auto& [party, neighbour] : neighbours_) {
      if (const auto connection = neighbour.connection) {
        write_pulse(party, *connection);
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
  const auto connection = found != neighbours_.end() ? found->second.connection : nullptr;  // a write may end it
  if (connection == nullptr) {
    return;
  }
  std::vector<std::shared_ptr<const std::string>> waiting;  // written below: encryption needs no lock
  {
    const std::lock_guard lock(state_.mutex);
    const EdgeState& edge = state_.edges[party];
    while (const auto* next = edge.next_after(connection->written)) {
      connection->written = next->sequence;
      waiting.push_back(next->bytes);
    }
  }
  for (auto& bytes : waiting) {
    connection->write(std::move(bytes));
  }
}

}  // namespace slidemesh::peers
