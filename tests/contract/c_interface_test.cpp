// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>

#include <sunlagrange/sunlagrange_c.h>
#include <sunlagrange/files/mechanism_file.hpp>
#include <sunlagrange/model/model_functions.hpp>
#include <sunlagrange/simulation/catalogue.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>
#include <sunlagrange/sundials/new_vector.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/mechanism.hpp"

/// What runs through C is what runs through C++, bit for bit: every formulation, mechanism by mechanism.
using namespace sunlagrange;

namespace {

/// Handles of C in C++.
struct Mechanism {
  sunlagrange_mechanism* handle = nullptr;
  explicit Mechanism(const std::string& text) {
    BOOST_REQUIRE_MESSAGE(sunlagrange_from_json(text.c_str(), "test.json", &handle) == SUNLAGRANGE_SUCCESS,
                          sunlagrange_error());
  }
  explicit Mechanism(sunlagrange_mechanism* made) : handle(made) {}
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;
  ~Mechanism() { sunlagrange_free(&handle); }
};

struct Run {
  sunlagrange_run* handle = nullptr;
  ~Run() { sunlagrange_run_free(&handle); }
};

/// Those with a file, as it is written.
std::vector<std::pair<std::string, std::string>> model_files() {
  std::vector<std::pair<std::string, std::string>> files;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    const mechanisms::Mechanism mechanism = entry.make(entry.sized() ? 3 : 0);
    const bool large = mechanism.system->num_positions() > 15;  // a few steps are enough: a matter of time
    MechanismFile file;
    file.system = mechanism.system;
    file.start = mechanism.start;
    file.options.t_end = mechanism.start.t + (large ? 1e-4 : 0.01) * (mechanism.t_end - mechanism.start.t);
    if (large) file.options.max_steps = 5;
    file.options.gains = mechanism.gains;
    file.options.start = mechanism.start_mode;
    file.options.linear_solver.rank_policy = mechanism.rank_policy;
    try {
      files.emplace_back(entry.name, mechanism_text(file));
    } catch (const Error&) {  // a model that is no assembly
    }
  }
  return files;
}

bool same_bits(const std::vector<double>& a, const Eigen::Ref<const Eigen::VectorXd>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = b[static_cast<Eigen::Index>(i)];
    if (a[i] != x && !(std::isnan(a[i]) && std::isnan(x))) return false;
  }
  return static_cast<Eigen::Index>(a.size()) == b.size();
}

void check_same_states(const sunlagrange_run* run, const Trajectory& path) {
  BOOST_REQUIRE(sunlagrange_run_num_states(run) == static_cast<long>(path.size()));
  const auto n = static_cast<std::size_t>(path.num_positions()), m = static_cast<std::size_t>(path.num_constraints());
  std::vector<double> q(n), v(n), a(n), lambda(m);
  for (std::size_t k = 0; k < path.size(); ++k) {
    double t = 0.0;
    BOOST_REQUIRE(sunlagrange_run_state(run, static_cast<long>(k), &t, q.data(), v.data(), a.data(), lambda.data()) ==
                  SUNLAGRANGE_SUCCESS);
    BOOST_REQUIRE(t == path.t(k));
    BOOST_REQUIRE(same_bits(q, path.q(k)));
    BOOST_REQUIRE(same_bits(v, path.v(k)));
    BOOST_REQUIRE(same_bits(a, path.a(k)));
    BOOST_REQUIRE(same_bits(lambda, path.lambda(k)));
  }
}

std::string text(const char* words) {
  return words != nullptr ? words : "";
}

}  // namespace

namespace {

/// Every formulation through C and through C++; how many runs were compared.
template <class Make>  // of the handle in C
int compare_runs(const std::string& name, Make&& make, MechanismFile plain) {
  int compared = 0;
  for (const FormulationInfo& formulation : formulations()) {
    BOOST_TEST_CONTEXT(name << ", " << formulation.name) {
      Mechanism mechanism(make());
      plain.options.formulation = std::string(formulation.name);
      BOOST_REQUIRE(sunlagrange_set_text(mechanism.handle, "formulation", std::string(formulation.name).c_str()) ==
                    SUNLAGRANGE_SUCCESS);
      if (formulation.equations == Equations::one_step) {
        plain.options.step = (plain.options.t_end - plain.start.t) / 32;
        BOOST_REQUIRE(sunlagrange_set_number(mechanism.handle, "step", plain.options.step) == SUNLAGRANGE_SUCCESS);
      }
      Run run;
      const int code = sunlagrange_simulate(mechanism.handle, &run.handle);
      try {
        const Simulation wanted = simulate(plain.system, plain.start, plain.options);
        BOOST_TEST((code == SUNLAGRANGE_SUCCESS) == wanted.status.finished());
        BOOST_TEST(text(sunlagrange_run_outcome(run.handle)) == to_string(wanted.status.outcome));
        BOOST_TEST(text(sunlagrange_run_message(run.handle)) == wanted.status.message);
        check_same_states(run.handle, wanted.trajectory);
        ++compared;
      } catch (const Error& refused) {  // of a system that the formulation cannot treat
        BOOST_TEST(code == SUNLAGRANGE_INVALID);
        BOOST_TEST((run.handle == nullptr));
        BOOST_TEST(text(sunlagrange_error()) == "sunlagrange_simulate: " + std::string(refused.what()));
      }
    }
  }
  return compared;
}

/// A pendulum of 2 kg on a rod of 1 m, without derivatives.
int mass(double, const double*, double* M, void*) {
  M[0] = M[3] = 2.0;
  return 0;
}
int force(double t, const double* q, const double* v, double* f, void*) {
  f[0] = std::sin(3.0 * t) - 0.1 * v[0];
  f[1] = -2.0 * 9.81 - 0.2 * q[1];
  return 0;
}
int rod(double, const double* q, double* g, void*) {
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  return 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(runs) {
  int compared = 0;
  for (const auto& [name, file] : model_files())
    compared += compare_runs(
        name, [&text = file] { return text; }, parse_mechanism(file, "test.json"));
  BOOST_TEST_MESSAGE(compared << " runs compared");
  BOOST_TEST(compared > 60);
}

BOOST_AUTO_TEST_CASE(models_of_functions) {
  sunlagrange_functions f{};
  f.struct_size = sizeof f;
  f.num_positions = 2;
  f.num_constraints = 1;
  f.mass_matrix = mass;
  f.applied_force = force;
  f.constraint = rod;
  ModelFunctions same;
  same.num_positions = 2;
  same.num_constraints = 1;
  using In = ModelFunctions::In;
  same.mass_matrix = [](double t, In q, ModelFunctions::Matrix M) { return mass(t, q.data(), M.data(), nullptr) == 0; };
  same.applied_force = [](double t, In q, In v, View<double> to) {
    return force(t, q.data(), v.data(), to.data(), nullptr) == 0;
  };
  same.constraint = [](double t, In q, View<double> g) { return rod(t, q.data(), g.data(), nullptr) == 0; };
  MechanismFile plain;
  plain.system = make_system(same);
  plain.start = {0.0, Eigen::Vector2d(1.0, 0.0), {}};
  plain.options.t_end = 0.3;
  const auto make = [&] {
    sunlagrange_mechanism* made = nullptr;
    BOOST_REQUIRE_MESSAGE(sunlagrange_from_functions(&f, &made) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
    sunlagrange_set_start(made, 0.0, plain.start.q.data(), nullptr);
    sunlagrange_set_number(made, "t_end", plain.options.t_end);
    return made;
  };
  BOOST_TEST(compare_runs("functions", make, plain) > 10);
}

BOOST_AUTO_TEST_CASE(integrators_of_the_application) {
  int compared = 0;
  for (const auto& [name, file] : model_files()) {
    for (const FormulationInfo& formulation : formulations()) {
      if (formulation.equations == Equations::one_step || formulation.for_programs) continue;
      BOOST_TEST_CONTEXT(name << ", " << formulation.name) {
        Mechanism mechanism(file);
        const MechanismFile plain = parse_mechanism(file, "test.json");
        sunlagrange_set_text(mechanism.handle, "formulation", std::string(formulation.name).c_str());
        const bool ode = formulation.equations == Equations::ode;
        const double t_end = plain.options.t_end;

        sunlagrange_layout layout{};
        layout.struct_size = sizeof layout;
        if (sunlagrange_get_layout(mechanism.handle, &layout) != SUNLAGRANGE_SUCCESS) continue;  // not for this system
        SUNContext context = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
        SUNContext_Create(SUN_COMM_NULL, &context);
#else
        SUNContext_Create(nullptr, &context);
#endif
        std::vector<std::vector<double>> ends;
        for (const bool through_c : {true, false}) {
          N_Vector y = (through_c ? sunlagrange_new_vector : new_vector)(layout.size, context), yp = N_VClone(y);
          AttachOptions options;
          static_cast<FormulationChoice&>(options) = plain.options;
          options.formulation = std::string(formulation.name);
          options.t_span = t_end - plain.start.t;
          ConsistencyOptions consistency;
          consistency.start = plain.options.start;
          consistency.linear_solver = plain.options.linear_solver;
          const MotionState start = consistent_state(plain.system, plain.start, consistency).state;
          if (through_c)
            BOOST_REQUIRE(sunlagrange_initial_values(mechanism.handle, y, ode ? nullptr : yp) == SUNLAGRANGE_SUCCESS);
          else
            initial_values(plain.system, start, options, y, ode ? nullptr : yp);
          void* memory = ode ? CVodeCreate(CV_BDF, context) : IDACreate(context);
          sunlagrange_attachment* attached = nullptr;
          std::optional<Attachment> attachment;
          sunrealtype t = 0.0;
          if (ode) {
            CVodeInit(memory, through_c ? sunlagrange_cvode_rhs : cvode_rhs, start.t, y);
            CVodeSStolerances(memory, 1e-6, 1e-8);
            if (through_c)
              BOOST_REQUIRE(sunlagrange_attach_cvode(mechanism.handle, memory, context, y, 0, &attached) ==
                            SUNLAGRANGE_SUCCESS);
            else
              attachment.emplace(attach_cvode(memory, context, y, plain.system, start, options));
            CVode(memory, t_end, y, &t, CV_NORMAL);
            CVodeFree(&memory);
          } else {
            IDAInit(memory, through_c ? sunlagrange_ida_residual : ida_residual, start.t, y, yp);
            if (through_c)
              BOOST_REQUIRE(sunlagrange_attach_ida(mechanism.handle, memory, context, y, 0, &attached) ==
                            SUNLAGRANGE_SUCCESS);
            else
              attachment.emplace(attach_ida(memory, context, y, plain.system, start, options));
            IDASolve(memory, t_end, &t, y, yp, IDA_NORMAL);
            IDAFree(&memory);
          }
          const double* values = N_VGetArrayPointer(y);
          ends.emplace_back(values, values + layout.size);
          ends.back().push_back(t);
          sunlagrange_detach(&attached);
          attachment.reset();
          N_VDestroy(y);
          N_VDestroy(yp);
        }
        SUNContext_Free(&context);
        BOOST_TEST(same_bits(ends[0], Eigen::VectorXd::Map(ends[1].data(), layout.size + 1)));
        ++compared;
      }
    }
  }
  BOOST_TEST_MESSAGE(compared << " runs compared");
  BOOST_TEST(compared > 50);
}
