#include "slidemesh/data/formats/writers.h"

#include <algorithm>
#include <fstream>
#include <ostream>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "slidemesh/core/row_numbers.h"

namespace slidemesh {
namespace {

/// body(column, value) for the nonzeros of a row, columns ascending.
template <class Body>
void for_each_nonzero(const Rows& rows, Index r, Body&& body) {
  for_each_number(view_of(rows), r, [&](Index j, double v) {
    if (v != 0.0 || rows.is_sparse()) {
      body(j, v);
    }
  });
}

double label(const Rows& rows, Index r) { return rows.labels[static_cast<std::size_t>(r)]; }

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted.append(c == '"' ? "\"" : "").push_back(c);
  }
  return quoted + '"';
}

void write_libsvm(std::ostream& out, const Rows& rows) {
  for (Index r = 0; r < rows.count(); ++r) {
    out << text::shortest(label(rows, r));
    Index last = -1;
    for_each_nonzero(rows, r, [&](Index j, double v) {
      out << ' ' << j + 1 << ':' << text::shortest(v);
      last = j;
    });
    // The format has no place for the number of columns; a zero that is spelled out holds it.
    if (r == 0 && last + 1 < rows.features) {
      out << ' ' << rows.features << ":0";
    }
    out << '\n';
  }
}

void write_csv(std::ostream& out, const Rows& rows) { write_csv(out, rows, {}); }

void write_csv(std::ostream& out, const Rows& rows, const TableNames& names) {
  out << csv_field(names.label);
  for (Index j = 0; j < rows.features; ++j) {
    out << ','
        << (names.features.empty() ? std::string("f").append(std::to_string(j + 1))
                                   : csv_field(names.features[static_cast<std::size_t>(j)]));
  }
  out << '\n';
  for (Index r = 0; r < rows.count(); ++r) {
    out << (names.label_words.empty() ? text::shortest(label(rows, r))
                                      : csv_field(names.label_words[static_cast<std::size_t>(label(rows, r))]));
    Index next = 0;
    for_each_nonzero(rows, r, [&](Index j, double v) {
      for (; next < j; ++next) {
        out << ",0";
      }
      out << ',' << text::shortest(v);
      ++next;
    });
    for (; next < rows.features; ++next) {
      out << ",0";
    }
    out << '\n';
  }
}

void write_matrix_market(std::ostream& out, const Rows& rows) {
  const auto labelled = rows.count() - std::count(rows.labels.begin(), rows.labels.end(), 0.0);
  out << "%%MatrixMarket matrix coordinate real general\n% column 1 is the label\n"
      << rows.count() << ' ' << rows.features + 1 << ' ' << rows.nonzeros() + labelled << '\n';
  for (Index r = 0; r < rows.count(); ++r) {
    if (label(rows, r) != 0.0) {
      out << r + 1 << " 1 " << text::shortest(label(rows, r)) << '\n';
    }
    for_each_nonzero(rows, r,
                     [&](Index j, double v) { out << r + 1 << ' ' << j + 2 << ' ' << text::shortest(v) << '\n'; });
  }
}

std::vector<std::filesystem::path> write_parts(const Rows& rows, const Partition& partition,
                                               const std::filesystem::path& directory, bool replace,
                                               const TableNames& names) {
  const bool named = !names.features.empty();
  make_directory(directory);
  std::vector<std::filesystem::path> files;
  for (Index i = 0; i < partition.nodes(); ++i) {
    // As part-{node}.svm in a config.
    files.push_back(directory / ("part-" + std::to_string(i) + (named ? ".csv" : ".svm")));
    if (!replace && std::filesystem::exists(files.back())) {
      fail<UsageError>(files.back().string(), "no such file yet", "one");
    }
  }
  for (Index i = 0; i < partition.nodes(); ++i) {
    const Rows own = select_rows(rows, partition.rows(i));
    const auto& file = files[static_cast<std::size_t>(i)];
    std::ofstream out(claim_file(file), std::ios::binary | std::ios::trunc);
    if (named) {
      write_csv(out, own, names);
    } else {
      write_libsvm(out, own);
    }
    out.close();
    require<UsageError>(!out.fail(), file.string(), "a file that can be written", "an error");
  }
  return files;
}

}  // namespace slidemesh
