#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "slidemesh/core/feasible_set.h"

namespace slidemesh {

struct SetSpec;
namespace detail {
class SpecReader;
}

/// What a key of a set may hold. Integers of a config are numbers here; a list of integers likewise.
using SetValue = std::variant<bool, double, std::string, std::vector<double>, std::vector<std::vector<double>>,
                              std::vector<SetSpec>>;

/// A set as a config describes it:  { kind = "l1-ball", radius = 10.0 }.
struct SetSpec {
  std::string kind;
  std::map<std::string, SetValue> parameters{};
  std::string where = "problem.set";       ///< how messages name it
  std::filesystem::path base_directory{};  ///< relative file names start here
};

enum class SetKeyType {
  kNumber,
  kInteger,
  kText,
  kNumbers,          ///< a list of numbers
  kNumberOrNumbers,  ///< one number for every coordinate, or a list
  kLists,            ///< a list of lists of numbers
  kSets,             ///< a list of sets
};
[[nodiscard]] std::string_view to_string(SetKeyType type);

struct SetKey {
  std::string name;
  SetKeyType type = SetKeyType::kNumber;
  std::string default_text;  ///< what holds where the key is absent; empty: the key is needed
  std::string meaning;
};

struct SetKind {
  std::string name;
  std::string description;
  std::vector<SetKey> keys;
  /// From a spec that has no other keys.
  std::function<std::unique_ptr<FeasibleSet>(const detail::SpecReader& reader)> build;
};

/// Every kind that `make_set` knows, in the order of the documentation.
[[nodiscard]] const std::vector<SetKind>& set_kinds();

/// The set of a spec, for a variable of the given dimension. `matrix_rows` is the number of rows where
/// the model is a matrix (column-major), else 0; sets of matrices take their shape from it unless
/// their key `rows` says otherwise. UsageError or DataError, one line that begins with the key.
[[nodiscard]] std::unique_ptr<FeasibleSet> make_set(const SetSpec& spec, Index dimension, Index matrix_rows = 0);

}  // namespace slidemesh
