#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/analysis/static_equilibrium.hpp>

#include "handles.hpp"

using namespace sunlagrange;
using namespace sunlagrange::c;

namespace {

/// The matrices of all points, one after the other.
void copy_points(const std::vector<SensitivityPoint>& points, Eigen::MatrixXd SensitivityPoint::*part, double* to) {
  if (to == nullptr) return;
  for (const SensitivityPoint& point : points) {
    const Eigen::MatrixXd& matrix = point.*part;
    Eigen::MatrixXd::Map(to, matrix.rows(), matrix.cols()) = matrix;
    to += matrix.size();
  }
}

/// "rod.L", "q(arm.phi)" or "v(arm.phi)", in this order.
void take_name(const char* name, SensitivityOptions& wanted) {
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

const SystemParameter& parameter(const std::vector<SystemParameter>& all, const char* name) {
  require_given(name, "name", "name a parameter, e.g. \"rod.L\"");
  for (const SystemParameter& p : all) {
    if (p.name == name) return p;
  }
  throw Error("no parameter \"" + std::string(name) + "\"; sunlagrange_parameter_name() lists them");
}

}  // namespace

int sunlagrange_equilibrium(sunlagrange_mechanism* mechanism, double* q, double* lambda, const char** stability) {
  if (stability != nullptr) *stability = nullptr;
  return guarded(__func__, [&] {
    const MechanismFile& file = checked(mechanism).file;
    EquilibriumOptions options;
    options.linear_solver = file.options.linear_solver;
    const Equilibrium found = static_equilibrium(file.system, file.start, options);
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
    ConsistencyOptions options;
    options.start = file.options.start;
    options.linear_solver = file.options.linear_solver;
    const Linearisation about = linearise(file.system, file.start, options);
    if (!about.status.finished()) throw Failed{about.status};
    const Modes found = modes(about);
    const auto n = static_cast<std::size_t>(file.system->num_positions());
    for (std::size_t k = 0; k < found.modes.size(); ++k) {
      const Mode& mode = found.modes[k];
      if (real != nullptr) real[k] = mode.eigenvalue.real();
      if (imaginary != nullptr) imaginary[k] = mode.eigenvalue.imag();
      copy(mode.shape.real(), shape_real == nullptr ? nullptr : shape_real + n * k);
      copy(mode.shape.imag(), shape_imaginary == nullptr ? nullptr : shape_imaginary + n * k);
    }
    if (count != nullptr) *count = static_cast<int>(found.modes.size());
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
    require_given(names, "names", "name p parameters or start values");
    require_given(times, "times", "give num_times of them");
    if (p < 1 || num_times < 1)
      throw Error("p = " + std::to_string(p) + ", num_times = " + std::to_string(num_times) +
                  ", both must be at least 1");
    SensitivityOptions wanted;
    for (int i = 0; i < p; ++i) take_name(names[i], wanted);
    wanted.times.assign(times, times + num_times);
    const Sensitivities found = sensitivities(file.system, file.start, file.options, wanted);
    if (!found.status.finished()) throw Failed{found.status};
    copy_points(found.points, &SensitivityPoint::q, dq);
    copy_points(found.points, &SensitivityPoint::v, dv);
    copy_points(found.points, &SensitivityPoint::a, da);
    copy_points(found.points, &SensitivityPoint::lambda, dlambda);
    return SUNLAGRANGE_SUCCESS;
  });
}
