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

const std::vector<detail::KindEntry>& entries() {
  static const std::vector<detail::KindEntry> kEntries = [] {
    std::vector<detail::KindEntry> all;
    for (auto* family : {&detail::norm_ball_kinds, &detail::simplex_kinds, &detail::spectral_kinds,
                         &detail::combinatorial_kinds, &detail::combinator_kinds}) {
      std::ranges::move((*family)(), std::back_inserter(all));
    }
    return all;
  }();
  return kEntries;
}

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

const detail::KindEntry& entry_of(const SetSpec& spec) {
  for (const detail::KindEntry& entry : entries()) {
    if (entry.kind.name == spec.kind) {
      return entry;
    }
  }
  unknown(spec.where + ".kind", "a kind of set", spec.kind, names_of(set_kinds()));
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
std::unique_ptr<FeasibleSet> build(const detail::KindEntry& entry, const SetSpec& spec, Index dimension,
                                   Index matrix_rows) {
  try {
    return entry.build(detail::SpecReader(spec, dimension, matrix_rows));
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
    std::vector<SetKind> kinds;
    std::ranges::transform(entries(), std::back_inserter(kinds), &detail::KindEntry::kind);
    return kinds;
  }();
  return kKinds;
}

std::unique_ptr<FeasibleSet> make_set(const SetSpec& spec, Index dimension, Index matrix_rows) {
  const detail::KindEntry& entry = entry_of(spec);
  reject_unknown_keys(spec, entry.kind);
  auto set = build(entry, spec, dimension, matrix_rows);
  if (set->dimension() != dimension) {
    fail<UsageError>(spec.where, fmt::format("a set of dimension {}", dimension),
                     fmt::format("one of dimension {}", set->dimension()));
  }
  return set;
}

}  // namespace slidemesh
