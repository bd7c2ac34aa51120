#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "slidemesh/linalg/compact_stacked.h"
#include "slidemesh/linalg/types.h"

namespace slidemesh {

/// Walks over every piece of a method's state, by name. A checkpoint writer and a checkpoint reader
/// are visitors; a method lists its state once, and the two cannot disagree.
///
/// A run may go on with its nodes spread over another number of processes. So what is visited is either
/// the same on every process, or has one column (element) for each local node, or is one node's own and
/// visited between `node(i)` and `all_nodes()`. Every piece of one object has a name of its own. Sizes must be those of
/// construction, but a std::vector, and a matrix or vector that was empty, may have any: whoever visits them checks
/// what was read.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  /// What follows is local node `local`'s own.
  virtual void node(Index /*local*/) {}
  /// What follows is not one node's own: the state of affairs at first.
  virtual void all_nodes() {}
  /// Has `visit_own` visit what is the own of each of `count` local nodes.
  template <class VisitOwn>
  void each_node(std::size_t count, VisitOwn&& visit_own) {
    for (std::size_t i = 0; i < count; ++i) {
      node(static_cast<Index>(i));
      visit_own(i);
    }
    all_nodes();
  }
  /// True if values are being replaced by what a checkpoint has.
  [[nodiscard]] virtual bool is_reading() const { return false; }
  virtual void visit(std::string_view name, double& value) = 0;
  virtual void visit(std::string_view name, Count& value) = 0;
  virtual void visit(std::string_view name, Matrix& value) = 0;
  virtual void visit(std::string_view name, Vector& value) = 0;
  virtual void visit(std::string_view name, std::vector<double>& value) = 0;
  virtual void visit(std::string_view name, std::vector<Count>& value) = 0;

  /// As the matrix with all its rows. A checkpoint neither makes that nor asks for memory for it.
  virtual void visit(std::string_view name, CompactStacked& value);

  // In terms of the above. A DataError where a checkpoint has a value that the type has not.
  void visit(std::string_view name, bool& value);
  void visit(std::string_view name, int& value);
  /// A list of one number or none.
  template <class Number>
  void visit(std::string_view name, std::optional<Number>& value) {
    std::vector<Number> list;
    if (value) {
      list.push_back(*value);
    }
    visit(name, list);
    require_at_most_one(name, list.size());
    value = list.empty() ? std::nullopt : std::optional<Number>(list.front());
  }

 private:
  static void require_at_most_one(std::string_view name, std::size_t size);
};

}  // namespace slidemesh
