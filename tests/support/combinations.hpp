// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/QR>

#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "linear_solver/linear_solver.hpp"
#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "model/motion_scales.hpp"
#include "runs.hpp"

/// Every registered formulation with every mechanism, integrator, linear solver and rank policy. The registries alone
/// decide what exists; what cannot be combined is what objection() says, and simulate() must refuse it with that text.
namespace sunlagrange::test {

using namespace internal;

/// A mechanism made small, with its consistent start and its state one time scale of the motion later.
struct Problem {
  std::string name;
  mechanisms::Mechanism mechanism;
  MotionState start;
  double T = 1.0;      ///< time scale of the start [s]
  double t_end = 1.0;  ///< start + T, or the mechanism's own end if that comes first
  Eigen::VectorXd q, v;
  long steps = 0;            ///< of the good solution: how smooth the motion is
  bool moving_rows = false;  ///< g depends explicitly on time at the start
  bool redundant = false;    ///< G has dependent rows at the start
  double sigma = 1.0;        ///< smallest relative singular value of G M^-1 G^T along it

  double q_size() const { return 1.0 + q.lpNorm<Eigen::Infinity>(); }
  double v_size() const { return v.lpNorm<Eigen::Infinity>() + q_size() / T; }
  InitialState initial() const { return {start.t, start.q, start.v}; }
};

inline double max_abs(const Eigen::VectorXd& x) {
  return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>();
}

/// The state at t_end by a high-order method without any constraint technique; two tolerances and, where there is one,
/// the mechanism's reference must confirm it.
inline void solve_well(Problem& p) {
  SimulationOptions options;
  options.formulation = p.mechanism.system->first_order() ? "integral_manifold" : "unstabilized";
  options.integrator = "dopri5";
  options.linear_solver.name = "dense";
  options.t_end = p.t_end;
  Eigen::VectorXd before;
  for (const double tolerance : {1e-11, 1e-12}) {
    options.rtol = options.atol = tolerance;
    const Simulation run = simulate(p.mechanism.system, p.initial(), options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), p.name << ": " << run.status.message);
    before = p.q;
    p.q = run.trajectory.q(run.trajectory.size() - 1);
    p.v = run.trajectory.v(run.trajectory.size() - 1);
    p.steps = run.report.steps;
    p.sigma = std::pow(run.report.smallest_singular_value, 2);
  }
  BOOST_TEST(max_abs(p.q - before) < 1e-10 * p.q_size(), p.name);
  const auto exact = p.mechanism.reference ? p.mechanism.reference(p.t_end) : std::nullopt;
  if (exact) BOOST_TEST(max_abs(p.q - exact->q) < 1e-10 * p.q_size(), p.name);
}

/// g_t, the rate of g at rest, is not zero.
inline bool has_moving_rows(const Problem& p) {
  const auto w = make_workspace(*p.mechanism.system, Storage::dense);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(p.start.q.size());
  BOOST_REQUIRE(evaluate_system(*p.mechanism.system, request::constraint,
                                {p.start.t, p.start.q.data(), rest.data(), nullptr, nullptr}, *w));
  return std::any_of(w->g_rate.begin(), w->g_rate.begin() + p.mechanism.system->num_position_constraints(),
                     [](double x) { return x != 0.0; });
}

inline bool has_dependent_rows(const Problem& p) {
  const MechanicalSystem& system = *p.mechanism.system;
  if (system.num_constraints() == 0) return false;
  const auto w = make_workspace(system, Storage::dense);
  BOOST_REQUIRE(evaluate_system(system, request::jacobian,
                                {p.start.t, p.start.q.data(), p.start.v.data(), nullptr, nullptr}, *w));
  const Eigen::Map<const Eigen::MatrixXd> G(w->G.data(), system.num_constraints(), system.num_positions());
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(G.transpose());
  qr.setThreshold(1e-10);
  return qr.rank() < system.num_constraints();
}

inline bool meets_singular_pose(const Problem& p) {
  if (p.redundant || p.mechanism.system->first_order()) return false;
  SimulationOptions options;
  options.t_end = p.t_end;
  options.integrator = "dopri5";
  options.rtol = options.atol = 1e-8;
  return std::pow(simulate(p.mechanism.system, p.initial(), options).report.smallest_singular_value, 2) < 1e-9;
}

/// Larger mechanisms would take minutes in every combination; they have tests of their own.
constexpr int most_unknowns = 40;

/// All registered mechanisms; `size` bodies (or what the mechanism counts) for those that have a choice.
inline std::vector<Problem> problems(int size) {
  std::vector<Problem> list;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    Problem p;
    p.name = std::string(entry.name);
    p.mechanism = entry.make(entry.sized() ? size : 0);
    p.start = consistent_state(p.mechanism.system, p.mechanism.start).state;
    const double span = p.mechanism.t_end - p.start.t;
    p.T = characteristic_scales(*p.mechanism.system, p.start).time;
    p.t_end = p.start.t + std::min(span, p.T);
    p.moving_rows = has_moving_rows(p);
    if (p.mechanism.system->num_positions() + p.mechanism.system->num_constraints() > most_unknowns) continue;
    p.redundant = has_dependent_rows(p);
    if (meets_singular_pose(p)) p.t_end = p.start.t + 0.5 * (p.t_end - p.start.t);
    solve_well(p);
    list.push_back(std::move(p));
  }
  return list;
}

/// Over one time scale of the motion errors grow by a modest factor.
constexpr double growth = 3.0;

struct Combination {
  const Problem& problem;
  const FormulationEntry& formulation;
  const IntegratorEntry& integrator;
  LinearSolverOptions solver;
  std::string policy;

  bool fixed_step() const { return integrator.fixed_step; }
  /// The constraints hold, but the motion along them is not that of the problem.
  bool other_motion() const { return problem.moving_rows && !formulation.accuracy.same_motion_with_moving_rows; }
  /// C = delta or C = Lambda^-1, relative to the diagonal of G M^-1 G^T, takes the share C / sigma from the multiplier
  /// of a direction with singular value sigma; the motion changes in proportion.
  double altered_motion() const {
    const double delta = solver.rank_policy == RankPolicy::regularized ? solver.regularization : 0.0;
    return growth * (delta + formulation.accuracy.altered_motion) / problem.sigma;
  }
  std::string text() const {
    return problem.name + ", " + std::string(formulation.name) + ", " + std::string(integrator.name) + ", " +
           solver.name + ", " + policy;
  }
  SimulationOptions options(double tolerance) const {
    SimulationOptions o =
        options_of(problem.mechanism, std::string(formulation.name), std::string(integrator.name), tolerance);
    o.start = Start::consistent;
    o.linear_solver = solver;
    o.t_end = problem.t_end;
    const bool own_method = integrator.fixed_step && integrator.equations == Equations::ode;
    if (own_method && integrator.fixed_step_table == nullptr) o.table = rk4();
    if (fixed_step()) o.step = (problem.t_end - problem.start.t) / (refinement() * static_cast<double>(problem.steps));
    return o;
  }
  /// The steps of the good solution are for a method of order five; at those Euler's method is far from its limit.
  double refinement() const {
    return integrator.fixed_step_table != nullptr && integrator.fixed_step_table->order == 1 ? 4.0 : 1.0;
  }
};

/// How often each registered name took part, with the reasons for what was left out.
class Tally {
 public:
  void ran(const Combination& c) {
    ++total_ran_;
    for (const auto& [kind, name] : names(c)) ++counts_[kind][name].first;
  }
  void refused(const Combination& c, const std::string& reason) {
    ++total_refused_;
    ++reasons_[reason];
    for (const auto& [kind, name] : names(c)) ++counts_[kind][name].second;
  }
  long total_ran() const { return total_ran_; }
  long total_refused() const { return total_refused_; }

  std::string table() const {
    std::ostringstream table;
    table << total_ran_ << " combinations ran, " << total_refused_ << " were refused\n";
    for (const auto& [kind, list] : counts_) {
      for (const auto& [name, count] : list) {
        table << "  " << std::left << std::setw(14) << kind << std::setw(26) << name << std::right << std::setw(7)
              << count.first << std::setw(7) << count.second << "\n";
      }
    }
    for (const auto& [reason, count] : reasons_) table << "  refused " << count << " times: " << reason << "\n";
    return table.str();
  }

  /// Every name of the registries took part, and nothing was left out without a reason.
  void check_complete(bool all_integrators) const {
    BOOST_TEST_MESSAGE(total_ran_ << " combinations ran, " << total_refused_ << " were refused");
    for (const auto& entry : formulation_registry()) check("formulation", entry.name);
    for (const auto& entry : mechanisms::mechanism_registry()) {
      const auto system = entry.make(entry.sized() ? 3 : 0).system;
      if (system->num_positions() + system->num_constraints() <= most_unknowns) check("mechanism", entry.name);
    }
    for (const auto& entry : linear_solver_registry()) {
      if (entry.available) check("linear solver", entry.name);
    }
    for (const auto& [policy, name] : policies()) check("rank policy", name);
    if (!all_integrators) return;
    for (const auto& entry : integrator_registry()) check("integrator", entry.name);
  }

  static const std::vector<std::pair<RankPolicy, std::string>>& policies() {
    static const std::vector<std::pair<RankPolicy, std::string>> list = {{RankPolicy::strict, "strict"},
                                                                         {RankPolicy::minimum_norm, "minimum_norm"},
                                                                         {RankPolicy::regularized, "regularized"}};
    return list;
  }

 private:
  static std::vector<std::pair<std::string, std::string>> names(const Combination& c) {
    return {{"formulation", std::string(c.formulation.name)},
            {"mechanism", c.problem.name},
            {"linear solver", c.solver.name},
            {"rank policy", c.policy},
            {"integrator", std::string(c.integrator.name)}};
  }
  void check(const std::string& kind, std::string_view name) const {
    const auto list = counts_.find(kind);
    const bool took_part = list != counts_.end() && list->second.count(std::string(name)) > 0 &&
                           list->second.at(std::string(name)).first > 0;
    BOOST_TEST(took_part, kind << " " << name << " took part in no combination");
  }

  long total_ran_ = 0;
  long total_refused_ = 0;
  std::map<std::string, std::map<std::string, std::pair<long, long>>> counts_;
  std::map<std::string, long> reasons_;
};

/// simulate() must refuse what the registry objects to, with the registry's words.
inline void check_refusal(const Combination& c, const std::string& objection) {
  try {
    simulate(c.problem.mechanism.system, c.problem.initial(), c.options(1e-6));
    BOOST_ERROR(c.text() << " ran, although the registry objects: " << objection);
  } catch (const Error& error) {
    BOOST_TEST(std::string(error.what()).find(objection) != std::string::npos, error.what());
  }
}

/// What cannot work; empty: it shall.
inline std::string known_limit(const Combination& c) {
  if (c.problem.redundant && c.solver.rank_policy == RankPolicy::strict) return "strict refuses redundant constraints";
  return "";
}

/// Calls use(combination) for all that go together, with the automatic integrator of each formulation or with all.
inline Tally for_each_combination(const std::vector<Problem>& problems, bool all_integrators,
                                  const std::function<void(const Combination&)>& use) {
  Tally tally;
  for (const Problem& problem : problems) {
    for (const FormulationEntry& formulation : formulation_registry()) {
      for (const IntegratorEntry& integrator : integrator_registry()) {
        if (!integrator.integrates(formulation.equations)) continue;
        if (!all_integrators && integrator.name != automatic_integrator(formulation.name)) continue;
        for (const LinearSolverEntry& solver : linear_solver_registry()) {
          if (!solver.available) continue;
          for (const auto& [policy, name] : Tally::policies()) {
            Combination c{problem, formulation, integrator, {}, name};
            c.solver.name = std::string(solver.name);
            c.solver.rank_policy = policy;
            const std::string objection =
                sunlagrange::objection(formulation.name, *problem.mechanism.system, integrator.name);
            BOOST_TEST_CONTEXT(c.text()) {
              if (objection.empty() && !known_limit(c).empty()) {
                tally.refused(c, known_limit(c));
              } else if (objection.empty()) {
                use(c);
                tally.ran(c);
              } else {
                check_refusal(c, objection);
                tally.refused(c, objection);
              }
            }
          }
        }
      }
    }
  }
  tally.check_complete(all_integrators);
  return tally;
}

}  // namespace sunlagrange::test
