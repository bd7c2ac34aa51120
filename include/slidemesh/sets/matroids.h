#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "slidemesh/base/cloned.h"
#include "slidemesh/sets/set_base.h"
#include "slidemesh/sets/transport.h"

namespace slidemesh {

/// A matroid on elements 0 .. elements()-1, through the one question that greedy asks: may this element join the
/// independent set that is being built?
class Matroid {
 public:
  virtual ~Matroid() = default;
  [[nodiscard]] virtual std::unique_ptr<Matroid> clone() const = 0;
  [[nodiscard]] virtual Index elements() const = 0;
  /// Begins again from the empty set.
  virtual void clear() = 0;
  /// Adds the element if the set stays independent, and says whether it does.
  virtual bool add(Index element) = 0;
};

/// Edges of a graph; independent without a cycle. Bases of a connected graph are its spanning trees.
class GraphicMatroid final : public Matroid {
 public:
  GraphicMatroid(Index nodes, std::vector<Arc> edges);
  [[nodiscard]] std::unique_ptr<Matroid> clone() const override { return std::make_unique<GraphicMatroid>(*this); }
  [[nodiscard]] Index elements() const override { return static_cast<Index>(edges_.size()); }
  void clear() override;
  bool add(Index element) override;

 private:
  [[nodiscard]] Index root(Index node);

  std::vector<Arc> edges_;
  std::vector<Index> parent_;
};

/// Elements in classes; independent with at most limit_c of class c.
class PartitionMatroid final : public Matroid {
 public:
  PartitionMatroid(std::vector<Index> class_of, std::vector<Index> limits);
  [[nodiscard]] std::unique_ptr<Matroid> clone() const override { return std::make_unique<PartitionMatroid>(*this); }
  [[nodiscard]] Index elements() const override { return static_cast<Index>(class_of_.size()); }
  void clear() override;
  bool add(Index element) override;

 private:
  std::vector<Index> class_of_;
  std::vector<Index> limits_;
  std::vector<Index> taken_;
};

/// Columns of a matrix; independent as vectors are.
class LinearMatroid final : public Matroid {
 public:
  explicit LinearMatroid(Matrix columns);
  [[nodiscard]] std::unique_ptr<Matroid> clone() const override { return std::make_unique<LinearMatroid>(*this); }
  [[nodiscard]] Index elements() const override { return columns_.cols(); }
  void clear() override { rank_ = 0; }
  bool add(Index element) override;

 private:
  Matrix columns_;
  Matrix basis_;  ///< orthonormal, of what was added
  Index rank_ = 0;
  Vector rest_;  // work
};

/// The hull of the bases' 0/1 vectors: { x >= 0 : x(S) <= rank(S) for every S, x(all) = rank }.
class MatroidBases final : public OraclePolytope<MatroidBases> {
 public:
  static constexpr std::string_view kName = "matroid-bases";
  explicit MatroidBases(std::unique_ptr<Matroid> matroid);

  /// Greedy: elements in the order of rising g, earlier first among equals, each taken if it may.
  void linear_minimizer(ConstVectorRef g, VectorRef v) override;
  /// The distance, found by the oracle: the constraints are too many to look at.
  [[nodiscard]] double violation(ConstVectorRef x) const override;
  void start(VectorRef x) const override { x = start_; }
  [[nodiscard]] Index rank() const { return rank_; }

 private:
  Cloned<Matroid> matroid_;
  std::vector<Index> order_;  // work
  Index rank_ = 0;
  Vector start_;
};

/// The spanning-tree polytope of a connected graph, one coordinate per edge.
[[nodiscard]] std::unique_ptr<FeasibleSet> spanning_trees(Index nodes, std::vector<Arc> edges);

}  // namespace slidemesh
