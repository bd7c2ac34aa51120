#pragma once

#include <string_view>
#include <vector>

#include "slidemesh/core/types.h"

namespace slidemesh {

/// Walks over every piece of a method's state, by name. A checkpoint writer and a checkpoint reader
/// are visitors; a method lists its state once, and the two cannot disagree.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  virtual void visit(std::string_view name, double& value) = 0;
  virtual void visit(std::string_view name, Count& value) = 0;
  virtual void visit(std::string_view name, Matrix& value) = 0;
  virtual void visit(std::string_view name, Vector& value) = 0;
  virtual void visit(std::string_view name, std::vector<double>& value) = 0;
  virtual void visit(std::string_view name, std::vector<Count>& value) = 0;
};

}  // namespace slidemesh
