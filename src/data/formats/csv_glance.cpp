#include "slidemesh/data/formats/csv_glance.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "csv_layout.h"
#include "fields.h"
#include "slidemesh/base/text.h"
#include "slidemesh/base/value.h"
#include "slidemesh/data/formats/decompress.h"

namespace slidemesh {
namespace {

/// More different words than this make no category.
constexpr std::size_t kMostWords = 50;
/// More different whole numbers than this are no classes.
constexpr std::size_t kMostClasses = 20;

void add(std::string_view field, ColumnGlance& column) {
  double value = 0.0;
  const FieldKind kind = parse_field(field, value);
  if (kind == FieldKind::kMissing) {
    ++column.missing;
    return;
  }
  if (kind == FieldKind::kNotFinite) {
    ++column.infinite;
  } else if (kind == FieldKind::kBoolean) {
    ++column.truths;
  } else if (kind == FieldKind::kNumber) {
    column.low = column.numbers == 0 ? value : std::min(column.low, value);
    column.high = column.numbers == 0 ? value : std::max(column.high, value);
    ++column.numbers;
  } else {
    ++(looks_like_date(field) ? column.dates : has_decimal_comma(field) ? column.decimal_commas : column.words);
  }
  const std::string text(trimmed(field));
  const bool is_new = std::find(column.values.begin(), column.values.end(), text) == column.values.end();
  if (is_new && column.values.size() < ColumnGlance::kMostValues) {
    column.values.push_back(text);
  }
}

/// The delimiter that was asked for, unless the first line has none of it and one of another.
char delimiter_of(const std::filesystem::path& path, char asked) {
  CsvRecords records(open_bytes(path), path.string(), asked);
  if (!records.next() || records.fields().size() > 1) {
    return asked;
  }
  const std::size_t at = records.fields()[0].find_first_of(";\t|,");
  return at == std::string_view::npos ? asked : records.fields()[0][at];
}

bool is_text(const ColumnGlance& column) { return column.words > 0; }

/// Numbers among words, with commas, or that are not finite, are neither numbers nor categories to any reader, nor is
/// nothing at all.
bool cannot_be_read(const ColumnGlance& column) {
  const bool is_empty = column.numbers + column.truths + column.words + column.dates == 0;
  return is_empty || column.infinite > 0 || column.decimal_commas > 0 || (is_text(column) && column.numbers > 0);
}

/// Dates, and words that differ from row to row: names, notes.
bool wants_to_be_ignored(const ColumnGlance& column, const CsvGlance& glance) {
  const bool counts_rows = column.name.empty() && glance.has_header;
  return counts_rows || cannot_be_read(column) || column.dates > 0 ||
         (is_text(column) && column.values.size() > kMostWords);
}

bool is_whole(const std::string& field) {
  double value = 0.0;
  const FieldKind kind = parse_field(field, value);
  return (kind == FieldKind::kNumber || kind == FieldKind::kBoolean) && std::floor(value) == value;
}

std::string proposed_loss(const ColumnGlance& label) {
  const bool whole = std::all_of(label.values.begin(), label.values.end(), is_whole);
  if (label.values.size() == 2) {
    return "logistic";
  }
  return is_text(label) || (whole && label.values.size() <= kMostClasses) ? "softmax" : "least-squares";
}

const ColumnGlance* find_label(const CsvGlance& glance, const std::string& wanted) {
  for (const ColumnGlance& column : glance.columns) {
    if (wanted.empty() ? is_called_like_a_target(column.name) : column.name == wanted) {
      return &column;
    }
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool is_number = error == std::errc{} && end == wanted.data() + wanted.size();
  return is_number && number >= 1 && number <= glance.columns.size() ? &glance.columns[number - 1] : nullptr;
}

}  // namespace

CsvGlance glance_at_csv(const std::filesystem::path& path, char delimiter) {
  CsvGlance glance{.delimiter = delimiter_of(path, delimiter)};
  CsvRecords records(open_bytes(path), path.string(), glance.delimiter);
  if (!records.next()) {
    return glance;
  }
  CsvOptions options;
  options.delimiter = glance.delimiter;
  options.unlabelled = true;
  const CsvLayout layout = find_layout(records, options);
  glance.has_header = layout.has_header;
  for (const std::string& name : layout.names) {
    glance.columns.push_back({.name = name});
  }
  for (bool more = !layout.has_header || records.next(); more; more = records.next()) {
    expect_fields(records, glance.columns.size());
    ++glance.rows;
    for (std::size_t c = 0; c < glance.columns.size(); ++c) {
      add(records.fields()[c], glance.columns[c]);
    }
  }
  return glance;
}

CsvProposal proposal_for(const CsvGlance& glance, const std::string& wanted) {
  const ColumnGlance* label = find_label(glance, wanted);
  CsvProposal out;
  out.options.delimiter = glance.delimiter;
  if (label != nullptr) {
    out.options.label = label->name;
    out.loss = proposed_loss(*label);
  }
  for (std::size_t c = 0; c < glance.columns.size(); ++c) {
    const ColumnGlance& column = glance.columns[c];
    if (&column == label) {
      continue;
    }
    if (wants_to_be_ignored(column, glance)) {
      out.options.ignore.push_back(column.name.empty() ? std::to_string(c + 1) : column.name);
      continue;
    }
    out.options.missing = column.missing > 0 ? MissingValues::kMean : out.options.missing;
    out.options.categorical = is_text(column) ? CategoricalColumns::kOneHot : out.options.categorical;
  }
  if (out.options.ignore.size() + (label != nullptr ? 1 : 0) >= glance.columns.size()) {
    out.options.ignore.clear();  // nothing is left to learn from: why is said by whoever reads it
  }
  return out;
}

std::string config_lines(const CsvProposal& proposal, const std::filesystem::path& path) {
  const CsvOptions& o = proposal.options;
  std::string out = proposal.loss.empty() ? "" : fmt::format("[problem]\nloss = \"{}\"\n", proposal.loss);
  out += fmt::format("[data]\npath = {}\n", to_toml({path.string()}));
  if (o.delimiter != ',') {
    out += fmt::format("delimiter = {}\n", to_toml({std::string(1, o.delimiter)}));
  }
  out += o.label.empty() ? "label = \"...\"            # the column to predict\n"
                         : fmt::format("label = {}\n", to_toml({o.label}));
  const auto in_toml = [](const std::string& name) { return to_toml({name}); };
  out += o.ignore.empty() ? "" : fmt::format("ignore = [{}]\n", text::joined(o.ignore, ", ", in_toml));
  out += o.missing == MissingValues::kMean ? "missing = \"mean\"\n" : "";
  out += o.categorical == CategoricalColumns::kOneHot ? "categorical = \"one-hot\"\n" : "";
  return out + "scaling = \"standard\"\n";
}

}  // namespace slidemesh
