#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sunlagrange/files/mechanism_file.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// What the Python package stands on: documents in, arrays out. Names and docstrings that users see are in
/// sunlagrange/.
namespace {

namespace py = pybind11;
using namespace sunlagrange;

/// A root function of (t, q, v) that is recorded, and may end the run.
struct PythonEvent {
  std::string name;
  py::function value;
  bool stop;
};

std::vector<std::string> names(int count, const std::function<const std::string&(int)>& name) {
  std::vector<std::string> list;
  for (int i = 0; i < count; ++i) list.push_back(name(i));
  return list;
}

/// row(k) of all recorded states k, without a copy: `owner` keeps the trajectory alive.
template <class Row>
py::array_t<double> view(const Trajectory& trajectory, const Row& row, py::handle owner) {
  const auto rows = static_cast<py::ssize_t>(trajectory.size());
  if (rows == 0) return py::array_t<double>(std::vector<py::ssize_t>{0, 0});
  constexpr auto size = static_cast<py::ssize_t>(sizeof(double));
  const py::ssize_t stride = rows > 1 ? (row(1).data() - row(0).data()) * size : size;
  py::array_t<double> array({rows, static_cast<py::ssize_t>(row(0).size())}, {stride, size}, row(0).data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

/// Asks Python for Ctrl-C now and then while a run goes on without its lock.
class Interruption {
 public:
  bool go_on(double) {
    const auto now = Clock::now();
    if (now < next_) return true;
    next_ = now + std::chrono::milliseconds(50);
    const py::gil_scoped_acquire lock;
    caught_ = PyErr_CheckSignals() != 0;
    return !caught_;
  }
  bool caught() const { return caught_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(50);
  bool caught_ = false;
};

py::object run(const MechanismFile& mechanism, const std::vector<PythonEvent>& events) {
  SimulationOptions options = mechanism.options;
  Interruption interruption;
  std::exception_ptr raised;  // by a function of the user
  options.keep_going = [&interruption](double t) { return interruption.go_on(t); };
  for (const PythonEvent& event : events) {
    Event root;
    root.name = event.name;
    root.root = [&event, &raised](const EventPoint& point) {
      const py::gil_scoped_acquire lock;
      try {
        return event.value(point.t(), point.q(), point.v()).cast<double>();
      } catch (const std::exception&) {
        raised = std::current_exception();
      }
      throw Error("event " + event.name + ": its function raised an exception");
    };
    if (event.stop) root.action = [&event](EventContext& context) { context.stop(event.name); };
    options.events.push_back(std::move(root));
  }
  auto result = std::make_unique<Simulation>();
  try {
    const py::gil_scoped_release unlocked;
    *result = simulate(mechanism.system, mechanism.start, options);
  } catch (const Error&) {
    if (!raised) throw;
  }
  if (raised) std::rethrow_exception(raised);
  if (interruption.caught()) throw py::error_already_set();
  return py::cast(std::move(result));
}

py::dict consistent(const MechanismFile& mechanism) {
  ConsistencyOptions options;
  options.linear_solver = mechanism.options.linear_solver;
  ConsistentState found;
  {
    const py::gil_scoped_release unlocked;
    found = consistent_state(mechanism.system, mechanism.start, options);
  }
  using namespace py::literals;
  return py::dict("t"_a = found.state.t, "q"_a = found.state.q, "v"_a = found.state.v, "a"_a = found.state.a,
                  "multipliers"_a = found.state.lambda, "feasible"_a = found.report.feasible,
                  "violation"_a = found.report.position_violation_after, "most_moved"_a = found.report.most_moved,
                  "moved"_a = found.report.moved_positions, "message"_a = found.report.status.message);
}

py::dict redundancy(const MechanismFile& mechanism) {
  RedundancyReport report;
  {
    const py::gil_scoped_release unlocked;
    const MotionState state = consistent_state(mechanism.system, mechanism.start).state;
    report = analyse_redundancy(mechanism.system, state.t, state.q, state.v);
  }
  std::vector<std::string> dependent;
  for (const DependentConstraint& row : report.dependent) dependent.push_back(row.constraint);
  using namespace py::literals;
  return py::dict("rows"_a = report.rows, "rank"_a = report.rank, "redundant"_a = report.redundant,
                  "permanent"_a = report.permanent, "degrees_of_freedom"_a = report.degrees_of_freedom,
                  "dependent"_a = dependent, "text"_a = report.text());
}

/// Forces of one constraint on the coordinates, a row for each time.
Eigen::MatrixXd forces(const MechanismFile& mechanism, const Simulation& simulation, const std::string& constraint) {
  const py::gil_scoped_release unlocked;
  const Trajectory& motion = simulation.trajectory;
  ReactionEvaluator evaluator(mechanism.system, {motion.t(0), motion.q(0), motion.v(0)}, {mechanism.options, {}});
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(motion.size()), mechanism.system->num_positions());
  for (std::size_t k = 0; k < motion.size(); ++k)
    rows.row(static_cast<Eigen::Index>(k)) =
        evaluator.at(motion.t(k), motion.q(k), motion.v(k)).force_of(constraint).transpose();
  return rows;
}

std::string doubts_text(const Status& status) {
  std::string list;
  for (const Doubt& doubt : status.doubts) list += (list.empty() ? "" : "\n") + doubt.text;
  return list;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  py::register_exception<Error>(module, "Error", PyExc_ValueError);

  py::class_<PythonEvent>(module, "Event").def(py::init<std::string, py::function, bool>());

  py::class_<MechanismFile, std::shared_ptr<MechanismFile>>(module, "Mechanism")
      .def_property_readonly("text", [](const MechanismFile& m) { return mechanism_text(m); })
      .def_property_readonly("position_names",
                             [](const MechanismFile& m) {
                               return names(m.system->num_positions(),
                                            [&m](int i) -> const std::string& { return m.system->position_name(i); });
                             })
      .def_property_readonly("constraint_names",
                             [](const MechanismFile& m) {
                               return names(m.system->num_constraints(),
                                            [&m](int i) -> const std::string& { return m.system->constraint_name(i); });
                             })
      .def("run", run)
      .def("consistent_state", consistent)
      .def("redundancy", redundancy)
      .def("forces", forces)
      .def("advice", [](const MechanismFile& m) {
        const MotionState start = consistent_state(m.system, m.start).state;
        std::vector<std::pair<std::string, std::string>> lines;
        for (const Setting& line : advise_gains(m.system, start).lines()) lines.emplace_back(line.name, line.used);
        return lines;
      });

  py::class_<Simulation>(module, "Simulation")
      .def_property_readonly("finished", [](const Simulation& s) { return s.status.finished(); })
      .def_property_readonly("outcome", [](const Simulation& s) { return std::string(to_string(s.status.outcome)); })
      .def_property_readonly("message", [](const Simulation& s) { return s.status.message; })
      .def_property_readonly("doubts", [](const Simulation& s) { return doubts_text(s.status); })
      .def_property_readonly("report", [](const Simulation& s) { return s.report.text(s.status); })
      .def_property_readonly("events",
                             [](const Simulation& s) {
                               std::vector<std::pair<std::string, double>> list;
                               for (const EventRecord& event : s.report.events) list.emplace_back(event.name, event.t);
                               return list;
                             })
      .def_property_readonly("settings",
                             [](const Simulation& s) {
                               std::vector<std::tuple<std::string, std::string, std::string>> list;
                               for (const Setting& line : s.report.used.lines())
                                 list.emplace_back(line.name, line.asked, line.used);
                               return list;
                             })
      .def_property_readonly("t",
                             [](const Simulation& s) {
                               Eigen::VectorXd t(static_cast<Eigen::Index>(s.trajectory.size()));
                               for (Eigen::Index k = 0; k < t.size(); ++k)
                                 t[k] = s.trajectory.t(static_cast<std::size_t>(k));
                               return t;
                             })
#define STATES(name)                                                        \
  def_property_readonly(#name, [](py::object self) {                        \
    const auto& motion = self.cast<const Simulation&>().trajectory;         \
    return view(                                                            \
        motion, [&motion](std::size_t k) { return motion.name(k); }, self); \
  })
      .STATES(q)
      .STATES(v)
      .STATES(a)
      .STATES(lambda)
#undef STATES
      .def("position_at", [](const Simulation& s, double t) { return Eigen::VectorXd(s.trajectory.position_at(t)); });

  module.def("parse", [](const std::string& text, const std::string& source) {
    return std::make_shared<MechanismFile>(parse_mechanism(text, source));
  });
  module.def("read", [](const std::string& file) { return std::make_shared<MechanismFile>(read_mechanism(file)); });
  module.def("schema", mechanism_schema);
}
