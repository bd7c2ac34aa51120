#include "reference_cache.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/base/interruption.h"
#include "slidemesh/core/row_numbers.h"
#include "slidemesh/session/reference_optimum.h"
#include "target.h"

namespace slidemesh {

namespace {

void add_block(Hash& hash, const RowBlock& block) {
  for (Index r = 0; r < block.count; ++r) {
    hash.add(block.label(r));
    for_each_number(block, r, [&](Index column, double value) {
      hash.add(value);
      if (block.columns != nullptr) {
        hash.add(static_cast<std::uint64_t>(column));
      }
    });
  }
}

/// What F and X are made from, as the config writes it, and the content of the files that it names: a key or a
/// parameter that is added later is in here without anybody's doing.
void add_specs(Hash& hash, const Config& config) {
  constexpr std::size_t kLargestFile = std::size_t{1} << 40U;
  hash.add(std::string_view(problem_text(config)));
  for (const auto& [key, path] : named_files(config)) {
    const bool of_a_set = key.ends_with(".file");  // the others are in the rows, or no part of F and X
    if (of_a_set) {
      hash.add(std::string_view(key));
      hash.add(std::string_view(read_text(path, kLargestFile)));
    }
  }
}

}  // namespace

/// One hash per node, gathered in two halves because networks carry doubles, and then all as one.
std::string problem_key(const Config& config, Experiment& experiment) {
  const Index local = experiment.network->local_nodes();
  Stacked halves(2, local);
  for (Index i = 0; i < local; ++i) {
    Hash hash;
    auto* rows = dynamic_cast<RowObjective*>(experiment.problem.objectives[static_cast<std::size_t>(i)].get());
    if (rows != nullptr) {
      hash.add(rows->weight());
      hash.add(rows->loss().name());
      rows->source().scan(AccessPurpose::kReference, [&](const RowBlock& block, Index) { add_block(hash, block); });
    }
    halves(0, i) = static_cast<double>(hash.value() >> 32U);
    halves(1, i) = static_cast<double>(hash.value() & 0xFFFFFFFFU);
  }
  Stacked all;
  experiment.control->gather(halves, all);
  Hash hash;
  for (Index i = 0; i < all.cols(); ++i) {
    hash.add(all(0, i));
    hash.add(all(1, i));
  }
  hash.add(static_cast<std::uint64_t>(experiment.problem.dimension()));
  add_specs(hash, config);
  return fmt::format("{:016x}", hash.value());
}

namespace {

nlohmann::json read_cache(const std::filesystem::path& cache) {
  if (std::filesystem::exists(cache)) {
    auto parsed = nlohmann::json::parse(read_text(cache), nullptr, false);
    if (parsed.is_object() && parsed.contains("schema") && parsed["schema"] == 1 && parsed.contains("optima") &&
        parsed["optima"].is_object()) {
      return parsed;
    }
  }
  return {{"schema", 1}, {"optima", nlohmann::json::object()}};
}

}  // namespace

std::optional<KnownOptimum> cached_reference_optimum(const std::filesystem::path& cache, const std::string& key,
                                                     Experiment& experiment, const std::function<bool()>& stop,
                                                     Listener& listener) {
  const Control& control = *experiment.control;
  nlohmann::json known = read_cache(cache);
  const auto entry = known["optima"].find(key);
  const bool of_today = entry != known["optima"].end() && entry->is_object() && entry->contains("version") &&
                        (*entry)["version"] == kReferenceVersion;
  const auto number = [&](const char* name) {
    const bool there = of_today && entry->contains(name) && (*entry)[name].is_number();
    return there ? std::optional((*entry)[name].get<double>()) : std::nullopt;
  };
  const auto value = number("value");
  const auto bound = number("lower_bound");
  if (control.from_root(value && bound ? 1.0 : 0.0) > 0.0) {  // only the first process need have it
    const KnownOptimum optimum{control.from_root(value.value_or(0.0)), control.from_root(bound.value_or(0.0))};
    listener.say(fmt::format("F* = {:.9g}, certain to {}, known from an earlier run", optimum.value,
                             rounded_up(optimum.value - optimum.lower_bound)));
    return optimum;
  }
  ReferenceOptions options;
  options.interrupted = [&] { return control.any(stop()); };
  options.on_progress = [&](int iteration, double accuracy) {
    listener.passing(fmt::format("reference optimum: iteration {}, certain to {:.1e}", iteration, accuracy));
  };
  const Interruption interruption(stop);
  const ReferenceOptimum optimum = reference_optimum(experiment.problem, *experiment.network, options);
  if (control.any(stop())) {
    return std::nullopt;
  }
  listener.say(fmt::format("F* = {:.9g}, certain to {} ({} iterations)", optimum.value,
                           rounded_up(optimum.value - optimum.lower_bound), optimum.iterations));
  if (control.is_root()) {
    known["optima"][key] = {{"version", kReferenceVersion},
                            {"value", optimum.value},
                            {"lower_bound", optimum.lower_bound},
                            {"data", experiment.data_description}};
    try {
      atomic_write(cache, known.dump(1) + "\n");
    } catch (const Error& error) {
      listener.say(fmt::format("F* is not kept for later runs: {}", error.what()));
    }
  }
  return KnownOptimum{optimum.value, optimum.lower_bound};
}

}  // namespace slidemesh
