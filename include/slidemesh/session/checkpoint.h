#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"

/// The bytes of a checkpoint: one process's part of a run's state, named piece by piece, versioned and
/// checksummed. Where they are kept is the caller's business. docs/robustness.md has the layout.

namespace slidemesh {

/// What a part belongs to.
struct CheckpointIdentity {
  std::string label;  ///< of the run, unique within a directory
  std::string method;
  int step = 0;
  Index nodes = 0;       ///< of the whole run
  Index first_node = 0;  ///< this part has first_node .. first_node + local_nodes - 1
  Index local_nodes = 0;
  /// Everything that must be the same for the run to go on, ("problem.mu", "0.5"), ...
  std::vector<std::pair<std::string, std::string>> settings;
};

/// Collects what it visits.
class CheckpointWriter final : public StateVisitor {
 public:
  /// `memory`: a part that is not needed any more, whose memory the new one takes.
  explicit CheckpointWriter(CheckpointIdentity identity, std::string memory = {});
  /// Collects nothing, and knows how long the part would be: states may be most of a process's memory, and one that
  /// grows as it is written would take that several times.
  struct Measure {};
  CheckpointWriter(CheckpointIdentity identity, Measure measure);
  [[nodiscard]] std::size_t size() const { return measured_ ? *measured_ : bytes_.size(); }
  void reserve(std::size_t size) { bytes_.reserve(size); }

  void node(Index local) override;
  void all_nodes() override;
  void visit(std::string_view name, double& value) override;
  void visit(std::string_view name, Count& value) override;
  void visit(std::string_view name, Matrix& value) override;
  void visit(std::string_view name, Vector& value) override;
  void visit(std::string_view name, std::vector<double>& value) override;
  void visit(std::string_view name, std::vector<Count>& value) override;
  void visit(std::string_view name, CompactStacked& value) override;

  /// The whole part, ready to be written to a file. Ends the writer.
  [[nodiscard]] std::string finish();

 private:
  void append(std::uint32_t type, std::string_view name, Index rows, Index columns, const void* data, std::size_t size);
  /// The same of words, without zeros where that is shorter.
  void append_words(std::uint32_t type, std::string_view name, Index rows, Index columns, const void* data);
  void begin_entry(std::uint32_t type, std::string_view name, Index rows, Index columns);
  void append_text(std::string_view name, std::string_view text);
  void append_identity();

  CheckpointIdentity identity_;
  Index node_ = -1;
  std::string bytes_;
  std::optional<std::size_t> measured_;
};

/// A part that was read back. Trusts nothing: a DataError that begins with `name` for anything but a
/// whole part of this version and byte order, before any memory beyond the bytes themselves is taken.
class CheckpointPart {
 public:
  CheckpointPart(std::string bytes, std::string name);

  [[nodiscard]] const CheckpointIdentity& identity() const { return identity_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  friend class CheckpointReader;
  struct Entry {
    std::uint32_t type = 0;
    bool is_packed = false;
    Index node = -1;  ///< of the whole run; -1: not one node's own
    Index rows = 0;
    Index columns = 0;
    std::size_t name_at = 0;
    std::size_t name_size = 0;
    std::size_t data_at = 0;
    std::size_t data_size = 0;
  };
  [[nodiscard]] Entry entry_at(std::size_t& position) const;
  void read_identity(std::size_t& position);
  [[nodiscard]] std::string text_of(const Entry& entry) const { return bytes_.substr(entry.data_at, entry.data_size); }
  [[nodiscard]] std::string_view data_of(const Entry& entry) const;
  void require_fitting_size(Entry& entry, std::size_t left) const;
  [[nodiscard]] std::string_view name_of(const Entry& entry) const;
  [[noreturn]] void fail(const std::string& expected, const std::string& got) const;

  std::string bytes_;
  std::string name_;
  CheckpointIdentity identity_;
  std::vector<Entry> shared_;              ///< in the order of visits
  std::vector<std::vector<Entry>> nodes_;  ///< the same for each of its nodes
};

/// Replaces what it visits by what the parts have: for nodes first_node .. first_node + local_nodes - 1,
/// which may be dealt to processes otherwise than when the parts were written. Visits must come in the
/// order of the writer's, with the same names, types and shapes; a DataError tells where they do not.
class CheckpointReader final : public StateVisitor {
 public:
  /// The parts must be of one step of one run and cover the nodes; UsageError if they do not.
  CheckpointReader(std::vector<std::shared_ptr<const CheckpointPart>> parts, Index first_node, Index local_nodes);

  void node(Index local) override;
  void all_nodes() override;
  [[nodiscard]] bool is_reading() const override { return true; }
  void visit(std::string_view name, double& value) override;
  void visit(std::string_view name, Count& value) override;
  void visit(std::string_view name, Matrix& value) override;
  void visit(std::string_view name, Vector& value) override;
  void visit(std::string_view name, std::vector<double>& value) override;
  void visit(std::string_view name, std::vector<Count>& value) override;
  void visit(std::string_view name, CompactStacked& value) override;

  /// DataError if the parts have more than was visited.
  void finish() const;

 private:
  /// Some words of an entry, and where they are in what was found.
  struct Piece {
    const CheckpointPart* part = nullptr;
    const CheckpointPart::Entry* entry = nullptr;
    std::size_t first = 0;
    std::size_t count = 0;
  };
  struct Found {
    Index rows = 0;
    Index columns = 0;
    std::vector<Piece> pieces;
    const CheckpointPart* part = nullptr;
  };
  template <class Body>
  static void for_each_word(const Found& found, const Body& body);
  static void copy(const Found& found, void* to);
  [[nodiscard]] static Piece whole(const CheckpointPart& part, const CheckpointPart::Entry& entry);
  Found next(std::string_view name, std::uint32_t type, Index present_rows, Index present_columns);
  Found next_of_node(std::string_view name, std::uint32_t type);
  Found next_shared(std::string_view name, std::uint32_t type, Index present_rows, Index present_columns);
  [[nodiscard]] bool is_dealt(const std::vector<const CheckpointPart::Entry*>& entries, bool by_column,
                              Index present) const;
  /// Of the part that has the node.
  [[nodiscard]] std::size_t place_of(Index node) const;
  [[nodiscard]] const CheckpointPart& part_of(Index node) const { return *parts_[place_of(node)]; }
  template <class Numbers>
  void read_matrix(std::string_view name, std::uint32_t type, Numbers& value);
  template <class List>
  void read_list(std::string_view name, std::uint32_t type, List& value);

  std::vector<std::shared_ptr<const CheckpointPart>> parts_;  ///< by first node
  Index first_node_;
  Index local_nodes_;
  Index node_ = -1;  ///< of the whole run
  std::size_t shared_position_ = 0;
  std::vector<std::size_t> node_position_;
};

}  // namespace slidemesh
