#include "json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"

namespace slidemesh::report_json {
namespace {

std::string shortened(const Json& value) {
  constexpr std::size_t kShown = 40;
  if (value.is_array()) {
    return "an array of " + std::to_string(value.size());
  }
  if (value.is_object()) {
    return "an object";
  }
  const std::string text = dump(value);
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

}  // namespace

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void Field::fail(const std::string& expected) const {
  throw DataError(place_ + (place_.ends_with(':') ? "" : ":") + " expected " + expected + ", got " +
                  shortened(*value_));
}

void Field::expect_object() const { require(value_->is_object(), "an object"); }

bool Field::has(const char* key) const { return value_->is_object() && value_->contains(key); }

Field Field::at(const char* key) const {
  expect_object();
  const auto found = value_->find(key);
  if (found == value_->end()) {
    throw DataError(place_ + (place_.ends_with(':') ? "" : ":") + " expected the field \"" + key + "\", got none");
  }
  return {*found, place_ + (place_.ends_with(':') ? " " : ".") + key};
}

Field Field::at(std::size_t index) const { return {(*value_)[index], place_ + "[" + std::to_string(index) + "]"}; }

std::size_t Field::size() const {
  require(value_->is_array(), "an array");
  return value_->size();
}

std::string Field::text() const {
  require(value_->is_string(), "a string");
  return value_->get<std::string>();
}

double Field::number() const {
  if (value_->is_null()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return finite_number();
}

double Field::finite_number() const {
  require(value_->is_number() && std::isfinite(value_->get<double>()), "a finite number");
  return value_->get<double>();
}

std::optional<double> Field::optional_number() const {
  return value_->is_null() ? std::nullopt : std::optional(finite_number());
}

Count Field::count() const {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<Count>::max());
  const bool fits = value_->is_number_unsigned() ? value_->get<std::uint64_t>() <= kLargest
                                                 : value_->is_number_integer() && value_->get<Count>() >= 0;
  require(fits, "a count (an integer, 0 or more)");
  return value_->get<Count>();
}

std::optional<Count> Field::optional_count() const { return value_->is_null() ? std::nullopt : std::optional(count()); }

bool Field::flag() const {
  require(value_->is_boolean(), "true or false");
  return value_->get<bool>();
}

Json parse(const std::filesystem::path& path, std::string_view text, std::size_t first_line) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(error.byte, text.size()));
    const auto line = first_line + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
    fail<DataError>(fmt::format("{}:{}", path.string(), line), "JSON",
                    fmt::format("something else at byte {}", error.byte));
  } catch (const Json::exception&) {  // a number that no double holds
    fail<DataError>(fmt::format("{}:{}", path.string(), first_line), "finite numbers", "one that is too large");
  }
}

Json read_document(const std::filesystem::path& path) {
  Json document = parse(path, read_text(path));
  const Field schema = Field(document, path.string() + ":").at("schema");
  schema.require(schema.json().is_number_integer() && schema.json() == kSchema,
                 std::to_string(kSchema) + " (written by this version of slidemesh)");
  return document;
}

namespace {

void read(const Field& field, double& value) { value = field.number(); }
void read(const Field& field, Count& value) { value = field.count(); }
void read(const Field& field, std::optional<double>& value) { value = field.optional_number(); }
void read(const Field& field, std::optional<Count>& value) { value = field.optional_count(); }

/// Fields that were added later may be missing in files that other programs made.
bool may_be_missing(std::string_view name) {
  constexpr std::array<std::string_view, 7> kLater{"hops",
                                                   "relative_disagreement",
                                                   "infeasibility",
                                                   "scalar_messages",
                                                   "inner_wolfe_gap",
                                                   "active_set_size",
                                                   "objective_estimate"};
  return std::find(kLater.begin(), kLater.end(), name) != kLater.end();
}

}  // namespace

void append_record(Json& object, const Record& record) {
  visit_fields(record, [&](const char* name, const auto& value) { object[name] = value; });
}

Record read_record(const Field& object, const char* step_key) {
  Record record;
  const Count step = object.at(step_key).count();
  object.at(step_key).require(step <= std::numeric_limits<int>::max(), "a number of steps");
  record.step = static_cast<int>(step);
  visit_fields(record, [&](const char* name, auto& value) {
    if (object.has(name) || !may_be_missing(name)) {
      read(object.at(name), value);
    }
  });
  return record;
}

NodeMeters read_node_meters(const Field& object) {
  return {.data_oracle_calls = object.at("data_oracle_calls").count(),
          .data_oracle_accesses = object.at("data_oracle_accesses").count(),
          .linear_oracle_calls = object.at("linear_oracle_calls").count(),
          .messages = object.at("messages").count(),
          .bytes_sent = object.at("bytes_sent").count()};
}

Status status_named(const Field& name) {
  if (const auto status = slidemesh::status_named(name.text())) {
    return *status;
  }
  name.fail("the status of a run");
}

Json trace_line(std::string_view method, std::string_view label, const Record& record) {
  Json line = {{"method", method},
               {"label", label},
               {"step", record.step},
               {"status", to_string(record.status)},
               {"outer_steps", record.step}};
  append_record(line, record);
  return line;
}

TraceLine read_trace_line(const Field& object) {
  TraceLine line{
      .method = object.at("method").text(), .label = object.at("label").text(), .record = read_record(object, "step")};
  if (object.has("status")) {
    line.record.status = status_named(object.at("status"));
  }
  return line;
}

}  // namespace slidemesh::report_json

namespace slidemesh {

void to_json(Json& object, const NodeMeters& meters) {
  object = {{"data_oracle_calls", meters.data_oracle_calls},
            {"data_oracle_accesses", meters.data_oracle_accesses},
            {"linear_oracle_calls", meters.linear_oracle_calls},
            {"messages", meters.messages},
            {"bytes_sent", meters.bytes_sent}};
}

}  // namespace slidemesh
