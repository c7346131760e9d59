// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/internal/element_terms.hpp>
#include <sunlagrange/results/power_balance.hpp>

#include "base/numerics.hpp"
#include "model/checks/required_system.hpp"
#include "results/between_steps.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// A step is halved until the two halves give the same integrals to this part of the exchanged energy. The rule is of
/// order six, so that those of the halves are nearer by some 1/64.
constexpr double same_integral = 1e-9;
/// Most halvings in a row: a jump of a power is found to a millionth of its step.
constexpr int most_halvings = 20;

void check(const Trajectory& path, const std::shared_ptr<const MechanicalSystem>& system) {
  require_forces(system, "energy_balance", "has no forces and no energy");
  const int n = system->num_positions();
  if (path.num_positions() != n || path.num_constraints() != system->num_constraints()) {
    throw Error("energy_balance: the trajectory has n = " + std::to_string(path.num_positions()) +
                ", m = " + std::to_string(path.num_constraints()) + ", the system n = " + std::to_string(n) +
                ", m = " + std::to_string(system->num_constraints()) + "; give the system of the run");
  }
  if (path.size() < 2) {
    throw Error("energy_balance: the trajectory has " + std::to_string(path.size()) +
                " states, at least two are needed; run with Record::every_step");
  }
}

class EnergyIntegral {
 public:
  EnergyIntegral(const Trajectory& path, const std::shared_ptr<const MechanicalSystem>& system,
                 const LinearSolverOptions& options)
      : path_(path), system_(*system), between_(path, system, options) {
    for (int e = 0; e < system_.num_elements(); ++e) {
      ElementEnergy entry;
      entry.name = system_.element_name(e);
      balance_.elements.push_back(entry);
    }
  }

  EnergyBalance run() {
    balance_.t_start = balance_.t_end = path_.t(0);
    std::vector<double> before = energies(0);
    for (std::size_t k = 1; k < path_.size() && balance_.status.finished(); ++k) {
      if (path_.t(k) > path_.t(k - 1) && !add_step(k - 1)) break;
      const std::vector<double> after = energies(k);
      if (!balance_.status.finished()) break;
      for (std::size_t e = 0; e < after.size(); ++e) {
        const double change = after[e] - before[e];
        (path_.t(k) > path_.t(k - 1) ? balance_.elements[e].stored : balance_.jumps) += change;
      }
      before = after;
      balance_.t_end = path_.t(k);
    }
    return summed();
  }

 private:
  /// Energies of all elements at a stored state.
  std::vector<double> energies(std::size_t k) {
    std::vector<double> list;
    std::string unknown;
    ElementTerms terms;
    for (int e = 0; e < system_.num_elements(); ++e) {
      if (!element_terms(system_, e, path_.t(k), path_.q(k).data(), path_.v(k).data(), terms)) {
        fail(Outcome::model_error, path_.t(k), "element \"" + system_.element_name(e) + "\" declined the point");
        return {};
      }
      if (!terms.energy_known) unknown += (unknown.empty() ? "\"" : ", \"") + system_.element_name(e) + "\"";
      list.push_back(terms.energy);
      largest_energy_ = std::max(largest_energy_, std::abs(terms.energy));
    }
    if (!unknown.empty()) {
      throw Error("energy_balance: the energy is not known of " + unknown +
                  "; give these elements `energy` and `power`, or write them by energies (rung 0b)");
    }
    return list;
  }

  /// Integrals of the four powers of each element, and last that of the exchanged power.
  using Integrals = Eigen::ArrayXd;

  /// Quadrature on the dense output of the step that starts at state k.
  bool add_step(std::size_t k) {
    const double t = path_.t(k), h = path_.t(k + 1) - t;
    Integrals whole, exact;
    if (!integrate(t, h, whole) || !refine(t, h, whole, 0, exact)) return false;
    for (std::size_t e = 0; e < balance_.elements.size(); ++e) {
      const auto first = static_cast<Eigen::Index>(4 * e);
      ElementEnergy& sum = balance_.elements[e];
      sum.taken += exact[first];
      sum.dissipated += exact[first + 1];
      sum.supplied += exact[first + 2];
      sum.prescribed += exact[first + 3];
    }
    balance_.turnover += exact[exact.size() - 1];
    return true;
  }

  /// Integrates over [t, t + h] by halves, which are halved again where they differ from `whole`.
  bool refine(double t, double h, const Integrals& whole, int halvings, Integrals& exact) {
    Integrals left, right;
    if (!integrate(t, 0.5 * h, left) || !integrate(t + 0.5 * h, 0.5 * h, right)) return false;
    exact = left + right;
    const double size = balance_.turnover + exact[exact.size() - 1] + largest_energy_;
    const bool same = (exact - whole).abs().maxCoeff() <= same_integral * size;
    if (same || halvings == most_halvings || spent_ >= most_spent()) return true;
    ++spent_;
    Integrals finer_left, finer_right;
    if (!refine(t, 0.5 * h, left, halvings + 1, finer_left)) return false;
    if (!refine(t + 0.5 * h, 0.5 * h, right, halvings + 1, finer_right)) return false;
    exact = finer_left + finer_right;
    return true;
  }

  /// Most intervals that are halved again in a run whose powers are not smooth, or are noise.
  std::size_t most_spent() const { return 1000 + 2 * path_.size(); }

  bool integrate(double t, double h, Integrals& sum) {
    sum.setZero(4 * system_.num_elements() + 1);
    for (const auto& [time, weight] : gauss_points(t, h)) {
      if (!add_powers(time, weight, sum)) return false;
    }
    return true;
  }

  bool add_powers(double t, double weight, Integrals& sum) {
    const EvaluationResult result = between_.at(t);
    if (result != EvaluationResult::ok) {
      const bool declined = result == EvaluationResult::declined || result == EvaluationResult::not_finite;
      return fail(declined ? Outcome::model_error : Outcome::rank_loss, t,
                  declined ? "the model declined the point" : "the saddle-point matrix is singular");
    }
    const PowerBalance now = power_balance(system_, between_.state());
    if (!now.status.finished()) return fail(now.status.outcome, t, now.status.message);
    Eigen::Index i = 0;
    for (const ElementPower& p : now.elements) {
      for (const double power : {p.power, p.dissipated, p.supplied, p.prescribed}) sum[i++] += weight * power;
    }
    sum[i] += 0.5 * weight * now.magnitude;
    return true;
  }

  bool fail(Outcome outcome, double t, const std::string& why) {
    balance_.status = {outcome, "energy_balance at t = " + text(t) + ": " + why};
    return false;
  }

  EnergyBalance summed() {
    EnergyBalance& b = balance_;
    for (const ElementEnergy& e : b.elements) {
      b.stored += e.stored;
      b.dissipated += e.dissipated;
      b.supplied += e.supplied;
      b.prescribed += e.prescribed;
    }
    b.residual = b.stored + b.dissipated - b.supplied - b.prescribed;
    const double size = std::max(b.turnover, largest_energy_);
    b.closure = b.residual == 0.0 ? 0.0 : std::abs(b.residual) / size;
    return std::move(balance_);
  }

  const Trajectory& path_;
  const MechanicalSystem& system_;
  InterpolatedStates between_;
  EnergyBalance balance_;
  double largest_energy_ = 0.0;
  std::size_t spent_ = 0;
};

}  // namespace

EnergyBalance energy_balance(const Trajectory& trajectory, const std::shared_ptr<const MechanicalSystem>& system,
                             const LinearSolverOptions& options) {
  check(trajectory, system);
  return EnergyIntegral(trajectory, system, options).run();
}

void ElementEnergy::describe(Figures& f) {
  f("name", name, "name of the element");
  f("stored", stored, "J", "change of its energy, jumps at events excluded");
  f("taken", taken, "J", "integral of the power that flowed into it");
  f("dissipated", dissipated, "J", "integral of the dissipated power");
  f("supplied", supplied, "J", "integral of the supplied power");
  f("prescribed", prescribed, "J", "integral of the power of its constraints");
}

void EnergyBalance::describe(Figures& f) {
  f("t_start", t_start, "s", "start of the balance");
  f("t_end", t_end, "s", "end of the balance");
  status.describe(f);
  f.keyed("elements", elements, "name", "energy of each element");
  f("stored", stored, "J", "sum over all elements");
  f("dissipated", dissipated, "J", "sum over all elements");
  f("supplied", supplied, "J", "sum over all elements");
  f("prescribed", prescribed, "J", "sum over all elements");
  f("jumps", jumps, "J", "energy that jumps at events brought in");
  f("residual", residual, "J", "stored + dissipated - supplied - prescribed");
  f("turnover", turnover, "J", "energy that was exchanged: half the integral of the sizes of all powers");
  f("closure", closure, "1", "|residual| relative to the largest energy");
  f.derived("text", text(), "table in words");
}

}  // namespace sunlagrange
