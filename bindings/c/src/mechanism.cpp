// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <sunlagrange/derivatives/check_derivatives.hpp>
#include <sunlagrange/model/model_functions.hpp>
#include <sunlagrange/model/start_values.hpp>

#include "handles.hpp"

using namespace sunlagrange;
using namespace sunlagrange::c;

namespace {

/// Returns true for the code 0, by which the model accepts the point, and false if it declines the point.
bool accepted(const char* name, int returned) {
  if (returned < 0) throw ModelFailure(std::string(name) + " returned " + std::to_string(returned));
  return returned == 0;
}

/// Sets target to the C function, unless it is NULL.
template <class Target, class... Arguments>
void take(Target& target, const char* name, int (*function)(double, Arguments...), void* data) {
  if (function == nullptr) return;
  target = [name, function, data](double t, auto... views) {
    return accepted(name, function(t, views.data()..., data));
  };
}

void take(std::function<double(double, View<const double>, View<const double>)>& target,
          double (*function)(double, const double*, const double*, void*), void* data) {
  if (function == nullptr) return;
  target = [function, data](double t, View<const double> q, View<const double> v) {
    return function(t, q.data(), v.data(), data);
  };
}

void take(std::vector<std::string>& target, const char* const* names, int count, const char* list) {
  if (names == nullptr) return;
  for (int i = 0; i < count; ++i) {
    if (names[i] == nullptr)
      throw Error(std::string(list) + "[" + std::to_string(i) + "] is null; give a name to each, or no list");
    target.emplace_back(names[i]);
  }
}

ModelFunctions model_of(const sunlagrange_functions* given) {
  require_given(given, "functions", "fill a sunlagrange_functions");
  sunlagrange_functions f{};
  if (given->struct_size != sizeof f)
    throw Error("struct_size = " + std::to_string(given->struct_size) + ", must be sizeof(sunlagrange_functions) = " +
                std::to_string(sizeof f) + "; set it, and compile with the header of this library");
  std::memcpy(&f, given, sizeof f);
  ModelFunctions model;
  model.num_positions = f.num_positions;
  model.num_constraints = f.num_constraints;
  model.num_velocity_constraints = f.num_velocity_constraints;
  model.constant_mass_matrix = f.constant_mass_matrix != 0;
#define SUNLAGRANGE_TAKE(member) take(model.member, #member, f.member, f.data)
  SUNLAGRANGE_TAKE(mass_matrix);
  SUNLAGRANGE_TAKE(applied_force);
  SUNLAGRANGE_TAKE(constraint);
  SUNLAGRANGE_TAKE(velocity_constraint);
  SUNLAGRANGE_TAKE(constraint_jacobian);
  SUNLAGRANGE_TAKE(constraint_acceleration_bias);
  SUNLAGRANGE_TAKE(force_jacobians);
  SUNLAGRANGE_TAKE(inertia_jacobian);
  SUNLAGRANGE_TAKE(constraint_force_jacobian);
#undef SUNLAGRANGE_TAKE
  take(model.energy, f.energy, f.data);
  take(model.power, f.power, f.data);
  take(model.position_names, f.position_names, f.num_positions, "position_names");
  take(model.constraint_names, f.constraint_names, f.num_constraints + f.num_velocity_constraints, "constraint_names");
  return model;
}

/// Sets *mechanism to the result of make(), or to null if that throws.
template <class Make>
int create(const char* function, sunlagrange_mechanism** mechanism, Make&& make) noexcept {
  if (mechanism != nullptr) *mechanism = nullptr;
  return guarded(function, [&] {
    require_given(mechanism, "mechanism", "give the address of a sunlagrange_mechanism*");
    auto made = std::make_unique<sunlagrange_mechanism>();
    make(*made);
    *mechanism = made.release();
    return SUNLAGRANGE_SUCCESS;
  });
}

/// Changes start or options. Results that depend on the old ones are dropped.
template <class Change>
int change(const char* function, sunlagrange_mechanism* mechanism, Change&& what) noexcept {
  return guarded(function, [&] {
    checked(mechanism);
    what(mechanism->file);
    mechanism->started.reset();
    mechanism->reactions.reset();
    return SUNLAGRANGE_SUCCESS;
  });
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// Sets one option to a value in JSON.
void set_option(MechanismFile& file, const char* option, const std::string& value) {
  require_given(option, "option", "name one, e.g. \"rtol\"");
  read_options(file, "{" + quoted(option) + ": " + value + "}", "options");
}

int named_position(const MechanicalSystem& system, const char* name) {
  require_given(name, "name", "name a coordinate, e.g. \"arm.phi\"");
  StartValues(std::shared_ptr<const MechanicalSystem>(std::shared_ptr<void>(),
                                                      &system))[name];  // throws if there is no such coordinate
  return system.position_indices(name).front();
}

/// Sets one coordinate of q or v, and adds it to `held` if it is to be kept.
int set_value(const char* function, sunlagrange_mechanism* mechanism, const char* name, double value,
              Eigen::VectorXd InitialState::*values, std::vector<std::string> InitialState::*held) noexcept {
  return change(function, mechanism, [&](MechanismFile& file) {
    const int i = named_position(*file.system, name);
    if (!std::isfinite(value)) throw Error(std::string(name) + " = " + std::to_string(value) + " is not finite");
    Eigen::VectorXd& x = file.start.*values;
    if (x.size() == 0) x.setZero(file.system->num_positions());
    x[i] = value;
    if (held != nullptr) (file.start.*held).emplace_back(file.system->position_name(i));
  });
}

Reactions reactions_at(sunlagrange_mechanism* mechanism, double t, const double* q, const double* v) {
  const int n = checked(mechanism).file.system->num_positions();
  require_given(q, "q", "give the n positions");
  require_given(v, "v", "give the n velocities");
  const InitialState state{t, Eigen::VectorXd::Map(q, n), Eigen::VectorXd::Map(v, n)};
  if (!mechanism->reactions) {  // the start affects only gains, and physical forces do not depend on them
    FormulationOptions options;
    static_cast<FormulationChoice&>(options) = mechanism->file.options;
    mechanism->reactions.emplace(mechanism->file.system, state, options);
  }
  return mechanism->reactions->at(t, state.q, state.v);
}

/// All joint forces at one state.
struct JointForces {
  std::vector<JointForce> list;

  void describe(Figures& f) { f("joint_forces", list, "forces of all joints on all bodies"); }
};

}  // namespace

int sunlagrange_from_file(const char* file, sunlagrange_mechanism** mechanism) {
  return create(__func__, mechanism, [&](sunlagrange_mechanism& made) {
    require_given(file, "file", "name a model file");
    made.file = read_mechanism(file);
  });
}

int sunlagrange_from_json(const char* text, const char* source, sunlagrange_mechanism** mechanism) {
  return create(__func__, mechanism, [&](sunlagrange_mechanism& made) {
    require_given(text, "text", "give the text of a model file");
    made.file = parse_mechanism(text, source != nullptr ? source : "model");
  });
}

int sunlagrange_from_functions(const sunlagrange_functions* functions, sunlagrange_mechanism** mechanism) {
  return create(__func__, mechanism, [&](sunlagrange_mechanism& made) {
    made.file.system = make_system(model_of(functions));
    made.file.start.q.setZero(made.file.system->num_positions());
    made.of_functions = true;
  });
}

void sunlagrange_free(sunlagrange_mechanism** mechanism) {
  if (mechanism == nullptr) return;
  delete *mechanism;
  *mechanism = nullptr;
}

int sunlagrange_to_json(sunlagrange_mechanism* mechanism, const char** text) {
  if (text != nullptr) *text = nullptr;
  return guarded(__func__, [&] {
    require_given(text, "text", "give the address of a const char*");
    if (checked(mechanism).of_functions) throw Error("a model made of functions has no file; describe it by elements");
    mechanism->json = mechanism_text(mechanism->file);
    *text = mechanism->json.c_str();
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_num_positions(const sunlagrange_mechanism* mechanism) {
  return guarded(__func__, [&] { return checked(mechanism).file.system->num_positions(); });
}

int sunlagrange_num_constraints(const sunlagrange_mechanism* mechanism) {
  return guarded(__func__, [&] { return checked(mechanism).file.system->num_constraints(); });
}

int sunlagrange_num_position_constraints(const sunlagrange_mechanism* mechanism) {
  return guarded(__func__, [&] { return checked(mechanism).file.system->num_position_constraints(); });
}

const char* sunlagrange_position_name(const sunlagrange_mechanism* mechanism, int position) {
  return guarded_text(__func__, [&] {
    const MechanicalSystem& system = *checked(mechanism).file.system;
    if (position < 0 || position >= system.num_positions())
      throw Error("position = " + std::to_string(position) + ", must be 0 to " +
                  std::to_string(system.num_positions() - 1));
    return system.position_name(position).c_str();
  });
}

const char* sunlagrange_constraint_name(const sunlagrange_mechanism* mechanism, int row) {
  return guarded_text(__func__, [&] {
    const MechanicalSystem& system = *checked(mechanism).file.system;
    if (row < 0 || row >= system.num_constraints())
      throw Error("row = " + std::to_string(row) + ", must be 0 to " + std::to_string(system.num_constraints() - 1));
    return system.constraint_name(row).c_str();
  });
}

int sunlagrange_position_index(const sunlagrange_mechanism* mechanism, const char* name) {
  return guarded(__func__, [&] { return named_position(*checked(mechanism).file.system, name); });
}

int sunlagrange_constraint_rows(const sunlagrange_mechanism* mechanism, const char* name, int* rows, int* count) {
  return guarded(__func__, [&] {
    const MechanicalSystem& system = *checked(mechanism).file.system;
    require_given(name, "name", "name a constraint, a row or an element");
    const std::vector<int> found = system.constraint_rows(name);
    if (found.empty())
      throw Error("no constraint \"" + std::string(name) + "\"; sunlagrange_constraint_name() lists the rows");
    if (rows != nullptr) std::copy(found.begin(), found.end(), rows);
    if (count != nullptr) *count = static_cast<int>(found.size());
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_set_options(sunlagrange_mechanism* mechanism, const char* json) {
  return change(__func__, mechanism, [&](MechanismFile& file) {
    require_given(json, "json", "give an object, e.g. {\"rtol\": 1e-8}");
    read_options(file, json, "options");
  });
}

int sunlagrange_set_text(sunlagrange_mechanism* mechanism, const char* option, const char* value) {
  return change(__func__, mechanism, [&](MechanismFile& file) {
    require_given(value, "value", "give the option a value");
    set_option(file, option, quoted(value));
  });
}

int sunlagrange_set_number(sunlagrange_mechanism* mechanism, const char* option, double value) {
  return change(__func__, mechanism, [&](MechanismFile& file) {
    const std::string called = option != nullptr ? option : "option";
    if (!std::isfinite(value)) throw Error(called + " is not finite");
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    set_option(file, option, digits);
  });
}

int sunlagrange_set_start(sunlagrange_mechanism* mechanism, double t, const double* q, const double* v) {
  return change(__func__, mechanism, [&](MechanismFile& file) {
    require_given(q, "q", "give the n positions");
    const int n = file.system->num_positions();
    require_finite(t);
    for (int i = 0; i < n; ++i) {
      if (!std::isfinite(q[i]) || (v != nullptr && !std::isfinite(v[i])))
        throw Error((std::isfinite(q[i]) ? "v of " : "q of ") + file.system->position_name(i) + " is not finite");
    }
    InitialState start;
    start.t = t;
    start.q = Eigen::VectorXd::Map(q, n);
    if (v != nullptr) start.v = Eigen::VectorXd::Map(v, n);
    file.start = std::move(start);
  });
}

int sunlagrange_set_position(sunlagrange_mechanism* mechanism, const char* name, double value) {
  return set_value(__func__, mechanism, name, value, &InitialState::q, nullptr);
}

int sunlagrange_set_velocity(sunlagrange_mechanism* mechanism, const char* name, double value) {
  return set_value(__func__, mechanism, name, value, &InitialState::v, nullptr);
}

int sunlagrange_hold_position(sunlagrange_mechanism* mechanism, const char* name, double value) {
  return set_value(__func__, mechanism, name, value, &InitialState::q, &InitialState::fixed_positions);
}

int sunlagrange_hold_velocity(sunlagrange_mechanism* mechanism, const char* name, double value) {
  return set_value(__func__, mechanism, name, value, &InitialState::v, &InitialState::fixed_velocities);
}

int sunlagrange_consistent_start(sunlagrange_mechanism* mechanism, double* t, double* q, double* v, double* a,
                                 double* lambda) {
  return guarded(__func__, [&] {
    const MotionState& state = started(checked(mechanism));
    copy(state.t, t);
    copy(state.q, q);
    copy(state.v, v);
    copy(state.a, a);
    copy(state.lambda, lambda);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_check_derivatives(sunlagrange_mechanism* mechanism, double t, const double* q, const double* v,
                                  double tolerance, const char** text) {
  if (text != nullptr) *text = nullptr;
  return guarded(__func__, [&] {
    const auto& system = checked(mechanism).file.system;
    require_given(q, "q", "give the n positions of a point in general position");
    require_given(v, "v", "give the n velocities");
    require_finite(t);
    if (!(tolerance > 0.0)) throw Error("tolerance = " + std::to_string(tolerance) + ", must be positive, e.g. 1e-4");
    const int n = system->num_positions();
    const DerivativeCheck found =
        check_derivatives(system, t, Eigen::VectorXd::Map(q, n), Eigen::VectorXd::Map(v, n), tolerance);
    mechanism->derivatives = found.text();
    if (text != nullptr) *text = mechanism->derivatives.c_str();
    if (!found.passed) throw Failed{{Outcome::model_error, found.verdict()}};
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_reactions(sunlagrange_mechanism* mechanism, double t, const double* q, const double* v, double* lambda,
                          double* a) {
  return guarded(__func__, [&] {
    const Reactions found = reactions_at(mechanism, t, q, v);
    if (!found.status.finished()) throw Failed{found.status};
    copy(found.ideal, lambda);
    copy(found.ideal_acceleration, a);
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_joint_forces(sunlagrange_mechanism* mechanism, double t, const double* q, const double* v, int* count,
                             int* num_undetermined) {
  return guarded(__func__, [&] {
    const Reactions reactions = reactions_at(mechanism, t, q, v);
    if (!reactions.status.finished()) throw Failed{reactions.status};
    const auto& system = mechanism->file.system;
    const int n = system->num_positions();
    const std::vector<JointForce>& found =
        keep(*mechanism, JointForces{joint_forces(system, t, Eigen::VectorXd::Map(q, n), Eigen::VectorXd::Map(v, n),
                                                  reactions.ideal)})
            ->list;
    if (count != nullptr) *count = static_cast<int>(found.size());
    if (num_undetermined != nullptr) {
      *num_undetermined = static_cast<int>(
          std::count_if(found.begin(), found.end(), [](const JointForce& force) { return !force.unique; }));
    }
    return SUNLAGRANGE_SUCCESS;
  });
}

int sunlagrange_constraint_force(sunlagrange_mechanism* mechanism, double t, const double* q, const double* v,
                                 const char* constraint, double* force) {
  return guarded(__func__, [&] {
    require_given(constraint, "constraint", "name a constraint, a row or an element");
    const Reactions found = reactions_at(mechanism, t, q, v);
    if (!found.status.finished()) throw Failed{found.status};
    copy(found.force_of(constraint), force);
    return SUNLAGRANGE_SUCCESS;
  });
}
