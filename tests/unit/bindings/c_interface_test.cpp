// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <arkode/arkode_arkstep.h>
#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <nlohmann/json.hpp>
#ifdef SUNLAGRANGE_TEST_VECTORS
#include <nvector/nvector_manyvector.h>
#include <nvector/nvector_openmp.h>
#include <nvector/nvector_pthreads.h>
#endif

#include <sunlagrange/sunlagrange_c.h>
#include <sunlagrange/base/figure_visitors.hpp>
#include <sunlagrange/results/simulation.hpp>

#include "sundials/compatibility.hpp"

namespace ark = sunlagrange::internal::ark;

/// The C interface as its callers meet it: codes and texts for every mistake, nothing thrown, layouts that stay.
namespace {

// The binary interface of version 1: these numbers do not change (64-bit).
static_assert(sizeof(void*) != 8 || (sizeof(sunlagrange_functions) == 136 && sizeof(sunlagrange_layout) == 56));
static_assert(sizeof(void*) != 8 || (offsetof(sunlagrange_functions, num_positions) == 16 &&
                                     offsetof(sunlagrange_functions, mass_matrix) == 32 &&
                                     offsetof(sunlagrange_functions, constraint_jacobian) == 64 &&
                                     offsetof(sunlagrange_functions, energy) == 104 &&
                                     offsetof(sunlagrange_functions, constraint_names) == 128));
static_assert(sizeof(void*) != 8 ||
              (offsetof(sunlagrange_layout, size) == 8 && offsetof(sunlagrange_layout, own_variables) == 52));
static_assert(SUNLAGRANGE_SUCCESS == 0 && SUNLAGRANGE_INVALID == -1 && SUNLAGRANGE_FAILED == -2 &&
              SUNLAGRANGE_MODEL_FAILED == -3 && SUNLAGRANGE_OUT_OF_MEMORY == -4 && SUNLAGRANGE_INTERNAL == -5);
static_assert(SUNLAGRANGE_OWN_LINEAR_SOLVER == 1 && SUNLAGRANGE_OWN_TOLERANCES == 2);

const char* const pendulum = R"({
  "blocks": [{"name": "bob", "kind": "planar_point"}],
  "elements": [
    {"name": "mass", "type": "PointMass", "blocks": ["bob"], "parameters": {"m": 2.0}},
    {"name": "weight", "type": "UniformGravity", "blocks": ["bob"], "parameters": {"m": 2.0}},
    {"name": "rod", "type": "DistanceToGround", "blocks": ["bob"], "parameters": {"L": 1.0}}
  ],
  "start": {"positions": {"bob.x": 1.0}},
  "simulation": {"t_end": 1.0}
})";

/// What the functions of the model below do wrong, and when.
struct Trouble {
  double from = 1e9;   ///< [s]
  int returned = 0;    ///< by applied_force
  double added = 0.0;  ///< to its second entry
};

int mass(double, const double*, double* M, void*) {
  M[0] = M[3] = 1.0;
  return 0;
}
int mass_of_one_more(double, const double*, double* M, void*) {
  M[0] = M[3] = M[4] = 1.0;
  return 0;
}
int force(double t, const double*, const double*, double* f, void* data) {
  f[1] = -9.81;
  const auto* trouble = static_cast<const Trouble*>(data);
  if (!(t > trouble->from)) return 0;
  f[1] += trouble->added;
  return trouble->returned;
}
int rod(double, const double* q, double* g, void*) {
  g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  return 0;
}

int rod_gradient(double, const double* q, double* G, void*) {
  G[0] = q[0];
  G[1] = q[1];
  return 0;
}
int rod_gradient_swapped(double, const double* q, double* G, void*) {
  G[0] = q[1];
  G[1] = q[0];
  return 0;
}
/// Right at random points, between 0.1 and 1, and nowhere else.
int rod_gradient_of_random_points(double t, const double* q, double* G, void* data) {
  return q[1] < 0.0 ? rod_gradient_swapped(t, q, G, data) : rod_gradient(t, q, G, data);
}

struct Mechanism {
  Trouble trouble;
  sunlagrange_mechanism* handle = nullptr;

  Mechanism() { BOOST_REQUIRE(sunlagrange_from_json(pendulum, nullptr, &handle) == SUNLAGRANGE_SUCCESS); }
  explicit Mechanism(Trouble given) : trouble(given) {
    const sunlagrange_functions f = functions();
    BOOST_REQUIRE_MESSAGE(sunlagrange_from_functions(&f, &handle) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
    const double q[] = {1.0, 0.0};
    BOOST_REQUIRE(sunlagrange_set_start(handle, 0.0, q, nullptr) == SUNLAGRANGE_SUCCESS);
  }
  ~Mechanism() { sunlagrange_free(&handle); }
  operator sunlagrange_mechanism*() const { return handle; }

  sunlagrange_functions functions() {
    sunlagrange_functions f{};
    f.struct_size = sizeof f;
    f.data = &trouble;
    f.num_positions = 2;
    f.num_constraints = 1;
    f.constant_mass_matrix = 1;
    f.mass_matrix = mass;
    f.applied_force = force;
    f.constraint = rod;
    return f;
  }
};

/// The program's own CVODE.
struct Cvode {
  SUNContext context = nullptr;
  N_Vector y = nullptr;
  void* memory = nullptr;
  sunlagrange_attachment* attachment = nullptr;

  explicit Cvode(long size = 4) {
#if SUNDIALS_VERSION_MAJOR >= 7
    SUNContext_Create(SUN_COMM_NULL, &context);
    SUNContext_ClearErrHandlers(context);
#else
    SUNContext_Create(nullptr, &context);
#endif
    y = N_VNew_Serial(static_cast<sunindextype>(size), context);
  }
  ~Cvode() {
    if (memory != nullptr) CVodeFree(&memory);
    sunlagrange_detach(&attachment);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
  int attach(sunlagrange_mechanism* mechanism, unsigned flags = 0) {
    const int code = sunlagrange_initial_values(mechanism, y, nullptr);
    if (code != SUNLAGRANGE_SUCCESS) return code;
    memory = CVodeCreate(CV_BDF, context);
#if SUNDIALS_VERSION_MAJOR < 7
    CVodeSetErrFile(memory, nullptr);
#endif
    CVodeInit(memory, sunlagrange_cvode_rhs, 0.0, y);
    CVodeSStolerances(memory, 1e-8, 1e-8);
    return sunlagrange_attach_cvode(mechanism, memory, context, y, flags, &attachment);
  }
  int go(double t_end, sunrealtype* t) {
    return CVode(memory, t_end, y, t, CV_NORMAL);
  }
};

/// The call was refused: its code, and a text that begins with its name and holds `part`.
void check_refused(int code, int wanted, const std::string& function, const std::string& part) {
  const std::string said = sunlagrange_error();
  BOOST_TEST(code == wanted, function << ": " << said);
  BOOST_TEST(said.rfind(function + ": ", 0) == 0, function << ": " << said);
  BOOST_TEST(said.find(part) != std::string::npos, "\"" << part << "\" is not in: " << said);
}

#define REFUSED(part, function, ...) \
  check_refused(sunlagrange_##function(__VA_ARGS__), SUNLAGRANGE_INVALID, "sunlagrange_" #function, part)
#define FAILED(code, part, function, ...) \
  check_refused(sunlagrange_##function(__VA_ARGS__), code, "sunlagrange_" #function, part)
#define NO_TEXT(part, function, ...)                                                                           \
  check_refused(sunlagrange_##function(__VA_ARGS__) == nullptr ? SUNLAGRANGE_INVALID : 1, SUNLAGRANGE_INVALID, \
                "sunlagrange_" #function, part)

}  // namespace

BOOST_AUTO_TEST_CASE(null_pointers_are_refused_by_name) {
  Mechanism m;
  double q[2] = {1.0, 0.0};
  sunlagrange_mechanism* none = nullptr;
  sunlagrange_mechanism* made = nullptr;
  REFUSED("file is null", from_file, nullptr, &made);
  REFUSED("mechanism is null", from_file, "x.json", nullptr);
  REFUSED("text is null", from_json, nullptr, nullptr, &made);
  REFUSED("functions is null", from_functions, nullptr, &made);
  REFUSED("mechanism is null", num_positions, none);
  REFUSED("mechanism is null", num_constraints, none);
  REFUSED("mechanism is null", num_position_constraints, none);
  REFUSED("mechanism is null", position_index, none, "bob.x");
  REFUSED("name is null", position_index, m, nullptr);
  REFUSED("mechanism is null", constraint_rows, none, "rod", nullptr, nullptr);
  REFUSED("name is null", constraint_rows, m, nullptr, nullptr, nullptr);
  NO_TEXT("mechanism is null", position_name, none, 0);
  NO_TEXT("mechanism is null", constraint_name, none, 0);
  REFUSED("mechanism is null", set_options, none, "{}");
  REFUSED("json is null", set_options, m, nullptr);
  REFUSED("option is null", set_text, m, nullptr, "ggl");
  REFUSED("value is null", set_text, m, "formulation", nullptr);
  REFUSED("mechanism is null", set_number, none, "rtol", 1e-8);
  REFUSED("option is null", set_number, m, nullptr, 1e-8);
  REFUSED("mechanism is null", set_start, none, 0.0, q, nullptr);
  REFUSED("q is null", set_start, m, 0.0, nullptr, nullptr);
  REFUSED("mechanism is null", hold_position, none, "bob.x", 1.0);
  REFUSED("name is null", set_velocity, m, nullptr, 1.0);
  REFUSED("mechanism is null", consistent_start, none, nullptr, nullptr, nullptr, nullptr, nullptr);
  REFUSED("mechanism is null", reactions, none, 0.0, q, q, nullptr, nullptr);
  REFUSED("q is null", reactions, m, 0.0, nullptr, q, nullptr, nullptr);
  REFUSED("v is null", reactions, m, 0.0, q, nullptr, nullptr, nullptr);
  REFUSED("constraint is null", constraint_force, m, 0.0, q, q, nullptr, nullptr);
  REFUSED("mechanism is null", set_keep_going, none, nullptr, nullptr);
  sunlagrange_run* run = nullptr;
  REFUSED("mechanism is null", simulate, none, &run);
  REFUSED("run is null", simulate, m, nullptr);
  NO_TEXT("run is null", run_outcome, nullptr);
  NO_TEXT("run is null", run_message, nullptr);
  NO_TEXT("run is null", run_text, nullptr);
  NO_TEXT("run is null", run_json, nullptr);
  BOOST_TEST(sunlagrange_run_num_states(nullptr) == SUNLAGRANGE_INVALID);
  REFUSED("run is null", run_state, nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr);
  REFUSED("run is null", run_at, nullptr, 0.0, nullptr, nullptr);
  REFUSED("run is null", run_write_csv, nullptr, "x.csv");
  REFUSED("file is null", run_write_html, nullptr, nullptr, nullptr);
  const char* text = nullptr;
  REFUSED("mechanism is null", to_json, none, &text);
  REFUSED("text is null", to_json, m, nullptr);
  Cvode cvode;
  sunlagrange_attachment* attachment = nullptr;
  REFUSED("layout is null", get_layout, m, nullptr);
  REFUSED("y is null; make it with sunlagrange_new_vector(size of", initial_values, m, nullptr, nullptr);
  REFUSED("mechanism is null", attach_cvode, none, cvode.memory, cvode.context, cvode.y, 0, &attachment);
  REFUSED("cvode_memory is null", attach_cvode, m, nullptr, cvode.context, cvode.y, 0, &attachment);
  REFUSED("attachment is null", attach_cvode, m, cvode.memory, cvode.context, cvode.y, 0, nullptr);
  REFUSED("arkode_memory is null", attach_arkode, m, nullptr, &attachment);
  REFUSED("attachment is null", set_user_pointer, nullptr, nullptr);
  REFUSED("attachment is null", motion, nullptr, 0.0, cvode.y, nullptr, nullptr, nullptr, nullptr);
  REFUSED("attachment is null", change_variables, nullptr, 0.0, cvode.y, nullptr);
  NO_TEXT("attachment is null", explain, nullptr, -4, 0.0);
  NO_TEXT("attachment is null", settings, nullptr);
  NO_TEXT("context is null", new_vector, 4, nullptr);
  NO_TEXT("size = -1", new_vector, -1, cvode.context);
  BOOST_TEST((sunlagrange_user_pointer(nullptr) == nullptr));
  BOOST_TEST((made == nullptr && run == nullptr && attachment == nullptr && text == nullptr));
  // freeing nothing is nothing
  sunlagrange_free(nullptr);
  sunlagrange_free(&made);
  sunlagrange_run_free(nullptr);
  sunlagrange_run_free(&run);
  sunlagrange_detach(nullptr);
  sunlagrange_detach(&attachment);
}

BOOST_AUTO_TEST_CASE(wrong_names_sizes_and_options) {
  Mechanism m;
  sunlagrange_mechanism* made = m;  // overwritten where nothing is made
  REFUSED("cannot read \"nowhere.json\": No such file or directory;", from_file, "nowhere.json", &made);
  BOOST_TEST((made == nullptr));
  REFUSED("broken.json:", from_json, "{\"blocks\": [", "broken.json", &made);
  REFUSED("did you mean", set_options, m, "{\"formulaton\": \"ggl\"}");
  REFUSED("baumgarte", set_text, m, "formulation", "baumgrate");
  REFUSED("rtol is not finite", set_number, m, "rtol", std::nan(""));
  REFUSED("formulation", set_number, m, "formulation", 3.0);
  REFUSED("bob.x", set_position, m, "bob.z", 1.0);
  REFUSED("no constraint \"string\"", constraint_rows, m, "string", nullptr, nullptr);
  NO_TEXT("position = 2, must be 0 to 1", position_name, m, 2);
  NO_TEXT("row = -1", constraint_name, m, -1);
  sunlagrange_layout layout{};
  REFUSED("struct_size = 0", get_layout, m, &layout);
  sunlagrange_functions f = m.functions();
  f.struct_size = 8;
  REFUSED("struct_size = 8", from_functions, &f, &made);
  f = m.functions();
  f.mass_matrix = nullptr;
  REFUSED("mass_matrix is missing", from_functions, &f, &made);
  f = m.functions();
  f.num_positions = -3;
  REFUSED("num_positions = -3", from_functions, &f, &made);
  f = m.functions();
  f.mass_matrix = mass_of_one_more;
  REFUSED("mass_matrix writes M[4], but M is 2 x 2", from_functions, &f, &made);
  const char* const names[] = {"x", nullptr};
  f = m.functions();
  f.position_names = names;
  REFUSED("position_names[1] is null", from_functions, &f, &made);
  Cvode cvode(7);
  REFUSED("y has 7 entries", initial_values, m, cvode.y, nullptr);
  sunlagrange_attachment* attachment = nullptr;
  REFUSED("flags = 8", attach_cvode, m, cvode.memory, cvode.context, cvode.y, 8, &attachment);
  sunlagrange_set_text(m, "formulation", "ggl");
  cvode.memory = CVodeCreate(CV_BDF, cvode.context);
  REFUSED("is a DAE form", attach_cvode, m, cvode.memory, cvode.context, cvode.y, 0, &attachment);
  // what no file may hold
  REFUSED("K_D", set_options, m, "{\"gains\": {\"K_D\": -1}}");
  Mechanism of_functions{Trouble{}};
  const char* text = nullptr;
  REFUSED("made of functions", to_json, of_functions, &text);
}

/// A start that lies behind t_end is told where both are used, whichever was set first.
BOOST_AUTO_TEST_CASE(start_and_end_may_be_set_in_any_order) {
  const double q[] = {0.8, -0.6};
  double ends[2] = {};
  for (const bool end_first : {false, true}) {
    for (const double t : {12.0, -12.0}) {
      Mechanism m;
      if (end_first) BOOST_TEST(sunlagrange_set_number(m, "t_end", t + 0.5) == SUNLAGRANGE_SUCCESS);
      BOOST_TEST(sunlagrange_set_start(m, t, q, nullptr) == SUNLAGRANGE_SUCCESS);
      if (!end_first) BOOST_TEST(sunlagrange_set_number(m, "t_end", t + 0.5) == SUNLAGRANGE_SUCCESS);
      sunlagrange_run* run = nullptr;
      BOOST_REQUIRE_MESSAGE(sunlagrange_simulate(m, &run) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
      double reached = 0.0, at_end[2] = {};
      const long last = sunlagrange_run_num_states(run) - 1;
      BOOST_TEST(sunlagrange_run_state(run, last, &reached, at_end, nullptr, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
      BOOST_TEST(reached == t + 0.5);
      if (t > 0.0) {
        if (end_first) BOOST_TEST((at_end[0] == ends[0] && at_end[1] == ends[1]));
        std::copy(at_end, at_end + 2, ends);
      }
      sunlagrange_run_free(&run);
    }
  }
  Mechanism m;
  BOOST_TEST(sunlagrange_set_number(m, "t_end", 2.0) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(sunlagrange_set_start(m, 10.0, q, nullptr) == SUNLAGRANGE_SUCCESS);
  const char* const told = "t_end = 2: must be later than the start, t = 10";
  sunlagrange_run* run = nullptr;
  REFUSED(told, simulate, m, &run);
  const char* text = nullptr;
  REFUSED("t_end = 2 must be later than the start, t = 10", to_json, m, &text);
  const char* const names[] = {"rod.L"};
  double value = 0.0, gradient = 0.0;
  const double times[] = {11.0};
  REFUSED(told, sensitivities, m, names, 1, times, 1, nullptr, nullptr, nullptr, nullptr);
  REFUSED(told, gradient, m, "final bob.x", names, 1, &value, &gradient);
  Cvode cvode;
  sunlagrange_attachment* attachment = nullptr;
  REFUSED(told, initial_values, m, cvode.y, nullptr);
  REFUSED(told, attach_cvode, m, cvode.memory, cvode.context, cvode.y, 0, &attachment);
  // an end that nobody has said is in no file
  BOOST_TEST(sunlagrange_set_number(m, "t_end", 1.0) == SUNLAGRANGE_SUCCESS);
  BOOST_REQUIRE(sunlagrange_to_json(m, &text) == SUNLAGRANGE_SUCCESS);
  sunlagrange_mechanism* again = nullptr;
  BOOST_REQUIRE_MESSAGE(sunlagrange_from_json(text, nullptr, &again) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
  double t = 0.0;
  BOOST_TEST(sunlagrange_consistent_start(again, &t, nullptr, nullptr, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(t == 10.0);
  sunlagrange_free(&again);
}

BOOST_AUTO_TEST_CASE(numerical_failures_have_a_code_of_their_own) {
  Mechanism m;
  BOOST_TEST(sunlagrange_hold_position(m, "bob.x", 3.0) == SUNLAGRANGE_SUCCESS);  // a rod of 1 m
  FAILED(SUNLAGRANGE_FAILED, "rod", consistent_start, m, nullptr, nullptr, nullptr, nullptr, nullptr);
  Cvode cvode;
  FAILED(SUNLAGRANGE_FAILED, "rod", initial_values, m, cvode.y, nullptr);
  sunlagrange_run* run = nullptr;
  BOOST_TEST(sunlagrange_simulate(m, &run) == SUNLAGRANGE_FAILED);
  BOOST_REQUIRE((run != nullptr));
  BOOST_TEST(std::string(sunlagrange_run_outcome(run)) == "infeasible");
  BOOST_TEST(std::string(sunlagrange_run_json(run)).find("\"status\":\"infeasible\"") != std::string::npos);
  sunlagrange_run_free(&run);
}

BOOST_AUTO_TEST_CASE(functions_that_fail_end_the_run_and_are_named) {
  Mechanism never{Trouble{-1.0, -7}};
  FAILED(SUNLAGRANGE_MODEL_FAILED, "applied_force returned -7", consistent_start, never, nullptr, nullptr, nullptr,
         nullptr, nullptr);
  Mechanism late{Trouble{0.5, -7}};
  sunlagrange_run* run = nullptr;
  BOOST_TEST(sunlagrange_simulate(late, &run) == SUNLAGRANGE_FAILED);
  BOOST_TEST(std::string(sunlagrange_run_outcome(run)) == "model_error");
  BOOST_TEST(std::string(sunlagrange_run_message(run)).find("applied_force returned -7") != std::string::npos);
  double t = 0.0;
  const long last = sunlagrange_run_num_states(run) - 1;
  BOOST_TEST(sunlagrange_run_state(run, last, &t, nullptr, nullptr, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST((t > 0.3 && t <= 0.5), t);
  sunlagrange_run_free(&run);

  Cvode cvode;
  BOOST_REQUIRE(cvode.attach(late) == SUNLAGRANGE_SUCCESS);
  sunrealtype reached = 0.0;
  const int flag = cvode.go(1.0, &reached);
  BOOST_TEST(flag < 0);
  const std::string why = sunlagrange_explain(cvode.attachment, flag, reached);
  BOOST_TEST(why.find("applied_force returned -7") != std::string::npos, why);

  // asked directly: the same words as of any other function
  const auto rhs = [](const Cvode& own, int wanted, const std::string& part, void* other = nullptr) {
    void* user_data = other;
    if (other == nullptr) CVodeGetUserData(own.memory, &user_data);
    N_Vector ydot = N_VClone(own.y);
    FAILED(wanted, part, cvode_rhs, 1.0, own.y, ydot, user_data);
    N_VDestroy(ydot);
  };
  rhs(cvode, -1, "applied_force returned -7");
  double foreign[8] = {};
  rhs(cvode, -1, "the user data belongs to no Attachment", foreign);

  // a positive value declines the point only: until no step is short enough
  Mechanism wall{Trouble{0.5, 1}};
  Cvode declined;
  BOOST_REQUIRE(declined.attach(wall) == SUNLAGRANGE_SUCCESS);
  rhs(declined, 1, "decline");
  // most steps of one call that lead nowhere: no advice to take more of them
  Mechanism hole{Trouble{0.5, 0, std::nan("")}};
  const std::pair<Mechanism*, std::string> nowhere[] = {{&wall, "the point was declined ("}, {&hole, "not finite ("}};
  for (const auto& [stuck, reason] : nowhere) {
    Cvode crawling;
    BOOST_REQUIRE(crawling.attach(*stuck) == SUNLAGRANGE_SUCCESS);
    const int crawled = crawling.go(1.0, &reached);
    BOOST_TEST(crawled == CV_TOO_MUCH_WORK);
    const std::string story = sunlagrange_explain(crawling.attachment, crawled, reached);
    BOOST_TEST(story.find("model_error: CVode returned CV_TOO_MUCH_WORK") == 0u, story);
    for (const std::string& part : {std::string("the step size fell to"), reason, std::string("domain")})
      BOOST_TEST(story.find(part) != std::string::npos, story);
    BOOST_TEST(story.find("call again") == std::string::npos, story);
  }
  Cvode stepwise;  // a point declined on the way to a step that was short enough: more steps may lead on
  BOOST_REQUIRE(stepwise.attach(wall) == SUNLAGRANGE_SUCCESS);
  CVodeSetMaxNumSteps(stepwise.memory, 1);
  bool met = false;
  for (int k = 0; k < 500 && !met; ++k) {
    const int one = stepwise.go(1.0, &reached);
    BOOST_REQUIRE(one == CV_TOO_MUCH_WORK);
    const std::string story = sunlagrange_explain(stepwise.attachment, one, reached);
    met = story.find("the point was declined (") != std::string::npos;
    BOOST_TEST(story.find("call again") != std::string::npos, story);
  }
  BOOST_TEST((met && reached < 0.5), reached);
  BOOST_TEST(sunlagrange_simulate(wall, &run) == SUNLAGRANGE_FAILED);
  BOOST_TEST(sunlagrange_run_at(run, 0.49, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
  sunlagrange_run_free(&run);
}

BOOST_AUTO_TEST_CASE(derivatives_are_checked_when_they_are_given_and_where_it_is_asked) {
  Mechanism pendulum_of_functions{Trouble{1e300, 0}};
  sunlagrange_functions f = pendulum_of_functions.functions();
  sunlagrange_mechanism* m = nullptr;
  f.constraint_jacobian = rod_gradient_swapped;
  REFUSED("constraint_jacobian: row \"constraint\", column \"q", from_functions, &f, &m);
  BOOST_TEST(m == nullptr);
  f.constraint_jacobian = rod_gradient_of_random_points;
  BOOST_REQUIRE_MESSAGE(sunlagrange_from_functions(&f, &m) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
  const double q[] = {0.6, 0.8}, below[] = {0.6, -0.8}, v[] = {0.8, 0.7};
  const char* text = nullptr;
  BOOST_TEST_REQUIRE(sunlagrange_check_derivatives(m, 0.0, q, v, 1e-4, &text) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(std::string(text).rfind("passed", 0) == 0, text);
  FAILED(SUNLAGRANGE_FAILED, "failed: constraint_jacobian", check_derivatives, m, 0.0, below, v, 1e-4, &text);
  BOOST_TEST(std::string(text).rfind("failed", 0) == 0, text);
  REFUSED("q is null", check_derivatives, m, 0.0, nullptr, v, 1e-4, &text);
  REFUSED("tolerance = 0", check_derivatives, m, 0.0, q, v, 0.0, &text);
  BOOST_TEST(text == nullptr);
  sunlagrange_free(&m);
}

BOOST_AUTO_TEST_CASE(errors_belong_to_threads) {
  sunlagrange_mechanism* made = nullptr;
  REFUSED("file is null", from_file, nullptr, &made);
  std::string other;
  std::thread([&other] { other = sunlagrange_error(); }).join();
  BOOST_TEST(other.empty());
  BOOST_TEST(std::string(sunlagrange_error()).find("file is null") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_start_and_reactions) {
  Mechanism m;
  BOOST_TEST(sunlagrange_num_positions(m) == 2);
  BOOST_TEST(sunlagrange_num_constraints(m) == 1);
  BOOST_TEST(sunlagrange_num_position_constraints(m) == 1);
  BOOST_TEST(std::string(sunlagrange_position_name(m, 1)) == "bob.y");
  BOOST_TEST(sunlagrange_position_index(m, "bob.y") == 1);
  int rows[1] = {-1}, count = 0;
  BOOST_TEST(sunlagrange_constraint_rows(m, "rod", rows, &count) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST((count == 1 && rows[0] == 0));
  // hanging still: the rod bears the weight
  BOOST_TEST(sunlagrange_hold_position(m, "bob.x", 0.0) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(sunlagrange_set_position(m, "bob.y", -0.7) == SUNLAGRANGE_SUCCESS);
  double t = 1.0, q[2], v[2], a[2], lambda[1], again[1], force_of_rod[2];
  BOOST_TEST(sunlagrange_consistent_start(m, &t, q, v, a, lambda) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(t == 0.0);
  BOOST_TEST(q[1] == -1.0, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(std::hypot(v[0], v[1], std::hypot(a[0], a[1])) < 1e-12);
  BOOST_TEST(sunlagrange_reactions(m, t, q, v, again, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(again[0] == lambda[0], boost::test_tools::tolerance(1e-12));
  BOOST_TEST(sunlagrange_constraint_force(m, t, q, v, "rod", force_of_rod) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(force_of_rod[1] == 2.0 * 9.81, boost::test_tools::tolerance(1e-3));
  FAILED(SUNLAGRANGE_INVALID, "string", constraint_force, m, t, q, v, "string", force_of_rod);
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none_are_refused_where_they_are_given) {
  Mechanism m;
  const std::string name = sunlagrange_position_name(m, 0);
  REFUSED((name + " = nan is not finite"), set_position, m, name.c_str(), NAN);
  REFUSED((name + " = inf is not finite"), hold_position, m, name.c_str(), INFINITY);
  REFUSED((name + " = nan is not finite"), set_velocity, m, name.c_str(), NAN);
  REFUSED((name + " = nan is not finite"), hold_velocity, m, name.c_str(), NAN);
  const double bad[] = {NAN, 0.0}, good[] = {1.0, 0.0};
  REFUSED(("q of " + name + " is not finite"), set_start, m, 0.0, bad, nullptr);
  REFUSED(("v of " + name + " is not finite"), set_start, m, 0.0, good, bad);
  REFUSED("t = nan", set_start, m, NAN, good, nullptr);
  for (const char* option : {"rtol", "atol", "step", "max_steps", "time_scale"}) {
    const std::string complaint = std::string("field \"") + option + "\": " + option + " = -1: must be";
    REFUSED(complaint, set_number, m, option, -1.0);
    const std::string by_number = sunlagrange_error();
    REFUSED(complaint, set_options, m, ("{\"" + std::string(option) + "\": -1}").c_str());
    const auto behind_function = [](const std::string& text) { return text.substr(text.find(": ")); };
    BOOST_TEST(behind_function(sunlagrange_error()) == behind_function(by_number));
  }
  BOOST_TEST(sunlagrange_consistent_start(m, nullptr, nullptr, nullptr, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
}

/// The start of a model made of functions is q = 0, where this rod has no gradient; the state asked about counts.
BOOST_AUTO_TEST_CASE(reactions_are_those_of_the_state_that_is_given) {
  Mechanism source{Trouble{1e300, 0}};
  const sunlagrange_functions f = source.functions();
  sunlagrange_mechanism* m = nullptr;
  BOOST_REQUIRE(sunlagrange_from_functions(&f, &m) == SUNLAGRANGE_SUCCESS);
  const double q[] = {0.0, -1.0}, v[] = {0.0, 0.0};
  double force[2] = {0.0, 0.0};
  BOOST_REQUIRE_MESSAGE(sunlagrange_constraint_force(m, 0.0, q, v, "constraint", force) == SUNLAGRANGE_SUCCESS,
                        sunlagrange_error());
  BOOST_TEST(std::abs(force[0]) < 1e-12);
  BOOST_TEST(force[1] == 9.81, boost::test_tools::tolerance(1e-12));  // it hangs
  sunlagrange_free(&m);
}

BOOST_AUTO_TEST_CASE(a_changed_option_or_start_is_not_answered_from_before) {
  Mechanism m;
  double q[2], moved[2] = {0.0, -1.0};
  BOOST_TEST(sunlagrange_consistent_start(m, nullptr, q, nullptr, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(q[0] == 1.0);
  BOOST_TEST(sunlagrange_set_start(m, 0.0, moved, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(sunlagrange_consistent_start(m, nullptr, q, nullptr, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(q[1] == -1.0);
  sunlagrange_layout layout{};
  layout.struct_size = sizeof layout;
  struct Wanted {
    const char* formulation;
    long size, velocities, multipliers, second;
    int integrated, own;
  };
  for (const Wanted& w :
       {Wanted{"baumgarte", 4, 2, 0, 0, 0, 0}, Wanted{"index3", 5, 2, 1, 0, 0, 0}, Wanted{"ggl", 6, 2, 1, 1, 0, 0},
        Wanted{"stabilized_index1", 6, 2, 1, 1, 1, 0}, Wanted{"coordinate_partitioning", 2, 0, 0, 0, 0, 1}}) {
    BOOST_TEST_CONTEXT(w.formulation) {
      BOOST_TEST(sunlagrange_set_text(m, "formulation", w.formulation) == SUNLAGRANGE_SUCCESS);
      BOOST_TEST(sunlagrange_get_layout(m, &layout) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
      BOOST_TEST(layout.size == w.size);
      BOOST_TEST(layout.velocities == w.velocities);
      BOOST_TEST(layout.multipliers == w.multipliers);
      BOOST_TEST(layout.second_multipliers == w.second);
      BOOST_TEST((layout.integrated_multipliers != 0) == (w.integrated != 0));
      BOOST_TEST((layout.own_variables != 0) == (w.own != 0));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_run_and_what_it_tells) {
  Mechanism m;
  BOOST_TEST(sunlagrange_set_options(m, R"({"formulation": "ggl", "rtol": 1e-8, "atol": 1e-8})") ==
             SUNLAGRANGE_SUCCESS);
  sunlagrange_run* run = nullptr;
  BOOST_TEST(sunlagrange_simulate(m, &run) == SUNLAGRANGE_SUCCESS);
  double q[2], v[2];
  BOOST_TEST(sunlagrange_run_at(run, 0.5, q, v) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(std::abs(0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1]) < 1e-2);  // energy, whatever the last digit of g
  FAILED(SUNLAGRANGE_INVALID, "2", run_at, run, 2.0, q, v);
  FAILED(SUNLAGRANGE_INVALID, "state = 100000", run_state, run, 100000, nullptr, q, v, nullptr, nullptr);
  const auto report = nlohmann::json::parse(sunlagrange_run_json(run));
  BOOST_TEST(report["status"] == "finished");
  BOOST_TEST(report["formulation"] == "ggl");
  BOOST_TEST(report["integrator"] == "ida");
  BOOST_TEST(report["rtol"].get<double>() == 1e-8);
  BOOST_TEST(report["steps"].get<long>() + 1 == sunlagrange_run_num_states(run));
  double end[2];
  BOOST_TEST(sunlagrange_run_state(run, report["steps"].get<long>(), nullptr, end, nullptr, nullptr, nullptr) ==
             SUNLAGRANGE_SUCCESS);
  BOOST_TEST((report["q_end"][0].get<double>() == end[0] && report["q_end"][1].get<double>() == end[1]));
  BOOST_TEST(std::string(sunlagrange_run_text(run)).find("finished") != std::string::npos);
  double steps = 0.0;
  BOOST_TEST(sunlagrange_run_figure(run, "steps", &steps) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(steps == report["steps"].get<double>());
  for (const sunlagrange::FigureInfo& figure : sunlagrange::figures_of<sunlagrange::Simulation>()) {
    const bool number = figure.kind == "number" || figure.kind == "integer" || figure.kind == "true or false";
    const bool optional = figure.name.find("[]") != std::string::npos || report.contains(figure.name) == false ||
                          report[figure.name].is_null();
    if (number && !optional)
      BOOST_TEST(sunlagrange_run_figure(run, figure.name.c_str(), nullptr) == SUNLAGRANGE_SUCCESS, figure.name);
  }
  FAILED(SUNLAGRANGE_INVALID, "docs/figures.md", run_figure, run, "no such figure", nullptr);
  FAILED(SUNLAGRANGE_INVALID, "/nowhere/", run_write_csv, run, "/nowhere/run.csv");
  FAILED(SUNLAGRANGE_INVALID, "/nowhere/", run_write_html, run, "/nowhere/run.html", "pendulum");
  // the run lives on without its mechanism
  sunlagrange_free(&m.handle);
  BOOST_TEST(sunlagrange_run_at(run, 0.5, q, v) == SUNLAGRANGE_SUCCESS);
  sunlagrange_run_free(&run);
}

BOOST_AUTO_TEST_CASE(every_figure_of_an_analysis_by_its_name) {
  Mechanism m;
  FAILED(SUNLAGRANGE_INVALID, "there is no result", result_figure, m, "rank", nullptr);
  NO_TEXT("there is no result", result_json, m);
  int rank = 0, redundant = 1, permanent = 1;
  BOOST_TEST(sunlagrange_redundancy(m, &rank, &redundant, &permanent) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST((rank == 1 && redundant == 0 && permanent == 0));
  BOOST_TEST(nlohmann::json::parse(sunlagrange_result_json(m))["rank"] == 1);
  BOOST_TEST(sunlagrange_equilibrium(m, nullptr, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
  const auto found = nlohmann::json::parse(sunlagrange_result_json(m));
  double imbalance = 1.0, frequency = 0.0;
  BOOST_TEST(sunlagrange_result_figure(m, "linearisation.imbalance", &imbalance) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(imbalance == found["linearisation"]["imbalance"].get<double>());
  BOOST_TEST(sunlagrange_result_figure(m, "modes[0].frequency", &frequency) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(frequency == found["modes"][0]["frequency"].get<double>());
  FAILED(SUNLAGRANGE_INVALID, "docs/figures.md", result_figure, m, "modes[9].frequency", nullptr);
}

BOOST_AUTO_TEST_CASE(joint_forces_are_marked_unique_or_not) {
  for (const bool twice : {false, true}) {
    const std::string again = R"(, {"name": "same", "type": "DistanceToGround", "blocks": ["bob"]})";
    const std::string model = R"({"blocks": [{"name": "bob", "kind": "planar_point"}], "elements": [
      {"name": "mass", "type": "PointMass", "blocks": ["bob"], "parameters": {"m": 2.0}},
      {"name": "weight", "type": "UniformGravity", "blocks": ["bob"], "parameters": {"m": 2.0}},
      {"name": "rod", "type": "DistanceToGround", "blocks": ["bob"]})" +
                              (twice ? again : "") + "]}";
    sunlagrange_mechanism* m = nullptr;
    BOOST_REQUIRE_MESSAGE(sunlagrange_from_json(model.c_str(), "two rods", &m) == SUNLAGRANGE_SUCCESS,
                          sunlagrange_error());
    const double q[] = {0.0, -1.0}, v[] = {0.0, 0.0};
    int count = 0, undetermined = -1;
    BOOST_REQUIRE(sunlagrange_joint_forces(m, 0.0, q, v, &count, &undetermined) == SUNLAGRANGE_SUCCESS);
    BOOST_TEST(count == (twice ? 2 : 1));
    BOOST_TEST(undetermined == (twice ? 2 : 0));
    double force = 0.0, unique = -1.0;
    BOOST_TEST(sunlagrange_result_figure(m, "joint_forces[0].force[1]", &force) == SUNLAGRANGE_SUCCESS);
    BOOST_TEST(force == 2.0 * 9.81 / count, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(sunlagrange_result_figure(m, "joint_forces[0].unique", &unique) == SUNLAGRANGE_SUCCESS);
    BOOST_TEST(unique == (twice ? 0.0 : 1.0));
    sunlagrange_free(&m);
  }
}

BOOST_AUTO_TEST_CASE(the_file_of_a_mechanism_holds_what_was_set) {
  Mechanism m;
  sunlagrange_set_text(m, "formulation", "index3");
  sunlagrange_set_position(m, "bob.x", 0.25);
  const char* text = nullptr;
  BOOST_REQUIRE(sunlagrange_to_json(m, &text) == SUNLAGRANGE_SUCCESS);
  const auto file = nlohmann::json::parse(text);
  BOOST_TEST(file["simulation"]["formulation"] == "index3");
  BOOST_TEST(file["start"]["positions"]["bob.x"].get<double>() == 0.25);
}

BOOST_AUTO_TEST_CASE(keep_going_ends_a_run) {
  Mechanism m;
  double latest = 0.0;
  const auto until_half = [](double t, void* data) {
    *static_cast<double*>(data) = t;
    return t < 0.5 ? 1 : 0;
  };
  BOOST_TEST(sunlagrange_set_keep_going(m, until_half, &latest) == SUNLAGRANGE_SUCCESS);
  sunlagrange_run* run = nullptr;
  BOOST_TEST(sunlagrange_simulate(m, &run) == SUNLAGRANGE_FAILED);
  BOOST_TEST(std::string(sunlagrange_run_outcome(run)) == "interrupted");
  BOOST_TEST((latest >= 0.5 && latest < 1.0));
  sunlagrange_run_free(&run);
  const auto never = [](double, void*) { return 0; };
  BOOST_TEST(sunlagrange_set_keep_going(m, never, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(sunlagrange_equilibrium(m, nullptr, nullptr, nullptr) == SUNLAGRANGE_FAILED);
  BOOST_TEST(std::string(sunlagrange_error()).find("ended the search") != std::string::npos, sunlagrange_error());
}

BOOST_AUTO_TEST_CASE(own_tolerances_of_ida_stay) {
  for (const unsigned flags : {0U, static_cast<unsigned>(SUNLAGRANGE_OWN_TOLERANCES)}) {
    Mechanism m;
    sunlagrange_set_text(m, "formulation", "ggl");
    Cvode own(6);
    N_Vector yp = N_VClone(own.y), weights = N_VClone(own.y);
    BOOST_REQUIRE(sunlagrange_initial_values(m, own.y, yp) == SUNLAGRANGE_SUCCESS);
    void* ida = IDACreate(own.context);
    IDAInit(ida, sunlagrange_ida_residual, 0.0, own.y, yp);
    IDASStolerances(ida, 0.0, 1e-5);
    BOOST_REQUIRE(sunlagrange_attach_ida(m, ida, own.context, own.y, flags, &own.attachment) == SUNLAGRANGE_SUCCESS);
    sunrealtype t = 0.0;
    BOOST_TEST(IDASolve(ida, 0.1, &t, own.y, yp, IDA_NORMAL) >= 0);
    IDAGetErrWeights(ida, weights);
    bool kept = true;
    for (int i = 0; i < 6; ++i) kept = kept && std::abs(N_VGetArrayPointer(weights)[i] - 1e5) < 1e-3;
    BOOST_TEST(kept == (flags != 0));
    N_VDestroy(yp);
    N_VDestroy(weights);
    IDAFree(&ida);
  }
}

BOOST_AUTO_TEST_CASE(a_krylov_solver_of_ones_own_with_the_librarys_preconditioner) {
  // With the exact inverse as preconditioner every linear iteration of Newton is one of Krylov; without it, more.
  long iterations[2] = {0, 0};
  for (const bool preconditioned : {true, false}) {
    Mechanism m{Trouble{}};
    Cvode own;
    BOOST_REQUIRE(own.attach(m, SUNLAGRANGE_OWN_LINEAR_SOLVER) == SUNLAGRANGE_SUCCESS);
    SUNLinearSolver solver = SUNLinSol_SPGMR(own.y, preconditioned ? SUN_PREC_LEFT : SUN_PREC_NONE, 4, own.context);
    BOOST_REQUIRE(CVodeSetLinearSolver(own.memory, solver, nullptr) == CV_SUCCESS);
    if (preconditioned)
      BOOST_REQUIRE(CVodeSetPreconditioner(own.memory, sunlagrange_cvode_preconditioner_setup,
                                           sunlagrange_cvode_preconditioner_solve) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetJacTimes(own.memory, nullptr, sunlagrange_cvode_jacobian_times) == CV_SUCCESS);
    sunrealtype t = 0.0;
    BOOST_TEST(own.go(1.0, &t) == CV_SUCCESS);
    double q[2], v[2];
    BOOST_TEST(sunlagrange_motion(own.attachment, t, own.y, q, v, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
    BOOST_TEST(std::abs(0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1]) < 1e-4);
    long krylov = 0, newton = 0, quotients = 0, products = 0;
    CVodeGetNumLinRhsEvals(own.memory, &quotients);
    CVodeGetNumJtimesEvals(own.memory, &products);
    BOOST_TEST(quotients == 0);
    BOOST_TEST(products > 0);
    CVodeGetNumLinIters(own.memory, &krylov);
    CVodeGetNumNonlinSolvIters(own.memory, &newton);
    iterations[preconditioned ? 0 : 1] = krylov;
    if (preconditioned) BOOST_TEST(krylov <= newton + newton / 5, krylov << " for " << newton);
    CVodeFree(&own.memory);
    own.memory = nullptr;
    SUNLinSolFree(solver);
  }
  BOOST_TEST(iterations[0] < iterations[1]);
}

BOOST_AUTO_TEST_CASE(a_krylov_solver_of_ones_own_for_ida) {
  Mechanism m;
  sunlagrange_set_text(m, "formulation", "ggl");
  Cvode own(6);
  N_Vector yp = N_VClone(own.y);
  BOOST_REQUIRE(sunlagrange_initial_values(m, own.y, yp) == SUNLAGRANGE_SUCCESS);
  void* ida = IDACreate(own.context);
  IDAInit(ida, sunlagrange_ida_residual, 0.0, own.y, yp);
  BOOST_REQUIRE(sunlagrange_attach_ida(m, ida, own.context, own.y, SUNLAGRANGE_OWN_LINEAR_SOLVER, &own.attachment) ==
                SUNLAGRANGE_SUCCESS);
  SUNLinearSolver solver = SUNLinSol_SPGMR(own.y, SUN_PREC_LEFT, 6, own.context);
  BOOST_REQUIRE(IDASetLinearSolver(ida, solver, nullptr) == IDA_SUCCESS);
  BOOST_REQUIRE(IDASetPreconditioner(ida, sunlagrange_ida_preconditioner_setup, sunlagrange_ida_preconditioner_solve) ==
                IDA_SUCCESS);
  BOOST_REQUIRE(IDASetJacTimes(ida, nullptr, sunlagrange_ida_jacobian_times) == IDA_SUCCESS);
  sunrealtype t = 0.0;
  const int flag = IDASolve(ida, 1.0, &t, own.y, yp, IDA_NORMAL);
  BOOST_TEST(flag >= 0, sunlagrange_explain(own.attachment, flag, t));
  double q[2], v[2];
  BOOST_TEST(sunlagrange_motion(own.attachment, t, own.y, q, v, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(std::abs(0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1]) < 1e-3);
  long quotients = 0, products = 0;
  IDAGetNumLinResEvals(ida, &quotients);
  IDAGetNumJtimesEvals(ida, &products);
  BOOST_TEST(quotients == 0);
  BOOST_TEST(products > 0);
  IDAFree(&ida);
  SUNLinSolFree(solver);
  N_VDestroy(yp);
}

/// The swing of a pendulum by CVODE and by IDA keeps its energy, with the Jacobian of the library in a dense matrix.
BOOST_AUTO_TEST_CASE(a_dense_solver_of_ones_own) {
  double q[2], v[2];
  const auto energy = [&](sunlagrange_attachment* attachment, double t, N_Vector y) {
    BOOST_TEST(sunlagrange_motion(attachment, t, y, q, v, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
    return std::abs(0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1]);
  };
  sunrealtype t = 0.0;
  long quotients = 0, matrices = 0;
  {
    Mechanism m;
    Cvode own;
    BOOST_REQUIRE(own.attach(m, SUNLAGRANGE_OWN_LINEAR_SOLVER) == SUNLAGRANGE_SUCCESS);
    SUNMatrix J = SUNDenseMatrix(4, 4, own.context);
    SUNLinearSolver solver = SUNLinSol_Dense(own.y, J, own.context);
    BOOST_REQUIRE(CVodeSetLinearSolver(own.memory, solver, J) == CV_SUCCESS);
    BOOST_REQUIRE(CVodeSetJacFn(own.memory, sunlagrange_cvode_dense_jacobian) == CV_SUCCESS);
    BOOST_TEST(own.go(1.0, &t) == CV_SUCCESS);
    BOOST_TEST(energy(own.attachment, t, own.y) < 1e-4);
    CVodeGetNumLinRhsEvals(own.memory, &quotients);
    CVodeGetNumJacEvals(own.memory, &matrices);
    BOOST_TEST(quotients == 0);
    BOOST_TEST(matrices > 0);
    CVodeFree(&own.memory);
    own.memory = nullptr;
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
  }
  Mechanism m;
  sunlagrange_set_text(m, "formulation", "ggl");
  Cvode own(6);
  N_Vector yp = N_VClone(own.y);
  BOOST_REQUIRE(sunlagrange_initial_values(m, own.y, yp) == SUNLAGRANGE_SUCCESS);
  void* ida = IDACreate(own.context);
  IDAInit(ida, sunlagrange_ida_residual, 0.0, own.y, yp);
  BOOST_REQUIRE(sunlagrange_attach_ida(m, ida, own.context, own.y, SUNLAGRANGE_OWN_LINEAR_SOLVER, &own.attachment) ==
                SUNLAGRANGE_SUCCESS);
  SUNMatrix J = SUNDenseMatrix(6, 6, own.context);
  SUNLinearSolver solver = SUNLinSol_Dense(own.y, J, own.context);
  BOOST_REQUIRE(IDASetLinearSolver(ida, solver, J) == IDA_SUCCESS);
  BOOST_REQUIRE(IDASetJacFn(ida, sunlagrange_ida_dense_jacobian) == IDA_SUCCESS);
  const int flag = IDASolve(ida, 1.0, &t, own.y, yp, IDA_NORMAL);
  BOOST_TEST(flag >= 0, sunlagrange_explain(own.attachment, flag, t));
  BOOST_TEST(energy(own.attachment, t, own.y) < 1e-3);
  IDAGetNumLinResEvals(ida, &quotients);
  IDAGetNumJacEvals(ida, &matrices);
  BOOST_TEST(quotients == 0);
  BOOST_TEST(matrices > 0);
  // what is refused is told in the names of C
  SUNMatrix band = SUNBandMatrix(6, 1, 1, own.context);
  void* user_data = nullptr;
  N_Vector other[5];
  sunrealtype c = 0.0;
  IDAGetNonlinearSystemData(ida, &t, &other[0], &other[1], &other[2], &other[3], &other[4], &c, &user_data);
  BOOST_TEST(sunlagrange_ida_dense_jacobian(t, c, own.y, yp, yp, band, user_data, other[0], nullptr, nullptr) == -1);
  const std::string said = sunlagrange_error();
  BOOST_TEST(said.rfind("sunlagrange_ida_dense_jacobian: the matrix is a SUNMATRIX_BAND", 0) == 0, said);
  sunindextype nonzeros = 0;
  BOOST_TEST(sunlagrange_jacobian_nonzeros(own.attachment, &nonzeros) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST((nonzeros >= 14 && nonzeros <= 36));  // M twice, G in four places, at most everything
  SUNMatDestroy(band);
  IDAFree(&ida);
  SUNLinSolFree(solver);
  SUNMatDestroy(J);
  N_VDestroy(yp);
}

BOOST_AUTO_TEST_CASE(arkode_and_the_users_pointer) {
  Mechanism m;
  Cvode own;
  BOOST_REQUIRE(sunlagrange_initial_values(m, own.y, nullptr) == SUNLAGRANGE_SUCCESS);
  void* arkode = ARKStepCreate(sunlagrange_arkode_rhs, nullptr, 0.0, own.y, own.context);
  BOOST_REQUIRE(sunlagrange_attach_arkode(m, arkode, &own.attachment) == SUNLAGRANGE_SUCCESS);
  BOOST_REQUIRE(ark::set_tolerances(arkode, sunlagrange_error_weights) == ARK_SUCCESS);
  BOOST_REQUIRE(ark::set_stop_time(arkode, 1.0) == ARK_SUCCESS);
  int passages = 0;
  sunlagrange_set_user_pointer(own.attachment, &passages);
  const auto below = [](sunrealtype, N_Vector y, sunrealtype* root, void* user_data) {
    ++*static_cast<int*>(sunlagrange_user_pointer(user_data));
    root[0] = N_VGetArrayPointer(y)[0];
    return 0;
  };
  BOOST_REQUIRE(ark::set_roots(arkode, 1, below) == ARK_SUCCESS);
  sunrealtype t = 0.0;
  int flag = ARK_SUCCESS;
  while (flag == ARK_SUCCESS) flag = ark::evolve(arkode, 1.0, own.y, &t);
  BOOST_TEST(flag == ARK_ROOT_RETURN, sunlagrange_explain(own.attachment, flag, t));
  BOOST_TEST(passages > 0);
  BOOST_TEST(std::abs(N_VGetArrayPointer(own.y)[0]) < 1e-4);
  BOOST_TEST(std::string(sunlagrange_settings(own.attachment)).find("K_D") != std::string::npos);
  ark::free(&arkode);
}

BOOST_AUTO_TEST_CASE(variables_that_change_along_the_motion) {
  Mechanism m;
  sunlagrange_set_text(m, "formulation", "coordinate_partitioning");
  Cvode own(2);
  BOOST_REQUIRE_MESSAGE(own.attach(m) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
  sunrealtype t = 0.0;
  int changes = 0;
  while (t < 2.0) {  // more than a turn of the velocity: neither x nor y is enough
    BOOST_REQUIRE(CVode(own.memory, 2.0, own.y, &t, CV_ONE_STEP) >= 0);
    int changed = 0;
    BOOST_REQUIRE(sunlagrange_change_variables(own.attachment, t, own.y, &changed) == SUNLAGRANGE_SUCCESS);
    if (changed == 0) continue;
    ++changes;
    BOOST_REQUIRE(CVodeReInit(own.memory, t, own.y) == CV_SUCCESS);
  }
  BOOST_TEST(changes > 0);
  double q[2], v[2];
  BOOST_TEST(sunlagrange_motion(own.attachment, t, own.y, q, v, nullptr, nullptr) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(std::abs(std::hypot(q[0], q[1]) - 1.0) < 1e-12);
  BOOST_TEST(std::abs(0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1]) < 1e-2);  // whatever the last digit of g
}

#ifdef SUNLAGRANGE_TEST_VECTORS
BOOST_AUTO_TEST_CASE(vectors_of_threads_are_taken_and_others_refused_by_name) {
  double ends[3] = {0.0, 0.0, 0.0};
  for (int kind = 0; kind < 3; ++kind) {
    Mechanism m;
    Cvode own;
    if (kind > 0) {
      N_VDestroy(own.y);
      own.y = kind == 1 ? N_VNew_OpenMP(4, 2, own.context) : N_VNew_Pthreads(4, 2, own.context);
    }
    BOOST_REQUIRE_MESSAGE(own.attach(m) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
    sunrealtype t = 0.0;
    BOOST_TEST(own.go(1.0, &t) == CV_SUCCESS);
    ends[kind] = N_VGetArrayPointer(own.y)[0];
  }
  BOOST_TEST(ends[0] == ends[1], boost::test_tools::tolerance(1e-7));
  BOOST_TEST(ends[0] == ends[2], boost::test_tools::tolerance(1e-7));

  Mechanism m;
  Cvode own;
  N_Vector parts[2] = {N_VNew_Serial(2, own.context), N_VNew_Serial(2, own.context)};
  N_Vector many = N_VNew_ManyVector(2, parts, own.context);
  REFUSED("kind ManyVector", initial_values, m, many, nullptr);
  N_VDestroy(many);
  for (N_Vector part : parts) N_VDestroy(part);
}
#endif

namespace {

const char* const pushed_cart = R"({
  "blocks": [{"name": "cart", "kind": "rotation"}],
  "elements": [
    {"name": "mass", "type": "Flywheel", "blocks": ["cart"], "parameters": {"inertia": 1.0}},
    {"name": "motor", "type": "AppliedTorque", "blocks": ["cart"], "parameters": {"law": {"type": "Input", "start": 1.0}}}
  ],
  "simulation": {"t_end": 2.0}
})";

struct Actions {
  int calls = 0;
  int result = 0;
  double t = 0.0, x = 0.0;
};

int switch_off(sunlagrange_event_context* context, void* data) {
  auto& actions = *static_cast<Actions*>(data);
  ++actions.calls;
  sunlagrange_event_state(context, &actions.t, &actions.x, nullptr);
  BOOST_TEST(sunlagrange_event_set_input(context, "moter", 0.0) == SUNLAGRANGE_INVALID);
  BOOST_TEST(std::string(sunlagrange_error()).find("motor") != std::string::npos);
  BOOST_TEST(sunlagrange_event_set_input(context, "motor", 0.0) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(sunlagrange_event_restart(context) == SUNLAGRANGE_SUCCESS);
  return actions.result;
}

double beyond(double, const double* q, const double*, void*) {
  return q[0] - 1.0;
}

int halt(sunlagrange_event_context* context, void*) {
  return sunlagrange_event_stop(context, "far enough");
}

}  // namespace

// x = t^2 / 2 up to 1 s, then 1/2 + (t - 1): 1 at 1.5 s.
BOOST_AUTO_TEST_CASE(events_act_in_c) {
  sunlagrange_mechanism* mechanism = nullptr;
  BOOST_REQUIRE(sunlagrange_from_json(pushed_cart, "cart", &mechanism) == SUNLAGRANGE_SUCCESS);
  Actions actions;
  const double times[] = {1.0};
  BOOST_TEST(sunlagrange_add_event(mechanism, "off", nullptr, 0, times, 1, switch_off, &actions) ==
             SUNLAGRANGE_SUCCESS);
  BOOST_TEST(sunlagrange_add_event(mechanism, "far", beyond, 1, nullptr, 0, halt, nullptr) == SUNLAGRANGE_SUCCESS);
  sunlagrange_run* run = nullptr;
  BOOST_TEST(sunlagrange_simulate(mechanism, &run) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
  BOOST_TEST(actions.calls == 1);
  BOOST_TEST(std::abs(actions.t - 1.0) < 1e-12);
  BOOST_TEST(std::abs(actions.x - 0.5) < 1e-5);
  double reached = 0.0;
  BOOST_TEST(sunlagrange_run_figure(run, "t_reached", &reached) == SUNLAGRANGE_SUCCESS, sunlagrange_error());
  BOOST_TEST(std::abs(reached - 1.5) < 1e-5);
  sunlagrange_run_free(&run);
  actions.result = -1;
  BOOST_TEST(sunlagrange_simulate(mechanism, &run) == SUNLAGRANGE_FAILED);
  BOOST_TEST(std::string(sunlagrange_run_message(run)).find("the action returned -1") != std::string::npos);
  sunlagrange_run_free(&run);
  BOOST_TEST(sunlagrange_clear_events(mechanism) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(sunlagrange_simulate(mechanism, &run) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(sunlagrange_run_figure(run, "t_reached", &reached) == SUNLAGRANGE_SUCCESS);
  BOOST_TEST(reached == 2.0);
  sunlagrange_run_free(&run);
  BOOST_TEST(sunlagrange_add_event(mechanism, "none", nullptr, 0, nullptr, 0, halt, nullptr) == SUNLAGRANGE_INVALID);
  BOOST_TEST(sunlagrange_add_event(mechanism, "odd", beyond, 2, nullptr, 0, halt, nullptr) == SUNLAGRANGE_INVALID);
  BOOST_TEST(sunlagrange_event_stop(nullptr, "") == SUNLAGRANGE_INVALID);
  sunlagrange_free(&mechanism);
}
