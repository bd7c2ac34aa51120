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
#include "slidemesh/data/row_key.h"

namespace slidemesh {

/// A record of every access to data, one JSON object per line:
///
///   {"method":"ipds","node":3,"step":17,"purpose":"gradient","rows":16,"read":15,"keys":[812,77,...],"bytes":2944,
///    "time":"2026-01-31T12:00:00.123456Z","seconds":0.000061}
///
/// `rows` is what data_oracle_calls counts, a line is what data_oracle_accesses counts, for the
/// purposes that meters charge: gradient and certificate. `read` is how many rows left their store for this line: fewer
/// than `rows` where a batch has a row twice or was asked for ahead. Keys that are text are strings. Over all lines
/// `read` adds up to all rows that were read. A full pass has no `keys`: it is all rows of the node. Rows that are
/// asked for ahead (RowSource::prefetch) are on record when they are asked for, as purpose prefetch without `bytes` and
/// `seconds`, whether they are used later or not. The first lines, of purpose "load" and without a node, are what
/// opening the data read: the rows of files, keys and labels of a database. `bytes` is the size of the rows in memory,
/// `seconds` the time inside the source. Lines of one step are written when the next begins, node by node, so their
/// order does not depend on threads.
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

  /// Starts a new file, or goes on with the one of a resumed run; an empty path: counts and writes nothing. Nodes are
  /// `first_node` and the `local_nodes - 1` behind it.
  Ledger(const std::filesystem::path& path, Index first_node, Index local_nodes, bool append = false);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  /// Writes what is left; errors are lost. Call `flush` to hear of them.
  ~Ledger();

  /// Nothing, for whatever purpose, may read more than so many rows in all, over the nodes of this process and beyond
  /// what opening the data read: the access that would is refused with a StoppedError, before it
  /// happens. A run that watches `rows_read` stops earlier and more kindly; this is the lock behind that.
  void set_budget(Count rows) { budget_ = rows; }

  /// What a source's row is called in its store, by its number at the node.
  using KeyOf = std::function<RowKey(Index)>;
  /// Opening the data read so many rows.
  void note_opening(Count rows);
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
  /// Rows that left their store for any purpose since the ledger was begun, by this process; those that opening the
  /// data read are apart.
  [[nodiscard]] Count rows_read() const;
  [[nodiscard]] Count rows_read_in_opening() const { return opening_; }

 private:
  class Source;
  struct Entry {
    AccessPurpose purpose;
    Index rows;
    Index read;
    std::string keys;  ///< "[812,77]": what rows that were asked for one by one are called; empty: all of the node's
    Count bytes;
    std::chrono::system_clock::time_point time;
    double seconds;
  };
  struct Node {
    std::vector<Entry> entries;
    Totals totals;
    Count read = 0;
    std::vector<Index> ahead;  ///< rows that were asked for before they were wanted, and not used since
  };

  [[nodiscard]] static bool is_charged(AccessPurpose purpose) {
    return purpose == AccessPurpose::kGradient || purpose == AccessPurpose::kCertificate;
  }
  [[nodiscard]] bool writes() const { return !name_.empty(); }
  void authorize(Index rows);
  void note(Index local_node, Entry entry);
  static constexpr Count kUnknown = -1;
  static constexpr Index kNoNode = -1;
  /// Whether these rows are on their way already.
  [[nodiscard]] bool is_ahead(Index local_node, std::span<const Index> rows) const;
  /// These rows are asked for ahead; what is left of earlier ones was not needed.
  void note_ahead(Index local_node, std::span<const Index> rows, std::string keys);
  /// These were fetched. How many of them had to be read: none where they are the next of those asked for ahead.
  [[nodiscard]] Index note_used(Index local_node, std::span<const Index> rows);
  void write(Index node, const Entry& entry);

  std::string name_;
  std::ofstream file_;
  Index first_node_;
  std::vector<Node> nodes_;
  std::string method_;
  int step_ = 0;
  std::optional<Count> budget_;
  Count spent_ = 0;
  Count opening_ = 0;
  std::mutex mutex_;
};

}  // namespace slidemesh
