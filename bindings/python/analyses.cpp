#include <array>
#include <sstream>

#include <sunlagrange/analysis/write_html.hpp>
#include <sunlagrange/files/mechanism_file.hpp>

#include "asking.hpp"

/// From motion to answers: analyses of a mechanism about its start. Names and docstrings that users see are in
/// sunlagrange/_model.py.
namespace sunlagrange::python {
namespace {

using namespace py::literals;
using Names = std::vector<std::string>;
using Tables = std::vector<std::pair<std::string, std::vector<double>>>;  // of coordinates

/// Rows of equal length, one for each point: (times, n).
template <class Points, class Row>
Eigen::MatrixXd stacked(const Points& points, const Row& row) {
  Eigen::MatrixXd rows;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Eigen::VectorXd& entries = row(points[k]);
    if (k == 0) rows.resize(static_cast<Eigen::Index>(points.size()), entries.size());
    rows.row(static_cast<Eigen::Index>(k)) = entries;
  }
  return rows;
}

/// Matrices of the same shape, one for each point: (times, n, p).
template <class Row>
py::array_t<double> cube(const std::vector<SensitivityPoint>& points, const Row& matrix) {
  if (points.empty()) return py::array_t<double>(std::vector<py::ssize_t>{0, 0, 0});
  const Eigen::MatrixXd& first = matrix(points.front());
  py::array_t<double> array({static_cast<py::ssize_t>(points.size()), static_cast<py::ssize_t>(first.rows()),
                             static_cast<py::ssize_t>(first.cols())});
  auto entries = array.mutable_unchecked<3>();
  for (py::ssize_t k = 0; k < entries.shape(0); ++k) {
    const Eigen::MatrixXd& m = matrix(points[static_cast<std::size_t>(k)]);
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      for (Eigen::Index j = 0; j < m.cols(); ++j) entries(k, i, j) = m(i, j);
  }
  return array;
}

py::dict said(const Status& status) {
  return py::dict("status"_a = to_string(status.outcome), "text"_a = status.message);
}

ConsistencyOptions consistency(const MechanismFile& mechanism) {
  ConsistencyOptions options;
  options.start = mechanism.options.start;
  options.linear_solver = mechanism.options.linear_solver;
  return options;
}

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

/// The answer, and under "page" the function that makes its page of HTML; what is found stays in memory for it.
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

/// What was found, and whether Ctrl-C has ended the search for more.
template <class Result>
struct Asked {
  Result found;
  bool interrupted;
};

/// Answers without the lock; of Ctrl-C tells `interrupted`.
template <class Ask>
auto asked(const MechanismFile& mechanism, const Ask& ask) {
  MechanismFile asking = mechanism;
  Interruption interruption;
  asking.options.keep_going = [&](double) { return interruption.go_on(); };
  auto found = without_lock([&] { return ask(asking); });
  interruption.raise();
  return Asked<decltype(found)>{std::move(found), interruption.caught()};
}

/// As a dict, with "interrupted".
template <class Result>
py::dict with_ending(const Asked<Result>& asked) {
  py::dict all = answer(asked.found);
  all["interrupted"] = asked.interrupted;
  return all;
}

/// A long question with a page.
template <class Result, class... Arguments>
auto with_page(Result (*ask)(const MechanismFile&, Arguments...)) {
  return [ask](const MechanismFile& mechanism, Arguments... arguments) {
    Asked<Result> result = asked(mechanism, [&](const MechanismFile& asking) { return ask(asking, arguments...); });
    py::dict all = with_ending(result);
    return with_page(std::move(all), mechanism, std::move(result.found));
  };
}

py::dict drives_of_motion(const MechanismFile& mechanism, const std::vector<double>& times, const Tables& tables) {
  std::vector<GivenMotion> motions;
  for (const auto& [name, values] : tables) motions.push_back({name, MotionTable(times, values)});
  Asked<DriveForces> result = asked(mechanism, [&](const MechanismFile& asking) {
    return drive_forces(asking.system, asking.start, motions, times,
                        {asking.options.linear_solver, asking.options.keep_going});
  });
  py::dict all = with_ending(result);
  return with_page(std::move(all), [found = std::make_shared<const DriveForces>(std::move(result.found)), motions,
                                    system = mechanism.system](std::ostream& out, const std::string& title) {
    write_html(*found, motions, system, out, title);
  });
}

py::tuple equilibria_with_pages(const MechanismFile& mechanism, int starts, double spread, unsigned seed) {
  py::list list;
  const auto ask = [&](const MechanismFile& asking) { return equilibria(asking, starts, spread, seed); };
  auto result = asked(mechanism, ask);
  for (Equilibrium& one : result.found) {
    py::dict all = answer(one);
    list.append(with_page(std::move(all), mechanism, std::move(one)));
  }
  return py::make_tuple(list, result.interrupted);
}

using EventNumber = std::tuple<std::string, double, py::function>;

/// A number that only events know, and the function of it that makes them.
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
  Asked<Sensitivities> result = asked(mechanism, [&](const MechanismFile& asking) {
    SimulationOptions options = asking.options;
    options.events = events;
    return sensitivities(mechanism.system, mechanism.start, options, wanted);
  });
  py::dict all = with_ending(result);
  return with_page(std::move(all), mechanism, std::move(result.found));
}

py::dict functional_gradient(const MechanismFile& mechanism, const std::string& functional, const Names& parameters,
                             const Names& start_positions, const Names& start_velocities, int checkpoint_interval) {
  const GradientOptions wanted{parameters, start_positions, start_velocities, checkpoint_interval};
  Asked<Gradient> result = asked(mechanism, [&](const MechanismFile& asking) {
    const double duration = asking.options.t_end - mechanism.start.t;
    return gradient(mechanism.system, mechanism.start, asking.options,
                    named_functional(*mechanism.system, functional, duration), wanted);
  });
  py::dict all = with_ending(result);
  return with_page(std::move(all),
                   [kept = std::make_shared<const Gradient>(std::move(result.found)), functional](
                       std::ostream& out, const std::string& title) { write_html(*kept, functional, out, title); });
}

/// The mechanism with another system and start.
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
  Asked<Identification> result = asked(mechanism, [&](const MechanismFile& asking) {
    return identify(mechanism.system, mechanism.start, measurements, asking.options, wanted);
  });
  py::dict all = with_ending(result);
  const auto found = std::make_shared<const Identification>(std::move(result.found));
  if (found->system != nullptr) all["mechanism"] = changed(mechanism, found->system, found->start);
  return with_page(std::move(all), [found, measurements](std::ostream& out, const std::string& title) {
    write_html(*found, measurements, out, title);
  });
}

}  // namespace

py::list answer(const std::vector<SystemParameter>& parameters) {
  py::list list;
  for (const SystemParameter& p : parameters)
    list.append(py::dict("name"_a = p.name, "value"_a = p.value, "unit"_a = p.unit, "meaning"_a = p.meaning,
                         "range"_a = to_string(p.range)));
  return list;
}

py::dict answer(const Linearisation& l) {
  py::dict all = said(l.status);
  if (l.velocities.rows() == 0) return all;
  all["at"] = to_string(l.at);
  all["state"] = state_dict(l.state);
  for (const auto& [name, matrix] : {std::pair<const char*, const Eigen::MatrixXd*>{"positions", &l.positions},
                                     {"velocities", &l.velocities},
                                     {"transport", &l.transport},
                                     {"T", &l.T},
                                     {"S", &l.S},
                                     {"M", &l.M},
                                     {"damping", &l.damping},
                                     {"gyroscopic", &l.gyroscopic},
                                     {"K", &l.K},
                                     {"stiffness", &l.stiffness},
                                     {"circulatory", &l.circulatory}})
    all[name] = *matrix;
  all["state_matrix"] = l.state_matrix();
  all["rank"] = l.rank;
  all["redundant"] = l.redundant;
  all["lost"] = l.lost;
  all["imbalance"] = l.imbalance;
  return all;
}

py::dict answer(const StateSpace& found) {
  py::dict all = said(found.status);
  all["inputs"] = found.inputs;
  all["outputs"] = found.outputs;
  all["A"] = found.A;
  all["B"] = found.B;
  all["C"] = found.C;
  all["D"] = found.D;
  all["z"] = found.z;
  all["about"] = answer(found.about);
  return all;
}

py::dict answer(const Modes& found) {
  py::list list;
  for (const Mode& m : found.modes)
    list.append(py::dict("eigenvalue"_a = m.eigenvalue, "frequency"_a = m.frequency,
                         "damping_ratio"_a = m.damping_ratio, "zero"_a = m.zero, "shape"_a = m.shape,
                         "velocity"_a = m.velocity));
  return py::dict("modes"_a = list, "stability"_a = to_string(found.stability), "text"_a = found.verdict);
}

py::dict answer(const ModesAboutStart& found) {
  return answer(found.modes);
}

py::dict answer(const Equilibrium& found) {
  py::dict all = said(found.status);
  all["state"] = state_dict(found.state);
  all["iterations"] = found.iterations;
  if (!found.status.finished()) return all;
  all["reaction"] = found.reaction;
  all["linearisation"] = answer(found.linearisation);
  all["modes"] = answer(found.modes)["modes"];
  all["stability"] = to_string(found.modes.stability);
  all["text"] = found.modes.verdict;
  return all;
}

py::dict answer(const Kinematics& found) {
  py::list branches;
  for (const KinematicBranch& branch : found.branches) {
    Eigen::VectorXd s(static_cast<Eigen::Index>(branch.points.size()));
    for (Eigen::Index k = 0; k < s.size(); ++k) s[k] = branch.points[static_cast<std::size_t>(k)].s;
    py::object dead = py::none();
    if (!branch.dead_point.empty()) {
      const DeadPoint& end = branch.dead_point.front();
      dead = py::dict("s"_a = end.s, "q"_a = end.q, "direction"_a = end.direction);
    }
    const auto rows = [&](Eigen::VectorXd KinematicPoint::*part) {
      return stacked(branch.points, [&](const KinematicPoint& point) -> const Eigen::VectorXd& { return point.*part; });
    };
    py::list crossings;
    for (const BranchCrossing& at : branch.crossings) crossings.append(py::dict("s"_a = at.s, "q"_a = at.q));
    branches.append(py::dict("s"_a = s, "q"_a = rows(&KinematicPoint::q), "rate"_a = rows(&KinematicPoint::rate),
                             "curvature"_a = rows(&KinematicPoint::curvature), "dead_point"_a = dead,
                             "unreached"_a = branch.unreached, "crossings"_a = crossings));
  }
  py::dict all = said(found.status);
  all["coordinate"] = found.coordinate;
  all["branches"] = branches;
  return all;
}

py::dict answer(const MechanismWorkspace& found) {
  const auto n = static_cast<Eigen::Index>(found.points.size());
  const auto entries = static_cast<Eigen::Index>(found.point.size());
  const Eigen::VectorXd unknown = Eigen::VectorXd::Constant(entries, std::numeric_limits<double>::quiet_NaN());
  Eigen::VectorXd manipulability(n);
  py::list reach, kinds;
  for (Eigen::Index k = 0; k < n; ++k) {
    const WorkspacePoint& p = found.points[static_cast<std::size_t>(k)];
    manipulability[k] = p.manipulability;
    reach.append(to_string(p.reach));
  }
  for (const WorkspaceBoundary& b : found.boundary) kinds.append(to_string(b.kind));
  const auto places = [&](const WorkspacePoint& p) -> const Eigen::VectorXd& {
    return p.place.size() > 0 ? p.place : unknown;
  };
  const auto s = [](const auto& p) -> const Eigen::VectorXd& { return p.s; };
  py::dict all = said(found.status);
  all["point"] = found.point;
  all["driven"] = found.driven;
  all["grid"] = found.grid;
  all["missing"] = found.missing;
  all["crossings"] = found.crossings;
  all["reach"] = reach;
  all["s"] = stacked(found.points, s);
  all["places"] = stacked(found.points, places);
  all["manipulability"] = manipulability;
  all["boundary"] =
      py::dict("kind"_a = kinds, "s"_a = stacked(found.boundary, s),
               "places"_a = stacked(found.boundary,
                                    [](const WorkspaceBoundary& b) -> const Eigen::VectorXd& { return b.place; }));
  return all;
}

py::dict answer(const DriveForces& found) {
  const auto rows = [&](Eigen::VectorXd MotionState::*part) {
    return stacked(found.states, [&](const MotionState& state) -> const Eigen::VectorXd& { return state.*part; });
  };
  const auto n = static_cast<Eigen::Index>(found.drives.size());
  Eigen::VectorXd t(n), power(n), missing(n), regularity(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    t[k] = found.states[static_cast<std::size_t>(k)].t;
    power[k] = found.drives[static_cast<std::size_t>(k)].power;
    missing[k] = found.drives[static_cast<std::size_t>(k)].missing;
    regularity[k] = found.regularity[static_cast<std::size_t>(k)];
  }
  py::dict all = said(found.status);
  all["t"] = t;
  all["q"] = rows(&MotionState::q);
  all["v"] = rows(&MotionState::v);
  all["a"] = rows(&MotionState::a);
  all["multipliers"] = rows(&MotionState::lambda);
  all["drive"] = stacked(found.drives, [](const InverseDynamics& at) -> const Eigen::VectorXd& { return at.drive; });
  all["power"] = power;
  all["missing"] = missing;
  all["regularity"] = regularity;
  all["table_error"] = found.table_error;
  return all;
}

py::dict answer(const InverseDynamics& found) {
  py::dict all = said(found.status);
  all["drive"] = found.drive;
  all["multipliers"] = found.lambda;
  all["power"] = found.power;
  all["missing"] = found.missing;
  return all;
}

py::dict answer(const Sensitivities& found) {
  py::dict all = said(found.status);
  all["parameters"] = answer(found.parameters);
  Eigen::VectorXd t(static_cast<Eigen::Index>(found.points.size()));
  for (Eigen::Index k = 0; k < t.size(); ++k) t[k] = found.points[static_cast<std::size_t>(k)].state.t;
  all["t"] = t;
  const auto states = [&](Eigen::VectorXd MotionState::*part) {
    return stacked(found.points,
                   [&](const SensitivityPoint& point) -> const Eigen::VectorXd& { return point.state.*part; });
  };
  const auto derivatives = [&](Eigen::MatrixXd SensitivityPoint::*part) {
    return cube(found.points, [&](const SensitivityPoint& point) -> const Eigen::MatrixXd& { return point.*part; });
  };
  all["q"] = states(&MotionState::q);
  all["v"] = states(&MotionState::v);
  all["a"] = states(&MotionState::a);
  all["multipliers"] = states(&MotionState::lambda);
  all["dq"] = derivatives(&SensitivityPoint::q);
  all["dv"] = derivatives(&SensitivityPoint::v);
  all["da"] = derivatives(&SensitivityPoint::a);
  all["dmultipliers"] = derivatives(&SensitivityPoint::lambda);
  py::list events;
  for (const EventSensitivity& event : found.events)
    events.append(py::dict("t"_a = event.t, "name"_a = event.name, "dt"_a = event.dt));
  all["events"] = events;
  all["constraint_error"] = found.constraint_error;
  all["steps"] = found.steps;
  return all;
}

py::dict answer(const Gradient& found) {
  py::dict all = said(found.status);
  all["value"] = found.value;
  all["parameters"] = answer(found.parameters);
  all["gradient"] = found.gradient;
  all["steps"] = found.steps;
  all["backward_steps"] = found.backward_steps;
  all["rhs_evaluations"] = found.rhs_evaluations;
  all["linearisations"] = found.linearisations;
  return all;
}

py::dict answer(const Identification& found) {
  py::dict all = said(found.status);
  Eigen::VectorXd values(static_cast<Eigen::Index>(found.parameters.size()));
  std::string words;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const SystemParameter& p = found.parameters[static_cast<std::size_t>(i)];
    values[i] = p.value;
    words += p.name + " = " + text(p.value);
    if (i < found.deviation.size()) words += " +- " + text(found.deviation[i]);
    words += (p.unit.empty() ? "" : " " + p.unit) + "\n";
  }
  py::list confounded;
  for (const Confounded& group : found.confounded)
    confounded.append(py::dict("parameters"_a = group.parameters, "directions"_a = group.directions));
  py::list fits;
  for (const Fit& fit : found.fits)
    fits.append(
        py::dict("output"_a = fit.output,
                 "model"_a = Eigen::VectorXd::Map(fit.values.data(), static_cast<Eigen::Index>(fit.values.size())),
                 "rms"_a = fit.rms));
  for (const std::string& sentence : {found.status.message, found.misfit, found.untested})
    words += sentence.empty() ? "" : sentence + "\n";
  all["parameters"] = answer(found.parameters);
  all["estimates"] = values;
  all["guess"] = found.guess;
  all["deviation"] = found.deviation;
  all["covariance"] = found.covariance;
  all["confounded"] = confounded;
  all["chi_square"] = found.chi_square;
  all["degrees_of_freedom"] = found.degrees_of_freedom;
  all["noise_factor"] = found.noise_factor;
  all["misfit"] = found.misfit;
  all["untested"] = found.untested;
  all["fits"] = fits;
  all["runs"] = found.runs;
  all["text"] = words.substr(0, words.size() - 1);
  return all;
}

void define_analyses(py::module_& module) {
  module.def("parameters", [](const MechanismFile& m) { return answer(system_parameters(*m.system)); });
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
