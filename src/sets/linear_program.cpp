#include "linear_program.h"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "mps.h"
#include "slidemesh/base/late_library.h"

// Clp is opened when the first program is solved, through its C interface.
#define SLIDEMESH_CLP(name)                                                                     \
  ([] {                                                                                         \
    static const auto real = slidemesh::late_function<decltype(&name)>(slidemesh::kClp, #name); \
    return real;                                                                                \
  }())

namespace slidemesh {

namespace {

constexpr LateLibrary kClp{SLIDEMESH_CLP_FILE, "polytope",
                           "the linear programming library Clp (Debian: coinor-libclp1)"};

constexpr double kFeasibility = 1e-10;
constexpr double kOptimality = 1e-10;
constexpr unsigned kStatusBits = 7;  // of a byte that holds marks of a search under way as well

/// Far more pivots than a program of this size takes: beyond, the simplex method goes in circles.
int most_pivots(int rows, int columns) { return 10'000 + 100 * (rows + columns); }

struct Deleter {
  void operator()(Clp_Simplex* model) const { SLIDEMESH_CLP(Clp_deleteModel)(model); }
};
using Model = std::unique_ptr<Clp_Simplex, Deleter>;

}  // namespace

namespace detail {

static_assert(std::is_same_v<CoinBigIndex, int>);

LinearProgram::LinearProgram(const PolytopeRows& rows)
    : rows_(static_cast<int>(rows.lower.size())),
      columns_(static_cast<int>(rows.dimension)),
      starts_(static_cast<std::size_t>(rows.dimension) + 1, 0),
      row_of_(rows.values.size()),
      values_(rows.values.size()),
      lower_(rows.variable_lower),
      upper_(rows.variable_upper),
      row_lower_(rows.lower),
      row_upper_(rows.upper) {
  if (lower_.size() == 0) {
    lower_.setConstant(rows.dimension, -kInfinity);
  }
  if (upper_.size() == 0) {
    upper_.setConstant(rows.dimension, kInfinity);
  }
  for (const Index column : rows.columns) {
    ++starts_[static_cast<std::size_t>(column) + 1];
  }
  for (std::size_t j = 0; j + 1 < starts_.size(); ++j) {
    starts_[j + 1] += starts_[j];
  }
  std::vector<int> next = starts_;
  for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
    for (std::size_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(rows.columns[k])]++);
      row_of_[place] = static_cast<int>(i);
      values_[place] = rows.values[k];
    }
  }
}

int LinearProgram::minimize(const double* cost, std::vector<unsigned char>& basis, VectorRef answer) const {
  const Model model(SLIDEMESH_CLP(Clp_newModel)());
  Clp_Simplex* const clp = model.get();
  SLIDEMESH_CLP(Clp_setLogLevel)(clp, 0);
  SLIDEMESH_CLP(Clp_loadProblem)
  (clp, columns_, rows_, starts_.data(), row_of_.data(), values_.data(), lower_.data(), upper_.data(), cost,
   row_lower_.data(), row_upper_.data());
  SLIDEMESH_CLP(Clp_setPrimalTolerance)(clp, kFeasibility);
  SLIDEMESH_CLP(Clp_setDualTolerance)(clp, kOptimality);
  SLIDEMESH_CLP(Clp_setMaximumIterations)(clp, most_pivots(rows_, columns_));
  if (!basis.empty()) {
    SLIDEMESH_CLP(Clp_copyinStatus)(clp, basis.data());
  }
  SLIDEMESH_CLP(Clp_primal)(clp, 1);
  const int status = SLIDEMESH_CLP(Clp_status)(clp);
  if (status == kOptimal) {
    basis.resize(static_cast<std::size_t>(rows_) + static_cast<std::size_t>(columns_));
    const unsigned char* statuses = SLIDEMESH_CLP(Clp_statusArray)(clp);
    std::transform(statuses, statuses + basis.size(), basis.begin(),
                   [](unsigned char one) { return static_cast<unsigned char>(one & kStatusBits); });
    std::copy_n(SLIDEMESH_CLP(Clp_primalColumnSolution)(clp), answer.size(), answer.data());
  }
  return status;
}

}  // namespace detail

}  // namespace slidemesh
