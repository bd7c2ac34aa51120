#include "slidemesh/network/peers/mesh_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"

namespace slidemesh::peers {
namespace {

bool lists(const Record& record, const std::string& party) {
  return std::binary_search(record.neighbours.begin(), record.neighbours.end(), party);
}

bool is_newer(const Record& a, const Record& b) {
  return std::tie(a.incarnation, a.revision) > std::tie(b.incarnation, b.revision);
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

Index MeshView::index_of(const std::string& party) const {
  const auto at = std::lower_bound(parties.begin(), parties.end(), party);
  return at != parties.end() && *at == party ? at - parties.begin() : -1;
}

MeshMap::MeshMap(std::string self, Incarnation incarnation, std::vector<std::string> neighbours)
    : self_(std::move(self)) {
  records_[self_] = Record{self_, incarnation, 0, sorted(std::move(neighbours))};
  names_ = own().neighbours.size();
}

void MeshMap::require_room(const Record& record, const Record* known) const {
  require<DataError>(known != nullptr || records_.size() < kMostParties, "record.party",
                     fmt::format("at most {} parties", kMostParties), "more");
  const std::size_t before = known == nullptr ? 0 : known->neighbours.size();
  const std::size_t now = record.neighbours.size();
  require<DataError>(now <= before || names_ - before + now <= kMostNames, "record.neighbours",
                     fmt::format("at most {} over all parties", kMostNames), "more");
}

bool MeshMap::update(const Record& record) {
  const auto found = records_.find(record.party);
  Record* known = found == records_.end() ? nullptr : &found->second;
  if (known != nullptr && !is_newer(record, *known)) {
    return false;
  }
  if (record.party == self_) {
    known->incarnation.started = std::max(known->incarnation.started, record.incarnation.started) + 1;
    return true;
  }
  require_room(record, known);
  names_ += record.neighbours.size() - (known == nullptr ? 0 : known->neighbours.size());
  records_[record.party] = record;
  return true;
}

bool MeshMap::set_neighbours(std::vector<std::string> neighbours) {
  Record& own_record = records_.at(self_);
  neighbours = sorted(std::move(neighbours));
  if (neighbours == own_record.neighbours) {
    return false;
  }
  names_ += neighbours.size() - own_record.neighbours.size();
  own_record.neighbours = std::move(neighbours);
  ++own_record.revision;
  return true;
}

std::vector<Record> MeshMap::all() const {
  std::vector<Record> list;
  list.reserve(records_.size());
  for (const auto& [party, record] : records_) {
    list.push_back(record);
  }
  return list;
}

std::vector<const Record*> MeshMap::reachable(std::vector<std::string>& missing) const {
  std::set<std::string> met{self_};
  std::vector<const Record*> found{&records_.at(self_)};
  for (std::size_t head = 0; head < found.size(); ++head) {
    for (const auto& name : found[head]->neighbours) {
      const auto record = records_.find(name);
      if (record == records_.end()) {
        missing.push_back(name + " has not been heard of (a neighbour of " + found[head]->party + ")");
      } else if (!lists(record->second, found[head]->party)) {
        missing.push_back(name + " does not list " + found[head]->party + " as a neighbour");
      } else if (met.insert(name).second) {
        found.push_back(&record->second);
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const Record* a, const Record* b) { return a->party < b->party; });
  return found;
}

std::vector<std::string> MeshMap::missing() const {
  std::vector<std::string> lines;
  static_cast<void>(reachable(lines));
  return lines;
}

std::optional<MeshView> MeshMap::view() const {
  std::vector<std::string> lines;
  const auto records = reachable(lines);
  if (!lines.empty()) {
    return std::nullopt;
  }
  MeshView view;
  std::string encoded;
  for (const Record* record : records) {
    view.parties.push_back(record->party);
    encoded += encode(*record);
  }
  view.epoch = std::max<std::uint64_t>(1, hash_of(encoded));
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const auto& name : records[i]->neighbours) {
      const Index j = view.index_of(name);
      if (static_cast<Index>(i) < j) {
        edges.emplace_back(static_cast<Index>(i), j);
      }
    }
  }
  view.graph = Graph(static_cast<Index>(records.size()), edges);
  view.self = view.index_of(self_);
  return view;
}

}  // namespace slidemesh::peers
