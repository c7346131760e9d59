#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include <Eigen/Core>

#include <sunlagrange/internal/pattern_matrix.hpp>

#include "linear_solver/evaluation_result.hpp"

namespace sunlagrange::internal {

/// Relative violation that no correction makes smaller: a few units of rounding of the largest term in a row.
constexpr double rounding_of_rows = 1e-15;

/// Violations below this are near enough to rounding that a shorter step of Newton's does not help, and slow
/// convergence means that nothing is left to gain.
constexpr double near_rounding_of_rows = 1e-12;

/// terms_i += sum_j |G_ij| size(j), what the violation of row i is measured by.
template <class Size>
void add_largest_terms(const PatternMatrix& G, Size&& size, Eigen::VectorXd& terms) {
  G.for_each_entry([&](int i, int j, double entry) { terms[i] += std::abs(entry) * size(j); });
}

struct Violation {
  double relative = 0.0;
  int row = -1;  ///< where it is; -1: all rows are satisfied exactly
};

/// max_i |values_i| / terms_i; |values_i| itself where the terms vanish. Not finite if a value is not.
Violation largest_violation(const Eigen::VectorXd& values, const Eigen::VectorXd& terms);

/// When Newton's iteration ends.
struct NewtonRule {
  int most_iterations = 20;

  double rounding = rounding_of_rows;  ///< it has arrived at a violation of at most this

  double slow = 0.99;                        ///< a violation that falls by less falls slowly,
  double satisfied = near_rounding_of_rows;  ///< and below this it has arrived nevertheless

  /// The matrix of the first iterate serves while the violation does not fall slowly; else every iterate has its own.
  bool keep_matrix = false;

  int halvings = 0;  ///< of a step that does not make the violation smaller

  /// Stalled is an iteration whose violation does not fall; then the point before is restored. If this is given, one
  /// whose corrections do not shrink by this factor, and violations are not compared: independent of units and of the
  /// scaling of rows, it says that the solution belongs to the branch the iteration came from (Kantorovich).
  std::optional<double> contraction;
};

struct NewtonEnd {
  enum class Kind { arrived, stalled, exhausted, failed };
  Kind kind = Kind::arrived;
  EvaluationResult result = EvaluationResult::ok;  ///< if failed: of what
  double violation = 0.0;                          ///< at x
  int iterations = 0;
};

/// Newton's iteration onto g(t, q) = 0, x = q, or onto (g', psi)(t, q, v) = 0, x = v. The metric is that of the linear
/// systems the caller solves: which of the many corrections that satisfy the linearised rows is taken.
class ManifoldNewton {
 public:
  explicit ManifoldNewton(int size) : step_(size), before_(size) {}

  /// @param x          in: where to start, evaluated already with a new matrix; out: where it ended, evaluated
  /// @param evaluate   EvaluationResult(bool new_matrix): the rows at x, and the matrix if asked for
  /// @param violation  double(): of the rows evaluated last
  /// @param solve      EvaluationResult(VectorXd& step, double& size): the correction; `size` is for contraction only
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
        return ends(NewtonEnd::Kind::arrived);
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
        // keep the better of the two
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
