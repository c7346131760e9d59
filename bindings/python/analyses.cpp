// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <sstream>

#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/files/mechanism_file.hpp>

#include "arguments.hpp"

/// Analyses of a mechanism about its start. Names and docstrings that users see are in
/// sunlagrange/_model.py.
namespace sunlagrange::python {
namespace {

using namespace py::literals;
using Names = std::vector<std::string>;
using Tables = std::vector<std::pair<std::string, std::vector<double>>>;  // of coordinates

Linearisation linearised(const MechanismFile& mechanism) {
  return linearise(mechanism.system, mechanism.start, consistency(mechanism));
}

StateSpace inputs_to_outputs(const MechanismFile& mechanism, const Names& inputs, const Names& outputs) {
  return state_space(mechanism.system, mechanism.start, inputs, outputs, consistency(mechanism));
}

ModesAboutStart modes_about_start(const MechanismFile& mechanism) {
  const Linearisation about = linearised(mechanism);
  if (!about.status.finished()) throw Error("modes: " + about.status.message);
  return {about, modes(about)};
}

Equilibrium equilibrium(const MechanismFile& mechanism) {
  EquilibriumOptions options;
  options.keep_going = mechanism.options.keep_going;
  options.linear_solver = mechanism.options.linear_solver;
  return static_equilibrium(mechanism.system, mechanism.start, options);
}

std::vector<Equilibrium> equilibria(const MechanismFile& mechanism, int starts, double spread, unsigned seed) {
  EquilibriumOptions options;
  options.keep_going = mechanism.options.keep_going;
  options.linear_solver = mechanism.options.linear_solver;
  options.starts = starts;
  options.spread = spread;
  options.seed = seed;
  return static_equilibria(mechanism.system, mechanism.start, options);
}

Kinematics kinematic_analysis(const MechanismFile& mechanism, const std::string& coordinate,
                              const std::vector<double>& grid, int max_dead_points) {
  KinematicsOptions options;
  options.keep_going = mechanism.options.keep_going;
  options.max_dead_points = max_dead_points;
  options.linear_solver = mechanism.options.linear_solver;
  return kinematics(mechanism.system, mechanism.start, coordinate, grid, options);
}

using Range = std::tuple<std::string, double, double, int>;
using Limits = std::tuple<std::string, double, double>;

MechanismWorkspace workspace_of_point(const MechanismFile& mechanism, const Names& point,
                                      const std::vector<Range>& ranges, const std::array<double, 3>& offset,
                                      const std::vector<Limits>& limits) {
  WorkspaceOptions options;
  options.keep_going = mechanism.options.keep_going;
  options.offset = Eigen::Vector3d(offset[0], offset[1], offset[2]);
  options.linear_solver = mechanism.options.linear_solver;
  for (const auto& [name, lower, upper] : limits) options.limits.push_back({name, lower, upper});
  std::vector<DrivenRange> driven;
  for (const auto& [name, from, to, count] : ranges) driven.push_back({name, from, to, count});
  return workspace(mechanism.system, mechanism.start, point, driven, options);
}

InverseDynamics drives_of_state(const MechanismFile& mechanism, double t, const Eigen::VectorXd& q,
                                const Eigen::VectorXd& v, const Eigen::VectorXd& a, const Names& drives) {
  return inverse_dynamics(mechanism.system, {t, q, v, a, {}}, drives);
}

using SystemPointer = std::shared_ptr<const MechanicalSystem>;

template <class Result>
void write_page(const Result& found, const SystemPointer& system, std::ostream& out, const std::string& title) {
  write_html(found, system, out, title);
}
void write_page(const ModesAboutStart& found, const SystemPointer& system, std::ostream& out,
                const std::string& title) {
  write_html(found.about, found.modes, system, out, title);
}
void write_page(const Equilibrium& found, const SystemPointer& system, std::ostream& out, const std::string& title) {
  write_html(std::vector<Equilibrium>{found}, system, out, title);
}

/// Returns the dict with the entry "page", a function that returns the HTML page. The result stays in memory for it.
py::dict with_page(py::dict all, std::function<void(std::ostream& out, const std::string& title)> write) {
  all["page"] = py::cpp_function([write = std::move(write)](const std::string& title) {
    std::ostringstream out;
    write(out, title);
    return out.str();
  });
  return all;
}

template <class Result>
py::dict with_page(py::dict all, const MechanismFile& mechanism, Result found) {
  return with_page(std::move(all),
                   [kept = std::make_shared<const Result>(std::move(found)), system = mechanism.system](
                       std::ostream& out, const std::string& title) { write_page(*kept, system, out, title); });
}

/// The result of an analysis that Ctrl-C can end.
template <class Result>
struct Interruptible {
  Result found;
  bool interrupted;  ///< Ctrl-C has ended the search
};

/// Calls analyse(mechanism) without Python's lock; Ctrl-C ends it.
template <class Analyse>
auto interruptible(const MechanismFile& mechanism, const Analyse& analyse) {
  MechanismFile watched = mechanism;
  Interruption interruption;
  watched.options.keep_going = [&](double) { return interruption.go_on(); };
  auto found = without_lock([&] { return analyse(watched); });
  interruption.raise();
  const bool in_function = interrupted_in_function(found);
  return Interruptible<decltype(found)>{std::move(found), interruption.caught() || in_function};
}

/// Returns the result as a dict with the entry "interrupted".
template <class Result>
py::dict dict_of(const Interruptible<Result>& result) {
  py::dict all = to_dict(result.found);
  all["interrupted"] = result.interrupted;
  return all;
}

/// Returns the function of the module for a long analysis with a page.
template <class Result, class... Arguments>
auto with_page(Result (*analyse)(const MechanismFile&, Arguments...)) {
  return [analyse](const MechanismFile& mechanism, Arguments... arguments) {
    Interruptible<Result> result =
        interruptible(mechanism, [&](const MechanismFile& watched) { return analyse(watched, arguments...); });
    py::dict all = dict_of(result);
    return with_page(std::move(all), mechanism, std::move(result.found));
  };
}

py::dict drives_of_motion(const MechanismFile& mechanism, const std::vector<double>& times, const Tables& tables) {
  std::vector<GivenMotion> motions;
  for (const auto& [name, values] : tables) motions.push_back({name, MotionTable(times, values)});
  Interruptible<DriveForces> result = interruptible(mechanism, [&](const MechanismFile& watched) {
    return drive_forces(watched.system, watched.start, motions, times,
                        {watched.options.linear_solver, watched.options.keep_going});
  });
  py::dict all = dict_of(result);
  return with_page(std::move(all), [found = std::make_shared<const DriveForces>(std::move(result.found)), motions,
                                    system = mechanism.system](std::ostream& out, const std::string& title) {
    write_html(*found, motions, system, out, title);
  });
}

py::tuple equilibria_with_pages(const MechanismFile& mechanism, int starts, double spread, unsigned seed) {
  py::list list;
  const auto search = [&](const MechanismFile& watched) { return equilibria(watched, starts, spread, seed); };
  auto result = interruptible(mechanism, search);
  for (Equilibrium& one : result.found) {
    py::dict all = to_dict(one);
    list.append(with_page(std::move(all), mechanism, std::move(one)));
  }
  return py::make_tuple(list, result.interrupted);
}

using EventNumber = std::tuple<std::string, double, py::function>;

/// Returns a parameter of events, with the function that makes the events from its value.
EventParameter numbered(const std::string& name, double value, const py::function& make) {
  return {name, value, [name, made = held(make)](double changed) {
            return calling("event_parameters " + name, [&] {
              try {
                return (*made)(changed).cast<std::vector<Event>>();
              } catch (const py::cast_error&) {
                throw Error("event_parameters " + name + ": the function must return a list of events");
              }
            });
          }};
}

py::dict motion_sensitivities(const MechanismFile& mechanism, const Names& parameters, const Names& start_positions,
                              const Names& start_velocities, const std::vector<double>& times,
                              const std::string& method, bool error_control, const std::vector<Event>& events,
                              const std::vector<EventNumber>& event_parameters) {
  SensitivityOptions wanted{parameters,   start_positions, start_velocities, times, SensitivityMethod::staggered,
                            error_control};
  for (const auto& [name, value, make] : event_parameters)
    wanted.event_parameters.push_back(numbered(name, value, make));
  if (method != "staggered" && method != "simultaneous")
    throw Error("sensitivities: method \"" + method + "\" is not known; choose staggered or simultaneous");
  if (method == "simultaneous") wanted.method = SensitivityMethod::simultaneous;
  Interruptible<Sensitivities> result = interruptible(mechanism, [&](const MechanismFile& watched) {
    SimulationOptions options = watched.options;
    options.events = events;
    return sensitivities(mechanism.system, mechanism.start, options, wanted);
  });
  py::dict all = dict_of(result);
  return with_page(std::move(all), mechanism, std::move(result.found));
}

py::dict functional_gradient(const MechanismFile& mechanism, const std::string& functional, const Names& parameters,
                             const Names& start_positions, const Names& start_velocities, int checkpoint_interval) {
  const GradientOptions wanted{parameters, start_positions, start_velocities, checkpoint_interval};
  Interruptible<Gradient> result = interruptible(mechanism, [&](const MechanismFile& watched) {
    const double duration = watched.options.t_end - mechanism.start.t;
    return gradient(mechanism.system, mechanism.start, watched.options,
                    named_functional(*mechanism.system, functional, duration), wanted);
  });
  py::dict all = dict_of(result);
  return with_page(std::move(all),
                   [kept = std::make_shared<const Gradient>(std::move(result.found)), functional](
                       std::ostream& out, const std::string& title) { write_html(*kept, functional, out, title); });
}

/// Returns the mechanism with another system and start.
std::shared_ptr<MechanismFile> changed(const MechanismFile& mechanism, std::shared_ptr<const MechanicalSystem> system,
                                       InitialState start) {
  auto other = std::make_shared<MechanismFile>(mechanism);
  other->system = std::move(system);
  other->start = std::move(start);
  return other;
}

using Series = std::tuple<std::string, std::vector<double>, std::vector<double>, double>;

py::dict identification(const MechanismFile& mechanism, const std::vector<Series>& series, const Names& parameters,
                        const Names& start_positions, const Names& start_velocities, bool deviations_known,
                        int max_runs) {
  std::vector<Measurement> measurements;
  for (const auto& [output, t, values, deviation] : series) measurements.push_back({output, t, values, deviation});
  const IdentificationOptions wanted{parameters, start_positions, start_velocities, deviations_known, max_runs};
  Interruptible<Identification> result = interruptible(mechanism, [&](const MechanismFile& watched) {
    return identify(mechanism.system, mechanism.start, measurements, watched.options, wanted);
  });
  py::dict all = dict_of(result);
  const auto found = std::make_shared<const Identification>(std::move(result.found));
  if (found->system != nullptr) all["mechanism"] = changed(mechanism, found->system, found->start);
  return with_page(std::move(all), [found, measurements](std::ostream& out, const std::string& title) {
    write_html(*found, measurements, out, title);
  });
}

}  // namespace

void define_analyses(py::module_& module) {
  module.def("parameters", [](const MechanismFile& m) { return to_list(system_parameters(*m.system)); });
  module.def("with_parameters", [](const MechanismFile& m, const std::vector<std::pair<std::string, double>>& values) {
    return changed(m, with_parameters(m.system, values), m.start);
  });
  module.def("text_with_start", [](const MechanismFile& described, const MechanismFile& started) {
    return mechanism_text(*changed(described, described.system, started.start));
  });
  module.def("linearise", unlocked(linearised));
  module.def("state_space", unlocked(inputs_to_outputs));
  module.def("modes", with_page(modes_about_start));
  module.def("equilibrium", with_page(equilibrium));
  module.def("equilibria", equilibria_with_pages);
  module.def("kinematics", with_page(kinematic_analysis));
  module.def("workspace", with_page(workspace_of_point));
  module.def("inverse_dynamics", unlocked(drives_of_state));
  module.def("drive_forces", drives_of_motion);
  module.def("sensitivities", motion_sensitivities);
  module.def("gradient", functional_gradient);
  module.def("identify", identification);
}

}  // namespace sunlagrange::python
