#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "slidemesh/core/rows.h"
#include "slidemesh/data/partition.h"
#include "slidemesh/data/preparation.h"
#include "slidemesh/data/row_key.h"

namespace slidemesh {

/// A table, or a part of one, where its rows are kept: memory, a scratch file, a database. In memory are its labels at
/// most; its rows come through the sources that are made for nodes.
class RowStore {
 public:
  RowStore() = default;
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;
  virtual ~RowStore() = default;

  [[nodiscard]] virtual Index rows() const = 0;
  [[nodiscard]] virtual Index features() const = 0;
  [[nodiscard]] virtual Count nonzeros() const = 0;
  /// Whether each row tells how wide the table is. Rows of indices and values do not: they may be part of a wider one.
  [[nodiscard]] virtual bool has_fixed_width() const { return false; }

  /// Of its columns, where it has names for them.
  [[nodiscard]] virtual std::vector<std::string> feature_names() const { return {}; }

  /// Labels may be replaced (see LabelMap) before sources are made.
  [[nodiscard]] virtual std::vector<double>& labels() = 0;
  /// The width of the table that these rows are a part of, and whether its rows are dense (dense_is_faster). Before
  /// sources are made.
  virtual void set_table_shape(Index features, bool dense) = 0;

  /// What a row is called where it comes from: its number in the file from 1, or its key.
  [[nodiscard]] virtual RowKey key(Index row) const {
    return 1 + (numbers_.empty() ? row : numbers_[static_cast<std::size_t>(row)]);
  }
  /// The rows' numbers in their file, from 0, where they are not all of it.
  void set_row_numbers(std::vector<Index> numbers) { numbers_ = std::move(numbers); }

  /// Lets go of rows that no node of `own` has, where that frees memory; says where `own` are then.
  [[nodiscard]] virtual Partition keep_only(Partition own) { return own; }

  /// A source for each node of `places`.
  [[nodiscard]] virtual std::vector<std::shared_ptr<RowSource>> sources(const Partition& places) = 0;

  /// Whether rows can be prepared where they are kept; else they are prepared as they come (prepared_source).
  [[nodiscard]] virtual bool prepares_in_place() const { return false; }
  /// Does so. Sources that were made before are void.
  virtual void prepare(const Preparation& /*preparation*/) {}

 private:
  std::vector<Index> numbers_;
};

/// Rows in memory.
class MemoryStore final : public RowStore {
 public:
  explicit MemoryStore(Rows rows, bool fixed_width = false)
      : rows_(std::make_shared<Rows>(std::move(rows))), fixed_width_(fixed_width) {}

  [[nodiscard]] Index rows() const override { return rows_->count(); }
  [[nodiscard]] Index features() const override { return rows_->features; }
  [[nodiscard]] Count nonzeros() const override { return rows_->nonzeros(); }
  [[nodiscard]] bool has_fixed_width() const override { return fixed_width_; }
  [[nodiscard]] std::vector<double>& labels() override { return rows_->labels; }
  void set_table_shape(Index features, bool dense) override;
  [[nodiscard]] Partition keep_only(Partition own) override;
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> sources(const Partition& places) override;
  [[nodiscard]] bool prepares_in_place() const override { return true; }
  void prepare(const Preparation& preparation) override { prepare_rows(*rows_, preparation); }

 private:
  std::shared_ptr<Rows> rows_;
  bool fixed_width_;
};

}  // namespace slidemesh
