#include <algorithm>
#include <cmath>

#include "linear_algebra/decompositions.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {
namespace {

/// Template of a linear solver: singular values of the whole matrix [H G^T; B -C]. Slow, and it allocates in every
/// call, which a real one must not; but it does with lost rank what the policies say.
class RecipeLinearSolver final : public LinearSolver {
 public:
  RecipeLinearSolver(const BlockPattern& pattern, const LinearSolverOptions& options)
      : n_(pattern.top_left.rows),
        m_(pattern.jacobian.rows),
        options_(options),
        longest_(Eigen::VectorXd::Constant(m_, 1e-300)) {}

  LinearOutcome factorize(const BlockValues& v) override {
    ++counts_.factorizations;
    return outcome_ = decompose(v);
  }

  LinearOutcome solve(double* top, double* bottom) override {
    ++counts_.solves;
    if (outcome_ != LinearOutcome::ok) return outcome_;
    Eigen::VectorXd x(n_ + m_);
    x << Eigen::Map<Eigen::VectorXd>(top, n_), Eigen::Map<Eigen::VectorXd>(bottom, m_);
    x = (scale_.asDiagonal() * apply_inverse(whole_, kept_, scale_.asDiagonal() * x)).eval();
    if (!x.allFinite()) return LinearOutcome::not_finite;
    Eigen::Map<Eigen::VectorXd>(top, n_) = x.head(n_);
    Eigen::Map<Eigen::VectorXd>(bottom, m_) = x.tail(m_);
    return LinearOutcome::ok;
  }

  int rank() const override { return static_cast<int>(kept_) - n_; }

  WeakestMode weakest_mode(int lost) override {
    if (lost >= m_) return {};
    Eigen::Index row = -1;
    schur_.V.col(m_ - 1 - lost).cwiseAbs().maxCoeff(&row);
    return {schur_.values[0] > 0.0 ? schur_.values[m_ - 1 - lost] / schur_.values[0] : 0.0, static_cast<int>(row)};
  }

  std::string description() const override {
    return std::string("recipe_linear_solver, singular values") + (kept_ < n_ + m_ ? ", minimum norm" : "");
  }

 private:
  using Matrix = Eigen::MatrixXd;

  /// A^+ b from the `kept` largest singular values.
  static Matrix apply_inverse(const SingularValues& A, Eigen::Index kept, const Matrix& b) {
    return A.V.leftCols(kept) * A.values.head(kept).cwiseInverse().asDiagonal() * (A.U.leftCols(kept).transpose() * b);
  }

  static Eigen::Index count_above(double share, const Eigen::VectorXd& values) {
    return (values.array() > share * values[0]).count();
  }

  LinearOutcome decompose(const BlockValues& v) {
    const Eigen::Map<const Matrix> H(v.top_left, n_, n_), G(v.jacobian, m_, n_);
    const Eigen::Map<const Matrix> B(v.bottom_left != nullptr ? v.bottom_left : v.jacobian, m_, n_);
    Matrix C = Matrix::Zero(m_, m_);
    if (v.compliance != nullptr) C = Eigen::Map<const Matrix>(v.compliance, m_, m_);
    if (!H.allFinite() || !G.allFinite() || !B.allFinite() || !C.allFinite()) return LinearOutcome::not_finite;

    // one scale for the unknowns above, one for lambda: no unit matters, and the least norm stays the least norm
    const double mass = H.cwiseAbs().maxCoeff() > 0.0 ? H.cwiseAbs().maxCoeff() : 1.0;
    const double rows = m_ > 0 && G.cwiseAbs().maxCoeff() > 0.0 ? G.cwiseAbs().maxCoeff() : 1.0;
    scale_.resize(n_ + m_);
    scale_ << Eigen::VectorXd::Constant(n_, 1.0 / std::sqrt(mass)),
        Eigen::VectorXd::Constant(m_, std::sqrt(mass) / rows);

    Matrix above(n_ + m_, n_);  // without a direction that neither M nor a constraint knows
    above << H / mass, G / rows;
    if (count_above(rounding, singular_values(above).values) < n_) return LinearOutcome::singular;

    if (m_ > 0) {
      const SingularValues h = singular_values(H, SingularVectors::thin);
      const Matrix S = G * apply_inverse(h, count_above(rounding, h.values), G.transpose());
      longest_ = longest_.cwiseMax(S.diagonal().cwiseAbs());
      const Eigen::VectorXd d = longest_.array().rsqrt();
      schur_ = singular_values(d.asDiagonal() * S * d.asDiagonal(), SingularVectors::right);
      if (options_.rank_policy == RankPolicy::regularized) C.diagonal() += options_.regularization * S.diagonal();
    }
    Matrix K(n_ + m_, n_ + m_);
    K << H, G.transpose(), B, -C;
    whole_ = singular_values(scale_.asDiagonal() * K * scale_.asDiagonal(), SingularVectors::thin);
    const bool filters = options_.rank_policy != RankPolicy::regularized;
    kept_ = count_above(filters ? options_.rank_threshold : rounding, whole_.values);
    if (kept_ == n_ + m_) return LinearOutcome::ok;
    ++counts_.rank_events;
    return options_.rank_policy == RankPolicy::strict ? LinearOutcome::rank_loss : LinearOutcome::ok;
  }

  static constexpr double rounding = 1e-13;

  int n_, m_;
  LinearSolverOptions options_;
  Eigen::VectorXd longest_;  // largest S_ii met so far: a row that shrinks is weak against its former self
  Eigen::VectorXd scale_;
  SingularValues whole_, schur_;
  Eigen::Index kept_ = 0;  // singular values of the whole matrix that count
  LinearOutcome outcome_ = LinearOutcome::singular;
};

}  // namespace

LinearSolverEntry make_recipe_linear_solver() {
  LinearSolverEntry entry;
  entry.make = [](const BlockPattern& pattern, const LinearSolverOptions& options) -> std::unique_ptr<LinearSolver> {
    return std::make_unique<RecipeLinearSolver>(pattern, options);
  };
  return entry;
}

}  // namespace sunlagrange::internal
