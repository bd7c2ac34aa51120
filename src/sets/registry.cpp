#include "slidemesh/sets/registry.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "spec_reader.h"

namespace slidemesh {
namespace {

[[noreturn]] void unknown(const std::string& place, const std::string& what, const std::string& word,
                          const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  std::string message = place + ": expected " + what;
  if (nearest.empty() && !known.empty()) {
    message += " (" + text::joined(known) + ")";
  }
  message += ", got \"" + word + "\"";
  throw UsageError(nearest.empty() ? message : message + "; did you mean \"" + nearest + "\"?");
}

const SetKind& kind_of(const SetSpec& spec) {
  const auto found = std::ranges::find(set_kinds(), spec.kind, &SetKind::name);
  if (found == set_kinds().end()) {
    unknown(spec.where + ".kind", "a kind of set", spec.kind, names_of(set_kinds()));
  }
  return *found;
}

void reject_unknown_keys(const SetSpec& spec, const SetKind& kind) {
  const std::vector<std::string> known = names_of(kind.keys);
  for (const auto& [key, value] : spec.parameters) {
    if (std::ranges::find(known, key) == known.end()) {
      unknown(spec.where + "." + key, "a key of " + kind.name, key, known);
    }
  }
}

/// A set's own complaint does not know where in the config it stands.
std::unique_ptr<FeasibleSet> build(const SetKind& kind, const SetSpec& spec, Index dimension, Index matrix_rows) {
  try {
    return kind.build(detail::SpecReader(spec, dimension, matrix_rows));
  } catch (const UsageError& error) {
    const std::string message = error.what();
    throw message.starts_with(spec.where) ? error : UsageError(spec.where + ": " + message);
  }
}

}  // namespace

std::string_view to_string(SetKeyType type) {
  static constexpr std::array<std::string_view, 7> kNames{
      "number",      "whole number", "text", "list of numbers", "number or list of numbers", "list of lists of numbers",
      "list of sets"};
  return kNames.at(static_cast<std::size_t>(type));
}

const std::vector<SetKind>& set_kinds() {
  static const std::vector<SetKind> kKinds = [] {
    std::vector<SetKind> all;
    for (auto* family : {&detail::norm_ball_kinds, &detail::simplex_kinds, &detail::spectral_kinds,
                         &detail::combinatorial_kinds, &detail::combinator_kinds}) {
      std::ranges::move((*family)(), std::back_inserter(all));
    }
    return all;
  }();
  return kKinds;
}

std::unique_ptr<FeasibleSet> make_set(const SetSpec& spec, Index dimension, Index matrix_rows) {
  const SetKind& kind = kind_of(spec);
  reject_unknown_keys(spec, kind);
  auto set = build(kind, spec, dimension, matrix_rows);
  require<UsageError>(set->dimension() == dimension, spec.where, fmt::format("a set of dimension {}", dimension),
                      fmt::format("one of dimension {}", set->dimension()));
  return set;
}

}  // namespace slidemesh
