#include "reference_cache.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/session/reference_optimum.h"

namespace slidemesh {

namespace {

void add_block(Hash& hash, const RowBlock& block) {
  for (Index r = 0; r < block.count; ++r) {
    const Index row = block.storage_row(r);
    hash.add(block.labels[row]);
    const Index begin = block.offsets == nullptr ? row * block.features : block.offsets[row];
    const Index end = block.offsets == nullptr ? begin + block.features : block.offsets[row + 1];
    for (Index i = begin; i < end; ++i) {
      hash.add(block.values[i]);
      if (block.columns != nullptr) {
        hash.add(static_cast<std::uint64_t>(block.columns[i]));
      }
    }
  }
}

void add_set(Hash& hash, const SetSpec& spec);

void add_value(Hash& hash, const SetValue& value) {
  const auto numbers = [&](const std::vector<double>& list) {
    for (const double number : list) {
      hash.add(number);
    }
    hash.add(static_cast<std::uint64_t>(list.size()));
  };
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) {
          hash.add(static_cast<std::uint64_t>(v));
        } else if constexpr (std::is_same_v<T, double>) {
          hash.add(v);
        } else if constexpr (std::is_same_v<T, std::string>) {
          hash.add(std::string_view(v));
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          numbers(v);
        } else if constexpr (std::is_same_v<T, std::vector<std::vector<double>>>) {
          for (const auto& list : v) {
            numbers(list);
          }
        } else {
          for (const SetSpec& part : v) {
            add_set(hash, part);
          }
        }
      },
      value);
}

void add_set(Hash& hash, const SetSpec& spec) {
  hash.add(std::string_view(spec.kind));
  for (const auto& [key, value] : spec.parameters) {
    hash.add(std::string_view(key));
    add_value(hash, value);
  }
}

}  // namespace

/// One hash a node, gathered in two halves because networks carry doubles, and then all as one.
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
  hash.add(std::string_view(config.loss.kind));
  hash.add(config.loss.delta);
  hash.add(config.loss.gamma);
  hash.add(config.mu);
  hash.add(static_cast<std::uint64_t>(experiment.problem.dimension()));
  add_set(hash, config.set);
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

std::optional<double> cached_reference_optimum(const std::filesystem::path& cache, const Config& config,
                                               Experiment& experiment, const Job& job, Listener& listener) {
  const std::string key = problem_key(config, experiment);
  nlohmann::json known = read_cache(cache);
  const auto entry = known["optima"].find(key);
  const bool here =
      entry != known["optima"].end() && entry->is_object() && entry->contains("value") && (*entry)["value"].is_number();
  if (experiment.control->from_root(here ? 1.0 : 0.0) > 0.0) {  // only the first process need have it
    const double value = experiment.control->from_root(here ? (*entry)["value"].get<double>() : 0.0);
    listener.say(fmt::format("F* = {:.9g}, known from an earlier run", value));
    return value;
  }
  ReferenceOptions options;
  options.interrupted = [&] { return experiment.control->any(job.is_interrupted()); };
  options.on_progress = [&](int iteration, double accuracy) {
    listener.passing(fmt::format("reference optimum: iteration {}, certain to {:.1e}", iteration, accuracy));
  };
  const ReferenceOptimum optimum = reference_optimum(experiment.problem, *experiment.network, options);
  if (experiment.control->any(job.is_interrupted())) {
    return std::nullopt;
  }
  listener.say(fmt::format("F* = {:.9g}, certain to {:.1e} ({} iterations)", optimum.value,
                           optimum.value - optimum.lower_bound, optimum.iterations));
  if (experiment.control->is_root()) {
    known["optima"][key] = {
        {"value", optimum.value}, {"lower_bound", optimum.lower_bound}, {"data", experiment.data_description}};
    try {
      atomic_write(cache, known.dump(1) + "\n");
    } catch (const Error& error) {
      listener.say(fmt::format("F* is not kept for later runs: {}", error.what()));
    }
  }
  return optimum.value;
}

}  // namespace slidemesh
