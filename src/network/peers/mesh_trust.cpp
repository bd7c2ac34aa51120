// News of certificates, lists and neighbours while a mesh runs.

#include <ctime>
#include <set>
#include <utility>

#include "mesh_io.h"
#include "slidemesh/base/errors.h"

namespace slidemesh::peers {

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
