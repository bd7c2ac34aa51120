#include "slidemesh/data/store/streamed.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "../row_views.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{1} << 20U;
constexpr Index kReadRows = 4096;
constexpr Index kBlockBytes = Index{4} << 20U;

}  // namespace

/// A nameless file of numbers, written once from front to back and then read at any place.
class StoredRows::Scratch {
 public:
  explicit Scratch(const std::filesystem::path& directory) : directory_(directory.string()) {
    std::string pattern = (directory / "slidemesh-rows-XXXXXX").string();
    file_ = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (file_ < 0) {
      fail("a directory for scratch files that can be written to");
    }
    ::unlink(pattern.c_str());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { ::close(file_); }

  void append(const void* data, std::size_t bytes) {
    const char* first = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), first, first + bytes);
    if (buffer_.size() >= kWriteBytes) {
      flush();
    }
  }

  void flush() {
    std::size_t done = 0;
    while (done < buffer_.size()) {
      const ssize_t wrote = ::write(file_, buffer_.data() + done, buffer_.size() - done);
      if (wrote < 0 && errno != EINTR) {
        fail("room for scratch files");
      }
      done += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
    }
    buffer_.clear();
  }

  void finish() {
    flush();
    std::vector<char>().swap(buffer_);
  }

  void read(std::int64_t at, void* into, std::size_t bytes) const {
    char* next = static_cast<char*>(into);
    while (bytes > 0) {
      const ssize_t got = ::pread(file_, next, bytes, at);
      if (got == 0 || (got < 0 && errno != EINTR)) {
        fail("a scratch file that can be read");
      }
      if (got > 0) {
        next += got;
        at += got;
        bytes -= static_cast<std::size_t>(got);
      }
    }
  }

  void expect(std::int64_t at, std::int64_t bytes) const { ::posix_fadvise(file_, at, bytes, POSIX_FADV_WILLNEED); }

 private:
  [[noreturn]] void fail(const char* expected) const {
    throw DataError(directory_ + ": expected " + expected + ", got: " + std::strerror(errno));
  }

  std::string directory_;
  int file_ = -1;
  std::vector<char> buffer_;
};

StoredRows::StoredRows(RowReader& reader, Part /*part*/, const std::filesystem::path& scratch) {
  open_scratch(scratch);
  spool(reader, std::numeric_limits<Index>::max());
  features_ = reader.features();
  fixed_width_ = reader.has_fixed_width();
}

StoredRows::StoredRows(RowReader& reader, Index max_rows, const std::filesystem::path& scratch) {
  open_scratch(scratch);
  spool(reader, max_rows > 0 ? max_rows : std::numeric_limits<Index>::max());
  if (labels_.empty()) {
    slidemesh::fail<DataError>(reader.name(), "rows", "none");
  }
  if (reader.features() == 0) {
    slidemesh::fail<DataError>(reader.name(), "a feature in some row", "labels alone");
  }
  set_table_shape(reader.features(), dense_is_faster(rows(), reader.features(), nonzeros_));
}

void StoredRows::set_table_shape(Index features, bool dense) {
  features_ = features;
  dense_ = dense;
  const Index row_bytes = 8 * (dense_ ? features_ : nonzeros_ / std::max<Index>(rows(), 1) + 1);
  block_rows_ = kBlockRows * std::clamp<Index>(kBlockBytes / (kBlockRows * row_bytes), 1, 64);
}

void StoredRows::open_scratch(const std::filesystem::path& scratch) {
  const std::filesystem::path directory = scratch.empty() ? std::filesystem::temp_directory_path() : scratch;
  offsets_ = std::make_unique<Scratch>(directory);
  columns_ = std::make_unique<Scratch>(directory);
  values_ = std::make_unique<Scratch>(directory);
}

StoredRows::~StoredRows() = default;

void StoredRows::spool(RowReader& reader, Index max_rows) {
  Rows piece;
  std::int64_t offset = 0;
  offsets_->append(&offset, sizeof offset);
  while (rows() < max_rows) {
    clear_rows(piece, 0, true);
    if (reader.read(std::min(kReadRows, max_rows - rows()), piece) == 0) {
      break;
    }
    labels_.insert(labels_.end(), piece.labels.begin(), piece.labels.end());
    for (std::size_t r = 1; r < piece.offsets.size(); ++r) {
      offset = nonzeros_ + piece.offsets[r];
      offsets_->append(&offset, sizeof offset);
    }
    columns_->append(piece.columns.data(), piece.columns.size() * sizeof(std::int32_t));
    values_->append(piece.values.data(), piece.values.size() * sizeof(double));
    nonzeros_ += static_cast<Count>(piece.values.size());
  }
  labels_.shrink_to_fit();
  for (Scratch* file : {offsets_.get(), columns_.get(), values_.get()}) {
    file->finish();
  }
}

void StoredRows::append(Index first, Index count, Rows& out) const {
  thread_local std::vector<std::int64_t> offsets;
  thread_local std::vector<std::int32_t> columns;
  thread_local std::vector<double> values;
  offsets.resize(static_cast<std::size_t>(count) + 1);
  offsets_->read(first * static_cast<std::int64_t>(sizeof(std::int64_t)), offsets.data(),
                 offsets.size() * sizeof(std::int64_t));
  const std::int64_t begin = offsets.front();
  const auto size = static_cast<std::size_t>(offsets.back() - begin);
  columns.resize(size);
  values.resize(size);
  columns_->read(begin * static_cast<std::int64_t>(sizeof(std::int32_t)), columns.data(), size * sizeof(std::int32_t));
  values_->read(begin * static_cast<std::int64_t>(sizeof(double)), values.data(), size * sizeof(double));

  out.labels.insert(out.labels.end(), labels_.begin() + first, labels_.begin() + first + count);
  if (!dense_) {
    const auto before = static_cast<std::int64_t>(out.values.size());
    out.columns.insert(out.columns.end(), columns.begin(), columns.end());
    out.values.insert(out.values.end(), values.begin(), values.end());
    for (std::size_t r = 1; r < offsets.size(); ++r) {
      out.offsets.push_back(before + offsets[r] - begin);
    }
    return;
  }
  std::size_t row = out.values.size();
  out.values.resize(row + static_cast<std::size_t>(count * features_), 0.0);
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r, row += static_cast<std::size_t>(features_)) {
    for (auto k = static_cast<std::size_t>(offsets[r] - begin); k < static_cast<std::size_t>(offsets[r + 1] - begin);
         ++k) {
      out.values[row + static_cast<std::size_t>(columns[k])] = values[k];
    }
  }
}

void StoredRows::read(Index first, Index count, Rows& out) const {
  clear_rows(out, features_, is_sparse());
  append(first, count, out);
}

void StoredRows::read(std::span<const Index> numbers, Rows& out) const {
  clear_rows(out, features_, is_sparse());
  // Runs of neighbours are one read.
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) {
      ++end;
    }
    append(numbers[i], static_cast<Index>(end - i), out);
    i = end;
  }
}

void StoredRows::expect(std::span<const Index> numbers) const {
  for (const Index number : numbers) {
    std::int64_t range[2];
    offsets_->read(number * static_cast<std::int64_t>(sizeof(std::int64_t)), range, sizeof range);
    columns_->expect(range[0] * 4, (range[1] - range[0]) * 4);
    values_->expect(range[0] * 8, (range[1] - range[0]) * 8);
  }
}

std::unique_ptr<Rows> StoredRows::borrow() const {
  const std::lock_guard lock(mutex_);
  if (buffers_.empty()) {
    return std::make_unique<Rows>();
  }
  auto buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

void StoredRows::give_back(std::unique_ptr<Rows> buffer) const {
  const std::lock_guard lock(mutex_);
  buffers_.push_back(std::move(buffer));
}

namespace {

class StreamedSource final : public RowSource {
 public:
  /// Rows `first` .. of the table, or those of `numbers` if there are any.
  StreamedSource(std::shared_ptr<const StoredRows> table, Index first, Index count, std::vector<Index> numbers)
      : table_(std::move(table)), first_(first), count_(count), numbers_(std::move(numbers)) {}

  [[nodiscard]] Index rows() const override { return count_; }
  [[nodiscard]] Index features() const override { return table_->features(); }

  void scan(AccessPurpose /*purpose*/, const Visit& visit) override {
    const Loan loan(*table_);
    for (Index at = 0; at < count_; at += table_->block_rows()) {
      const Index size = std::min(table_->block_rows(), count_ - at);
      if (numbers_.empty()) {
        table_->read(first_ + at, size, loan.rows());
      } else {
        table_->read(std::span(numbers_).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size)),
                     loan.rows());
      }
      visit(view_of(loan.rows()), at);
    }
  }

  RowBlock fetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) override {
    table_->read(translated(numbers), fetched_);
    return view_of(fetched_);
  }

  void prefetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) override {
    table_->expect(translated(numbers));
  }
  [[nodiscard]] bool gains_from_prefetch() const override { return true; }

 private:
  class Loan {
   public:
    explicit Loan(const StoredRows& table) : table_(table), rows_(table.borrow()) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { table_.give_back(std::move(rows_)); }
    [[nodiscard]] Rows& rows() const { return *rows_; }

   private:
    const StoredRows& table_;
    std::unique_ptr<Rows> rows_;
  };

  std::span<const Index> translated(std::span<const Index> numbers) {
    wanted_.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      wanted_[i] = numbers_.empty() ? first_ + numbers[i] : numbers_[static_cast<std::size_t>(numbers[i])];
    }
    return wanted_;
  }

  std::shared_ptr<const StoredRows> table_;
  Index first_;
  Index count_;
  std::vector<Index> numbers_;
  std::vector<Index> wanted_;
  Rows fetched_;
};

}  // namespace

std::vector<std::shared_ptr<RowSource>> StoredRows::sources(const Partition& places) {
  return node_sources(std::shared_ptr<const StoredRows>(shared_from_this()), places, 0, places.nodes());
}

std::vector<std::shared_ptr<RowSource>> node_sources(const std::shared_ptr<const StoredRows>& table,
                                                     const Partition& partition, Index first_node, Index count) {
  std::vector<std::shared_ptr<RowSource>> sources;
  for (Index i = first_node; i < first_node + count; ++i) {
    sources.push_back(
        std::make_shared<StreamedSource>(table, partition.first(i), partition.count(i), partition.numbers(i)));
  }
  return sources;
}

}  // namespace slidemesh
