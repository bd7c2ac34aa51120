#include "slidemesh/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "opening.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/ledger.h"
#include "slidemesh/data/load/agreements.h"
#include "slidemesh/data/load/sources.h"

namespace slidemesh {
namespace {

/// The nodes `first` .. `first + count - 1` of a partition.
Partition part_of(const Partition& partition, Index first, Index count) {
  Partition part;
  part.offsets.assign(partition.offsets.begin() + first, partition.offsets.begin() + first + count + 1);
  if (!partition.order.empty()) {
    const Index begin = part.offsets.front();
    part.order.assign(partition.order.begin() + begin, partition.order.begin() + part.offsets.back());
    for (Index& offset : part.offsets) {
      offset -= begin;
    }
  }
  return part;
}

/// Where rows come from differs, what is done with them does not.
class Loader {
 public:
  Loader(const DataSpec& spec, LabelKind kind, Network& network, Ledger* ledger)
      : spec_(spec), kind_(kind), network_(network), ledger_(ledger), opened_(open_data(spec, network, ledger)) {}

  Dataset load() {
    data_.map = std::move(opened_.map);
    map_labels();
    split();
    hold_out();
    make_sources();
    agree();
    prepare();
    describe();
    data_.nodes = on_record();
    return std::move(data_);
  }

 private:
  /// Classes are those of all nodes' rows together.
  void map_labels() {
    std::vector<double> classes;
    if (!opened_.whole && kind_ != LabelKind::kReal) {
      for (const Piece& piece : opened_.pieces) {
        const auto& labels = piece.store->labels();
        classes.insert(classes.end(), labels.begin(), labels.end());
      }
      classes = agree_on_classes(classes, kind_, network_);
    }
    const auto& labels = opened_.whole ? opened_.pieces.front().store->labels() : classes;
    data_.map.labels = make_label_map(labels, kind_, name_of_data(spec_), data_.map.label_words);
    for (const Piece& piece : opened_.pieces) {
      data_.map.labels.apply(piece.store->labels(), name_of_data(spec_));
      for (const double label : piece.store->labels()) {
        data_.largest_label = std::max(data_.largest_label, std::abs(label));
      }
    }
  }

  void split() {
    if (!opened_.whole) {
      return;  // the pieces are the nodes' own already
    }
    Piece& piece = opened_.pieces.front();
    piece.places = part_of(partition_of(piece.store->labels()), network_.first_node(), network_.local_nodes());
    if (network_.local_nodes() < network_.nodes()) {
      piece.places = piece.store->keep_only(std::move(piece.places));
    }
  }

  [[nodiscard]] Partition partition_of(const std::vector<double>& labels) const {
    const Partition& dealt = opened_.dealt;
    if (dealt.nodes() == network_.nodes()) {
      return dealt;
    }
    require<DataError>(dealt.nodes() <= 0, spec_.path.string(), fmt::format("entries of {} nodes", network_.nodes()),
                       fmt::format("those of {}", dealt.nodes()));
    return split_rows(labels, network_.nodes(), spec_.split);
  }

  void hold_out() {
    if (spec_.hold_out.is_empty()) {
      return;
    }
    Index node = network_.first_node();
    for (Piece& piece : opened_.pieces) {
      SplitPartition split =
          hold_out_rows(piece.places, spec_.hold_out, [&](Index row) { return piece.store->key(row); });
      for (Index i = 0; i < split.kept.nodes(); ++i, ++node) {
        require<DataError>(split.kept.count(i) > 0, name_of_data(spec_),
                           fmt::format("a row for node {} beside those that are held out (data.holdout)", node),
                           "none");
      }
      piece.places = std::move(split.kept);
      piece.held_out = std::move(split.held_out);
    }
  }

  void make_sources() {
    for (const Piece& piece : opened_.pieces) {
      for (auto& source : piece.store->sources(piece.places)) {
        data_.nodes.push_back(std::move(source));
      }
      const auto places = std::make_shared<const Partition>(piece.places);
      for (Index i = 0; i < places->nodes(); ++i) {
        data_.keys.push_back(key_of(piece.store, places, i));
      }
    }
  }

  /// What the rows of a node are called.
  static Ledger::KeyOf key_of(const std::shared_ptr<RowStore>& store, const std::shared_ptr<const Partition>& places,
                              Index node) {
    return [=](Index r) { return store->key(places->row(node, r)); };
  }

  /// Held-out rows as they are to be shown to a model. On record under the number of the process's first node: a look
  /// at them is nobody's step.
  void make_held_out(const std::shared_ptr<const Preparation>& preparation) {
    for (const Piece& piece : opened_.pieces) {
      const bool done = piece.store->prepares_in_place() || preparation == nullptr;
      const auto places = std::make_shared<const Partition>(piece.held_out);
      for (Index i = 0; auto& source : piece.store->sources(*places)) {
        auto shown = done ? std::move(source) : prepared_source(source, preparation);
        const auto key = key_of(piece.store, places, i++);
        data_.held_out.push_back(ledger_ != nullptr ? ledger_->around(std::move(shown), 0, key) : std::move(shown));
      }
    }
  }

  /// The nodes' sources, each look at which is on record.
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> on_record() const {
    std::vector<std::shared_ptr<RowSource>> sources = data_.nodes;
    for (std::size_t i = 0; ledger_ != nullptr && i < sources.size(); ++i) {
      sources[i] = ledger_->around(sources[i], static_cast<Index>(i), data_.keys[i]);
    }
    return sources;
  }

  /// On scaling, and on what is to be said of the columns: from the pass that scaling makes, or from rows that are in
  /// memory anyway. Nothing is read for that alone.
  void agree() {
    const Index features = data_.nodes.front()->features();
    std::vector<ColumnWatch> watches;
    if (opened_.matrix_rows == 0 && features <= kMostColumnsWatched) {
      for (Index i = 0; i < network_.local_nodes(); ++i) {
        watches.emplace_back(features, network_.global(i));
      }
    }
    const bool in_memory = opened_.pieces.front().store->prepares_in_place();
    for (std::size_t i = 0; in_memory && i < watches.size(); ++i) {
      data_.nodes[i]->scan(AccessPurpose::kPreparation,
                           [&](const RowBlock& block, Index first) { watches[i].add(block, first); });
    }
    data_.map.preparation = agree_preparation(on_record(), network_, spec_.preparation,
                                              in_memory ? std::span<ColumnWatch>{} : std::span<ColumnWatch>(watches));
    if (!watches.empty() && (in_memory || spec_.preparation.scaling != Scaling::kNone)) {
      data_.notes = agree_on_column_notes(watches, network_, feature_names(data_.map.columns), spec_.preparation);
    }
    data_.notes.insert(data_.notes.begin(), opened_.notes.begin(), opened_.notes.end());
  }

  void prepare() {
    if (data_.map.preparation.does_nothing()) {
      make_held_out(nullptr);
      return;
    }
    const auto preparation = std::make_shared<const Preparation>(data_.map.preparation);
    std::vector<std::shared_ptr<RowSource>> raw;
    raw.swap(data_.nodes);
    auto next = raw.begin();
    for (const Piece& piece : opened_.pieces) {
      const auto end = next + piece.places.nodes();
      std::vector<std::shared_ptr<RowSource>> of_piece(std::make_move_iterator(next), std::make_move_iterator(end));
      next = end;
      if (piece.store->prepares_in_place()) {
        of_piece.clear();  // before the table grows
        piece.store->prepare(*preparation);
        of_piece = piece.store->sources(piece.places);
      } else {
        for (auto& source : of_piece) {
          source = prepared_source(source, preparation);
        }
      }
      data_.nodes.insert(data_.nodes.end(), of_piece.begin(), of_piece.end());
    }
    make_held_out(preparation);
  }

  void describe() {
    data_.features = data_.nodes.front()->features();
    data_.classes = data_.map.labels.classes();
    data_.matrix_rows = opened_.matrix_rows;
    data_.matrix_columns = opened_.matrix_columns;
    data_.map.features = data_.features - (data_.map.preparation.options.intercept ? 1 : 0);
  }

  const DataSpec& spec_;
  LabelKind kind_;
  Network& network_;
  Ledger* ledger_;
  OpenedData opened_;
  Dataset data_;
};

}  // namespace

Dataset load_dataset(const DataSpec& spec, LabelKind labels, Network& network, Ledger* ledger) {
  return Loader(spec, labels, network, ledger).load();
}

}  // namespace slidemesh
