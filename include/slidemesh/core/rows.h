#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Rows in memory: either dense (row-major) or sparse (CSR), and a label for each.
/// An empty `offsets` means dense.
struct Rows {
  Index features = 0;
  std::vector<double> labels;         ///< one for each row
  std::vector<double> values;         ///< dense: labels.size() * features numbers; sparse: the nonzeros
  std::vector<std::int64_t> offsets;  ///< sparse: labels.size() + 1 offsets into values
  std::vector<std::int32_t> columns;  ///< sparse: the column of each nonzero, ascending within a row

  [[nodiscard]] Index count() const { return static_cast<Index>(labels.size()); }
  [[nodiscard]] bool is_sparse() const { return !offsets.empty(); }
  [[nodiscard]] Count nonzeros() const;
};

/// Whether dense rows are the faster form (density above a fifth, or few features). Sums over dense
/// and sparse rows differ in their last bits, so every source of one table must go by this.
[[nodiscard]] bool dense_is_faster(Index rows, Index features, Count nonzeros);

/// Turns sparse rows into dense ones.
void make_dense(Rows& rows);

/// Does so where that is the faster form; leaves others as they are.
void choose_storage(Rows& rows);

/// Empties `rows` for a new block.
void clear_rows(Rows& rows, Index features, bool sparse);

/// Appends a row of one table to another of the same form and width.
void append_row(const Rows& from, Index row, Rows& to);

/// Some rows of some storage, not owned. Row r of the view is row `selection[r]` of the storage, or
/// row r itself where there is no selection.
struct RowBlock {
  Index count = 0;
  Index features = 0;
  const double* labels = nullptr;
  const double* values = nullptr;
  const std::int64_t* offsets = nullptr;  ///< null: dense
  const std::int32_t* columns = nullptr;
  const Index* selection = nullptr;

  [[nodiscard]] Index storage_row(Index r) const { return selection == nullptr ? r : selection[r]; }
  [[nodiscard]] double label(Index r) const { return labels[storage_row(r)]; }
};

/// All of some rows in memory.
[[nodiscard]] RowBlock view_of(const Rows& rows);

/// How long a node's sparse rows are: their numbers, and the squares of these, added up. They bound what methods keep
/// of rows, before a row has been read.
struct RowLengths {
  double numbers = 0.0;
  double squares = 0.0;

  void add(std::int64_t length);
  bool operator==(const RowLengths&) const = default;
};

/// How long its rows are; nothing where they are dense.
[[nodiscard]] std::optional<RowLengths> lengths_of(const RowBlock& block);

/// Why rows are looked at. A ledger records it; meters charge by it.
enum class AccessPurpose {
  kGradient,
  kValue,
  kCertificate,
  kTrace,
  kReference,
  kSmoothness,
  kPreparation,
  kPrefetch,  ///< asked for ahead
  kLoad,      ///< when the data was opened: rows of a file, keys and labels of a database
};

[[nodiscard]] std::string_view to_string(AccessPurpose purpose);

/// A row's number at its node, where a method keeps one for every row. RowObjective refuses nodes with more rows.
using RowNumber = std::uint32_t;

/// Where a node's rows live: memory, a file that is streamed, a database. Rows stay there until a
/// step asks. A source is used by one thread at a time. Wrappers (a ledger, a cache, a budget) are
/// sources around sources.
class RowSource {
 public:
  virtual ~RowSource() = default;

  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index features() const = 0;
  /// Where rows are sparse. Every source of one table must know the same: what a method keeps depends on it.
  [[nodiscard]] virtual std::optional<RowLengths> lengths() const { return std::nullopt; }

  /// Shows every row once, in order, in blocks; `first` is the number of a block's first row. Block
  /// boundaries must not depend on anything but the data, and a multiple of kBlockRows is kept
  /// between them, so that sums come out the same from every source.
  using Visit = std::function<void(const RowBlock& block, Index first)>;
  virtual void scan(AccessPurpose purpose, const Visit& visit) = 0;

  /// The rows of the given numbers, in the given order, repeats allowed. Valid until the next call.
  virtual RowBlock fetch(AccessPurpose purpose, std::span<const Index> numbers) = 0;

  /// The same rows in blocks, each valid while it is shown: for rows that need not be in memory together. `first` is
  /// the place of a block's first row among `numbers`, a multiple of kBlockRows. One access, as a `fetch` is.
  virtual void visit(AccessPurpose purpose, std::span<const Index> numbers, const Visit& visit) {
    visit(fetch(purpose, numbers), 0);
  }

  /// A hint that these rows are wanted next, in this order, by one `fetch` or by several in turn. May do nothing.
  virtual void prefetch(AccessPurpose /*purpose*/, std::span<const Index> /*numbers*/) {}
  /// Whether the hint is worth its making.
  [[nodiscard]] virtual bool gains_from_prefetch() const { return false; }
};

/// Kernels work through rows in groups of this many; see RowSource::scan.
inline constexpr Index kBlockRows = 256;

/// Rows that someone else holds in memory, without a copy: those from `first` on of `storage` (which has no selection),
/// or those of the given numbers in that order. `owner` keeps the memory alive. The same bits as from a copy.
class ViewSource : public RowSource {
 public:
  ViewSource(const RowBlock& storage, std::shared_ptr<const void> owner, Index first, Index count);
  ViewSource(const RowBlock& storage, std::shared_ptr<const void> owner, std::vector<Index> numbers);

  [[nodiscard]] Index rows() const override { return block_.count; }
  [[nodiscard]] Index features() const override { return block_.features; }
  [[nodiscard]] std::optional<RowLengths> lengths() const override { return lengths_of(block_); }
  void scan(AccessPurpose purpose, const Visit& visit) override;
  RowBlock fetch(AccessPurpose purpose, std::span<const Index> numbers) override;

 private:
  RowBlock block_;  ///< this source's rows
  std::shared_ptr<const void> owner_;
  std::vector<Index> numbers_;   ///< of the storage; empty: one after the other
  std::vector<Index> selected_;  ///< what the last fetch asked for, in numbers of the storage
};

/// Rows in memory. Several sources may share one table and own a slice of it.
class MemorySource final : public ViewSource {
 public:
  explicit MemorySource(Rows rows) : MemorySource(std::make_shared<const Rows>(std::move(rows))) {}
  explicit MemorySource(const std::shared_ptr<const Rows>& table) : MemorySource(table, 0, table->count()) {}
  MemorySource(const std::shared_ptr<const Rows>& table, Index first, Index count)
      : ViewSource(view_of(*table), table, first, count) {}
};

/// A copy of the given rows of a table, in the given order.
[[nodiscard]] Rows select_rows(const Rows& table, std::span<const Index> numbers);

}  // namespace slidemesh
