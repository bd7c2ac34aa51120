#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/matrix_iterates.h"
#include "slidemesh/algorithms/rank_one_vertices.h"
#include "slidemesh/linalg/sparse_columns.h"

namespace slidemesh {

/// DeFW for the entries of a matrix over sets whose vertices have rank one: the same steps, with gradients kept, mixed
/// and sent at the places alone that some node has an entry of. entry_defw.cpp says how.
class EntryDefw final : public BaselineMethod {
 public:
  /// Whether problem and options are of this kind at every node: an agreement where this process's are, nothing where
  /// the set tells everyone that they are not.
  [[nodiscard]] static bool fits(const Problem& problem, Network& network, const DefwOptions& options);

  EntryDefw(const Problem& problem, Network& network, const DefwOptions& options);

  void step() override;
  /// θ_{t+1}.
  [[nodiscard]] const Stacked& output() override;
  void visit_state(StateVisitor& visitor) override;

 private:
  /// What a node knows of its rows: where their entries are among all places, and by what they are multiplied.
  struct Entries {
    std::vector<Count> place;
    std::vector<double> factor;
    std::vector<Count> own;             ///< the places, ascending, each once
    std::vector<Count> slot;            ///< of each row's place in `own`
    std::vector<double> last_gradient;  ///< at `own`
  };

  void find_places();
  void agree_places(std::vector<std::vector<Count>>& entries);
  void use_places();
  void track(Index i);
  void find_vertices(double accuracy);
  void mix_iterates();
  void mix_tracked();
  void require_state() const;

  std::optional<int> mixing_rounds_;
  double oracle_share_;
  MixingWeights w_;
  MatrixIterates theta_;
  Stacked tracked_;            ///< a number per place and node
  std::vector<Count> places_;  ///< of all nodes' entries in the column-major matrix, ascending
  SparseColumns matrix_;
  std::vector<Entries> entries_;  ///< one for each local node
  std::vector<std::vector<double>> derivatives_;
  std::vector<Vector> fresh_;  ///< gradients at `own`
  Matrix left_, right_;        ///< vertices, a column per local node
  std::vector<FeasibleSet*> node_sets_;
  RankOneVertices oracle_;
};

/// In the form that fits.
[[nodiscard]] std::unique_ptr<Method> make_defw(const Problem& problem, Network& network, const DefwOptions& options);

}  // namespace slidemesh
