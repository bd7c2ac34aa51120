// What two parties find when they compare, in words.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <sstream>

#include "slidemesh/base/text.h"
#include "slidemesh/network/peers/invitation.h"
#include "slidemesh/network/peers/visit.h"

namespace slidemesh::peers {
namespace {

using Kind = Finding::Kind;
using Names = std::vector<std::string>;

/// Certificates and revocation lists are judged by the clock, in minutes at the finest.
constexpr double kMostApart = 60.0;
/// Of names or keys, in a line that people read.
constexpr std::size_t kMostShown = 8;

Finding compare_clocks(const Visit& visit) {
  const double apart = std::abs(visit.ahead_seconds);
  const bool good = apart - visit.within_seconds <= kMostApart;
  const std::string clock =
      fmt::format("the clock of {} is {:.{}f} s {} this machine's, give or take {:.1f} s", visit.party, apart,
                  good ? 1 : 0, visit.ahead_seconds >= 0.0 ? "ahead of" : "behind", visit.within_seconds);
  return good ? Finding{Kind::kGood, clock}
              : Finding{Kind::kWrong, clock + ": one of the two is wrong, and certificates are judged by it"};
}

std::map<std::string, std::string> keys_of(const std::string& shared) {
  std::map<std::string, std::string> keys;
  std::istringstream lines(shared);
  for (std::string line; std::getline(lines, line);) {
    const auto middle = line.find(" = ");
    keys[line.substr(0, middle)] = middle == std::string::npos ? "" : line.substr(middle + 3);
  }
  return keys;
}

/// Which keys differ, and how.
Names differing_keys(const Facts& own, const Facts& theirs) {
  const auto here = keys_of(own.shared);
  const auto there = keys_of(theirs.shared);
  const auto shown = [](const auto& keys, const std::string& key) {
    const auto found = keys.find(key);
    return found == keys.end() ? std::string("none") : text::quoted(found->second);
  };
  Names lines;
  const auto add = [&](const std::string& key) {
    lines.push_back(fmt::format("{} is {} here and {} there", text::quoted(key), shown(here, key), shown(there, key)));
  };
  for (const auto& [key, value] : here) {
    const auto found = there.find(key);
    if (found == there.end() || found->second != value) {
      add(key);
    }
  }
  for (const auto& [key, value] : there) {
    if (!here.contains(key)) {
      add(key);
    }
  }
  return lines;
}

std::string some_names(const Names& names) {
  Names quoted;
  std::transform(names.begin(), names.end(), std::back_inserter(quoted),
                 [](const std::string& name) { return text::quoted(name); });
  return text::some_of(quoted, kMostShown);
}

Finding compare_problems(const Facts& own, const Facts& theirs) {
  if (own.problem.empty() || theirs.problem.empty()) {
    return {Kind::kUnknown, fmt::format("{} named no problem to compare: peer doctor PROBLEM",
                                        own.problem.empty() ? "this party" : theirs.party)};
  }
  if (own.problem == theirs.problem) {
    return {Kind::kGood, fmt::format("{} has the same shared config", theirs.party)};
  }
  const std::string which = own.shared.empty() || theirs.shared.empty()
                                ? fmt::format("its digest is {}... here and {}... there", own.problem.substr(0, 12),
                                              theirs.problem.substr(0, 12))
                                : text::some_of(differing_keys(own, theirs), kMostShown);
  return {Kind::kWrong, fmt::format("{} has another shared config: {}", theirs.party, which)};
}

Names without(const Names& all, const Names& others) {
  Names mine = all;
  Names theirs = others;
  std::sort(mine.begin(), mine.end());
  std::sort(theirs.begin(), theirs.end());
  Names left;
  std::set_difference(mine.begin(), mine.end(), theirs.begin(), theirs.end(), std::back_inserter(left));
  return left;
}

void compare_names(const Facts& own, const Facts& theirs, std::vector<Finding>& findings) {
  const Names only_here = without(own.names, theirs.names);
  const Names only_there = without(theirs.names, own.names);
  if (!only_here.empty()) {
    findings.push_back(
        {Kind::kWrong, fmt::format("{} lacks columns that this party has: {} (data.ignore leaves one out)",
                                   theirs.party, some_names(only_here))});
  }
  if (!only_there.empty()) {
    findings.push_back(
        {Kind::kWrong, fmt::format("this party lacks columns that {} has: {}", theirs.party, some_names(only_there))});
  }
  if (only_here.empty() && only_there.empty()) {
    findings.push_back(
        {Kind::kGood, fmt::format("{} has the same columns, in another order: they go by name", theirs.party)});
  }
}

void compare_columns(const Facts& own, const Facts& theirs, std::vector<Finding>& findings) {
  if (!own.knows_columns || !theirs.knows_columns) {
    findings.push_back(
        {Kind::kUnknown,
         fmt::format("{} cannot tell its columns {}", own.knows_columns ? theirs.party : "this party",
                     own.knows_columns ? "before it has read its rows" : "without rows to look at: --data FILE")});
    return;
  }
  if (own.label != theirs.label) {
    findings.push_back({Kind::kWrong, fmt::format("the label's column is called {} here and {} at {}",
                                                  text::quoted(own.label), text::quoted(theirs.label), theirs.party)});
  }
  if (own.digest.empty() != theirs.digest.empty()) {
    findings.push_back({Kind::kWrong, fmt::format("the columns have names {} alone",
                                                  own.digest.empty() ? "at " + theirs.party : "here")});
  } else if (own.digest.empty()) {
    const bool same = own.columns == theirs.columns;
    findings.push_back({same ? Kind::kGood : Kind::kUnknown,
                        same ? fmt::format("{} has {} columns too", theirs.party, theirs.columns)
                             : fmt::format("{} columns here and {} at {}: the larger number counts where a file need "
                                           "not have all",
                                           own.columns, theirs.columns, theirs.party)});
  } else if (own.digest == theirs.digest) {
    findings.push_back({Kind::kGood, fmt::format("{} has the same {} columns", theirs.party, theirs.columns)});
  } else if (own.names.empty() || theirs.names.empty()) {
    findings.push_back({Kind::kWrong, fmt::format("{} columns here and {} at {} have other names or another order, and "
                                                  "are too many to be sent",
                                                  own.columns, theirs.columns, theirs.party)});
  } else {
    compare_names(own, theirs, findings);
  }
}

}  // namespace

void set_columns(Facts& facts, const std::vector<std::string>& names, const std::string& label) {
  facts.knows_columns = true;
  facts.columns = static_cast<std::uint32_t>(names.size());
  facts.label = label;
  facts.names = names;
  std::string joined;
  for (const std::string& name : names) {
    joined += name + '\0';
  }
  facts.digest = names.empty() ? "" : sha256(joined);
}

std::vector<Finding> compare_facts(const Facts& own, const Visit& visit) {
  std::vector<Finding> findings{compare_clocks(visit), compare_problems(own, *visit.facts)};
  compare_columns(own, *visit.facts, findings);
  return findings;
}

}  // namespace slidemesh::peers
