#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/rows.h"

namespace slidemesh {

/// A record of every access to data, one JSON object a line:
///
///   {"method":"ipds","node":3,"step":17,"purpose":"gradient","rows":16,"keys":[812,77,...],"bytes":2944,
///    "time":"2026-01-31T12:00:00.123456Z","seconds":0.000061}
///
/// `rows` is what data_oracle_calls counts, a line is what data_oracle_accesses counts, for the
/// purposes that meters charge: gradient and certificate. A full pass has no `keys`: it is all rows of
/// the node. Rows that were asked for ahead (RowSource::prefetch) are noted when they are fetched; those that never
/// are, as purpose prefetch without `bytes` and `seconds`, when that is known. `bytes` is the size of the rows in
/// memory, `seconds` the time inside the source. Lines of one step are written when the next begins, node by node, so
/// their order does not depend on threads.
///
/// One process writes one ledger; in a run of several each has its own.
class Ledger {
 public:
  /// What the lines of the charged purposes add up to.
  struct Totals {
    Count rows = 0;
    Count accesses = 0;
    friend bool operator==(const Totals&, const Totals&) = default;
  };

  /// Starts a file anew, or goes on with the one of a resumed run. Nodes are `first_node` and the
  /// `local_nodes - 1` behind it.
  Ledger(const std::filesystem::path& path, Index first_node, Index local_nodes, bool append = false);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  /// Writes what is left; errors are lost. Call `flush` to hear of them.
  ~Ledger();

  /// No charged access may take more than so many rows in all, over the nodes of this process: the one
  /// that would is refused with an Error of ExitCode::kStopped, before it happens. A run that watches
  /// its meters stops earlier and more kindly; this is the lock behind that.
  void set_budget(Count rows) { budget_ = rows; }

  /// What a source's row is called in its store, by its number at the node.
  using KeyOf = std::function<std::int64_t(Index)>;
  /// A source that notes what is taken from `source`.
  [[nodiscard]] std::shared_ptr<RowSource> around(std::shared_ptr<RowSource> source, Index local_node, KeyOf key_of);

  /// The method that accesses from now on belong to, by its label; totals start at zero again. What
  /// was before the first method (statistics for scaling, smoothness) has none.
  void begin_method(std::string label);
  /// Their step. Neither is to be called while sources are at work.
  void begin_step(int step);
  void flush();
  /// Of the method that is running.
  [[nodiscard]] Totals totals() const;

 private:
  class Source;
  struct Entry {
    AccessPurpose purpose;
    Index rows;
    std::vector<std::int64_t> keys;
    Count bytes;
    std::chrono::system_clock::time_point time;
    double seconds;
  };
  struct Node {
    std::vector<Entry> entries;
    Totals totals;
    std::vector<std::int64_t> ahead;  ///< rows that were asked for before they were wanted
    std::chrono::system_clock::time_point ahead_time;
  };

  [[nodiscard]] static bool is_charged(AccessPurpose purpose) {
    return purpose == AccessPurpose::kGradient || purpose == AccessPurpose::kCertificate;
  }
  void authorize(AccessPurpose purpose, Index rows);
  void note(Index local_node, Entry entry);
  static constexpr Count kUnknown = -1;
  /// These rows are asked for ahead, unless they are on their way already; the rest of earlier ones was in vain.
  void note_ahead(Index local_node, std::vector<std::int64_t> keys);
  /// These were fetched: the next of those that were asked for ahead, or all of those were in vain.
  void note_used(Index local_node, std::span<const std::int64_t> keys);
  /// Rows that were asked for ahead in vain left their store all the same.
  void note_in_vain(Index local_node);
  void forget_ahead();
  void write(Index node, const Entry& entry);

  std::string name_;
  std::ofstream file_;
  Index first_node_;
  std::vector<Node> nodes_;
  std::string method_;
  int step_ = 0;
  std::optional<Count> budget_;
  Count spent_ = 0;
  std::mutex mutex_;
};

}  // namespace slidemesh
