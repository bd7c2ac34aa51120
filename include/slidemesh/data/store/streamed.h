#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "slidemesh/base/object_pool.h"
#include "slidemesh/core/rows.h"
#include "slidemesh/data/formats/row_reader.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/data/store/row_store.h"

namespace slidemesh {

/// A table that stays on disk: `rows = "streamed"`. A file of text is read once, whatever its size and
/// packing, and written to a scratch file in binary form, from where every pass and every sampled row
/// comes. In memory are 12.5 bytes per row (its label and its length) and a few buffers of fixed size. The scratch
/// file is nameless: it goes when the process does, however that ends.
///
/// Blocks hold the same bits as a table in memory would, so runs give the same answer.
class StoredRows final : public RowStore, public std::enable_shared_from_this<StoredRows> {
 public:
  /// Reads to the end, or to `max_rows` rows (0: all). `scratch` is the directory of the scratch file;
  /// empty: the system's one for temporary files.
  explicit StoredRows(RowReader& reader, Index max_rows = 0, const std::filesystem::path& scratch = {});
  /// A part of a larger table, whose width and form are to be set by `set_table_shape` before anything is read.
  struct Part {};
  StoredRows(RowReader& reader, Part part, const std::filesystem::path& scratch = {});
  ~StoredRows() override;

  void set_table_shape(Index features, bool dense) override;
  [[nodiscard]] bool has_fixed_width() const override { return fixed_width_; }
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> sources(const Partition& places) override;

  [[nodiscard]] Index rows() const override { return static_cast<Index>(labels_.size()); }
  [[nodiscard]] Index features() const override { return features_; }
  [[nodiscard]] Count nonzeros() const override { return nonzeros_; }
  [[nodiscard]] bool is_sparse() const { return !dense_; }
  /// How many numbers a row has.
  [[nodiscard]] std::int64_t length(Index row) const { return places_.length(row); }
  /// How many rows a block of a pass has: a function of the table alone.
  [[nodiscard]] Index block_rows() const { return block_rows_; }

  [[nodiscard]] std::vector<double>& labels() override { return labels_; }

  /// Rows `first` .. `first + count - 1`, into memory that the caller keeps.
  void read(Index first, Index count, Rows& out) const;
  /// The rows of these numbers, in their order.
  void read(std::span<const Index> numbers, Rows& out) const;
  /// Asks the system to have these rows at hand soon.
  void expect(std::span<const Index> numbers) const;

  /// Memory for blocks: as much as threads that are at work need.
  [[nodiscard]] ObjectPool<Rows>& buffers() const { return buffers_; }

 private:
  class Scratch;

  /// Where rows begin, in numbers from the first row's first: a place for every few rows and the lengths of all, so
  /// that finding a row takes a few additions and no look at the disk.
  class Places {
   public:
    void append(std::int64_t length);
    void finish();
    [[nodiscard]] std::int64_t begin(Index row) const;
    [[nodiscard]] std::int64_t length(Index row) const { return lengths_[static_cast<std::size_t>(row)]; }

   private:
    static constexpr std::size_t kRowsPerPlace = 16;
    std::vector<std::int64_t> places_;
    std::vector<std::int32_t> lengths_;
    std::int64_t end_ = 0;
  };

  void spool(RowReader& reader, Index max_rows);
  void append(Index first, Index count, Rows& out) const;
  void append_sparse(const char* records, Index first, Index count, Rows& out) const;
  void append_dense(const char* records, Index first, Index count, Rows& out) const;

  std::unique_ptr<Scratch> records_;  ///< of each row its numbers, then their columns
  Places places_;
  std::vector<double> labels_;
  Index features_ = 0;
  Count nonzeros_ = 0;
  bool dense_ = false;
  bool fixed_width_ = false;
  Index block_rows_ = kBlockRows;
  mutable ObjectPool<Rows> buffers_;
};

}  // namespace slidemesh
