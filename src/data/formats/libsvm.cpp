#include "slidemesh/data/formats/libsvm.h"

#include <algorithm>
#include <utility>

#include "line_reader.h"
#include "number.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

class LibsvmReader final : public RowReader {
 public:
  LibsvmReader(std::unique_ptr<ByteStream> bytes, std::string name, const LibsvmOptions& options)
      : lines_(std::move(bytes), std::move(name), options.range ? options.range->lines_before : 0),
        declared_(options.features) {
    require<UsageError>(declared_ >= 0 && declared_ <= kMostFeatures, "features", "0 to 2147483646",
                        std::to_string(declared_));
  }

  Index read(Index most, Rows& rows) override {
    Index count = 0;
    std::string_view line;
    while (count < most && lines_.next(line)) {
      count += parse(line, rows) ? 1 : 0;
    }
    rows.features = features();
    rows_read_ += count;
    return count;
  }

  [[nodiscard]] Index features() const override { return declared_ > 0 ? declared_ : largest_; }
  [[nodiscard]] bool has_fixed_width() const override { return declared_ > 0; }
  [[nodiscard]] Count rows_read() const override { return rows_read_; }
  [[nodiscard]] const std::string& name() const override { return lines_.name(); }

 private:
  /// One line into one row; false if there is none on it.
  bool parse(std::string_view line, Rows& rows) {
    const char* p = line.data();
    const char* end = p + line.size();
    skip_blanks(p, end);
    if (p == end || *p == '#') {
      return false;
    }
    rows.labels.push_back(number(p, end, "a label"));
    std::int64_t previous = 0;
    for (;;) {
      skip_blanks(p, end);
      if (p == end || *p == '#') {
        break;
      }
      const std::int64_t index = column(p, end, previous);
      const double value = number(p, end, "a value");
      previous = index;
      if (value != 0.0) {
        rows.columns.push_back(static_cast<std::int32_t>(index - 1));
        rows.values.push_back(value);
      }
    }
    largest_ = std::max<Index>(largest_, previous);
    rows.offsets.push_back(static_cast<std::int64_t>(rows.values.size()));
    return true;
  }

  static void skip_blanks(const char*& p, const char* end) {
    while (p != end && text::is_blank(*p)) {
      ++p;
    }
  }

  /// The index and its colon.
  std::int64_t column(const char*& p, const char* end, std::int64_t previous) const {
    const char* begin = p;
    std::int64_t index = 0;
    while (p != end && text::is_digit(*p) && index <= kMostFeatures) {
      index = index * 10 + (*p++ - '0');
    }
    if (p == begin || p == end || *p != ':' || index > kMostFeatures || index <= previous ||
        (declared_ > 0 && index > declared_)) {
      fail_column(begin, end, index, previous);
    }
    ++p;
    return index;
  }

  [[noreturn]] void fail_column(const char* begin, const char* end, std::int64_t index, std::int64_t previous) const {
    const char* stop = begin;
    while (stop != end && text::is_digit(*stop)) {
      ++stop;
    }
    if (stop == begin || stop == end || *stop != ':') {
      fail("index:value", begin, end);
    }
    if (index == 0) {
      fail("an index of at least 1", begin, end,
           " (dump_svmlight_file of scikit-learn counts so with zero_based=False)");
    }
    if (index > kMostFeatures) {
      fail("an index of at most 2147483646", begin, end);
    }
    if (index <= previous) {
      fail("an index above " + std::to_string(previous), begin, end);
    }
    fail("an index of at most " + std::to_string(declared_), begin, end);
  }

  double number(const char*& p, const char* end, const char* what) const {
    double value = 0.0;
    const char* stop = p;
    const text::Parsed parsed = text::parse_number(p, end, value, stop);
    if (parsed == text::Parsed::kNotFinite) {
      fail(std::string(what) + " that is a finite number", p, end);
    }
    if (parsed == text::Parsed::kMalformed || (stop != end && !text::is_blank(*stop) && *stop != '#')) {
      const std::string_view rest(p, static_cast<std::size_t>(end - p));
      const bool is_csv = lines_.number() == 1 && rest.find(':') == std::string_view::npos &&
                          rest.find_first_of(",;") != std::string_view::npos;
      fail(std::string(what) + " that is a number", p, end, is_csv ? " (data.source = \"csv\" reads it as CSV)" : "");
    }
    p = stop;
    return value;
  }

  [[noreturn]] void fail(const std::string& expected, const char* begin, const char* end, const char* hint = "") const {
    const char* stop = std::find_if(begin, end, text::is_blank);
    const std::string_view token(begin, static_cast<std::size_t>(stop - begin));
    slidemesh::fail<DataError>(lines_.where(), expected, (token.empty() ? "nothing" : text::quoted(token)) + hint);
  }

  LineReader lines_;
  Index declared_;
  Index largest_ = 0;
  Count rows_read_ = 0;
};

}  // namespace

std::unique_ptr<RowReader> open_libsvm(const std::filesystem::path& path, const LibsvmOptions& options) {
  auto bytes = options.range ? open_bytes(path, *options.range) : open_bytes(path);
  return std::make_unique<LibsvmReader>(std::move(bytes), path.string(), options);
}

Rows read_libsvm(const std::filesystem::path& path, const LibsvmOptions& options) {
  return read_all(*open_libsvm(path, options), options.max_rows);
}

Rows parse_libsvm(std::string_view text, const std::string& name, const LibsvmOptions& options) {
  LibsvmReader reader(open_bytes(text, name), name, options);
  return read_all(reader, options.max_rows);
}

}  // namespace slidemesh
