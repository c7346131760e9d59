// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "linear_algebra/vector_map.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// A Newton system [H G^T; B -C] with real or complex H and B. A linear solver without complex factors gets the real
/// system of twice the size, in which a number x + iy is a block [x -y; y x]. It costs twice the multiplications of a
/// complex factorisation, and the same for a solution.
template <class Scalar>
class NewtonMatrix {
 public:
  NewtonMatrix(const BlockPattern& pattern, const LinearSolverOptions& options);

  VectorOf<Scalar> top_left, bottom_left;  ///< H and B in the slots of the pattern
  VectorOf<Scalar> rows;                   ///< scratch of the caller, length m

  /// @param compliance  C; nullptr: none
  EvaluationResult factorize(const double* jacobian, const double* compliance);

  /// In: right-hand sides (length n, length m), out: the solution. No allocation.
  EvaluationResult solve(Scalar* top, Scalar* bottom);

  const LinearSolver& solver() const { return *solver_; }

 private:
  /// A block in the slots of the doubled pattern, four for each entry (i, j).
  struct Doubled {
    std::vector<int> slots;  // of (2i, 2j), (2i+1, 2j), (2i, 2j+1), (2i+1, 2j+1); -1: none
    std::vector<double> values;
    void fill(const Complex* entries);
    void fill(const double* entries);
  };

  bool doubled_ = false;
  Doubled top_left_, jacobian_, bottom_left_, compliance_;  // of doubled systems
  std::unique_ptr<LinearSolver> solver_;
};

}  // namespace sunlagrange::internal
