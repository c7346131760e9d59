// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/files/checkpoint_file.hpp>

#include "analysed_mechanisms.hpp"

/// Over all registered mechanisms, along a short piece of the motion: forward sensitivities are differences of runs,
/// IDAS' are those of CVODES, a parameter is found again from what it did, the estimated error is the error, and a run
/// that is saved, written, read and resumed is the run.
using namespace sunlagrange;
using namespace sunlagrange::test;
using Eigen::Index;
using Eigen::VectorXd;

namespace {

/// A tenth of a second or a fifth of the run, whatever is less.
SimulationOptions piece(const AnalysedMechanism& one, const std::string& formulation, double tolerance) {
  SimulationOptions options;
  options.formulation = one.program() ? std::string(default_formulation(*one.system())) : formulation;
  options.start = one.mechanism.start_mode;
  options.rtol = options.atol = tolerance;
  options.t_end = one.start.t + std::min(0.1, 0.2 * (one.mechanism.t_end - one.mechanism.start.t));
  return options;
}

/// The same from a consistent start, also where the mechanism begins beside it: there the motion depends on the gains.
SimulationOptions consistent_piece(const AnalysedMechanism& one, const std::string& formulation, double tolerance) {
  SimulationOptions options = piece(one, formulation, tolerance);
  options.start = Start::consistent;
  return options;
}

InitialState from_start(const AnalysedMechanism& one) {
  const MotionState on = consistent_state(one.system(), {one.start.t, one.start.q, one.start.v}).state;
  return {on.t, on.q, on.v};
}

VectorXd end_of(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                SimulationOptions options) {
  options.integrator = "radau";
  options.record = Record::ends_only;
  const Simulation run = simulate(system, start, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  const std::size_t last = run.trajectory.size() - 1;
  VectorXd y(2 * system->num_positions());
  y << run.trajectory.q(last), run.trajectory.v(last);
  return y;
}

VectorXd scales_of(const MechanicalSystem& system) {
  VectorXd scales(2 * system.num_positions());
  scales << system.natural_scales(), system.natural_scales();
  return scales;
}

/// The velocity that moves most freely: what there is to differentiate by.
SensitivityOptions asked_of(const AnalysedMechanism& one) {
  SensitivityOptions wanted;
  const bool none = one.program() || one.freedoms() == 0;
  wanted.start_velocities = {one.system()->position_name(none ? 0 : one.independent().front())};
  return wanted;
}

/// A mass, or else the first parameter that is not zero; empty where elements describe none.
std::vector<SystemParameter> parameter_of(const AnalysedMechanism& one) {
  std::vector<SystemParameter> chosen;
  for (const SystemParameter& parameter : system_parameters(*one.system())) {
    if (parameter.value == 0.0) continue;
    if (chosen.empty() || (parameter.unit == "kg" && chosen.front().unit != "kg")) chosen = {parameter};
  }
  return chosen;
}

const std::vector<Refusal> no_programs = {{is_program, "kinematic program"}};

}  // namespace

/// By the start value of a velocity, and by a parameter.
BOOST_AUTO_TEST_CASE(sensitivities_are_differences_of_runs) {
  int treated = 0, parameters = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      const SimulationOptions options = consistent_piece(one, "baumgarte", 1e-9);
      SensitivityOptions wanted = asked_of(one);
      if (!one.program()) {
        for (const SystemParameter& parameter : parameter_of(one)) wanted.parameters = {parameter.name};
      }
      Sensitivities found;
      const auto call = [&] {
        found = sensitivities(one.system(), from_start(one), options, wanted);
        return found.status;
      };
      if (refused(one, no_programs, call)) continue;
      BOOST_REQUIRE_EQUAL(refusal_of(call), "");
      ++treated;
      const SensitivityPoint &first = found.points.front(), &end = found.points.back();
      const VectorXd scales = scales_of(*one.system());
      SimulationOptions sharp = options;
      sharp.rtol = sharp.atol = 1e-12;
      for (Index column = 0; column < end.q.cols(); ++column) {
        const SystemParameter& about = found.parameters[static_cast<std::size_t>(column)];
        const bool of_start = about.name == "v(" + wanted.start_velocities.front() + ")";
        if (!of_start) ++parameters;
        const double size = of_start ? 1.0 : std::abs(about.value);
        VectorXd s(scales.size()), ds(scales.size());
        s << end.q.col(column), end.v.col(column);
        ds << first.q.col(column), first.v.col(column);
        // the start moves along ds, of second order off the constraints: there the consistent start finds back
        const double h = 1e-4 * size / std::max(1.0, size * ds.cwiseQuotient(scales).norm());
        const auto moved = [&](double change) {
          InitialState start = from_start(one);
          start.q += change * first.q.col(column);
          start.v += change * first.v.col(column);
          const auto system =
              of_start ? one.system() : with_parameters(one.system(), {{about.name, about.value + change}});
          return end_of(system, start, sharp);
        };
        const VectorXd differences = (moved(h) - moved(-h)) / (2.0 * h);
        const double error = size * (s - differences).cwiseQuotient(scales).norm();
        BOOST_TEST(error < 1e-5 * (1.0 + size * differences.cwiseQuotient(scales).norm()), about.name << ": " << error);
      }
    }
  }
  BOOST_TEST(parameters >= 18);
  BOOST_TEST(treated >= 25);
}

/// ggl and stabilized_index1 agree with baumgarte, and refuse where rows repeat each other.
BOOST_AUTO_TEST_CASE(sensitivities_of_dae_forms) {
  const std::vector<Refusal> cannot = {{is_program, "kinematic program"},
                                       {[](const AnalysedMechanism& one) { return one.redundant; }, "redundant rows"}};
  int treated = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    for (const std::string formulation : {"ggl", "stabilized_index1"}) {
      BOOST_TEST_CONTEXT(one.name << ", " << formulation) {
        const SensitivityOptions wanted = asked_of(one);
        Sensitivities found;
        const auto call = [&] {
          found = sensitivities(one.system(), from_start(one), consistent_piece(one, formulation, 1e-8), wanted);
          return found.status;
        };
        if (refused(one, cannot, call)) continue;
        BOOST_REQUIRE_EQUAL(refusal_of(call), "");
        ++treated;
        const Sensitivities other =
            sensitivities(one.system(), from_start(one), consistent_piece(one, "baumgarte", 1e-8), wanted);
        BOOST_REQUIRE(other.status.finished());
        const SensitivityPoint &a = found.points.back(), &b = other.points.back();
        const VectorXd& scales = one.system()->natural_scales();
        const double size = 1.0 + (b.q.col(0)).cwiseQuotient(scales).norm() + b.v.col(0).cwiseQuotient(scales).norm();
        BOOST_TEST((a.q - b.q).col(0).cwiseQuotient(scales).norm() < 1e-4 * size);
        BOOST_TEST((a.v - b.v).col(0).cwiseQuotient(scales).norm() < 1e-4 * size);
      }
    }
  }
  BOOST_TEST(treated >= 40);
}

/// The start value of a velocity, from where everything is a little later.
BOOST_AUTO_TEST_CASE(start_values_are_identified) {
  int treated = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      const MechanicalSystem& system = *one.system();
      const SimulationOptions options = consistent_piece(one, "baumgarte", 1e-9);
      const std::string name = asked_of(one).start_velocities.front();
      const int moved = system.position_indices(name).front();
      std::vector<Measurement> measured;
      if (!one.program()) {
        const VectorXd truth = end_of(one.system(), from_start(one), options);
        for (int i = 0; i < system.num_positions(); ++i)
          measured.push_back({system.position_name(i), {options.t_end}, {truth[i]}, 1e-6 * system.natural_scales()[i]});
      } else {
        measured.push_back({system.position_name(0), {options.t_end}, {0.0}, 1.0});
      }
      InitialState guess = from_start(one);
      const double off = 0.01 * system.natural_scales()[moved];
      guess.v[moved] += off;
      if (one.freedoms() > 0) {  // the others follow the shortest way, and back
        guess.fixed_velocities = {name};
        guess.v = consistent_state(one.system(), guess).state.v;
        guess.fixed_velocities.clear();
      }
      IdentificationOptions wanted;
      wanted.start_velocities = {name};
      Identification found;
      const auto call = [&] {
        found = identify(one.system(), guess, measured, options, wanted);
        return found.status;
      };
      if (refused(one, no_programs, call)) continue;
      if (one.freedoms() == 0) {  // the constraints prescribe all: nothing to choose
        BOOST_TEST(refusal_of(call).find(name) != std::string::npos);
        continue;
      }
      BOOST_REQUIRE_EQUAL(refusal_of(call), "");
      ++treated;
      const double value = found.parameters.front().value;
      BOOST_TEST(std::abs(value - from_start(one).v[moved]) < 1e-3 * off + 5.0 * found.deviation[0]);
      BOOST_TEST(found.chi_square < 4.0 * static_cast<double>(measured.size()));
    }
  }
  BOOST_TEST(treated >= 20);
}

/// Against a method of another kind at far sharper tolerances.
BOOST_AUTO_TEST_CASE(estimated_errors_are_errors) {
  int treated = 0, certain = 0;
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      const VectorXd exact = end_of(one.system(), one.mechanism.start, piece(one, "baumgarte", 1e-12));
      const Index n = one.system()->num_positions();
      const VectorXd& scales = one.system()->natural_scales();
      double before = 0.0;
      for (const double tolerance : {1e-5, 1e-7}) {
        SimulationOptions options = piece(one, "baumgarte", tolerance);
        options.estimate_error = true;
        options.max_step = options.t_end;  // errors that fall with the tolerance: it alone decides on the steps
        const Simulation run = simulate(one.system(), one.mechanism.start, options);
        BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
        BOOST_REQUIRE(run.report.error_estimate.has_value());
        const ErrorEstimate& e = *run.report.error_estimate;
        BOOST_TEST(e.t_compared == options.t_end);
        BOOST_TEST((e.q.allFinite() && e.v.allFinite()));
        const std::size_t last = run.trajectory.size() - 1;
        const double error = (run.trajectory.q(last) - exact.head(n)).cwiseQuotient(scales).lpNorm<Eigen::Infinity>();
        const double estimate = e.q.cwiseQuotient(scales).lpNorm<Eigen::Infinity>();
        BOOST_TEST_MESSAGE(one.name << " " << tolerance << ": error " << error << ", estimated " << estimate
                                    << (e.certain ? "" : "; " + e.doubt));
        ++treated;
        const double rounding = 1e-11 * (1.0 + run.report.max_position);
        if (e.certain) {
          ++certain;
          BOOST_TEST(error <= 3.0 * estimate + rounding);
          BOOST_TEST(estimate <= 3.0 * error + rounding);
        }
        if (tolerance < 1e-6) BOOST_TEST(estimate <= 0.3 * before + rounding);
        before = estimate;
      }
    }
  }
  BOOST_TEST(treated >= 50);
  BOOST_TEST_MESSAGE(certain << " of " << treated << " estimates are certain");
}

BOOST_AUTO_TEST_CASE(resumed_runs_are_the_run) {
  for (const AnalysedMechanism& one : analysed_mechanisms()) {
    BOOST_TEST_CONTEXT(one.name) {
      const SimulationOptions options = piece(one, "baumgarte", 1e-8);
      const double middle = 0.5 * (one.start.t + options.t_end);
      Stepper first(one.system(), one.mechanism.start, options);
      BOOST_REQUIRE(first.advance_to(middle));
      const Checkpoint saved = parse_checkpoint(checkpoint_text(first.save()), "saved");
      while (first.step()) {
      }
      const Simulation whole = first.finish();
      Stepper second(one.system(), saved, options);
      BOOST_TEST(second.time() == middle);
      while (second.step()) {
      }
      const Simulation rest = second.finish();
      BOOST_REQUIRE_MESSAGE(whole.status.finished(), whole.status.message);
      BOOST_REQUIRE_MESSAGE(rest.status.finished(), rest.status.message);
      const VectorXd& scales = one.system()->natural_scales();
      const auto end = [](const Simulation& run) -> VectorXd { return run.trajectory.q(run.trajectory.size() - 1); };
      const double size = 1.0 + end(whole).cwiseQuotient(scales).lpNorm<Eigen::Infinity>();
      BOOST_TEST((end(rest) - end(whole)).cwiseQuotient(scales).lpNorm<Eigen::Infinity>() < 1e-5 * size);
      BOOST_TEST(rest.report.t_start == whole.report.t_start);
    }
  }
}
