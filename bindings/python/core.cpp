// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <sstream>

#include <sunlagrange/model/units.hpp>
#include <sunlagrange/simulation/catalogue.hpp>
#include <sunlagrange/study/case_file.hpp>
#include <sunlagrange/study/study.hpp>
#include <sunlagrange/study/write_html.hpp>
#include <sunlagrange/version.hpp>

#include "arguments.hpp"
#include "callable_model.hpp"
#include "to_dict.hpp"
#include "words.hpp"

/// The C++ module of the Python package: documents in, arrays and dicts out. Names and docstrings that users see are in
/// sunlagrange/.
namespace sunlagrange::python {
namespace {

using namespace py::literals;

std::vector<std::string> names(int count, const std::function<const std::string&(int)>& name) {
  std::vector<std::string> list;
  for (int i = 0; i < count; ++i) list.push_back(name(i));
  return list;
}

/// Returns the rows q(k), v(k), ... of all recorded states without a copy. The array keeps the trajectory alive.
template <class Row>
py::array_t<double> view(const py::object& self, const Row& row, int columns) {
  const auto& trajectory = self.cast<const Trajectory&>();
  const auto rows = static_cast<py::ssize_t>(trajectory.size());
  if (rows == 0) return py::array_t<double>(std::vector<py::ssize_t>{0, columns});
  constexpr auto size = static_cast<py::ssize_t>(sizeof(double));
  const double* first = row(trajectory, 0).data();
  const py::ssize_t stride = rows > 1 ? (row(trajectory, 1).data() - first) * size : size;
  py::array_t<double> array({rows, static_cast<py::ssize_t>(columns)}, {stride, size}, first, self);
  array.attr("flags").attr("writeable") = false;
  return array;
}

Eigen::VectorXd times(const Trajectory& trajectory) {
  Eigen::VectorXd t(static_cast<Eigen::Index>(trajectory.size()));
  for (Eigen::Index k = 0; k < t.size(); ++k) t[k] = trajectory.t(static_cast<std::size_t>(k));
  return t;
}

/// The context of an action as Python has it: it raises after the action has returned.
struct ActionContext {
  EventContext* context;

  EventContext& now() const {
    if (context == nullptr) throw Error("the context of an action is valid during the action only; keep its values");
    return *context;
  }
};

void call_action(const std::string& name, const py::function& action, EventContext& context) {
  calling("action of event " + name, [&] {
    const auto given = std::make_shared<ActionContext>(ActionContext{&context});
    try {
      action(given);
    } catch (...) {
      given->context = nullptr;
      throw;
    }
    given->context = nullptr;
  });
}

Event event_of(const std::string& name, const py::object& function, const std::string& crossing, bool stop,
               const py::object& action, std::vector<double> times) {
  Event event;
  event.name = name;
  event.times = std::move(times);
  if (!function.is_none()) {
    event.root = [name, root = held(function.cast<py::function>())](const EventPoint& point) {
      return calling("event " + name, [&] {
        const py::object value = (*root)(point.t(), point.q(), point.v());
        if (value.is_none()) refuse_none("event " + name, *root);
        return value.cast<double>();
      });
    };
  }
  if (crossing != "any" && crossing != "rising" && crossing != "falling")
    throw Error("event " + name + ": crossing \"" + crossing + "\" is not known; choose any, rising or falling");
  event.crossing = crossing == "rising" ? Crossing::rising : crossing == "falling" ? Crossing::falling : Crossing::any;
  if (action.is_none() && !stop) return event;
  const auto called = action.is_none() ? nullptr : held(action.cast<py::function>());
  event.action = [name, stop, called](EventContext& context) {
    if (called != nullptr) call_action(name, *called, context);
    if (stop) context.stop("the run was to end there");
  };
  return event;
}

std::unique_ptr<Simulation> run(const MechanismFile& mechanism, const std::vector<Event>& events,
                                const py::object& record, const py::object& progress) {
  SimulationOptions options = mechanism.options;
  options.events = events;
  set_record(options, record);
  Interruption interruption;
  options.keep_going = [&](double t) {
    if (!progress.is_none()) calling("progress", [&] { progress(t); });
    return interruption.go_on();
  };
  auto result =
      std::make_unique<Simulation>(without_lock([&] { return simulate(mechanism.system, mechanism.start, options); }));
  interruption.raise();
  interrupted_in_function(*result);
  return result;
}

ConsistentState consistent(const MechanismFile& mechanism) {
  return consistent_state(mechanism.system, mechanism.start, consistency(mechanism));
}

std::string formulation_of(const MechanismFile& mechanism) {
  const std::string& named = mechanism.options.formulation;
  return named != "automatic" ? named : std::string(default_formulation(*mechanism.system));
}

std::string integrator_or_default(const std::string& integrator, const std::string& formulation) {
  return integrator != "automatic" ? integrator : std::string(automatic_integrator(formulation));
}

GainAdvice advice(const MechanismFile& mechanism) {
  const IntegratorInfo info =
      integrator(integrator_or_default(mechanism.options.integrator, formulation_of(mechanism)));
  GainQuestion question;
  static_cast<GainOptions&>(question) = mechanism.options;
  question.integrator = {info.kind, mechanism.options.step, nullptr};
  if (info.fixed_step_table != nullptr)
    question.integrator.table = std::make_shared<const ButcherTable>(*info.fixed_step_table);
  question.t_span = mechanism.options.t_end - mechanism.start.t;
  return advise_gains(mechanism.system, consistent(mechanism).state, question);
}

Certificate certificate(const MechanismFile& mechanism, double eps, bool sampled) {
  const std::string formulation = formulation_of(mechanism);
  const std::string name = integrator_or_default(mechanism.options.integrator, formulation);
  const IntegratorInfo info = integrator(name);
  if (info.fixed_step_table == nullptr || !(mechanism.options.step > 0.0))
    throw Error("certify: a certificate is about fixed steps; choose integrator rk1 ... rk4 and a step, not " + name);
  const std::string reason = objection(formulation, *mechanism.system, name);
  if (!reason.empty()) throw Error(reason);
  CertificateOptions options;
  options.eps = eps;
  if (sampled) options.remainder = RemainderKind::sampled;
  FormulationOptions choice{mechanism.options, {}};
  const MotionState start = consistent(mechanism).state;
  if (!choice.excess.given()) {
    const GainAdvice used = advice(mechanism);
    const auto resolve = [](Gain& gain, const GainMatrix& value) {
      if (gain.automatic() && value.size() > 0) gain = Gain(value(0, 0));  // the same for every row
    };
    resolve(choice.gains.K_D, used.K_D);
    resolve(choice.gains.K_P, used.K_P);
    resolve(choice.gains.K_N, used.K_N);
  }
  return certify_run(mechanism.system, start, choice, *info.fixed_step_table, mechanism.options.step,
                     mechanism.options.t_end, options);
}

/// Returns the forces of one constraint on the coordinates, a row for each time; not-a-number if the multipliers are
/// not known.
Eigen::MatrixXd forces(const MechanismFile& mechanism, const Trajectory& motion, const std::string& constraint) {
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(motion.size()), mechanism.system->num_positions());
  if (motion.empty()) return rows;
  ReactionEvaluator evaluator(mechanism.system, {motion.t(0), motion.q(0), motion.v(0)}, {mechanism.options, {}});
  for (std::size_t k = 0; k < motion.size(); ++k) {
    const Reactions found = evaluator.at(motion.t(k), motion.q(k), motion.v(k));
    auto row = rows.row(static_cast<Eigen::Index>(k));
    if (found.status.finished())
      row = found.force_of(constraint).transpose();
    else
      row.setConstant(Report::none);
  }
  return rows;
}

/// Forces of one joint on one body along a run.
struct JointForces {
  Eigen::MatrixX3d force, point, torque;
  std::vector<bool> unique;
};

/// Returns the forces by joint and body. @throws Error if `joint` exerts no force on a body
std::map<std::string, std::map<std::string, JointForces>> joint_forces_along(const MechanismFile& mechanism,
                                                                             const Trajectory& motion,
                                                                             const std::string& joint) {
  std::map<std::string, std::map<std::string, JointForces>> all;
  const auto rows = static_cast<Eigen::Index>(motion.size());
  for (Eigen::Index k = 0; k < rows; ++k) {
    const MotionState s = motion.state(static_cast<std::size_t>(k));
    for (const JointForce& f : joint_forces(mechanism.system, s.t, s.q, s.v, s.lambda)) {
      if (!joint.empty() && f.joint != joint) continue;
      JointForces& along = all[f.joint][f.body];
      for (Eigen::MatrixX3d* matrix : {&along.force, &along.point, &along.torque})
        if (matrix->rows() == 0) matrix->setZero(rows, 3);
      along.unique.resize(static_cast<std::size_t>(rows));
      along.force.row(k) = f.force;
      along.point.row(k) = f.point;
      along.torque.row(k) = f.torque;
      along.unique[static_cast<std::size_t>(k)] = f.unique;
    }
  }
  return all;
}

Reactions reactions_at(const MechanismFile& mechanism, const Trajectory& motion, double t) {
  const MotionState state = consistent_state_at(motion, mechanism.system, t).state;
  ReactionEvaluator evaluator(mechanism.system, {motion.t(0), motion.q(0), motion.v(0)}, {mechanism.options, {}});
  return evaluator.at(state.t, state.q, state.v);
}

std::string page(const Simulation& run, const MechanismFile& mechanism, const std::string& title) {
  std::ostringstream out;
  write_html(run, mechanism.system, out, title);
  return out.str();
}

/// Returns the unit of each position; empty: not known.
std::vector<std::string> position_units(const MechanismFile& mechanism) {
  std::vector<std::string> units;
  for (int i = 0; i < mechanism.system->num_positions(); ++i) {
    const std::optional<Domain> domain = mechanism.system->position_domain(i);
    const char* unit = domain.has_value() ? units_of(*domain).displacement : nullptr;
    units.emplace_back(unit == nullptr ? "" : unit);
  }
  return units;
}

void use_functions(MechanismFile& mechanism, const Functions& given) {
  const std::shared_ptr<const Functions> functions = held(given);
  mechanism.system = without_lock([&] { return make_system(model_functions(functions)); });
}

/// Runs a case. An exception of a function of the model is the message of the case.
std::string run_case(const Study& study, std::uint64_t k) {
  Interruption interruption;
  std::string line = without_lock([&] { return study.run(k, [&](double) { return interruption.go_on(); }); });
  const bool stopped = interruption.caught();
  interruption.raise();
  const auto raised = take_raised();
  if (raised && raised->matches(PyExc_KeyboardInterrupt)) throw py::error_already_set(*raised);
  if (!stopped) return line;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

/// Returns the page of a study, with the curves of its first cases.
std::string study_page(const Study& study, const std::vector<std::string>& lines, const std::string& title) {
  Interruption interruption;
  std::ostringstream out;
  without_lock([&] { write_html(study, lines, out, title, [&](double) { return interruption.go_on(); }); });
  interruption.raise();
  static_cast<void>(take_raised());  // an exception of a function of the model ends its case only
  return out.str();
}

void define_mechanism(py::module_& module) {
  py::class_<MechanismFile, std::shared_ptr<MechanismFile>>(module, "Mechanism")
      .def_property_readonly("text", mechanism_text)
      .def_property_readonly("name", [](const MechanismFile& m) { return m.name; })
      .def_property_readonly("summary", [](const MechanismFile& m) { return m.summary; })
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
      .def_property_readonly("position_units", position_units)
      .def("constraint_rows",
           [](const MechanismFile& m, const std::string& name) { return m.system->constraint_rows(name); })
      .def("unit_of",
           [](const MechanismFile& m, const std::string& coordinate) {
             const std::vector<int> found = m.system->position_indices(coordinate);
             const auto domain = found.empty() ? std::nullopt : m.system->position_domain(found.front());
             return std::string(domain ? units_of(*domain).displacement : "");
           })
      .def("objection",
           [](const MechanismFile& m, const std::string& formulation, const std::string& integrator) {
             if (formulation == "automatic") return std::string();
             return in_python(objection(formulation, *m.system, integrator_or_default(integrator, formulation)));
           })
      .def("use_functions", use_functions)
      .def("run", run)
      .def("consistent_state", unlocked(consistent))
      .def("redundancy", unlocked(+[](const MechanismFile& m) {
             const MotionState start = consistent(m).state;
             return analyse_redundancy(m.system, start.t, start.q, start.v);
           }))
      .def("advice", unlocked(advice))
      .def("certify", unlocked(certificate))
      .def("evaluate", unlocked(+[](const MechanismFile& m, double t, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& v) { return SystemEvaluator(m.system).at(t, q, v); }))
      .def("reactions", unlocked(reactions_at))
      .def("power_balance", unlocked(+[](const MechanismFile& m, const Trajectory& motion, double t) {
             return power_balance(*m.system, consistent_state_at(motion, m.system, t).state);
           }))
      .def("energy_balance", unlocked(+[](const MechanismFile& m, const Trajectory& motion) {
             return energy_balance(motion, m.system, m.options.linear_solver);
           }))
      .def("forces", forces, py::call_guard<py::gil_scoped_release>())
      .def("joint_forces", joint_forces_along, py::call_guard<py::gil_scoped_release>());

  py::class_<Study>(module, "Study")
      .def(py::init([](const MechanismFile& mechanism, const std::vector<std::pair<std::string, std::string>>& vary,
                       std::uint64_t samples, std::uint64_t seed, const std::vector<std::string>& observe) {
        std::vector<Variation> list;
        for (const auto& [name, values] : vary) list.push_back({name, values});
        return Study(mechanism, list, samples, seed, observe);
      }))
      .def_property_readonly("size", &Study::size)
      .def_property_readonly("heading", &Study::heading)
      .def("run", run_case)
      .def("page", study_page);

  py::class_<CaseFile>(module, "CaseFile")
      .def(py::init([](const Study& study, const std::string& file, const std::string& mechanism, bool resume) {
        CaseFile::Form form{"study", "case", mechanism, [study](const std::string& line) { study.check(line); }};
        form.file_option = "file";
        form.resume_option = "resume=True";
        return CaseFile(std::move(form), file, study.heading(), resume);
      }))
      .def_property_readonly("lines", &CaseFile::lines)
      .def("append", &CaseFile::append)
      .def("sort", &CaseFile::sort);

  py::class_<JointForces>(module, "JointForces")
      .def_readonly("force", &JointForces::force)
      .def_readonly("point", &JointForces::point)
      .def_readonly("torque", &JointForces::torque)
      .def_readonly("unique", &JointForces::unique);

  py::class_<Functions>(module, "Functions")
      .def(py::init([](std::vector<std::string> positions, int num_constraints, int num_velocity_constraints,
                       const py::object& mass_matrix, const py::object& applied_force, const py::object& constraint,
                       const py::object& velocity_constraint, const py::object& constraint_jacobian) {
        return Functions{std::move(positions),          num_constraints,
                         num_velocity_constraints,      Function(mass_matrix),
                         Function(applied_force),       Function(constraint),
                         Function(velocity_constraint), Function(constraint_jacobian)};
      }));
}

void define_simulation(py::module_& module) {
  py::class_<Trajectory>(module, "Trajectory")
      .def(py::pickle(
          [](const py::object& self) {
            return py::make_tuple(times(self.cast<const Trajectory&>()), self.attr("q"), self.attr("v"), self.attr("a"),
                                  self.attr("multipliers"));
          },
          [](const py::tuple& kept) {
            const auto t = kept[0].cast<Eigen::VectorXd>();
            std::vector<Eigen::MatrixXd> rows;
            for (std::size_t i = 1; i < kept.size(); ++i) rows.push_back(kept[i].cast<Eigen::MatrixXd>());
            if (t.size() == 0) return Trajectory(static_cast<int>(rows[0].cols()), static_cast<int>(rows[3].cols()));
            std::vector<MotionState> states;
            for (Eigen::Index k = 0; k < t.size(); ++k)
              states.push_back({t[k], rows[0].row(k), rows[1].row(k), rows[2].row(k), rows[3].row(k)});
            return Trajectory(states);
          }))
      .def_property_readonly("t", times)
#define STATES(name, row, columns)                                                   \
  def_property_readonly(name, [](const py::object& self) {                           \
    return view(                                                                     \
        self, [](const Trajectory& motion, std::size_t k) { return motion.row(k); }, \
        self.cast<const Trajectory&>().columns());                                   \
  })
      .STATES("q", q, num_positions)
      .STATES("v", v, num_positions)
      .STATES("a", a, num_positions)
      .STATES("multipliers", lambda, num_constraints)
#undef STATES
      .def("position_at", &Trajectory::position_at)
      .def("velocity_at", &Trajectory::velocity_at)
      .def("write_csv", [](const Trajectory& motion, const MechanismFile& mechanism, const std::string& file) {
        motion.write_csv(file, *mechanism.system);
      });

  using Context = const ActionContext&;
  const auto ask = [](auto member) { return [member](Context c) { return (c.now().*member)(); }; };
  const auto about = [](auto member) {
    return [member](Context c, const std::string& name) { return (c.now().*member)(name); };
  };
  py::class_<ActionContext, std::shared_ptr<ActionContext>>(module, "ActionContext")
      .def_property_readonly("t", [](Context c) { return c.now().t(); })
      .def_property_readonly("q", [](Context c) { return Eigen::VectorXd(c.now().q()); })
      .def_property_readonly("v", [](Context c) { return Eigen::VectorXd(c.now().v()); })
      .def("input", about(&EventPoint::input))
      .def("active", about(&EventPoint::active))
      .def("gap", about(&EventPoint::gap))
      .def("rate", about(&EventPoint::rate))
      .def("multiplier", about(&EventPoint::multiplier))
      .def("multiplier_norm", about(&EventPoint::multiplier_norm))
      .def("impact", [](Context c, const std::string& constraint,
                        double restitution) { return c.now().impact(constraint, restitution).comes_to_rest; })
      .def("activate", about(&EventContext::activate))
      .def("deactivate", about(&EventContext::deactivate))
      .def("set_velocity", [](Context c, const Eigen::VectorXd& v) { c.now().set_velocity(v); })
      .def("set_input", [](Context c, const std::string& name, double value) { c.now().set_input(name, value); })
      .def("restart", ask(&EventContext::restart))
      .def("stop", [](Context c, const std::string& reason) { c.now().stop(reason); });

  py::class_<Event>(module, "Event")
      .def(py::init(&event_of))
      .def_readonly("name", &Event::name)
      .def_static("stop_at_contact", stop_at_contact)
      .def_static("impact", impact_event)
      .def_static("contact", unilateral_contact)
      .def_static("release_when", release_when);

  py::class_<Simulation>(module, "Simulation")
      .def_property_readonly("finished", [](const Simulation& s) { return s.status.finished(); })
      .def_property_readonly("beyond_doubt", [](const Simulation& s) { return s.status.has_no_doubts(); })
      .def_property_readonly("outcome", [](const Simulation& s) { return to_string(s.status.outcome); })
      .def_property_readonly("message", [](const Simulation& s) { return in_python(s.status.message); })
      .def_property_readonly("doubts", [](const Simulation& s) { return to_list(s.status.doubts); })
      .def_property_readonly("verdict", [](const Simulation& s) { return in_python(s.report.verdict(s.status)); })
      .def_property_readonly("report", [](const Simulation& s) { return to_dict(s); })
      .def_property_readonly("trajectory", [](const Simulation& s) { return &s.trajectory; })
      .def("write_csv",
           [](const Simulation& s, const MechanismFile& mechanism, const std::string& file) {
             s.trajectory.write_csv(file, *mechanism.system, s.report.error_estimate);
           })
      .def("page", page);
}

}  // namespace
}  // namespace sunlagrange::python

PYBIND11_MODULE(_core, module) {
  using namespace sunlagrange;
  namespace py = pybind11;
  static const auto* const raised = new py::exception<Error>(module, "Error", PyExc_ValueError);  // as long as Python
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      PyErr_SetString(raised->ptr(), python::in_python(error.what()).c_str());
    }
  });
  python::define_simulation(module);
  python::define_mechanism(module);
  python::define_analyses(module);
  python::define_attachments(module);
  python::define_stepper(module);
  module.attr("version") = std::to_string(SUNLAGRANGE_VERSION_MAJOR) + "." + std::to_string(SUNLAGRANGE_VERSION_MINOR) +
                           "." + std::to_string(SUNLAGRANGE_VERSION_PATCH);
  module.def("parse", [](const std::string& text, const std::string& source, const python::LawsOfPython& laws) {
    return std::make_shared<MechanismFile>(parse_mechanism(text, source, python::law_functions(laws)));
  });
  module.def("schema", mechanism_schema);
  module.def("in_unit", in_unit);
  module.def("formulations", python::formulation_list);
  module.def("integrators", python::integrator_list);
  module.def("linear_solvers", python::linear_solver_list);
  module.def("elements", python::element_list);
  module.def("figures", python::figure_lists);
}
