#include <optional>

#include <sunlagrange/base/status.hpp>

#include "formulation/parts/acceleration_form.hpp"
#include "gains/excess_law.hpp"

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
  facts.own = {fact("excess mass m", bool(excess.mass), "identity"),
               fact("rate of the excess mass", bool(excess.mass_rate),
                    excess.mass ? "central difference of m along (1, v)" : "zero"),
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
    if (law_->renew(t, q, v, rate_here_, position_here_) != ExcessLaw::Verdict::good) return false;
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
  EvaluationResult renew_gains(double t, const double* q, const double* v, const Workspace&,
                               Stabilization& gains) override {
    if (!law_) return EvaluationResult::ok;
    switch (law_->renew(t, q, v, gains.rate.full, gains.position.full)) {
      case ExcessLaw::Verdict::good:
        return EvaluationResult::ok;
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
    if (law_) law_->add_tangential_force(t, w.g, w.g_rate, f);
  }

 private:
  ExtendedLagrangian(const FormulationInput& input, const Stabilization& constant)
      : AccelerationForm(input, first_gains(input, constant)) {
    if (!has_law(input)) return;
    provides_.error_law = this;
    law_.emplace(input.excess, *input.system, characteristic_scales(*input.system, input.start, input.t_span),
                 constant.rate, constant.position);
    const int m = input.system->num_constraints();
    rate_here_.resize(m, m);
    position_here_.resize(m, input.system->num_position_constraints());
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
  Eigen::MatrixXd rate_here_, position_here_;  // of error_matrix()
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
/// The Newton blocks treat K_P and K_D as constants: their derivatives multiply y and v_y, which are small near the
/// constraints; far away Newton converges more slowly. A point at which m, k or c is not positive (semi)definite is
/// declined and counted. Without ExcessEnergy the form is `baumgarte` with its automatic gains.
/// When to use: inertia, stiffness and damping of the constraint error change along the motion, or couple constraints
/// of different kinds. When not: constant gains (`baumgarte` needs no m x m factorisation at every point); many
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
