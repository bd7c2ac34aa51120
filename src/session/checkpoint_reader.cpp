#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "checkpoint_format.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/session/checkpoint.h"

namespace slidemesh {

using namespace checkpoint_format;

CheckpointReader::CheckpointReader(std::vector<std::shared_ptr<const CheckpointPart>> parts, Index first_node,
                                   Index local_nodes)
    : parts_(std::move(parts)),
      first_node_(first_node),
      local_nodes_(local_nodes),
      node_position_(static_cast<std::size_t>(local_nodes), 0) {
  Index next_node = parts_.empty() ? -1 : parts_.front()->identity().first_node;
  bool whole = !parts_.empty() && next_node <= first_node;
  for (const auto& part : parts_) {
    const CheckpointIdentity& id = part->identity();
    const CheckpointIdentity& first = parts_.front()->identity();
    whole = whole && id.first_node == next_node && id.step == first.step && id.label == first.label &&
            id.nodes == first.nodes;
    next_node = id.first_node + id.local_nodes;
  }
  if (!whole || next_node < first_node + local_nodes) {
    fail<UsageError>(
        "checkpoint",
        fmt::format("the parts of one step that hold nodes {} to {}", first_node, first_node + local_nodes - 1),
        "others");
  }
}

void CheckpointReader::node(Index local) { node_ = first_node_ + local; }
void CheckpointReader::all_nodes() { node_ = -1; }

const CheckpointPart& CheckpointReader::part_of(Index node) const {
  std::size_t p = 0;
  while (node >= parts_[p]->identity().first_node + parts_[p]->identity().local_nodes) {
    ++p;
  }
  return *parts_[p];
}

namespace {

/// `name` and `type` must be those of the entry.
template <class Part, class Entry>
void require(const Part& part, const Entry* entry, std::string_view found, std::string_view name, std::uint32_t type) {
  if (entry == nullptr) {
    fail<DataError>(part.name(), text::quoted(name, '"'), "no more entries");
  }
  if (found != name || entry->type != type) {
    fail<DataError>(part.name(), fmt::format("{} as {}", text::quoted(name, '"'), kTypeNames[type]),
                    fmt::format("{} as {}", text::quoted(found, '"'), kTypeNames[entry->type]));
  }
}

}  // namespace

CheckpointReader::Found CheckpointReader::next_of_node(std::string_view name, std::uint32_t type) {
  const CheckpointPart& part = part_of(node_);
  const auto& entries = part.nodes_[static_cast<std::size_t>(node_ - part.identity().first_node)];
  std::size_t& position = node_position_[static_cast<std::size_t>(node_ - first_node_)];
  const CheckpointPart::Entry* entry = position < entries.size() ? &entries[position++] : nullptr;
  require(part, entry, entry == nullptr ? "" : part.name_of(*entry), name, type);
  return {entry->rows, entry->columns, part.text_of(*entry), &part};
}

/// Whether every part has one column (element) for each of its nodes, and so has what is being read.
bool CheckpointReader::is_dealt(const std::vector<const CheckpointPart::Entry*>& entries, bool by_column,
                                Index present) const {
  bool dealt = present == local_nodes_ || (by_column && present == 0);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    dealt = dealt && (by_column ? entries[p]->columns : entries[p]->rows) == parts_[p]->identity().local_nodes;
    dealt = dealt && (!by_column || entries[p]->rows == entries[0]->rows);
  }
  return dealt;
}

CheckpointReader::Found CheckpointReader::next_shared(std::string_view name, std::uint32_t type, Index present_rows,
                                                      Index present_columns) {
  std::vector<const CheckpointPart::Entry*> entries;
  for (const auto& part : parts_) {
    entries.push_back(shared_position_ < part->shared_.size() ? &part->shared_[shared_position_] : nullptr);
    require(*part, entries.back(), entries.back() == nullptr ? "" : part->name_of(*entries.back()), name, type);
  }
  ++shared_position_;
  const CheckpointPart& front = *parts_.front();
  Found found{entries[0]->rows, entries[0]->columns, front.text_of(*entries[0]), &front};
  const bool as_dealt_before =
      parts_.size() == 1 && front.identity().first_node == first_node_ && front.identity().local_nodes == local_nodes_;
  const bool by_column = type == kMatrix;
  if (as_dealt_before) {
    return found;
  }
  if (is_dealt(entries, by_column, by_column ? present_columns : present_rows)) {
    found.bytes.clear();
    const std::size_t each = kWord * (by_column ? static_cast<std::size_t>(entries[0]->rows) : 1);
    for (Index i = 0; i < local_nodes_; ++i) {
      const CheckpointPart& part = part_of(first_node_ + i);
      std::size_t p = 0;
      while (parts_[p].get() != &part) {
        ++p;
      }
      const auto local = static_cast<std::size_t>(first_node_ + i - part.identity().first_node);
      found.bytes.append(part.bytes_, entries[p]->data_at + local * each, each);
    }
    (by_column ? found.columns : found.rows) = local_nodes_;
    return found;
  }
  for (std::size_t p = 1; p < parts_.size(); ++p) {
    if (parts_[p]->text_of(*entries[p]) != found.bytes || entries[p]->rows != found.rows) {
      fail<DataError>(parts_[p]->name(), fmt::format("{} as in {}", text::quoted(name, '"'), front.name()),
                      "another value");
    }
  }
  return found;
}

CheckpointReader::Found CheckpointReader::next(std::string_view name, std::uint32_t type, Index present_rows,
                                               Index present_columns) {
  return node_ >= 0 ? next_of_node(name, type) : next_shared(name, type, present_rows, present_columns);
}

namespace {

/// What has no shape yet may have any.
void require_shape(const std::string& where, std::string_view name, Index rows, Index columns, Index wanted_rows,
                   Index wanted_columns, bool free) {
  if (!free && (rows != wanted_rows || columns != wanted_columns)) {
    fail<DataError>(where, fmt::format("{} of {}", text::quoted(name, '"'), shape(wanted_rows, wanted_columns)),
                    shape(rows, columns));
  }
}

/// No run writes what is not a number. Infinity is what a minimum is before anything was seen.
void require_numbers(const std::string& where, std::string_view name, const double* values, Index count) {
  if (std::any_of(values, values + count, [](double value) { return std::isnan(value); })) {
    fail<DataError>(where, fmt::format("numbers in {}", text::quoted(name, '"')), "NaN");
  }
}

void copy(const std::string& bytes, void* to) {
  if (!bytes.empty()) {
    std::memcpy(to, bytes.data(), bytes.size());
  }
}

}  // namespace

void CheckpointReader::visit(std::string_view name, double& value) {
  const Found found = next(name, kDouble, 1, 1);
  copy(found.bytes, &value);
  require_numbers(found.part->name(), name, &value, 1);
}
void CheckpointReader::visit(std::string_view name, Count& value) { copy(next(name, kCount, 1, 1).bytes, &value); }

void CheckpointReader::visit(std::string_view name, Matrix& value) {
  const Found found = next(name, kMatrix, value.rows(), value.cols());
  require_shape(found.part->name(), name, found.rows, found.columns, value.rows(), value.cols(), value.size() == 0);
  value.resize(found.rows, found.columns);
  copy(found.bytes, value.data());
  require_numbers(found.part->name(), name, value.data(), value.size());
}

void CheckpointReader::visit(std::string_view name, Vector& value) {
  const Found found = next(name, kVector, value.size(), 1);
  require_shape(found.part->name(), name, found.rows, 1, value.size(), 1, value.size() == 0);
  value.resize(found.rows);
  copy(found.bytes, value.data());
  require_numbers(found.part->name(), name, value.data(), value.size());
}

template <class List>
void CheckpointReader::read_list(std::string_view name, std::uint32_t type, List& value) {
  const Found found = next(name, type, static_cast<Index>(value.size()), 1);
  value.resize(static_cast<std::size_t>(found.rows));
  copy(found.bytes, value.data());
  if constexpr (std::is_same_v<List, std::vector<double>>) {
    require_numbers(found.part->name(), name, value.data(), found.rows);
  }
}

void CheckpointReader::visit(std::string_view name, std::vector<double>& value) { read_list(name, kDoubles, value); }
void CheckpointReader::visit(std::string_view name, std::vector<Count>& value) { read_list(name, kCounts, value); }

void CheckpointReader::finish() const {
  bool all = shared_position_ == parts_.front()->shared_.size();
  for (Index i = 0; i < local_nodes_; ++i) {
    const CheckpointPart& part = part_of(first_node_ + i);
    const auto local = static_cast<std::size_t>(first_node_ + i - part.identity().first_node);
    all = all && node_position_[static_cast<std::size_t>(i)] == part.nodes_[local].size();
  }
  if (!all) {
    fail<DataError>(parts_.front()->name(), "the state of this method and no more", "more");
  }
}

}  // namespace slidemesh
