#include "watched_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "slidemesh/base/errors.h"
#include "slidemesh/base/interruption.h"

namespace slidemesh {
namespace {

constexpr Index kRowsAtOnce = 4096;  ///< between two looks

class WatchedReader final : public RowReader {
 public:
  WatchedReader(std::unique_ptr<RowReader> reader, std::function<void(Count rows)> on_rows)
      : reader_(std::move(reader)), on_rows_(std::move(on_rows)) {}

  Index read(Index most, Rows& rows) override {
    Index done = 0;
    Index got = 0;
    do {
      got = reader_->read(std::min(kRowsAtOnce, most - done), rows);
      done += got;
      read_ += got;
      if (got == kRowsAtOnce) {
        look_up();
      }
    } while (got == kRowsAtOnce && done < most);
    return done;
  }

  [[nodiscard]] Index features() const override { return reader_->features(); }
  [[nodiscard]] bool has_fixed_width() const override { return reader_->has_fixed_width(); }
  [[nodiscard]] Count rows_read() const override { return reader_->rows_read(); }
  [[nodiscard]] std::vector<FeatureColumn> columns() const override { return reader_->columns(); }
  [[nodiscard]] std::string label_column() const override { return reader_->label_column(); }
  [[nodiscard]] std::vector<std::string> label_names() const override { return reader_->label_names(); }
  [[nodiscard]] std::vector<std::string> take_ids() override { return reader_->take_ids(); }
  [[nodiscard]] std::vector<std::string> notes() const override { return reader_->notes(); }
  [[nodiscard]] bool has_header() const override { return reader_->has_header(); }
  [[nodiscard]] const std::string& name() const override { return reader_->name(); }

 private:
  void look_up() const {
    if (interruption_is_due()) {
      throw StoppedError(
          fmt::format("{}: stopped after {} rows were read, before the run began (a signal, or "
                      "stop.time_limit_seconds)",
                      name(), read_));
    }
    if (on_rows_) {
      on_rows_(read_);
    }
  }

  std::unique_ptr<RowReader> reader_;
  std::function<void(Count rows)> on_rows_;
  Count read_ = 0;
};

}  // namespace

std::unique_ptr<RowReader> watched_reader(std::unique_ptr<RowReader> reader, std::function<void(Count rows)> on_rows) {
  return std::make_unique<WatchedReader>(std::move(reader), std::move(on_rows));
}

}  // namespace slidemesh
