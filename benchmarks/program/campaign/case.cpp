// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/case.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "campaign/judge.hpp"
#include "mechanisms/draw.hpp"
#include "mechanisms/random_mechanism.hpp"
#include "shared/interruption.hpp"
#include "shared/problem.hpp"
#include "shared/record.hpp"

namespace sunlagrange::program {
namespace {

using Eigen::VectorXd;
using mechanisms::RandomMechanism;

constexpr double length_of_motion = 1.0;                 // [s]
constexpr double reference_tolerance = 1e-2;             // times the tightest rtol of the plan
constexpr double tightest = 1e-11;                       // tolerance of a reference
constexpr double below_every_regular_direction = 1e-12;  // rank threshold of references
constexpr long reference_steps = 10000;
constexpr double references_agree = 10.0;  // tolerances of the tightest run
constexpr int instants = 6;
constexpr int disturbances = 2;  // at each instant
constexpr double near_the_limit =
    30.0;  // error over the allowed one, below which all signs of the disturbances are tried

/// Methods of the references. No two of them share unknowns, stabilisation or integrator.
const char* const reference_methods[] = {"ggl/ida", "baumgarte/cvode_adams", "projected/dopri5",
                                         "augmented_lagrangian/cvode_bdf"};

const char* const stabilised_method = "baumgarte/cvode_bdf";

Eigen::ArrayXd distances(const VectorXd& q, const VectorXd& from) {
  return (q - from).array().abs() / (1.0 + from.array().abs());
}

double distance(const VectorXd& q, const VectorXd& from) {
  return q.size() == 0 ? 0.0 : distances(q, from).maxCoeff();
}

VectorXd end_of(const Simulation& run) {
  return run.trajectory.q(run.trajectory.size() - 1);
}

bool reached_end(const Simulation& run) {
  return run.report.t_reached == length_of_motion && end_of(run).allFinite();
}

SimulationOptions options_of(const std::string& method, double tolerance, long max_steps) {
  SimulationOptions options;
  set_formulation(options, method);
  options.rtol = options.atol = tolerance;
  options.t_end = length_of_motion;
  options.max_steps = max_steps;
  options.record = Record::ends_only;
  options.keep_going = [](double) { return !interrupted(); };
  return options;
}

/// The motion by two methods that agree, and its response to disturbances.
class ReferenceMotion {
 public:
  ReferenceMotion(std::uint64_t seed, const RandomMechanism& mechanism, double tightest_rtol)
      : seed_(seed), mechanism_(mechanism), tightest_rtol_(tightest_rtol) {
    for (const char* method : reference_methods) {
      if (!found_ && !interrupted()) try_method(method);
    }
  }

  bool found() const { return found_; }
  double gap() const { return gap_; }
  /// Returns q at the end; empty if both references find that the constraints become infeasible before the end.
  const VectorXd& end() const { return end_; }
  /// Returns the names of the two methods, or the outcomes of all.
  const std::string& text() const { return text_; }

  /// Returns the largest response at the end to disturbances of the size of the tolerance, relative to the tolerance;
  /// at least 1. A disturbance of the right-hand side acts like a disturbance of the state at that time. Half of the
  /// disturbances are projected onto the constraints at once; the others are removed by stabilisation and change the
  /// motion more if the constraints are weak.
  double amplification(double rtol) const { return sampled(rtol).amplification; }

  /// Returns the bound over all signs of the disturbances at the time of the largest response: each coordinate and rate
  /// is disturbed alone, off the constraints, and the responses are added. It takes two runs for each coordinate.
  double largest_amplification(double rtol) const {
    const Sample& sample = sampled(rtol);
    if (sample.where == nullptr) return sample.amplification;
    const auto known = over_all_signs_.find(rtol);
    return known != over_all_signs_.end() ? known->second : measure_over_all_signs(rtol, sample);
  }

 private:
  struct Attempt {
    std::string method;
    VectorXd end;
  };

  /// Response to a dozen disturbances.
  struct Sample {
    double amplification = 1.0;
    const InitialState* where =
        nullptr;  ///< state of the largest response, in undisturbed(); null if no response is above 1
  };

  const Sample& sampled(double rtol) const {
    const auto known = samples_.find(rtol);
    return known != samples_.end() ? known->second : samples_[rtol] = sample(rtol);
  }

  Sample sample(double rtol) const {
    Sample largest;
    mechanisms::Draw draw(seed_);
    const auto sign = [&draw] { return draw.chance(0.5) ? 1.0 : -1.0; };
    for (const InitialState& state : undisturbed()) {
      for (int k = 0; k < disturbances; ++k) {
        InitialState disturbed = state;
        for (double& x : disturbed.q) x += sign() * rtol * (1.0 + std::abs(x));
        for (double& x : disturbed.v) x += sign() * rtol * (1.0 + std::abs(x));
        const double most = response(disturbed, k % 2 == 0 ? Start::consistent : Start::as_given, rtol).maxCoeff();
        if (most > largest.amplification) largest = {most, &state};
      }
    }
    return largest;
  }

  double measure_over_all_signs(double rtol, const Sample& sample) const {
    const InitialState& state = *sample.where;
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(end_.size());
    const auto add = [&](VectorXd InitialState::*part) {
      for (Eigen::Index i = 0; i < (state.*part).size() && !interrupted(); ++i) {
        InitialState disturbed = state;
        double& x = (disturbed.*part)(i);
        x += rtol * (1.0 + std::abs(x));
        sum += response(disturbed, Start::as_given, rtol);
      }
    };
    add(&InitialState::q);
    add(&InitialState::v);
    return over_all_signs_[rtol] = std::max(sample.amplification, sum.maxCoeff());
  }

  /// Returns the distances at the end over the tolerance; zero if the disturbed motion does not reach the end.
  Eigen::ArrayXd response(const InitialState& disturbed, Start start, double rtol) const {
    SimulationOptions options = tight(start == Start::consistent ? method_ : stabilised_method, rtol);
    options.start = start;
    const Simulation run = simulate(mechanism_.system, disturbed, options);
    return reached_end(run) ? Eigen::ArrayXd(distances(end_of(run), end_) / rtol) : Eigen::ArrayXd::Zero(end_.size());
  }

  /// Returns the options of a tight run for runs at `rtol`.
  static SimulationOptions tight(const std::string& method, double rtol) {
    SimulationOptions options = options_of(method, std::max(tightest, reference_tolerance * rtol), reference_steps);
    options.linear_solver.name = "dense";
    options.linear_solver.rank_threshold = below_every_regular_direction;
    return options;
  }

  void try_method(const std::string& method) {
    const Simulation run = simulate(mechanism_.system, mechanism_.start, tight(method, tightest_rtol_));
    text_ += (text_.empty() ? "" : ", ") + method + " " + to_string(run.status.outcome);
    if (run.status.outcome == Outcome::infeasible) found_ = ++infeasible_ == 2 && attempts_.empty();
    if (!reached_end(run)) return;
    for (const Attempt& other : attempts_) {
      const double gap = distance(end_of(run), other.end);
      if (agrees(other, gap)) {
        found_ = true;
        gap_ = gap;
        text_ = other.method + ", " + method;
        return;
      }
      text_ += fmt::format(", {:.1e} from {}", gap, other.method);
      gap_ = std::isnan(gap_) ? gap : std::min(gap, gap_);
    }
    attempts_.push_back({method, end_of(run)});
  }

  /// Returns true if the gap between the references is allowed; amplification() then starts from `other`.
  bool agrees(const Attempt& other, double gap) {
    method_ = other.method;
    end_ = other.end;
    undisturbed_.clear();
    samples_.clear();
    over_all_signs_.clear();
    const double allowed = references_agree * tightest_rtol_;
    return gap <= allowed || gap <= allowed * amplification(tightest_rtol_);
  }

  /// Returns states of the undisturbed motion, the start first.
  const std::vector<InitialState>& undisturbed() const {
    if (!undisturbed_.empty()) return undisturbed_;
    SimulationOptions options = tight(method_, tightest_rtol_);
    options.record = Record::at_times;
    for (int k = 1; k < instants; ++k) options.record_times.push_back(length_of_motion * k / instants);
    const Trajectory path = simulate(mechanism_.system, mechanism_.start, options).trajectory;
    for (std::size_t k = 0; k + 1 < path.size(); ++k) undisturbed_.push_back({path.t(k), path.q(k), path.v(k)});
    return undisturbed_;
  }

  std::uint64_t seed_;
  const RandomMechanism& mechanism_;
  double tightest_rtol_;
  bool found_ = false;
  int infeasible_ = 0;
  double gap_ = Report::none;
  std::string method_, text_;
  VectorXd end_;
  std::vector<Attempt> attempts_;
  mutable std::vector<InitialState> undisturbed_;
  mutable std::map<double, Sample> samples_;         // by tolerance
  mutable std::map<double, double> over_all_signs_;  // by tolerance
};

/// Returns the step of a fixed-step method in place of a tolerance: 800 steps at 1e-8, 80 at 1e-4.
double step_for(double rtol) {
  return 0.25 * length_of_motion * std::pow(rtol, 0.25);
}

CampaignRun judged_run(const RandomMechanism& mechanism, const ReferenceMotion& reference, const std::string& method,
                       double rtol, long max_steps) {
  SimulationOptions options = options_of(method, rtol, max_steps);
  CampaignRun result;
  result.formulation = options.formulation;
  result.integrator = resolved_integrator(options);
  result.rtol = rtol;
  const bool fixed_step = is_fixed_step(result.integrator);
  if (fixed_step) options.step = 0.5 * step_for(rtol);
  try {
    const Simulation run = simulate(mechanism.system, mechanism.start, options);
    result.used_formulation = run.report.used.formulation.used;
    result.outcome = to_string(run.status.outcome);
    result.message = run.status.message;
    for (const Doubt& doubt : run.status.doubts) result.doubts.emplace_back(to_string(doubt.kind));
    result.steps = run.report.steps;
    result.smallest_singular_value = run.report.smallest_singular_value;
    if (!reached_end(run) || reference.end().size() == 0) return result;
    result.error = distance(end_of(run), reference.end());
    if (fixed_step) {
      options.step *= 2.0;
      const Simulation coarse = simulate(mechanism.system, mechanism.start, options);
      result.halving = reached_end(coarse) ? distance(end_of(coarse), end_of(run)) : Report::none;
    }
    if (!judge(result).right) result.amplification = reference.amplification(rtol);
    if (const Judgement j = judge(result); !j.right && result.error <= near_the_limit * j.allowed)
      result.amplification = reference.largest_amplification(rtol);
  } catch (const Error& error) {
    result.outcome = "refused";
    result.message = error.what();
  }
  return result;
}

}  // namespace

CampaignCase campaign_case(std::uint64_t mechanism_seed, const CampaignPlan& plan) {
  const RandomMechanism mechanism =
      mechanisms::random_mechanism(mechanism_seed, mechanisms::random_features(mechanism_seed));
  CampaignCase result;
  result.seed = mechanism_seed;
  result.features = mechanism.features.text();
  result.kind = mechanism.kind;
  result.mass_ratio = mechanism.mass_ratio;
  const double tightest_rtol = *std::min_element(plan.rtols.begin(), plan.rtols.end());
  const ReferenceMotion reference(mechanism_seed, mechanism, tightest_rtol);
  result.references = reference.text();
  result.gap = reference.gap();
  result.set_aside = !reference.found();
  if (result.set_aside) return result;
  for (const std::string& method : plan.formulations) {
    for (const double rtol : plan.rtols)
      result.runs.push_back(judged_run(mechanism, reference, method, rtol, plan.max_steps));
  }
  return result;
}

}  // namespace sunlagrange::program
