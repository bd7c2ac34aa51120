#include "slidemesh/core/state.h"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

void require(bool holds, std::string_view name, const char* expected, Count got) {
  slidemesh::require<DataError>(holds, fmt::format("checkpoint: {}", name), expected, std::to_string(got));
}

}  // namespace

void StateVisitor::visit(std::string_view name, CompactStacked& value) {
  Matrix whole = value.whole();
  visit(name, whole);
  if (is_reading()) {
    value = CompactStacked(whole);
  }
}

void StateVisitor::visit(std::string_view name, bool& value) {
  Count number = value ? 1 : 0;
  visit(name, number);
  require(number == 0 || number == 1, name, "0 or 1", number);
  value = number == 1;
}

void StateVisitor::visit(std::string_view name, int& value) {
  Count number = value;
  visit(name, number);
  require(number >= 0 && number <= std::numeric_limits<int>::max(), name, "a count of steps", number);
  value = static_cast<int>(number);
}

void StateVisitor::require_at_most_one(std::string_view name, std::size_t size) {
  require(size <= 1, name, "one number or none", static_cast<Count>(size));
}

}  // namespace slidemesh
