#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "slidemesh/core/meters.h"
#include "slidemesh/core/metrics.h"
#include "slidemesh/core/record.h"
#include "slidemesh/report/report.h"
#include "slidemesh/report/writers.h"

/// The words of docs/report.md as JSON, in one place for every file that has them.

/// A number that is absent is null.
template <class Number>
struct nlohmann::adl_serializer<std::optional<Number>> {
  template <class Json>
  static void to_json(Json& json, const std::optional<Number>& value) {
    json = value ? Json(*value) : Json(nullptr);
  }
};

namespace slidemesh {

using Json = nlohmann::ordered_json;  ///< keeps our order of fields, so that files read well

// What a Json is made from where one is wanted, as are lists of it.
void to_json(Json& object, const NodeMeters& meters);
/// As `slidemesh evaluate --json` prints them and summary.json has them.
void to_json(Json& object, const Scores& scores);
void to_json(Json& object, const CoefficientSummary& coefficients);
void to_json(Json& object, const ReportNetwork& network);

}  // namespace slidemesh

namespace slidemesh::report_json {

/// Text to write: invalid UTF-8 is replaced, not refused, since labels come from users; infinities and
/// NaN become null.
[[nodiscard]] std::string dump(const Json& value, int indent = -1);

/// A parsed value and where it came from, so that what is wrong with it can be said:
/// `file: runs[0].seconds: expected a number, got "x"`.
class Field {
 public:
  Field(const Json& value, std::string place) : value_(&value), place_(std::move(place)) {}

  [[nodiscard]] const Json& json() const { return *value_; }
  [[nodiscard]] bool has(const char* key) const;
  [[nodiscard]] Field at(const char* key) const;  ///< DataError if it is absent
  [[nodiscard]] Field at(std::size_t index) const;
  [[nodiscard]] std::size_t size() const;  ///< of an array; DataError if it is none
  /// Every element of an array by `read`, a function or a member of Field.
  template <class Read>
  [[nodiscard]] auto each(Read read) const {
    std::vector<std::remove_cvref_t<std::invoke_result_t<Read, const Field&>>> all;
    for (std::size_t i = 0; i < size(); ++i) {
      all.push_back(std::invoke(read, at(i)));
    }
    return all;
  }

  [[nodiscard]] std::string text() const;
  [[nodiscard]] double number() const;         ///< null is NaN
  [[nodiscard]] double finite_number() const;  ///< null is an error
  [[nodiscard]] std::optional<double> optional_number() const;
  [[nodiscard]] Count count() const;  ///< an integer, 0 or more
  [[nodiscard]] std::optional<Count> optional_count() const;
  [[nodiscard]] bool flag() const;
  void expect_object() const;
  /// The field of that name by `read` into `value`, which stays as it is where there is none.
  template <class Read, class Value>
  void read_if_there(const char* key, Read read, Value& value) const {
    if (has(key)) {
      value = std::invoke(read, at(key));
    }
  }

  [[noreturn]] void fail(const std::string& expected) const;
  /// The same unless `holds`.
  void require(bool holds, std::string_view expected) const {
    if (!holds) {
      fail(std::string(expected));
    }
  }

 private:
  const Json* value_;
  std::string place_;
};

/// DataError with the line at which the text stops being JSON.
[[nodiscard]] Json parse(const std::filesystem::path& path, std::string_view text, std::size_t first_line = 1);

/// Reads the file, and refuses it unless it is an object of our schema.
[[nodiscard]] Json read_document(const std::filesystem::path& path);

/// The fields that a summary and a trace line share, in the order of docs/report.md.
void append_record(Json& object, const Record& record);
[[nodiscard]] Record read_record(const Field& object, const char* step_key);

[[nodiscard]] NodeMeters read_node_meters(const Field& object);

[[nodiscard]] Scores read_scores(const Field& object);
[[nodiscard]] CoefficientSummary read_coefficients(const Field& object);

[[nodiscard]] Status status_named(const Field& name);

/// One trace line, without the end of line.
[[nodiscard]] Json trace_line(std::string_view method, std::string_view label, const Record& record);
[[nodiscard]] TraceLine read_trace_line(const Field& object);

}  // namespace slidemesh::report_json
