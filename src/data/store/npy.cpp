#include "slidemesh/data/store/npy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "node_part.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/data/formats/row_reader.h"

namespace slidemesh {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays of the least byte first are mapped as they are");

/// A file in memory, read-only.
class Mapping {
 public:
  explicit Mapping(const std::filesystem::path& path) : name_(path.string()) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0) {
      const int reason = errno;
      if (file >= 0) {
        ::close(file);
      }
      throw DataError(name_ + ": expected a file that can be read, got: " + std::strerror(reason));
    }
    size_ = static_cast<std::size_t>(status.st_size);
    void* mapped = size_ == 0 ? nullptr : ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
    const int reason = errno;
    ::close(file);
    if (mapped == MAP_FAILED) {
      throw DataError(name_ + ": expected a file that can be mapped into memory, got: " + std::strerror(reason));
    }
    data_ = static_cast<const char*>(mapped);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (data_ != nullptr) {
      ::munmap(const_cast<char*>(data_), size_);
    }
  }

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An array of a .npy file: a magic word, a version, a header that is a Python dict, then the numbers.
class Array {
 public:
  explicit Array(const std::filesystem::path& path) : mapping_(path) {
    const std::string_view bytes = mapping_.bytes();
    constexpr std::string_view kMagic = "\x93NUMPY";
    expect(bytes.starts_with(kMagic) && bytes.size() >= 12, "a .npy file of NumPy's", "another");
    const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])); };
    const bool is_short = byte(6) == 1;
    const std::size_t begin = is_short ? 10 : 12;
    const std::size_t length =
        is_short ? byte(8) + 256 * byte(9) : byte(8) + 256 * (byte(9) + 256 * (byte(10) + 256 * byte(11)));
    expect(byte(6) >= 1 && byte(6) <= 3 && length <= bytes.size() - begin, "a header of version 1 to 3", "another");
    parse(bytes.substr(begin, length));
    data_ = bytes.data() + begin + length;
    const std::size_t rest = bytes.size() - begin - length;
    expect(rows_ == 0 || columns_ == 0 ||
               rest / element_ / static_cast<std::size_t>(columns_) >= static_cast<std::size_t>(rows_),
           "as many numbers as the header says", "the end of the file");
  }

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }  ///< 1 for an array of one dimension
  [[nodiscard]] int dimensions() const { return dimensions_; }
  [[nodiscard]] bool is_double() const { return kind_ == 'f' && element_ == 8; }
  [[nodiscard]] bool is_float() const { return kind_ == 'f' && element_ == 4; }
  /// Doubles that can be used where they lie.
  [[nodiscard]] bool is_in_place() const {
    return is_double() && reinterpret_cast<std::uintptr_t>(data_) % alignof(double) == 0;
  }
  [[nodiscard]] const double* doubles() const { return reinterpret_cast<const double*>(data_); }
  [[nodiscard]] const std::string& name() const { return mapping_.name(); }

  [[nodiscard]] double number(Index at) const {
    const char* from = data_ + static_cast<std::size_t>(at) * element_;
    switch (kind_) {
      case 'f':
        return element_ == 8 ? as<double>(from) : as<float>(from);
      case 'i':
        return element_ == 8   ? static_cast<double>(as<std::int64_t>(from))
               : element_ == 4 ? as<std::int32_t>(from)
               : element_ == 2 ? as<std::int16_t>(from)
                               : as<std::int8_t>(from);
      default:
        return element_ == 8   ? static_cast<double>(as<std::uint64_t>(from))
               : element_ == 4 ? as<std::uint32_t>(from)
               : element_ == 2 ? as<std::uint16_t>(from)
                               : as<std::uint8_t>(from);
    }
  }

  [[noreturn]] void fail(std::string_view expected, std::string_view got) const {
    slidemesh::fail<DataError>(name(), expected, got);
  }
  void expect(bool holds, std::string_view expected, std::string_view got) const {
    require<DataError>(holds, name(), expected, got);
  }

 private:
  template <class Number>
  static Number as(const char* from) {
    Number number{};
    std::memcpy(&number, from, sizeof number);
    return number;
  }

  /// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
  void parse(std::string_view header) {
    const std::string_view type = behind(header, "'descr':");
    const bool plain = type.size() > 4 && type[0] == '\'' && (type[1] == '<' || type[1] == '|') && type[4] == '\'';
    kind_ = plain ? type[2] : '?';
    element_ = plain && type[3] >= '1' && type[3] <= '8' ? static_cast<std::size_t>(type[3] - '0') : 0;
    const bool known = (kind_ == 'f' && (element_ == 4 || element_ == 8)) ||
                       ((kind_ == 'i' || kind_ == 'u') && std::has_single_bit(element_)) ||
                       (kind_ == 'b' && element_ == 1);
    expect(known, "numbers of this machine's byte order ('<f8', '<f4', '<i8', ...)",
           type.substr(0, std::min<std::size_t>(type.find(','), 6)));
    expect(behind(header, "'fortran_order':").starts_with("False"),
           "rows one after the other (numpy.ascontiguousarray makes them so)", "Fortran's order");
    parse_shape(behind(header, "'shape':"));
  }

  void parse_shape(std::string_view shape) {
    Index extents[2] = {0, 1};
    const char* at = shape.data() + (shape.starts_with('(') ? 1 : 0);
    const char* end = shape.data() + shape.size();
    for (;;) {
      while (at != end && (*at == ' ' || *at == ',')) {
        ++at;
      }
      if (at == end || *at == ')') {
        break;
      }
      expect(dimensions_ < 2, "an array of one or two dimensions", "one of more");
      const auto [stop, error] = std::from_chars(at, end, extents[dimensions_++]);
      expect(error == std::errc(), "a shape in the header", "another");
      at = stop;
    }
    rows_ = extents[0];
    columns_ = extents[1];
    expect(dimensions_ > 0 && rows_ >= 0 && columns_ >= 0 && columns_ <= kMostFeatures,
           "an array of one or two dimensions", "another");
  }

  [[nodiscard]] std::string_view behind(std::string_view header, std::string_view key) const {
    const std::size_t at = header.find(key);
    expect(at != std::string_view::npos, "a header with " + std::string(key), "none");
    header.remove_prefix(at + key.size());
    header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
    return header;
  }

  Mapping mapping_;
  const char* data_ = nullptr;
  char kind_ = '?';
  std::size_t element_ = 0;
  int dimensions_ = 0;
  Index rows_ = 0;
  Index columns_ = 1;
};

class NpyStore final : public RowStore, public std::enable_shared_from_this<NpyStore> {
 public:
  explicit NpyStore(const NpyOptions& options) : array_(options.path) {
    array_.expect(array_.dimensions() == 2, "rows and columns", "an array of one dimension");
    array_.expect(array_.is_double() || array_.is_float(),
                  "doubles or floats (numpy.asarray(rows, dtype=float) makes them so)", "whole numbers");
    const Index rows = options.max_rows > 0 ? std::min(options.max_rows, array_.rows()) : array_.rows();
    array_.expect(rows > 0 && array_.columns() > 0, "rows with a feature", "none");
    if (options.labels.empty()) {
      labels_.assign(static_cast<std::size_t>(rows), 0.0);
      return;
    }
    const Array labels(options.labels);
    labels.expect(labels.rows() == array_.rows() && labels.columns() == 1, std::to_string(array_.rows()) + " labels",
                  std::to_string(labels.rows()) + " x " + std::to_string(labels.columns()));
    for (Index r = 0; r < rows; ++r) {
      labels_.push_back(labels.number(r));
      if (!std::isfinite(labels_.back())) {
        labels.fail("finite numbers", "another in row " + std::to_string(r + 1));
      }
    }
  }

  [[nodiscard]] Index rows() const override { return static_cast<Index>(labels_.size()); }
  [[nodiscard]] Index features() const override { return array_.columns(); }
  /// Not counted: that would be a pass over all.
  [[nodiscard]] Count nonzeros() const override { return rows() * features(); }
  [[nodiscard]] bool has_fixed_width() const override { return true; }
  [[nodiscard]] std::vector<double>& labels() override { return labels_; }
  void set_table_shape(Index /*features*/, bool /*dense*/) override {}
  [[nodiscard]] std::vector<std::shared_ptr<RowSource>> sources(const Partition& places) override;

  [[nodiscard]] static bool is_sparse() { return false; }
  [[nodiscard]] Index length(Index /*row*/) const { return features(); }
  [[nodiscard]] const Array& array() const { return array_; }
  [[nodiscard]] const double* label_numbers() const { return labels_.data(); }
  void expect_finite(const double* values, Index rows, Index first) const {
    for (Index k = 0; k < rows * features(); ++k) {
      if (!std::isfinite(values[k])) {
        array_.fail("finite numbers", "another in row " + std::to_string(first + k / features() + 1));
      }
    }
  }

 private:
  Array array_;
  std::vector<double> labels_;
};

class NpySource final : public PartSource<const NpyStore> {
 public:
  using PartSource::PartSource;

  void scan(AccessPurpose /*purpose*/, const Visit& visit) override {
    for (Index at = 0; at < rows(); at += kPieceRows) {
      const Index size = std::min(kPieceRows, rows() - at);
      if (part_.is_range() && table_->array().is_in_place()) {
        visit(mapped(part_.row(at), size), at);
      } else {
        copy(size, [&](Index r) { return part_.row(at + r); });
        visit(view_of(copied_), at);
      }
    }
    is_checked_ = true;
  }

  RowBlock fetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) override {
    const auto asked = part_.rows(numbers);
    copy(static_cast<Index>(asked.size()), [&](Index r) { return asked[static_cast<std::size_t>(r)]; });
    return view_of(copied_);
  }

 private:
  static constexpr Index kPieceRows = 16 * kBlockRows;

  RowBlock mapped(Index first, Index size) {
    RowBlock block;
    block.count = size;
    block.features = features();
    block.labels = table_->label_numbers() + first;
    block.values = table_->array().doubles() + first * features();
    if (!is_checked_) {
      table_->expect_finite(block.values, size, first);
    }
    return block;
  }

  template <class TableRow>
  void copy(Index count, TableRow&& row_of) {
    clear_rows(copied_, features(), false);
    const Array& array = table_->array();
    for (Index r = 0; r < count; ++r) {
      const Index row = row_of(r);
      copied_.labels.push_back(table_->label_numbers()[row]);
      for (Index j = 0; j < features(); ++j) {
        copied_.values.push_back(array.number(row * features() + j));
      }
      if (!is_checked_) {
        table_->expect_finite(copied_.values.data() + copied_.values.size() - features(), 1, row);
      }
    }
  }

  bool is_checked_ = false;  ///< all rows were seen to be finite
  Rows copied_;
};

std::vector<std::shared_ptr<RowSource>> NpyStore::sources(const Partition& places) {
  return sources_of<NpySource>(shared_from_this(), places);
}

}  // namespace

std::shared_ptr<RowStore> open_npy(const NpyOptions& options) { return std::make_shared<NpyStore>(options); }

}  // namespace slidemesh
