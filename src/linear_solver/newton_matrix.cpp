// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/newton_matrix.hpp"

#include <type_traits>
#include <utility>

namespace sunlagrange::internal {
namespace {

/// Replaces every entry by a block of 2 x 2. `full` false: real entries, whose blocks are diagonal.
SparsePattern doubled(const SparsePattern& p, bool full) {
  if (p.nonzeros() == 0) return {};
  if (p.is_dense()) return SparsePattern::dense(2 * p.rows, 2 * p.columns);
  std::vector<std::pair<int, int>> entries;
  p.for_each_entry([&](int i, int j, int) {
    entries.emplace_back(2 * i, 2 * j);
    entries.emplace_back(2 * i + 1, 2 * j + 1);
    if (!full) return;
    entries.emplace_back(2 * i + 1, 2 * j);
    entries.emplace_back(2 * i, 2 * j + 1);
  });
  return SparsePattern::from_entries(2 * p.rows, 2 * p.columns, std::move(entries));
}

std::vector<int> block_slots(const SparsePattern& p, const SparsePattern& target) {
  std::vector<int> slots;
  p.for_each_entry([&](int i, int j, int) {
    for (const int column : {2 * j, 2 * j + 1}) {
      for (const int row : {2 * i, 2 * i + 1}) slots.push_back(target.slot(row, column));
    }
  });
  return slots;
}

}  // namespace

template <class Scalar>
NewtonMatrix<Scalar>::NewtonMatrix(const BlockPattern& pattern, const LinearSolverOptions& options)
    : top_left(VectorOf<Scalar>::Zero(pattern.top_left.nonzeros())),
      bottom_left(VectorOf<Scalar>::Zero(pattern.bottom_left.nonzeros())),
      rows(VectorOf<Scalar>::Zero(pattern.jacobian.rows)) {
  if constexpr (std::is_same_v<Scalar, double>) {
    solver_ = make_linear_solver(pattern, options);
  } else if (find_linear_solver(options.name).complex) {
    BlockPattern complex_pattern = pattern;
    complex_pattern.complex = true;
    solver_ = make_linear_solver(complex_pattern, options);
  } else {
    doubled_ = true;
    BlockPattern twice;
    twice.newton = true;
    twice.top_left = doubled(pattern.top_left, true);
    twice.bottom_left = doubled(pattern.bottom_left, true);
    twice.jacobian = doubled(pattern.jacobian, false);
    twice.compliance = doubled(pattern.compliance, false);
    for (SparsePattern* p : {&twice.bottom_left, &twice.jacobian}) {  // for no rows, too
      if (p->nonzeros() == 0)
        *p = SparsePattern::from_entries(2 * pattern.jacobian.rows, 2 * pattern.top_left.rows, {});
    }
    twice.natural_scales.resize(2 * pattern.natural_scales.size());
    for (Eigen::Index j = 0; j < twice.natural_scales.size(); ++j)
      twice.natural_scales[j] = pattern.natural_scales[j / 2];
    const auto prepare = [](Doubled& block, const SparsePattern& p, const SparsePattern& target) {
      block.slots = block_slots(p, target);
      block.values.assign(static_cast<std::size_t>(target.nonzeros()), 0.0);
    };
    prepare(top_left_, pattern.top_left, twice.top_left);
    prepare(jacobian_, pattern.jacobian, twice.jacobian);
    prepare(bottom_left_, pattern.bottom_left, twice.bottom_left);
    prepare(compliance_, pattern.compliance, twice.compliance);
    solver_ = make_linear_solver(twice, options);
  }
}

template <class Scalar>
void NewtonMatrix<Scalar>::Doubled::fill(const Complex* entries) {
  double* to = values.data();
  for (const int* slot = slots.data(); slot != slots.data() + slots.size(); slot += 4, ++entries) {
    to[slot[0]] = to[slot[3]] = entries->real();
    to[slot[1]] = entries->imag();
    to[slot[2]] = -entries->imag();
  }
}

template <class Scalar>
void NewtonMatrix<Scalar>::Doubled::fill(const double* entries) {
  double* to = values.data();
  for (const int* slot = slots.data(); slot != slots.data() + slots.size(); slot += 4)
    to[slot[0]] = to[slot[3]] = *entries++;
}

template <class Scalar>
EvaluationResult NewtonMatrix<Scalar>::factorize(const double* jacobian, const double* compliance) {
  BlockValues values;
  if (!doubled_) {
    values.top_left = reinterpret_cast<const double*>(top_left.data());
    values.jacobian = jacobian;
    values.bottom_left = reinterpret_cast<const double*>(bottom_left.data());
    values.compliance = compliance;
  } else if constexpr (std::is_same_v<Scalar, Complex>) {
    top_left_.fill(top_left.data());
    jacobian_.fill(jacobian);
    bottom_left_.fill(bottom_left.data());
    if (compliance != nullptr) compliance_.fill(compliance);
    values.top_left = top_left_.values.data();
    values.jacobian = jacobian_.values.data();
    values.bottom_left = bottom_left_.values.data();
    values.compliance = compliance != nullptr ? compliance_.values.data() : nullptr;
  }
  return solver_->factorize(values);
}

/// Complex numbers are pairs of real ones in memory, which is the order of the doubled unknowns.
template <class Scalar>
EvaluationResult NewtonMatrix<Scalar>::solve(Scalar* top, Scalar* bottom) {
  return solver_->solve(reinterpret_cast<double*>(top), reinterpret_cast<double*>(bottom));
}

template class NewtonMatrix<double>;
template class NewtonMatrix<Complex>;

}  // namespace sunlagrange::internal
