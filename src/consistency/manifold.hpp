// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include <Eigen/Core>

#include <sunlagrange/base/evaluation_result.hpp>
#include <sunlagrange/internal/pattern_matrix.hpp>

namespace sunlagrange::internal {

/// Relative violation that no correction reduces: a few rounding errors of the largest term in a row.
constexpr double rounding_of_rows = 1e-15;

/// Violations below this are so near to rounding that shorter Newton steps do not help, and slow convergence is the
/// end.
constexpr double near_rounding_of_rows = 1e-12;

/// Adds sum_j |G_ij| size(j) to terms_i; the violation of row i is relative to terms_i.
template <class Size>
void add_largest_terms(const PatternMatrix& G, Size&& size, Eigen::VectorXd& terms) {
  G.for_each_entry([&](int i, int j, double entry) { terms[i] += std::abs(entry) * size(j); });
}

struct Violation {
  double relative = 0.0;
  int row = -1;  ///< row with the largest violation; -1: all rows are satisfied exactly
};

/// Returns max_i |values_i| / terms_i, with |values_i| itself if terms_i = 0. Not finite if a value is not.
Violation largest_violation(const Eigen::VectorXd& values, const Eigen::VectorXd& terms);

/// Rules that end Newton's iteration.
struct NewtonRule {
  int most_iterations = 20;

  double rounding = rounding_of_rows;  ///< converged if the violation is at most this

  double slow = 0.99;                        ///< convergence is slow if the violation falls by less than this factor,
  double satisfied = near_rounding_of_rows;  ///< and has converged nevertheless below this violation

  /// Uses the matrix of the first iterate until convergence is slow. Default: every iterate has its own matrix.
  bool keep_matrix = false;

  int halvings = 0;  ///< largest number of halvings of a step that does not reduce the violation

  /// An iteration stalls if its violation does not fall; then the point before is restored. If this is given, it stalls
  /// if the corrections do not shrink by this factor, and violations are not compared. That test is independent of
  /// units and of the scaling of rows; if it passes, the solution belongs to the branch of the start (Kantorovich).
  std::optional<double> contraction;
};

struct NewtonEnd {
  enum class Kind { converged, stalled, exhausted, failed };
  Kind kind = Kind::converged;
  EvaluationResult result = EvaluationResult::ok;  ///< reason if it failed
  double violation = 0.0;                          ///< violation at x
  int iterations = 0;
};

/// Newton's iteration onto g(t, q) = 0 with x = q, or onto (g', psi)(t, q, v) = 0 with x = v. The linear system of the
/// caller chooses one of the many corrections that satisfy the linearised rows, by its metric.
class ManifoldNewton {
 public:
  explicit ManifoldNewton(int size) : step_(size), before_(size) {}

  /// @param x          in: start, already evaluated with a new matrix; out: end, evaluated
  /// @param evaluate   EvaluationResult(bool new_matrix): evaluates the rows at x, and the matrix if new_matrix
  /// @param violation  double(): returns the violation of the rows evaluated last
  /// @param solve      EvaluationResult(VectorXd& step, double& size): computes the correction; `size` is read for
  /// contraction only
  template <class Vector, class Evaluate, class Violated, class Solve>
  NewtonEnd run(Vector&& x, const NewtonRule& rule, Evaluate&& evaluate, Violated&& violation, Solve&& solve) {
    NewtonEnd end;
    const auto ends = [&end](NewtonEnd::Kind kind, EvaluationResult result = EvaluationResult::ok) {
      end.kind = kind;
      end.result = result;
      return end;
    };
    bool slow = false;
    double last_size = std::numeric_limits<double>::infinity();
    end.violation = violation();
    for (;;) {
      if (!std::isfinite(end.violation)) return ends(NewtonEnd::Kind::failed, EvaluationResult::not_finite);
      if (end.violation <= rule.rounding || (slow && end.violation < rule.satisfied))
        return ends(NewtonEnd::Kind::converged);
      if (end.iterations == rule.most_iterations) return ends(NewtonEnd::Kind::exhausted);
      double size = 0.0;
      EvaluationResult result = solve(step_, size);
      if (result != EvaluationResult::ok) return ends(NewtonEnd::Kind::failed, result);
      if (rule.contraction && !(size < *rule.contraction * last_size)) return ends(NewtonEnd::Kind::stalled);
      last_size = size;

      const double previous = end.violation;
      const bool new_matrix = !rule.keep_matrix || slow;
      const int halvings = previous > near_rounding_of_rows ? rule.halvings : 0;  // rounding does not shrink
      before_ = x;
      double shortening = 1.0;
      for (int cut = 0; cut <= halvings; ++cut, shortening *= 0.5) {
        x = before_ + shortening * step_;
        result = evaluate(new_matrix);
        if (result == EvaluationResult::ok) end.violation = violation();
        if (result == EvaluationResult::ok && (rule.contraction || end.violation < previous)) break;
      }
      if (result != EvaluationResult::ok) return ends(NewtonEnd::Kind::failed, result);
      ++end.iterations;
      if (rule.contraction) continue;

      if (!(end.violation < previous)) {
        if (rule.halvings == 0 && !std::isfinite(end.violation))
          return ends(NewtonEnd::Kind::failed, EvaluationResult::not_finite);
        // return to the better point
        x = before_;
        result = evaluate(true);
        if (result != EvaluationResult::ok) return ends(NewtonEnd::Kind::failed, result);
        end.violation = violation();
        return ends(NewtonEnd::Kind::stalled);
      }
      slow = end.violation > rule.slow * previous;
      if (slow && !new_matrix && !(end.violation < rule.satisfied)) result = evaluate(true);
      if (result != EvaluationResult::ok) return ends(NewtonEnd::Kind::failed, result);
    }
  }

 private:
  Eigen::VectorXd step_, before_;
};

}  // namespace sunlagrange::internal
