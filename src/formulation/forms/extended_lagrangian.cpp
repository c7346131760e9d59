#include <algorithm>
#include <cmath>
#include <optional>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/difference_step.hpp>

#include "formulation/parts/acceleration_form.hpp"
#include "gains/motion_scales.hpp"
#include "linear_algebra/spd.hpp"

namespace sunlagrange::internal {
namespace {

/// m, k, c of the user at one point, and the gains that follow from them.
class ExcessLaw {
 public:
  enum class Verdict { good, mass, stiffness, dissipation };  // the first that lost its definiteness

  ExcessLaw(const FormulationInput& input, const Stabilization& constant)
      : energy_(input.excess),
        scales_(characteristic_scales(input.start, input.t_span)),
        m_g_(input.system->num_position_constraints()),
        m_(input.system->num_constraints()),
        factor_(m_),
        block_(m_g_),
        whole_(m_),
        q_(input.start.q),
        v_(input.start.v),
        shifted_(input.start.q),
        mass_(m_, m_),
        rate_(m_, m_),
        other_(m_, m_),
        stiffness_(energy_.coupled_stiffness ? m_ : m_g_, m_g_),
        constant_rate_(constant.rate.dense()),
        constant_position_(Eigen::MatrixXd::Zero(m_, m_g_)) {
    constant_position_.topRows(m_g_) = constant.position.dense();
  }

  /// K_P = m^-1 k and K_D = m^-1 (m' + c) of the point; parts that were left out are those of the gains.
  Verdict renew(double t, const double* q, const double* v, Stabilization& gains) {
    q_ = as_vector(q, q_.size());
    v_ = as_vector(v, v_.size());
    Eigen::MatrixXd& K_P = gains.position.full;
    Eigen::MatrixXd& K_D = gains.rate.full;
    K_P.setZero();
    K_D.setZero();
    if (energy_.dissipation) {
      fill("dissipation", K_D, [&](Eigen::MatrixXd& c) { energy_.dissipation(t, q_, v_, c); });
      if (!whole_.semidefinite(K_D, false)) return Verdict::dissipation;
    }
    if (energy_.stiffness) {
      stiffness_.setZero();
      fill("stiffness", stiffness_, [&](Eigen::MatrixXd& k) { energy_.stiffness(t, q_, k); });
      if (!block_.semidefinite(stiffness_, true) || !stiffness_.allFinite()) return Verdict::stiffness;
      K_P.topRows(stiffness_.rows()) = stiffness_;
    }
    if (energy_.mass) {
      mass_.setZero();
      fill("mass", mass_, [&](Eigen::MatrixXd& m) { energy_.mass(t, q_, m); });
      if (!factor_.factorize(mass_)) return Verdict::mass;
      add_mass_rate(t, K_D);
      factor_.solve_in_place(K_D);
      factor_.solve_in_place(K_P);
    }
    if (!energy_.dissipation) K_D += constant_rate_;
    if (!energy_.stiffness) K_P += constant_position_;
    return Verdict::good;
  }

 private:
  /// Calls a function of the user's; a matrix that changed its size is misuse.
  template <class Call>
  void fill(const char* field, Eigen::MatrixXd& matrix, Call&& call) {
    const Eigen::Index rows = matrix.rows();
    const Eigen::Index columns = matrix.cols();
    call(matrix);
    if (matrix.rows() == rows && matrix.cols() == columns) return;
    throw Error(std::string("excess energy: ") + field + " made the matrix " + std::to_string(matrix.rows()) + " x " +
                std::to_string(matrix.cols()) + "; this system needs " + std::to_string(rows) + " x " +
                std::to_string(columns) + " (m_g = " + std::to_string(m_g_) + ", m = " + std::to_string(m_) +
                "): fill the entries of the matrix given");
  }

  void add_mass_rate(double t, Eigen::MatrixXd& target) {
    rate_.setZero();
    if (energy_.mass_rate) {
      fill("mass_rate", rate_, [&](Eigen::MatrixXd& rate) { energy_.mass_rate(t, q_, v_, rate); });
      target += rate_;
      return;
    }
    const double speed = v_.lpNorm<Eigen::Infinity>();
    double s = difference_step * scales_.time;  // of the central difference for m'
    if (speed * scales_.time > scales_.position) s = difference_step * scales_.position / speed;
    other_.setZero();
    shifted_ = q_ + s * v_;
    fill("mass", rate_, [&](Eigen::MatrixXd& m) { energy_.mass(t + s, shifted_, m); });
    shifted_ = q_ - s * v_;
    fill("mass", other_, [&](Eigen::MatrixXd& m) { energy_.mass(t - s, shifted_, m); });
    rate_ -= other_;
    target += rate_ / (2.0 * s);
  }

  ExcessEnergy energy_;
  Scales scales_;
  int m_g_, m_;
  SpdFactor factor_, block_, whole_;
  Eigen::VectorXd q_, v_, shifted_;
  Eigen::MatrixXd mass_, rate_, other_, stiffness_;
  Eigen::MatrixXd constant_rate_, constant_position_;  // blkdiag(K_D, K_N); K_P above zeros
};

/// A part of the law must not be given twice, and m' needs its m.
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

/// The gains that hold where the excess energy says nothing.
Stabilization constant_gains(const FormulationInput& input) {
  require_one_source(input.excess, input.gains);
  return automatic_gains(input);
}

bool has_law(const FormulationInput& input) {
  return input.excess.given() && input.system->num_constraints() > 0;
}

/// What was given and what takes the place of the rest.
FormulationFacts describe(const FormulationInput& input, FormulationFacts facts) {
  const ExcessEnergy& excess = input.excess;
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
  if (excess.given()) facts.advice.reset();
  return facts;
}

/// The gains before the first point: full matrices where the law renews them.
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

class ExtendedLagrangian final : public AccelerationForm {
 public:
  explicit ExtendedLagrangian(const FormulationInput& input) : ExtendedLagrangian(input, constant_gains(input)) {}

  std::vector<Fact> statistics() const override {
    if (lost_mass_ + lost_stiffness_ + lost_dissipation_ == 0) return {};
    return {{"points declined, not positive definite",
             "m: {}, k: {}, c: {}",
             {lost_mass_, lost_stiffness_, lost_dissipation_}}};
  }

 protected:
  EvaluationResult renew_gains(double t, const double* q, const double* v, const Workspace&,
                               Stabilization& gains) override {
    if (!law_) return EvaluationResult::ok;
    switch (law_->renew(t, q, v, gains)) {
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

 private:
  ExtendedLagrangian(const FormulationInput& input, const Stabilization& constant)
      : AccelerationForm(input, first_gains(input, constant)) {
    if (!has_law(input)) return;
    law_.emplace(input, constant);
    require_good_start(input, first_gains(input, constant));
  }

  /// Sizes and definiteness at the start: what is wrong there is misuse.
  void require_good_start(const FormulationInput& input, Stabilization gains) {
    const auto refuse = [&](const char* field, const char* relation) {
      throw Error(std::string("excess energy: ") + field + " is not " + relation +
                  " at the start, t = " + text(input.start.t) + ": check its signs and units");
    };
    switch (law_->renew(input.start.t, input.start.q.data(), input.start.v.data(), gains)) {
      case ExcessLaw::Verdict::good:
        break;
      case ExcessLaw::Verdict::mass:
        refuse("mass", "symmetric positive definite");
        break;
      case ExcessLaw::Verdict::stiffness:
        refuse("stiffness", "symmetric positive semidefinite (its m_g x m_g block)");
        break;
      case ExcessLaw::Verdict::dissipation:
        refuse("dissipation", "positive semidefinite (its symmetric part)");
        break;
    }
    if (!gains.rate.full.allFinite() || !gains.position.full.allFinite()) refuse("mass_rate", "finite");
  }

  std::optional<ExcessLaw> law_;  // none: constant gains
  long lost_mass_ = 0;
  long lost_stiffness_ = 0;
  long lost_dissipation_ = 0;
};

}  // namespace

/// Extended Lagrangian [003, (1.4)-(1.20); 001]: excess variables y = g, v_y = (g', psi) with inertia m, stiffness k
/// and dissipation c of their own (ExcessEnergy) move freely, and the reactions make the mechanism follow them:
///
///     M v' + G^T lambda = f,     G v' = gamma + v_y',     v_y' = -m^-1 (k y + (m' + c) v_y)
///
/// i.e. `baumgarte` with state-dependent K_P = m^-1 k and blkdiag(K_D, K_N) = m^-1 (m' + c), holonomic and nonholonomic
/// rows together, coupled where m, k or c couple them. y is not integrated: q determines it. lambda = lambda_0 +
/// lambda_1: the ideal reaction and the control force that stabilises, reactions.hpp returns both. The tangential force
/// m^(2) = O(|y|^2) of (1.15), which the papers carry along through lambda_2 of (1.18), is left out: it does not appear
/// in the law of y once the sign of (1.17) is corrected (printed +, must be -), and vanishes on the constraints.
///
/// The Newton blocks freeze K_P and K_D: their derivatives multiply y and v_y, which are small near the constraints;
/// far away Newton converges more slowly. A point where m, k or c is not positive (semi)definite is declined and
/// counted. Without ExcessEnergy it is `baumgarte` with its automatic gains.
/// When to use: the error shall obey inertia, stiffness and damping that change along the motion, or couple constraints
/// of different kinds. When not: constant gains (`baumgarte` needs no m x m factorisation at every point); many
/// constraints with klu: full matrices of the law make the Newton rows full.
FormulationEntry make_extended_lagrangian() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "gains that change along the motion (`ExcessEnergy`)";
  entry.when_not = "constant gains";
  entry.references = "[003] [001] [Baumgarte1972]";
  entry.promises.positions = entry.promises.velocities = Holds::to_tolerance;
  entry.reads_excess_energy = true;
  entry.make = [](const FormulationInput& in) { return ExtendedLagrangian(in); };
  return entry;
}

}  // namespace sunlagrange::internal
