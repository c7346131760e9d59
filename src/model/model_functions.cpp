// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/model_functions.hpp>

#include <utility>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/make_system.hpp>

#include "base/problems.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// The functions as an element. Empty functions are also called when the indices are checked; they do nothing.
struct FunctionModel {
  using In = ModelFunctions::In;
  using Out = ModelFunctions::Out;
  using Matrix = ModelFunctions::Matrix;

  ModelFunctions f;

  int num_positions() const { return f.num_positions; }
  int num_constraints() const { return f.num_constraints; }
  int num_velocity_constraints() const { return f.num_velocity_constraints; }

  bool has_member(OptionalMember member) const {
    switch (member) {
      case OptionalMember::constraint:
        return f.num_constraints > 0;
      case OptionalMember::velocity_constraint:
        return f.num_velocity_constraints > 0;
      case OptionalMember::constraint_jacobian:
        return f.constraint_jacobian != nullptr;
      case OptionalMember::constraint_acceleration_bias:
        return f.constraint_acceleration_bias != nullptr;
      case OptionalMember::force_jacobians:
        return f.force_jacobians != nullptr;
      case OptionalMember::inertia_jacobian:
        return f.inertia_jacobian != nullptr;
      case OptionalMember::constraint_force_jacobian:
        return f.constraint_force_jacobian != nullptr;
      case OptionalMember::energy:
        return f.energy != nullptr;
      case OptionalMember::power:
        return f.power != nullptr;
      case OptionalMember::constant_mass_matrix:
        return f.constant_mass_matrix;
    }
    return false;
  }

  bool mass_matrix(double t, In q, Matrix M) const { return f.mass_matrix(t, q, M); }
  bool applied_force(double t, In q, In v, Out force) const { return f.applied_force(t, q, v, force); }
  bool constraint(double t, In q, Out g) const { return !f.constraint || f.constraint(t, q, g); }
  bool velocity_constraint(double t, In q, In v, Out psi) const {
    return !f.velocity_constraint || f.velocity_constraint(t, q, v, psi);
  }
  bool constraint_jacobian(double t, In q, Matrix G) const {
    return !f.constraint_jacobian || f.constraint_jacobian(t, q, G);
  }
  bool constraint_acceleration_bias(double t, In q, In v, Out gamma) const {
    return !f.constraint_acceleration_bias || f.constraint_acceleration_bias(t, q, v, gamma);
  }
  bool force_jacobians(double t, In q, In v, Matrix f_q, Matrix f_v) const {
    return !f.force_jacobians || f.force_jacobians(t, q, v, f_q, f_v);
  }
  bool inertia_jacobian(double t, In q, In a, Matrix Ma_q) const {
    return !f.inertia_jacobian || f.inertia_jacobian(t, q, a, Ma_q);
  }
  bool constraint_force_jacobian(double t, In q, In lambda, Matrix K) const {
    return !f.constraint_force_jacobian || f.constraint_force_jacobian(t, q, lambda, K);
  }
  double energy(double t, In q, In v) const { return f.energy(t, q, v); }
  double power(double t, In q, In v) const { return f.power(t, q, v); }

  std::vector<std::string> constraint_names() const { return f.constraint_names; }
  std::vector<std::string> position_names() const { return f.position_names; }
};

/// Returns everything that is missing or does not fit, one a line.
std::string objections(const ModelFunctions& f) {
  std::string problems;
  const auto object = [&problems](const std::string& text) { problems += text + "\n"; };
  if (f.num_positions <= 0) object("num_positions = " + std::to_string(f.num_positions) + ", must be positive");
  if (!f.mass_matrix) object("mass_matrix is missing; every model needs one");
  if (!f.applied_force) object("applied_force is missing; it may leave f = 0");
  const auto rows = [&](const char* count, int m, const char* function, bool given) {
    if (m < 0) object(std::string(count) + " = " + std::to_string(m) + ", must not be negative");
    if (m > 0 && !given)
      object(std::string(count) + " = " + std::to_string(m) + ", but " + function + " is missing; give it, or 0 rows");
    if (m == 0 && given)
      object(std::string(function) + " is given, but " + count + " = 0; say how many rows it writes");
  };
  rows("num_constraints", f.num_constraints, "constraint", f.constraint != nullptr);
  rows("num_velocity_constraints", f.num_velocity_constraints, "velocity_constraint", f.velocity_constraint != nullptr);
  const auto of_rows = [&](const char* function, bool given) {
    if (given && !f.constraint) object(std::string(function) + " is given, but constraint is missing");
  };
  of_rows("constraint_jacobian", f.constraint_jacobian != nullptr);
  of_rows("constraint_acceleration_bias", f.constraint_acceleration_bias != nullptr);
  of_rows("constraint_force_jacobian", f.constraint_force_jacobian != nullptr);
  if (f.power && !f.energy)
    object("power is given, but energy is missing; it is the power of what energy does not hold");
  const auto names = [&](const char* list, std::size_t count, int wanted) {
    if (count != 0 && wanted >= 0 && count != static_cast<std::size_t>(wanted))
      object(std::string(list) + " has " + std::to_string(count) + " names, must have " + std::to_string(wanted) +
             " or none");
  };
  names("position_names", f.position_names.size(), f.num_positions);
  names("constraint_names", f.constraint_names.size(), f.num_constraints + f.num_velocity_constraints);
  return problems;
}

}  // namespace

std::shared_ptr<const MechanicalSystem> make_system(ModelFunctions functions) {
  throw_if_any(objections(functions), "model made of functions");
  return make_system(FunctionModel{std::move(functions)});
}

}  // namespace sunlagrange
