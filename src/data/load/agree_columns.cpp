#include "slidemesh/data/load/agree_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/base/text.h"

namespace slidemesh {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr char kEnd = '\0';  // no name has one

std::string joined(const PartyColumns& columns) {
  std::string text = columns.label;
  for (const std::string& name : columns.features) {
    text += kEnd + name;
  }
  return text;
}

bool all_have_the_same(std::span<const PartyColumns> local, Network& network) {
  constexpr std::uint64_t kHalf = 0xffffffffU;  // what a double holds exactly
  Vector largest = Vector::Constant(4, -kNone);
  for (const PartyColumns& columns : local) {
    const std::uint64_t hash = hash_of(joined(columns));
    const auto low = static_cast<double>(hash & kHalf);
    const auto high = static_cast<double>(hash >> 32U);
    largest = largest.cwiseMax(Eigen::Vector4d(low, high, -low, -high));
  }
  const Vector agreed = network.agree_max(largest.replicate(1, network.local_nodes()));
  return agreed(0) == -agreed(2) && agreed(1) == -agreed(3);
}

/// What node 0 says, at every node: six bytes per number.
std::string from_first_node(const std::string& text, Network& network) {
  constexpr std::size_t kBytes = 6;
  const bool is_first = network.owns(0);
  Matrix size = Matrix::Zero(1, network.local_nodes());
  size(0, 0) = is_first ? static_cast<double>(text.size()) : 0.0;
  std::string agreed(static_cast<std::size_t>(network.agree_sum(size)(0)), kEnd);
  Matrix packed = Matrix::Zero(static_cast<Index>((agreed.size() + kBytes - 1) / kBytes), network.local_nodes());
  for (std::size_t i = 0; is_first && i < text.size(); ++i) {
    double& number = packed(static_cast<Index>(i / kBytes), 0);
    number +=
        static_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << (8 * (i % kBytes)));
  }
  const Vector all = network.agree_sum(packed);
  for (std::size_t i = 0; i < agreed.size(); ++i) {
    const auto number = static_cast<std::uint64_t>(all(static_cast<Index>(i / kBytes)));
    agreed[i] = static_cast<char>(number >> (8 * (i % kBytes)));
  }
  return agreed;
}

std::vector<std::string> parted(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == kEnd) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

void compare(const PartyColumns& own, const std::string& label, const std::vector<std::string>& names) {
  require<DataError>(own.label == label, own.party,
                     fmt::format("the label's column to be called {} as node 0 calls it", text::quoted(label)),
                     text::quoted(own.label));
  std::vector<std::string> sorted = own.features;
  std::vector<std::string> expected = names;
  std::sort(sorted.begin(), sorted.end());
  std::sort(expected.begin(), expected.end());
  const auto [mine, theirs] = std::mismatch(sorted.begin(), sorted.end(), expected.begin(), expected.end());
  if (mine == sorted.end() && theirs == expected.end()) {
    return;
  }
  if (theirs != expected.end() && (mine == sorted.end() || *theirs < *mine)) {
    fail<DataError>(own.party, fmt::format("a column called {} as node 0 has", text::quoted(*theirs)), "none");
  }
  fail<DataError>(own.party, "the columns that node 0 has",
                  fmt::format("one more, {} (data.ignore leaves it out)", text::quoted(*mine)));
}

/// Words of several parties, smallest first, as the network agrees on them.
class WordUnion {
 public:
  explicit WordUnion(const std::vector<std::string>& own) : own_(own), next_(own.begin()) {}

  [[nodiscard]] bool is_done() const { return done_; }
  [[nodiscard]] std::vector<std::string>& words() { return words_; }

  /// The next six symbols of the smallest own word that is beyond the last agreed one and begins as the one that is
  /// being agreed on does: numbers in the order of words. kNone: there is none.
  [[nodiscard]] double offer() const {
    if (done_ || next_ == own_.end() || !next_->starts_with(begun_)) {
      return kNone;
    }
    std::uint64_t number = 0;
    for (std::size_t i = begun_.size(); i < begun_.size() + kSymbols; ++i) {
      number = number * kAlphabet + (i < next_->size() ? 1U + static_cast<unsigned char>((*next_)[i]) : 0U);
    }
    return static_cast<double>(number);
  }

  void take(double smallest) {
    if (smallest == kNone) {  // only where a word begins: what was begun, somebody has
      done_ = true;
      return;
    }
    std::array<unsigned, kSymbols> symbols{};
    auto number = static_cast<std::uint64_t>(smallest);
    for (auto symbol = symbols.rbegin(); symbol != symbols.rend(); ++symbol, number /= kAlphabet) {
      *symbol = static_cast<unsigned>(number % kAlphabet);
    }
    const auto end = std::find(symbols.begin(), symbols.end(), 0U);
    std::transform(symbols.begin(), end, std::back_inserter(begun_),
                   [](unsigned symbol) { return static_cast<char>(symbol - 1); });
    const bool ends = end != symbols.end();
    next_ = std::lower_bound(next_, own_.end(), begun_);
    if (ends) {
      next_ = next_ != own_.end() && *next_ == begun_ ? next_ + 1 : next_;
      words_.push_back(std::exchange(begun_, {}));
    }
  }

 private:
  static constexpr std::uint64_t kAlphabet = 257;  // the end of a word, and 256 bytes
  static constexpr std::size_t kSymbols = 6;       // 257^6 < 2^53: exact as a double

  const std::vector<std::string>& own_;
  std::vector<std::string>::const_iterator next_;
  std::string begun_;
  std::vector<std::string> words_;
  bool done_ = false;
};

/// Words that are in one or the other, which are sorted.
std::vector<std::string> united(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

/// The surveys of this process's files as one.
CsvSurvey merged(std::span<const CsvSurvey> surveys) {
  CsvSurvey all = surveys.front();
  const auto add = [](ColumnSurvey& to, const ColumnSurvey& from) {
    to.words = united(to.words, from.words);
    to.is_boolean = to.is_boolean && from.is_boolean;
    const auto numbers = static_cast<double>(to.numbers + from.numbers);
    if (from.numbers > 0) {
      to.mean = (to.mean * static_cast<double>(to.numbers) + from.mean * static_cast<double>(from.numbers)) / numbers;
    }
    to.numbers += from.numbers;
  };
  for (const CsvSurvey& survey : surveys.subspan(1)) {
    add(all.label, survey.label);
    for (std::size_t c = 0; c < all.columns.size(); ++c) {
      add(all.columns[c], survey.columns[c]);
    }
  }
  return all;
}

/// Columns that hold words at one party must hold them at all.
void agree_on_kinds(std::span<const CsvSurvey> surveys, std::span<const std::string> files, std::size_t columns,
                    Network& network) {
  const auto column = [](const CsvSurvey& survey, std::size_t c) -> const ColumnSurvey& {
    return c == survey.columns.size() ? survey.label : survey.columns[c];
  };
  Vector has_numbers = Vector::Zero(static_cast<Index>(columns) + 1);
  for (const CsvSurvey& survey : surveys) {
    for (std::size_t c = 0; c <= columns; ++c) {
      const ColumnSurvey& own = column(survey, c);
      if (own.numbers > 0 && !own.is_boolean) {
        has_numbers(static_cast<Index>(c)) = 1.0;
      }
    }
  }
  const Vector agreed = network.agree_max(has_numbers.replicate(1, network.local_nodes()));
  for (std::size_t f = 0; f < files.size(); ++f) {
    for (std::size_t c = 0; c <= columns; ++c) {
      const ColumnSurvey& own = column(surveys[f], c);
      if (!own.words.empty() && agreed(static_cast<Index>(c)) != 0.0) {
        fail<DataError>(files[f], fmt::format("numbers in column {} as others have there", text::quoted(own.name)),
                        fmt::format("words, {} among them", text::quoted(own.words.front())));
      }
    }
  }
}

/// Words of all columns, and of the labels behind them.
void agree_on_dictionaries(CsvSurvey& survey, Network& network) {
  std::vector<std::vector<std::string>> own;
  for (const ColumnSurvey& column : survey.columns) {
    own.push_back(column.words);
  }
  own.push_back(label_words(survey.label));
  auto all = agree_on_words(own, network);
  for (std::size_t c = 0; c < survey.columns.size(); ++c) {
    survey.columns[c].words = std::move(all[c]);
  }
  survey.label.words = std::move(all.back());
  survey.label.is_boolean = false;
}

void agree_on_means(CsvSurvey& survey, Network& network) {
  const auto columns = static_cast<Index>(survey.columns.size());
  Matrix sums = Matrix::Zero(2 * columns, network.local_nodes());
  for (Index c = 0; c < columns; ++c) {
    const ColumnSurvey& column = survey.columns[static_cast<std::size_t>(c)];
    sums(c, 0) = column.mean * static_cast<double>(column.numbers);
    sums(columns + c, 0) = static_cast<double>(column.numbers);
  }
  const Vector total = network.agree_sum(sums);
  for (Index c = 0; c < columns; ++c) {
    ColumnSurvey& column = survey.columns[static_cast<std::size_t>(c)];
    column.numbers = static_cast<Count>(total(columns + c));
    column.mean = column.numbers > 0 ? total(c) / total(columns + c) : 0.0;
  }
}

}  // namespace

std::vector<std::string> agree_on_names(std::span<const PartyColumns> local, Network& network) {
  if (all_have_the_same(local, network)) {
    return local.front().features;
  }
  std::vector<std::string> names = parted(from_first_node(joined(local.front()), network));
  const std::string label = names.front();
  names.erase(names.begin());
  for (const PartyColumns& own : local) {
    compare(own, label, names);
  }
  return names;
}

std::vector<std::vector<std::string>> agree_on_words(std::span<const std::vector<std::string>> own, Network& network) {
  std::vector<WordUnion> unions(own.begin(), own.end());
  const auto is_done = [](const WordUnion& one) { return one.is_done(); };
  while (!std::all_of(unions.begin(), unions.end(), is_done)) {
    Vector offers(static_cast<Index>(unions.size()));
    for (std::size_t c = 0; c < unions.size(); ++c) {
      offers(static_cast<Index>(c)) = -unions[c].offer();
    }
    const Vector agreed = network.agree_max(offers.replicate(1, network.local_nodes()));
    for (std::size_t c = 0; c < unions.size(); ++c) {
      if (!unions[c].is_done()) {
        unions[c].take(-agreed(static_cast<Index>(c)));
      }
    }
  }
  std::vector<std::vector<std::string>> words;
  for (WordUnion& one : unions) {
    words.push_back(std::move(one.words()));
  }
  return words;
}

CsvOptions agree_on_csv(std::span<const std::string> files, const CsvOptions& options, Network& network,
                        Count& rows_read) {
  CsvOptions agreed = options;
  std::vector<PartyColumns> local;
  double label_is_word = 0.0;
  bool from_header = false;
  for (const std::string& file : files) {
    CsvNames names = names_of_csv(file, options);
    label_is_word = names.label_is_word ? 1.0 : label_is_word;
    from_header = names.from_header;
    local.push_back({file, std::move(names.features), std::move(names.label)});
  }
  const std::vector<std::string> names = agree_on_names(local, network);
  if (from_header) {
    agreed.features = names;
  }
  const bool has_words = network.agree_max(Matrix::Constant(1, network.local_nodes(), label_is_word))(0) != 0.0;
  const bool one_hot = options.categorical == CategoricalColumns::kOneHot;
  if (!has_words && !one_hot && options.missing != MissingValues::kMean) {
    return agreed;
  }
  std::vector<CsvSurvey> surveys;
  for (const std::string& file : files) {
    surveys.push_back(survey_csv(file, agreed));
    rows_read += surveys.back().rows;
  }
  agree_on_kinds(surveys, files, names.size(), network);
  CsvSurvey all = merged(surveys);
  agree_on_dictionaries(all, network);
  if (options.missing == MissingValues::kMean) {
    agree_on_means(all, network);
  }
  agreed.columns = feature_columns(all.columns, options);
  agreed.label_words = all.label.words;
  return agreed;
}

namespace {

/// What the files of this process say of the matrix's rows or its columns, together.
struct OwnAxis {
  Index extent = 0;
  std::vector<std::string> names;

  void add(Index extent_here, const std::vector<std::string>& names_here) {
    extent = std::max(extent, extent_here);
    names = united(names, names_here);
  }
};

std::array<OwnAxis, 2> look_through(std::span<const std::string> files, const MatrixEntriesOptions& options,
                                    Count& rows_read) {
  std::array<OwnAxis, 2> own;
  for (const std::string& file : files) {
    const MatrixEntries entries = read_matrix_entries(file, options);
    own[0].add(entries.rows, entries.names.row_names);
    own[1].add(entries.columns, entries.names.column_names);
    rows_read += entries.table.count();
  }
  return own;
}

}  // namespace

MatrixEntriesOptions agree_on_entries(std::span<const std::string> files, const MatrixEntriesOptions& options,
                                      Network& network, Count& rows_read) {
  MatrixEntriesOptions agreed = options;
  agreed.matrix_rows = agreed.matrix_columns = 0;  // a file need not have all of them
  std::array<OwnAxis, 2> own = look_through(files, agreed, rows_read);
  Eigen::Vector4d shape;
  for (Index a = 0; a < 2; ++a) {
    const OwnAxis& axis = own[static_cast<std::size_t>(a)];
    shape(a) = axis.names.empty() ? static_cast<double>(axis.extent) : 0.0;
    shape(2 + a) = axis.names.empty() ? 0.0 : 1.0;
  }
  const Vector all = network.agree_max(shape.replicate(1, network.local_nodes()));
  agreed.row_names = all(2) != 0.0;
  agreed.column_names = all(3) != 0.0;
  if (all(2) != shape(2) || all(3) != shape(3)) {
    own = look_through(files, agreed, rows_read);  // somebody has words where this process has numbers
  }
  const auto extent = [&](Index a, Index declared) {
    return all(2 + a) != 0.0 ? 0 : declared > 0 ? declared : static_cast<Index>(all(a));
  };
  agreed.matrix_rows = extent(0, options.matrix_rows);
  agreed.matrix_columns = extent(1, options.matrix_columns);
  agreed.known = {options.row, options.column, {}, {}};
  if (agreed.row_names || agreed.column_names) {
    std::vector<std::vector<std::string>> together =
        agree_on_words(std::vector<std::vector<std::string>>{own[0].names, own[1].names}, network);
    agreed.known->row_names = std::move(together[0]);
    agreed.known->column_names = std::move(together[1]);
  }
  return agreed;
}

}  // namespace slidemesh
