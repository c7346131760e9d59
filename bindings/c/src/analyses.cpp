// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/drive_forces.hpp>
#include <sunlagrange/analysis/gradient.hpp>
#include <sunlagrange/analysis/identify.hpp>
#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/analysis/state_space.hpp>
#include <sunlagrange/analysis/static_equilibrium.hpp>
#include <sunlagrange/analysis/workspace.hpp>
#include <sunlagrange/consistency/redundancy.hpp>

#include <limits>

#include "handles.hpp"

using namespace sunlagrange;
using namespace sunlagrange::c;

namespace {

/// Copies the matrices of all points, one after the other.
void copy_points(const std::vector<SensitivityPoint>& points, Eigen::MatrixXd SensitivityPoint::*part, double* to) {
  if (to == nullptr) return;
  for (const SensitivityPoint& point : points) {
    const Eigen::MatrixXd& matrix = point.*part;
    Eigen::MatrixXd::Map(to, matrix.rows(), matrix.cols()) = matrix;
    to += matrix.size();
  }
}

/// Adds a name: "rod.L", "q(arm.phi)" or "v(arm.phi)", which must come in this order.
template <class Wanted>  // SensitivityOptions, GradientOptions, IdentificationOptions
void take_name(const char* name, Wanted& wanted) {
  require_given(name, "an entry of names", "name each parameter, e.g. \"rod.L\" or \"q(arm.phi)\"");
  const std::string text = name;
  const bool start = text.size() > 3U && text[1] == '(' && text.back() == ')' && (text[0] == 'q' || text[0] == 'v');
  const bool after_positions = !wanted.start_positions.empty(), after_velocities = !wanted.start_velocities.empty();
  if (!start) {
    if (after_positions || after_velocities)
      throw Error("names: \"" + text + "\" stands behind a start value; begin with the parameters");
    wanted.parameters.push_back(text);
    return;
  }
  if (text[0] == 'q' && after_velocities)
    throw Error("names: \"" + text + "\" stands behind a start velocity; positions come first");
  (text[0] == 'q' ? wanted.start_positions : wanted.start_velocities).push_back(text.substr(2, text.size() - 3));
}

/// Reads p names. @throws Error unless there is at least one
template <class Wanted>
Wanted take_names(const char* const* names, int p) {
  require_given(names, "names", "name p parameters or start values");
  require_positive(p, "p");
  Wanted wanted;
  for (int i = 0; i < p; ++i) take_name(names[i], wanted);
  return wanted;
}

std::vector<std::string> texts(const char* const* names, int count, const char* what) {
  require_given(names, what, "name them");
  require_positive(count, (std::string("num_") + what).c_str());
  std::vector<std::string> result;
  for (int i = 0; i < count; ++i) {
    require_given(names[i], (std::string("an entry of ") + what).c_str(), "name each coordinate");
    result.emplace_back(names[i]);
  }
  return result;
}

Eigen::VectorXd vector(const double* from, int size, const char* name) {
  require_given(from, name, ("give " + std::to_string(size) + " entries").c_str());
  return Eigen::VectorXd::Map(from, size);
}

/// Copies the vectors of all points, one after the other. Missing vectors become NaN.
template <class Points, class Part>
void copy_vectors(const Points& points, Part part, Eigen::Index size, double* to) {
  if (to == nullptr) return;
  for (const auto& point : points) {
    const Eigen::VectorXd& x = point.*part;
    if (x.size() == size)
      Eigen::VectorXd::Map(to, size) = x;
    else
      Eigen::VectorXd::Map(to, size).setConstant(std::numeric_limits<double>::quiet_NaN());
    to += size;
  }
}

Measurement measurement(const sunlagrange_measurement& given) {
  require_given(given.output, "output of a measurement", "name a coordinate, e.g. \"arm.phi\"");
  require_given(given.t, "t of a measurement", "give the times");
  require_given(given.values, "values of a measurement", "give one for each time");
  require_positive(given.count, "count of a measurement");
  return {given.output, {given.t, given.t + given.count}, {given.values, given.values + given.count}, given.deviation};
}

const SystemParameter& parameter(const std::vector<SystemParameter>& all, const char* name) {
  require_given(name, "name", "name a parameter, e.g. \"rod.L\"");
  for (const SystemParameter& p : all) {
    if (p.name == name) return p;
  }
  throw Error("no parameter \"" + std::string(name) + "\"; sunlagrange_parameter_name() lists them");
}

ConsistencyOptions consistency(const MechanismFile& file) {
  ConsistencyOptions options;
  options.start = file.options.start;
  options.linear_solver = file.options.linear_solver;
  return options;
}

/// The result of sunlagrange_modes().
struct ModesAboutStart {
  Linearisation about;
  Modes modes;

  void describe(Figures& f) {
    about.describe(f);
    modes.describe(f);
  }
};

const std::function<void(Figures& visitor)>& last_result(const sunlagrange_mechanism& mechanism) {
  if (!mechanism.last_result) throw Error("there is no result; call an analysis of this mechanism first");
  return mechanism.last_result;
}

static_assert(static_cast<int>(Reach::unreached) == SUNLAGRANGE_UNREACHED &&
                  static_cast<int>(Reach::reached) == SUNLAGRANGE_REACHED &&
                  static_cast<int>(Reach::singular) == SUNLAGRANGE_SINGULAR &&
                  static_cast<int>(Reach::outside_limits) == SUNLAGRANGE_OUTSIDE_LIMITS,
              "the constants of sunlagrange_c.h");

}  // namespace

int sunlagrange_equilibrium(sunlagrange_mechanism* mechanism, double* q, double* lambda, const char** stability) {
  if (stability != nullptr) *stability = nullptr;
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    EquilibriumOptions options;
    options.linear_solver = file.options.linear_solver;
    options.keep_going = file.options.keep_going;
    const Equilibrium& found = *keep(*mechanism, static_equilibrium(file.system, file.start, options));
    if (!found.status.finished()) throw Failed{found.status};
    copy(found.state.q, q);
    copy(found.state.lambda, lambda);
    if (stability != nullptr) *stability = to_string(found.modes.stability);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_modes(sunlagrange_mechanism* mechanism, double* real, double* imaginary, double* shape_real,
                      double* shape_imaginary, int* count) {
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    const Linearisation about = linearise(file.system, file.start, consistency(file));
    if (!about.status.finished()) throw Failed{about.status};
    const ModesAboutStart& found = *keep(*mechanism, ModesAboutStart{about, modes(about)});
    const auto n = static_cast<std::size_t>(file.system->num_positions());
    for (std::size_t k = 0; k < found.modes.modes.size(); ++k) {
      const Mode& mode = found.modes.modes[k];
      if (real != nullptr) real[k] = mode.eigenvalue.real();
      if (imaginary != nullptr) imaginary[k] = mode.eigenvalue.imag();
      copy(mode.shape.real(), shape_real == nullptr ? nullptr : shape_real + n * k);
      copy(mode.shape.imag(), shape_imaginary == nullptr ? nullptr : shape_imaginary + n * k);
    }
    if (count != nullptr) *count = static_cast<int>(found.modes.modes.size());
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_state_space(sunlagrange_mechanism* mechanism, const char* const* inputs, int num_inputs,
                            const char* const* outputs, int num_outputs, double* A, double* B, double* C, double* D,
                            double* z, int* num_states) {
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    const auto named = [](const char* const* names, int count, const char* what) {
      return names == nullptr && count == 0 ? std::vector<std::string>() : texts(names, count, what);
    };
    const StateSpace& found =
        *keep(*mechanism, state_space(file.system, file.start, named(inputs, num_inputs, "inputs"),
                                      named(outputs, num_outputs, "outputs"), consistency(file)));
    if (!found.status.finished()) throw Failed{found.status};
    for (const auto& [matrix, to] : {std::pair{&found.A, A}, {&found.B, B}, {&found.C, C}, {&found.D, D}})
      copy(matrix->reshaped(), to);
    copy(found.z, z);
    if (num_states != nullptr) *num_states = static_cast<int>(found.A.rows());
    return SUNLAGRANGE_SUCCESS;
  });
}

const char* sunlagrange_parameter_name(sunlagrange_mechanism* mechanism, int parameter) {
  return guarded_text(__func__, [&]() -> const char* {
    const std::vector<SystemParameter> all = system_parameters(*checked(mechanism).file.system);
    if (parameter < 0 || static_cast<std::size_t>(parameter) >= all.size())
      throw Error("parameter = " + std::to_string(parameter) + ", must be at least 0 and less than " +
                  std::to_string(all.size()));
    mechanism->parameter = all[static_cast<std::size_t>(parameter)].name;
    return mechanism->parameter.c_str();
  });
}

int sunlagrange_parameter(sunlagrange_mechanism* mechanism, const char* name, double* value) {
  return guarded(__func__, [&] {
    copy(parameter(system_parameters(*checked(mechanism).file.system), name).value, value);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_set_parameter(sunlagrange_mechanism* mechanism, const char* name, double value) {
  return guarded(__func__, [&] {
    sunlagrange_mechanism& m = checked(mechanism);
    parameter(system_parameters(*m.file.system), name);
    m.file.system = with_parameters(m.file.system, {{name, value}});
    m.started.reset();
    m.reactions.reset();
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_sensitivities(sunlagrange_mechanism* mechanism, const char* const* names, int p, const double* times,
                              int num_times, double* dq, double* dv, double* da, double* dlambda) {
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    auto wanted = take_names<SensitivityOptions>(names, p);
    require_given(times, "times", "give num_times of them");
    require_positive(num_times, "num_times");
    wanted.times.assign(times, times + num_times);
    const Sensitivities& found = *keep(*mechanism, sensitivities(file.system, file.start, file.options, wanted));
    if (!found.status.finished()) throw Failed{found.status};
    copy_points(found.points, &SensitivityPoint::q, dq);
    copy_points(found.points, &SensitivityPoint::v, dv);
    copy_points(found.points, &SensitivityPoint::a, da);
    copy_points(found.points, &SensitivityPoint::lambda, dlambda);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_gradient(sunlagrange_mechanism* mechanism, const char* functional, const char* const* names, int p,
                         double* value, double* gradient) {
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    const auto wanted = take_names<GradientOptions>(names, p);
    require_given(functional, "functional", "say it in words, e.g. \"final bob.x\"");
    const double duration = file.options.t_end - file.start.t;
    const Gradient& found =
        *keep(*mechanism, sunlagrange::gradient(file.system, file.start, file.options,
                                                named_functional(*file.system, functional, duration), wanted));
    if (!found.status.finished()) throw Failed{found.status};
    copy(found.value, value);
    copy(found.gradient, gradient);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_kinematics(sunlagrange_mechanism* mechanism, const char* coordinate, const double* grid, int count,
                           double* q, double* rate, double* curvature, int* reached) {
  if (reached != nullptr) *reached = 0;
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    require_given(coordinate, "coordinate", "name the driven one, e.g. \"crank.phi\"");
    require_given(grid, "grid", "give `count` values of the coordinate");
    require_positive(count, "count");
    KinematicsOptions options;
    options.linear_solver = file.options.linear_solver;
    options.keep_going = file.options.keep_going;
    const Kinematics& found =
        *keep(*mechanism, kinematics(file.system, file.start, coordinate, {grid, grid + count}, options));
    if (!found.branches.empty()) {
      const std::vector<KinematicPoint>& points = found.branches.front().points;
      const Eigen::Index n = file.system->num_positions();
      copy_vectors(points, &KinematicPoint::q, n, q);
      copy_vectors(points, &KinematicPoint::rate, n, rate);
      copy_vectors(points, &KinematicPoint::curvature, n, curvature);
      if (reached != nullptr) *reached = static_cast<int>(points.size());
    }
    if (!found.status.finished()) throw Failed{found.status};
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_inverse_dynamics(sunlagrange_mechanism* mechanism, double t, const double* q, const double* v,
                                 const double* a, const char* const* drives, int num_drives, double* drive,
                                 double* lambda, double* missing) {
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    const int n = file.system->num_positions();
    MotionState motion;
    motion.t = t;
    motion.q = vector(q, n, "q");
    motion.v = vector(v, n, "v");
    motion.a = vector(a, n, "a");
    const InverseDynamics& found =
        *keep(*mechanism, inverse_dynamics(file.system, motion, texts(drives, num_drives, "drives")));
    if (!found.status.finished()) throw Failed{found.status};
    copy(found.drive, drive);
    copy(found.lambda, lambda);
    copy(found.missing, missing);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_drive_forces(sunlagrange_mechanism* mechanism, const double* times, int num_times,
                             const char* const* coordinates, const double* values, int num_coordinates, double* q,
                             double* v, double* a, double* lambda, double* drive, double* missing, int* reached) {
  if (reached != nullptr) *reached = 0;
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    require_given(times, "times", "give num_times of them");
    require_positive(num_times, "num_times");
    require_given(values, "values", "give num_times of them for each coordinate");
    const std::vector<double> at(times, times + num_times);
    std::vector<GivenMotion> motions;
    for (const std::string& name : texts(coordinates, num_coordinates, "coordinates")) {
      motions.push_back({name, MotionTable(at, {values, values + num_times})});
      values += num_times;
    }
    const DriveForces& found = *keep(*mechanism, drive_forces(file.system, file.start, motions, at,
                                                              {file.options.linear_solver, file.options.keep_going}));
    const Eigen::Index n = file.system->num_positions(), m = file.system->num_constraints();
    copy_vectors(found.states, &MotionState::q, n, q);
    copy_vectors(found.states, &MotionState::v, n, v);
    copy_vectors(found.states, &MotionState::a, n, a);
    copy_vectors(found.states, &MotionState::lambda, m, lambda);
    copy_vectors(found.drives, &InverseDynamics::drive, num_coordinates, drive);
    for (std::size_t k = 0; k < found.drives.size() && missing != nullptr; ++k) missing[k] = found.drives[k].missing;
    if (reached != nullptr) *reached = static_cast<int>(found.states.size());
    if (!found.status.finished()) throw Failed{found.status};
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_workspace(sunlagrange_mechanism* mechanism, const char* point, const char* const* driven,
                          const double* from, const double* to, const int* counts, int num_driven, int* reach,
                          double* q, double* place, double* manipulability, int* num_entries) {
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    require_given(point, "point", "name a block or its coordinates, e.g. \"hand\"");
    require_given(from, "from", "give the first value of each driven coordinate");
    require_given(to, "to", "give the last value of each driven coordinate");
    require_given(counts, "counts", "give the number of values of each driven coordinate");
    std::vector<DrivenRange> ranges;
    for (const std::string& name : texts(driven, num_driven, "driven")) {
      const std::size_t k = ranges.size();
      ranges.push_back({name, from[k], to[k], counts[k]});
    }
    WorkspaceOptions options;
    options.linear_solver = file.options.linear_solver;
    options.keep_going = file.options.keep_going;
    const MechanismWorkspace& found = *keep(*mechanism, workspace(file.system, file.start, {point}, ranges, options));
    const auto entries = static_cast<Eigen::Index>(found.point.size());
    copy_vectors(found.points, &WorkspacePoint::q, file.system->num_positions(), q);
    copy_vectors(found.points, &WorkspacePoint::place, entries, place);
    for (std::size_t k = 0; k < found.points.size(); ++k) {
      if (reach != nullptr) reach[k] = static_cast<int>(found.points[k].reach);
      if (manipulability != nullptr) manipulability[k] = found.points[k].manipulability;
    }
    if (num_entries != nullptr) *num_entries = static_cast<int>(entries);
    if (!found.status.finished()) throw Failed{found.status};
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_redundancy(sunlagrange_mechanism* mechanism, int* rank, int* redundant, int* permanent) {
  return guarded(__func__, [&] {
    const MotionState& start = started(checked(mechanism));
    const RedundancyReport& found =
        *keep(*mechanism, analyse_redundancy(mechanism->file.system, start.t, start.q, start.v));
    if (!found.status.finished()) throw Failed{found.status};
    if (rank != nullptr) *rank = found.rank;
    if (redundant != nullptr) *redundant = found.redundant;
    if (permanent != nullptr) *permanent = found.permanence_known() ? found.permanent : -1;
    return SUNLAGRANGE_SUCCESS;
  });
}

const char* sunlagrange_result_json(sunlagrange_mechanism* mechanism) {
  return guarded_text(__func__, [&] {
    JsonFigures json;
    last_result(checked(mechanism))(json);
    mechanism->result_json = json.str();
    return mechanism->result_json.c_str();
  });
}

int sunlagrange_result_figure(sunlagrange_mechanism* mechanism, const char* name, double* value) {
  return guarded(__func__, [&] {
    const auto& describe = last_result(checked(mechanism));
    copy(figure_by_name(describe, name), value);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_identify(sunlagrange_mechanism* mechanism, const sunlagrange_measurement* measurements,
                         int num_measurements, const char* const* names, int p, double* estimate, double* deviation,
                         double* covariance, double* noise_factor) {
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    const auto wanted = take_names<IdentificationOptions>(names, p);
    require_given(measurements, "measurements", "give num_measurements of them");
    require_positive(num_measurements, "num_measurements");
    std::vector<Measurement> measured;
    for (int k = 0; k < num_measurements; ++k) measured.push_back(measurement(measurements[k]));
    const Identification& found = *keep(*mechanism, identify(file.system, file.start, measured, file.options, wanted));
    for (std::size_t i = 0; i < found.parameters.size() && estimate != nullptr; ++i)
      estimate[i] = found.parameters[i].value;
    copy(found.deviation, deviation);
    if (covariance != nullptr)
      Eigen::MatrixXd::Map(covariance, found.covariance.rows(), found.covariance.cols()) = found.covariance;
    copy(found.noise_factor, noise_factor);
    if (!found.status.finished()) throw Failed{found.status};
    return SUNLAGRANGE_SUCCESS;
  });
}
