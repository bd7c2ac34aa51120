#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "checkpoint_format.h"
#include "packed_words.h"
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
  require<UsageError>(
      whole && next_node >= first_node + local_nodes, "checkpoint",
      fmt::format("the parts of one step that hold nodes {} to {}", first_node, first_node + local_nodes - 1),
      "others");
}

void CheckpointReader::node(Index local) { node_ = first_node_ + local; }
void CheckpointReader::all_nodes() { node_ = -1; }

std::size_t CheckpointReader::place_of(Index node) const {
  std::size_t p = 0;
  while (node >= parts_[p]->identity().first_node + parts_[p]->identity().local_nodes) {
    ++p;
  }
  return p;
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

CheckpointReader::Piece CheckpointReader::whole(const CheckpointPart& part, const CheckpointPart::Entry& entry) {
  return {&part, &entry, 0, static_cast<std::size_t>(entry.rows) * static_cast<std::size_t>(entry.columns)};
}

CheckpointReader::Found CheckpointReader::next_of_node(std::string_view name, std::uint32_t type) {
  const CheckpointPart& part = part_of(node_);
  const auto& entries = part.nodes_[static_cast<std::size_t>(node_ - part.identity().first_node)];
  std::size_t& position = node_position_[static_cast<std::size_t>(node_ - first_node_)];
  const CheckpointPart::Entry* entry = position < entries.size() ? &entries[position++] : nullptr;
  require(part, entry, entry == nullptr ? "" : part.name_of(*entry), name, type);
  return {entry->rows, entry->columns, {whole(part, *entry)}, &part};
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
  Found found{entries[0]->rows, entries[0]->columns, {whole(front, *entries[0])}, &front};
  const bool as_dealt_before =
      parts_.size() == 1 && front.identity().first_node == first_node_ && front.identity().local_nodes == local_nodes_;
  const bool by_column = type == kMatrix;
  if (as_dealt_before) {
    return found;
  }
  if (is_dealt(entries, by_column, by_column ? present_columns : present_rows)) {
    found.pieces.clear();
    const std::size_t each = by_column ? static_cast<std::size_t>(entries[0]->rows) : 1;
    for (Index i = 0; i < local_nodes_; ++i) {
      const std::size_t p = place_of(first_node_ + i);
      const auto local = static_cast<std::size_t>(first_node_ + i - parts_[p]->identity().first_node);
      found.pieces.push_back({parts_[p].get(), entries[p], local * each, each});
    }
    (by_column ? found.columns : found.rows) = local_nodes_;
    return found;
  }
  for (std::size_t p = 1; p < parts_.size(); ++p) {
    const bool same_form = entries[p]->rows == found.rows && entries[p]->is_packed == entries[0]->is_packed;
    if (!same_form || parts_[p]->data_of(*entries[p]) != front.data_of(*entries[0])) {
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

}  // namespace

/// body(place, word) for every word that is not zero, in order.
template <class Body>
void CheckpointReader::for_each_word(const Found& found, const Body& body) {
  std::size_t before = 0;
  for (const Piece& piece : found.pieces) {
    const std::string_view data = piece.part->data_of(*piece.entry);
    if (piece.entry->is_packed) {
      const auto words = static_cast<std::size_t>(piece.entry->rows) * static_cast<std::size_t>(piece.entry->columns);
      packed_words::for_each(data, words, piece.first, piece.count,
                             [&](std::size_t place, std::uint64_t word) { body(before + place, word); });
    } else {
      for (std::size_t k = 0; k < piece.count; ++k) {
        if (const std::uint64_t word = packed_words::word_at(data, piece.first + k); word != 0) {
          body(before + k, word);
        }
      }
    }
    before += piece.count;
  }
}

void CheckpointReader::copy(const Found& found, void* to) {
  auto* bytes = static_cast<char*>(to);
  for (const Piece& piece : found.pieces) {
    const std::string_view data = piece.part->data_of(*piece.entry);
    const std::size_t size = piece.count * kWord;
    if (size > 0 && !piece.entry->is_packed) {
      std::memcpy(bytes, data.data() + piece.first * kWord, size);
    } else if (size > 0) {
      std::memset(bytes, 0, size);
      for_each_word({0, 0, {piece}, found.part},
                    [&](std::size_t place, std::uint64_t word) { std::memcpy(bytes + place * kWord, &word, kWord); });
    }
    bytes += size;
  }
}

void CheckpointReader::visit(std::string_view name, double& value) {
  const Found found = next(name, kDouble, 1, 1);
  copy(found, &value);
  require_numbers(found.part->name(), name, &value, 1);
}
void CheckpointReader::visit(std::string_view name, Count& value) { copy(next(name, kCount, 1, 1), &value); }

template <class Numbers>
void CheckpointReader::read_matrix(std::string_view name, std::uint32_t type, Numbers& value) {
  const Found found = next(name, type, value.rows(), value.cols());
  require_shape(found.part->name(), name, found.rows, found.columns, value.rows(), value.cols(), value.size() == 0);
  value.resize(found.rows, found.columns);
  copy(found, value.data());
  require_numbers(found.part->name(), name, value.data(), value.size());
}

void CheckpointReader::visit(std::string_view name, Matrix& value) { read_matrix(name, kMatrix, value); }
void CheckpointReader::visit(std::string_view name, Vector& value) { read_matrix(name, kVector, value); }

void CheckpointReader::visit(std::string_view name, CompactStacked& value) {
  const Found found = next(name, kMatrix, value.rows(), value.columns());
  const std::string& where = found.part->name();
  require_shape(where, name, found.rows, found.columns, value.rows(), value.columns(), false);
  std::vector<bool> is_kept(static_cast<std::size_t>(found.rows), false);
  for_each_word(found, [&](std::size_t place, std::uint64_t) { is_kept[place % is_kept.size()] = true; });
  std::vector<Index> places;
  std::vector<Index> row_of(is_kept.size());
  for (std::size_t j = 0; j < is_kept.size(); ++j) {
    if (is_kept[j]) {
      row_of[j] = static_cast<Index>(places.size());
      places.push_back(static_cast<Index>(j));
    }
  }
  Stacked kept = Stacked::Zero(static_cast<Index>(places.size()), found.columns);
  for_each_word(found, [&](std::size_t place, std::uint64_t word) {
    kept(row_of[place % is_kept.size()], static_cast<Index>(place / is_kept.size())) = std::bit_cast<double>(word);
  });
  require_numbers(where, name, kept.data(), kept.size());
  value = CompactStacked(found.rows, std::move(places), kept);
}

template <class List>
void CheckpointReader::read_list(std::string_view name, std::uint32_t type, List& value) {
  const Found found = next(name, type, static_cast<Index>(value.size()), 1);
  value.resize(static_cast<std::size_t>(found.rows));
  copy(found, value.data());
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
  require<DataError>(all, parts_.front()->name(), "the state of this method and no more", "more");
}

}  // namespace slidemesh
