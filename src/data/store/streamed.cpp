#include "slidemesh/data/store/streamed.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "node_part.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{1} << 20U;
constexpr Index kReadRows = 4096;
constexpr Index kBlockBytes = Index{4} << 20U;
constexpr std::int64_t kNumberBytes = sizeof(double) + sizeof(std::int32_t);

}  // namespace

/// A nameless file of numbers, written once from front to back and then read at any place.
class StoredRows::Scratch {
 public:
  /// An empty directory is the system's one for temporary files.
  explicit Scratch(const std::filesystem::path& directory)
      : directory_((directory.empty() ? std::filesystem::temp_directory_path() : directory).string()) {
    std::string pattern = (std::filesystem::path(directory_) / "slidemesh-rows-XXXXXX").string();
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
    if (!write_all(file_, {buffer_.data(), buffer_.size()})) {
      fail("room for scratch files");
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

void StoredRows::Places::append(std::int64_t length) {
  if (lengths_.size() % kRowsPerPlace == 0) {
    places_.push_back(end_);
  }
  lengths_.push_back(static_cast<std::int32_t>(length));  // of at most kMostFeatures numbers
  end_ += length;
}

void StoredRows::Places::finish() {
  places_.shrink_to_fit();
  lengths_.shrink_to_fit();
}

std::int64_t StoredRows::Places::begin(Index row) const {
  const auto r = static_cast<std::size_t>(row);
  std::int64_t place = places_[r / kRowsPerPlace];
  for (std::size_t before = r / kRowsPerPlace * kRowsPerPlace; before < r; ++before) {
    place += lengths_[before];
  }
  return place;
}

StoredRows::StoredRows(RowReader& reader, Part /*part*/, const std::filesystem::path& scratch)
    : records_(std::make_unique<Scratch>(scratch)) {
  spool(reader, std::numeric_limits<Index>::max());
  features_ = reader.features();
  fixed_width_ = reader.has_fixed_width();
}

StoredRows::StoredRows(RowReader& reader, Index max_rows, const std::filesystem::path& scratch)
    : records_(std::make_unique<Scratch>(scratch)) {
  spool(reader, max_rows > 0 ? max_rows : std::numeric_limits<Index>::max());
  require<DataError>(!labels_.empty(), reader.name(), "rows", "none");
  require<DataError>(reader.features() > 0, reader.name(), "a feature in some row", "labels alone");
  set_table_shape(reader.features(), dense_is_faster(rows(), reader.features(), nonzeros_));
}

void StoredRows::set_table_shape(Index features, bool dense) {
  features_ = features;
  dense_ = dense;
  const Index row_bytes = 8 * (dense_ ? features_ : nonzeros_ / std::max<Index>(rows(), 1) + 1);
  block_rows_ = kBlockRows * std::clamp<Index>(kBlockBytes / (kBlockRows * row_bytes), 1, 64);
}

StoredRows::~StoredRows() = default;

void StoredRows::spool(RowReader& reader, Index max_rows) {
  Rows piece;
  while (rows() < max_rows) {
    clear_rows(piece, 0, true);
    if (reader.read(std::min(kReadRows, max_rows - rows()), piece) == 0) {
      break;
    }
    labels_.insert(labels_.end(), piece.labels.begin(), piece.labels.end());
    for (std::size_t r = 0; r + 1 < piece.offsets.size(); ++r) {
      const auto begin = static_cast<std::size_t>(piece.offsets[r]);
      const auto length = static_cast<std::size_t>(piece.offsets[r + 1]) - begin;
      places_.append(static_cast<std::int64_t>(length));
      records_->append(piece.values.data() + begin, length * sizeof(double));
      records_->append(piece.columns.data() + begin, length * sizeof(std::int32_t));
    }
    nonzeros_ += static_cast<Count>(piece.values.size());
  }
  labels_.shrink_to_fit();
  places_.finish();
  records_->finish();
}

void StoredRows::append(Index first, Index count, Rows& out) const {
  thread_local std::vector<char> records;
  const std::int64_t begin = places_.begin(first);
  const std::int64_t end = places_.begin(first + count - 1) + places_.length(first + count - 1);
  records.resize(static_cast<std::size_t>((end - begin) * kNumberBytes));
  records_->read(begin * kNumberBytes, records.data(), records.size());
  out.labels.insert(out.labels.end(), labels_.begin() + first, labels_.begin() + first + count);
  dense_ ? append_dense(records.data(), first, count, out) : append_sparse(records.data(), first, count, out);
}

// Records are packed, so that a number may lie at any byte.

void StoredRows::append_sparse(const char* records, Index first, Index count, Rows& out) const {
  std::size_t at = out.values.size();
  for (Index row = first; row < first + count; ++row) {
    out.offsets.push_back(out.offsets.back() + places_.length(row));
  }
  out.values.resize(static_cast<std::size_t>(out.offsets.back()));
  out.columns.resize(out.values.size());
  for (Index row = first; row < first + count; ++row) {
    const auto length = static_cast<std::size_t>(places_.length(row));
    if (length > 0) {
      std::memcpy(out.values.data() + at, records, length * sizeof(double));
      std::memcpy(out.columns.data() + at, records + length * sizeof(double), length * sizeof(std::int32_t));
    }
    records += length * kNumberBytes;
    at += length;
  }
}

void StoredRows::append_dense(const char* records, Index first, Index count, Rows& out) const {
  std::size_t at = out.values.size();
  out.values.resize(at + static_cast<std::size_t>(count * features_), 0.0);
  for (Index row = first; row < first + count; ++row) {
    const auto length = static_cast<std::size_t>(places_.length(row));
    const char* columns = records + length * sizeof(double);
    for (std::size_t k = 0; k < length; ++k) {
      std::int32_t column = 0;
      std::memcpy(&column, columns + k * sizeof column, sizeof column);
      std::memcpy(&out.values[at + static_cast<std::size_t>(column)], records + k * sizeof(double), sizeof(double));
    }
    records += length * kNumberBytes;
    at += static_cast<std::size_t>(features_);
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
    records_->expect(places_.begin(number) * kNumberBytes, places_.length(number) * kNumberBytes);
  }
}

namespace {

class StreamedSource final : public PartSource<const StoredRows> {
 public:
  using PartSource::PartSource;

  void scan(AccessPurpose /*purpose*/, const Visit& visit) override {
    const ObjectPool<Rows>::Loan block(table_->buffers());
    for (Index at = 0; at < rows(); at += table_->block_rows()) {
      const Index size = std::min(table_->block_rows(), rows() - at);
      if (part_.is_range()) {
        table_->read(part_.row(at), size, *block);
      } else {
        table_->read(part_.rows(at, size), *block);
      }
      visit(view_of(*block), at);
    }
  }

  RowBlock fetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) override {
    table_->read(part_.rows(numbers), fetched_);
    return view_of(fetched_);
  }

  /// However many are asked for, memory holds a block of them.
  void visit(AccessPurpose /*purpose*/, std::span<const Index> numbers, const Visit& visit) override {
    const ObjectPool<Rows>::Loan block(table_->buffers());
    const auto most = static_cast<std::size_t>(table_->block_rows());
    for (std::size_t at = 0; at < numbers.size(); at += most) {
      table_->read(part_.rows(numbers.subspan(at, std::min(most, numbers.size() - at))), *block);
      visit(view_of(*block), static_cast<Index>(at));
    }
  }

  void prefetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) override {
    table_->expect(part_.rows(numbers));
  }
  [[nodiscard]] bool gains_from_prefetch() const override { return true; }

 private:
  Rows fetched_;
};

}  // namespace

std::vector<std::shared_ptr<RowSource>> StoredRows::sources(const Partition& places) {
  return sources_of<StreamedSource>(shared_from_this(), places);
}

}  // namespace slidemesh
