// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include <sunlagrange/base/status.hpp>

#include "formulation/parts/acceleration_form.hpp"
#include "gains/excess_law.hpp"
#include "linear_algebra/dense_kernels.hpp"
#include "linear_algebra/vector_map.hpp"

namespace sunlagrange::internal {
namespace {

/// Throws if a part of the law is given twice, or m' without m.
void require_one_source(const ExcessEnergy& excess, const Gains& gains) {
  const auto require = [](bool good, const char* complaint) {
    if (!good) throw Error(std::string("excess energy: ") + complaint);
  };
  require(!excess.stiffness || gains.K_P.automatic(), "stiffness and K_P are both given; leave out one of them");
  require(!excess.dissipation || (gains.K_D.automatic() && gains.K_N.automatic()),
          "dissipation and K_D or K_N are both given; leave out one of them");
  require(!excess.mass || !excess.mass_of_motion, "mass and mass_of_motion are both given; leave out one of them");
  require(!excess.mass_rate || excess.mass, "mass_rate is given without mass");
  require(!excess.coupled_stiffness || excess.stiffness, "coupled_stiffness is set, but there is no stiffness");
}

/// Returns the gains of the parts that the excess energy leaves out.
Stabilization constant_gains(const FormulationInput& input) {
  require_one_source(input.excess, input.gains);
  return automatic_gains(input);
}

bool has_law(const FormulationInput& input) {
  return input.excess.given() && input.system->num_constraints() > 0;
}

/// Returns facts about the parts that were given and the defaults of the others.
FormulationFacts describe(const FormulationInput& input, FormulationFacts facts) {
  const ExcessEnergy& excess = input.excess;
  if (!excess.given()) {
    facts.own = {{"excess energy", "none given: this is baumgarte", {}}};
    return facts;
  }
  const auto fact = [](const char* name, bool given, const char* instead) {
    return Fact{name, given ? "given" : instead, {}, given};
  };
  const char* rate = excess.mass_of_motion ? "central differences of m along (1, v) and each v'"
                     : excess.mass         ? "central difference of m along (1, v)"
                                           : "zero";
  facts.own = {fact("excess mass m", excess.mass || excess.mass_of_motion, "identity"),
               fact("rate of the excess mass", bool(excess.mass_rate), rate),
               fact("excess stiffness k", bool(excess.stiffness), "m K_P"),
               fact("excess dissipation c", bool(excess.dissipation), facts.K_N ? "m blkdiag(K_D, K_N)" : "m K_D")};
  const UsedGain renewed = {{}, {}, true};
  if (excess.stiffness) facts.K_P = renewed;
  if (excess.dissipation) {
    facts.K_D = renewed;
    if (facts.K_N) facts.K_N = renewed;
  }
  return facts;
}

/// Returns the gains before the first point: full matrices if the law renews them.
Stabilization first_gains(const FormulationInput& input, const Stabilization& constant) {
  Stabilization gains = constant;
  if (has_law(input)) {
    const int m = input.system->num_constraints();
    gains.rate = {{}, Eigen::MatrixXd::Zero(m, m)};
    gains.position = {{}, Eigen::MatrixXd::Zero(m, input.system->num_position_constraints())};
    gains.varying = true;
  }
  gains.facts = describe(input, constant.facts);
  return gains;
}

class ExtendedLagrangian final : public AccelerationForm, public ErrorLaw {
 public:
  explicit ExtendedLagrangian(const FormulationInput& input) : ExtendedLagrangian(input, constant_gains(input)) {}

  bool error_matrix(double t, const double* q, const double* v, Eigen::MatrixXd& A) override {
    const double* a = nullptr;
    if (law_->depends_on_acceleration()) {
      if (with_feedback(t, q, v, acceleration_here_.data(), lambda_here_.data()) != EvaluationResult::ok) return false;
      a = acceleration_here_.data();
    }
    if (law_->renew(t, q, v, rate_here_, position_here_, a) != ExcessLaw::Verdict::good) return false;
    A = ExcessLaw::error_matrix(rate_here_, position_here_);
    return true;
  }

  std::vector<Fact> statistics() const override {
    std::vector<Fact> facts = AccelerationForm::statistics();
    if (lost_mass_ + lost_stiffness_ + lost_dissipation_ == 0) return facts;
    facts.push_back({"points declined, not positive definite",
                     "m: {}, k: {}, c: {}",
                     {lost_mass_, lost_stiffness_, lost_dissipation_}});
    return facts;
  }

 protected:
  EvaluationResult renew_gains(double t, const double* q, const double* v, const Workspace& w,
                               Stabilization& gains) override {
    if (!law_) return EvaluationResult::ok;
    switch (law_->renew(t, q, v, gains.rate.full, gains.position.full)) {
      case ExcessLaw::Verdict::good:
        return law_->depends_on_acceleration() ? renew_coupling(t, w) : EvaluationResult::ok;
      case ExcessLaw::Verdict::mass:
        ++lost_mass_;
        break;
      case ExcessLaw::Verdict::stiffness:
        ++lost_stiffness_;
        break;
      case ExcessLaw::Verdict::dissipation:
        ++lost_dissipation_;
        break;
    }
    return EvaluationResult::indefinite;
  }

  void add_forces(double t, const Workspace& w, Eigen::VectorXd& f) override {
    if (!law_) return;
    law_->tangential_force(t, w.g, w.g_rate, w.f, force_of_the_law_);
    f += force_of_the_law_;
  }

  /// Solves [M G^T; G + E 0] (a, lambda) = (f, b). With (a_0, lambda_0) the solution for E = 0 and (Z, L) the response
  /// of (a, lambda) to b, (a, lambda) = (a_0 - Z w, lambda_0 - L w), (I + E Z) w = E a_0.
  EvaluationResult solve_saddle(double* a, double* lambda) override {
    const EvaluationResult result = AccelerationForm::solve_saddle(a, lambda);
    if (result != EvaluationResult::ok || !law_ || !law_->depends_on_acceleration()) return result;
    const int m = static_cast<int>(E_.rows());
    coupled_rows_.noalias() = E_ * as_vector(a, E_.cols());
    kernels::solve_lu(m, coupling_.data(), coupling_pivots_.data(), coupled_rows_.data());
    as_vector(a, E_.cols()).noalias() -= Z_ * coupled_rows_;
    as_vector(lambda, m).noalias() -= L_ * coupled_rows_;
    return result;
  }

 private:
  /// Computes E, Z, L and the factors of I + E Z at a point whose saddle-point system is factorised.
  EvaluationResult renew_coupling(double t, const Workspace& w) {
    const int m = static_cast<int>(E_.rows());
    law_->acceleration_matrix(t, w.g_rate, E_);
    Z_.setZero();
    L_.setIdentity();
    for (int i = 0; i < m; ++i) {
      const EvaluationResult result = AccelerationForm::solve_saddle(Z_.col(i).data(), L_.col(i).data());
      if (result != EvaluationResult::ok) return result;
    }
    coupling_.setIdentity();
    coupling_.noalias() += E_ * Z_;
    return kernels::factorize_lu(m, coupling_.data(), coupling_pivots_.data(), 0.0) ? EvaluationResult::ok
                                                                                    : EvaluationResult::indefinite;
  }

  ExtendedLagrangian(const FormulationInput& input, const Stabilization& constant)
      : AccelerationForm(input, first_gains(input, constant)),
        force_of_the_law_(Eigen::VectorXd::Zero(input.system->num_positions())) {
    if (!has_law(input)) return;
    provides_.error_law = this;
    tangential_force = &force_of_the_law_;
    law_.emplace(input.excess, *input.system, characteristic_scales(*input.system, input.start), constant.rate,
                 constant.position);
    const int m = input.system->num_constraints();
    rate_here_.resize(m, m);
    position_here_.resize(m, input.system->num_position_constraints());
    if (input.excess.mass_of_motion) {
      const int n = input.system->num_positions();
      E_.resize(m, n);
      Z_.resize(n, m);
      L_.resize(m, m);
      coupling_.resize(m, m);
      coupling_pivots_.resize(m);
      coupled_rows_.resize(m);
      acceleration_here_.resize(n);
      lambda_here_.resize(m);
    }
    require_good_start(input, first_gains(input, constant));
  }

  /// Throws if sizes or definiteness are wrong at the start.
  void require_good_start(const FormulationInput& input, Stabilization gains) {
    const auto refuse = [&](const std::string& what) {
      throw Error("excess energy: " + what + " at the start, t = " + text(input.start.t) +
                  ": check its signs and units");
    };
    const MotionState& start = input.start;
    const ExcessLaw::Verdict verdict =
        law_->renew(start.t, start.q.data(), start.v.data(), gains.rate.full, gains.position.full);
    if (verdict != ExcessLaw::Verdict::good) refuse(ExcessLaw::lost(verdict));
    if (!gains.rate.full.allFinite() || !gains.position.full.allFinite()) refuse("mass_rate is not finite");
  }

  std::optional<ExcessLaw> law_;               // none: constant gains
  Eigen::VectorXd force_of_the_law_;           // m2 at the last point
  Eigen::MatrixXd rate_here_, position_here_;  // of error_matrix()
  Eigen::VectorXd acceleration_here_, lambda_here_;
  Eigen::MatrixXd E_, Z_, L_, coupling_;  // of mass_of_motion
  Eigen::VectorXi coupling_pivots_;
  Eigen::VectorXd coupled_rows_;
  long lost_mass_ = 0;
  long lost_stiffness_ = 0;
  long lost_dissipation_ = 0;
};

}  // namespace

/// Extended Lagrangian [003, (1.4)-(1.20); 001]: the excess variables y = g, v_y = (g', psi) have an inertia m, a
/// stiffness k and a dissipation c (ExcessEnergy). They move freely, and the reactions make the mechanism follow them:
///
///     M v' + G^T lambda = f,     G v' = gamma + v_y',     v_y' = -m^-1 (k y + (m' + c) v_y)
///
/// This is `baumgarte` with state-dependent K_P = m^-1 k and blkdiag(K_D, K_N) = m^-1 (m' + c), holonomic and
/// nonholonomic rows together, coupled by m, k or c. y is not integrated: q determines it. lambda = lambda_0 + lambda_1
/// + lambda_2: the ideal reaction, the control force that stabilises, and the part of the tangential force m^(2) =
/// O(|y|^2) of (1.15) along G^T; reactions.hpp returns the first and the sum of the others. m^(2) is added to f, so
/// that lambda_2 of (1.18) has the sign that keeps the law of y (printed + in (1.17), must be -).
///
/// With an m that depends on v, m' contains v' and the rows are (G + E) v' = gamma - m^-1 (k y + (m_t + m_q v + c) v_y)
/// with E = m^-1 (dm/dv_i v_y)_i: one linear system for v' and lambda [001, (3), (8)].
///
/// The Newton blocks treat K_P and K_D as constants and E as zero: their derivatives, and E, multiply y and v_y, which
/// are small near the constraints; far away Newton converges more slowly. A point at which m, k or c is not positive
/// (semi)definite is declined and counted. Without ExcessEnergy the form is `baumgarte` with its automatic gains. When
/// to use: inertia, stiffness and damping of the constraint error change along the motion, or couple constraints of
/// different kinds. When not: constant gains (`baumgarte` needs no m x m factorisation at every point); many
/// constraints with klu, because full matrices of the law make the Newton rows full.
FormulationEntry make_extended_lagrangian() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "gains that change along the motion (`ExcessEnergy`)";
  entry.when_not = "constant gains";
  entry.references = "[003] [001] [Baumgarte1972]";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_tolerance;
  entry.reads_excess_energy = true;
  entry.make = [](const FormulationInput& in) { return ExtendedLagrangian(in); };
  return entry;
}

}  // namespace sunlagrange::internal
