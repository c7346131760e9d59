#include <boost/test/unit_test.hpp>

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#ifdef SUNLAGRANGE_TEST_MANYVECTOR
#include <nvector/nvector_manyvector.h>
#endif

#include <arkode/arkode_arkstep.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <stdexcept>

#include <sunlagrange/sundials/attach_arkode.hpp>
#include <sunlagrange/sundials/attach_cvode.hpp>
#include <sunlagrange/sundials/attach_ida.hpp>

#include "models.hpp"
#include "raw_sundials.hpp"

/// The attach functions in hands that make mistakes. Each case runs in a child process, so that a crash is the failure
/// of that case only. What must come of a mistake: an Error, or a flag of the integrator and a message, and nothing
/// written out of bounds.
using namespace sunlagrange;
using namespace sunlagrange::internal;

namespace {

// ---- a child process for each case
// -----------------------------------------------------------------------------------

/// In the child: the case has failed. (Boost's own checks belong to the parent.)
void expect(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

/// `call` must throw an Error with `part` in its text.
template <class Call>
void refused(const std::string& part, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    expect(std::string(error.what()).find(part) != std::string::npos,
           "\"" + part + "\" is not in the message: " + error.what());
    return;
  }
  throw std::runtime_error("accepted, but an Error with \"" + part + "\" is due");
}

struct Ended {
  bool normally = false;
  std::string said;  // stderr of the child, what the case complained of last
};

Ended in_a_child(const std::function<void()>& run) {
  int channel[2];
  BOOST_REQUIRE(pipe(channel) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, SIG_DFL);  // not Boost's
    dup2(channel[1], STDERR_FILENO);
    close(channel[0]);
    close(channel[1]);
    int result = 1;
    try {
      run();
      result = 0;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "CASE: %s\n", e.what());
    }
    std::fflush(nullptr);
    _exit(result);
  }
  close(channel[1]);
  Ended ended;
  char text[512];
  for (ssize_t count = 0; (count = read(channel[0], text, sizeof text)) > 0;)
    ended.said.append(text, static_cast<std::size_t>(count));
  close(channel[0]);
  int status = 0;
  BOOST_REQUIRE(waitpid(child, &status, 0) == child);
  ended.normally = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (WIFSIGNALED(status)) ended.said += "signal " + std::to_string(WTERMSIG(status));
  return ended;
}

// ---- an application
// --------------------------------------------------------------------------------------------------

/// 1 m, 1 kg, from the horizontal; throws after a time that may be set.
struct Thrower : test::Pendulum {
  double latest = std::numeric_limits<double>::infinity();
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    if (value_of(t) > latest) throw std::domain_error("no data so late");
    test::Pendulum::applied_force(t, q, v, f);
  }
};

constexpr double exact[2] = {0.27508746257611686, -0.961419205099125064};  // x, y at t = 10

/// CVODE memory as an application sets it up; IDA and ARKODE memory are made where they are wanted.
struct App {
  explicit App(const std::string& formulation = "baumgarte", int method = CV_BDF, double latest = 1e300,
               bool init = true)
      : system(make_system(Thrower{{}, latest})),
        start(consistent_state(system, {0.0, Eigen::Vector2d(1, 0), {}}).state) {
    if (create_context(&context) != 0) std::abort();
    options.formulation = formulation;
    options.rtol = 1e-8;
    options.atol = 1e-10;
    y = vector();
    initial_values(system, start, options, y);
    memory = CVodeCreate(method, context);
    if (init) set_up();
  }
  App(const App&) = delete;
  // Nothing is freed: the order is what the cases are about, and the process ends.

  void set_up() {
    expect(CVodeInit(memory, cvode_rhs, 0.0, y) == CV_SUCCESS, "CVodeInit");
    expect(CVodeSStolerances(memory, options.rtol, options.atol) == CV_SUCCESS, "CVodeSStolerances");
    expect(CVodeSetMaxNumSteps(memory, 100000) == CV_SUCCESS, "CVodeSetMaxNumSteps");
  }
  N_Vector vector(long less = 0) const { return N_VNew_Serial(num_unknowns(system, start, options) - less, context); }
  Attachment attach() const { return attach_cvode(memory, context, y, system, start, options); }

  int go(double t_end) {
    double t = 0.0;
    return CVode(memory, t_end, y, &t, CV_NORMAL);
  }
  void goes_to_10() {
    expect(go(10.0) >= 0, "CVode failed");
    arrived(y);
  }
  static void arrived(N_Vector y, double within = 1e-4) {
    const double* q = N_VGetArrayPointer(y);
    expect(std::hypot(q[0] - exact[0], q[1] - exact[1]) < within, "the result is wrong");
  }

  std::shared_ptr<const MechanicalSystem> system;
  MotionState start;
  SUNContext context = nullptr;
  AttachOptions options;
  N_Vector y = nullptr;
  void* memory = nullptr;
};

struct OwnIda {
  explicit OwnIda(const App& app) : y(app.vector()), yp(app.vector()), memory(IDACreate(app.context)) {
    initial_values(app.system, app.start, app.options, y, yp);
    expect(IDAInit(memory, ida_residual, 0.0, y, yp) == IDA_SUCCESS, "IDAInit");
    expect(IDASStolerances(memory, 1e-6, 1e-8) == IDA_SUCCESS, "IDASStolerances");
  }
  int go(double t_end) {
    double t = 0.0;
    IDASetMaxNumSteps(memory, 100000);
    return IDASolve(memory, t_end, &t, y, yp, IDA_NORMAL);
  }
  N_Vector y, yp;
  void* memory;
};

struct OwnArkode {
  OwnArkode(const App& app, N_Vector values)
      : y(values), memory(ARKStepCreate(arkode_rhs, nullptr, 0.0, y, app.context)) {
    ark::set_tolerances(memory, 1e-9, 1e-11);
  }
  int go(double t_end) {
    double t = 0.0;
    int flag = 0;
    while (flag >= 0 && t < t_end) flag = ark::evolve(memory, t_end, y, &t);
    if (flag >= 0) ark::derivative(memory, t_end, 0, y);
    return flag;
  }
  N_Vector y;
  void* memory;
};

MotionState with(MotionState state, double q0) {
  state.q[0] = q0;
  return state;
}

// ---- the cases
// -------------------------------------------------------------------------------------------------------

struct Case {
  const char* name;
  const char* says;  // on stderr; empty: nothing is demanded
  std::function<void()> run;
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr const char* no_user_data = "no user data: call attach_cvode, attach_ida or attach_arkode";
constexpr const char* not_ours = "Attachment::set_user_pointer()";
constexpr const char* has_ended = "the Attachment has ended: it must outlive the integrator memory";

const Case right_uses[] = {
    {"plain", "",
     [] {
       App a;
       const Attachment attachment = a.attach();
       a.goes_to_10();
     }},
    {"the_system_handle_is_given_up", "",
     [] {
       App a;
       const Attachment attachment = a.attach();
       a.system.reset();
       a.start = {};
       a.goes_to_10();
     }},
    {"moved", "",
     [] {
       App a;
       Attachment first = a.attach();
       const Attachment second = std::move(first);
       a.goes_to_10();
     }},
    {"twice", "",
     [] {
       App a;
       const Attachment one = a.attach(), two = a.attach();
       a.goes_to_10();
     }},
    {"projected_then_baumgarte", "",
     [] {
       App a("projected");
       const Attachment one = a.attach();
       a.options.formulation = "baumgarte";
       const Attachment two = a.attach();
       a.goes_to_10();
       expect(two.counts().rhs_evaluations > 0, "the second attachment was not used");
     }},
    {"reassigned_in_mid_run", "",
     [] {
       App a;
       Attachment attachment = a.attach();
       expect(a.go(1.0) >= 0, "CVode failed before");
       attachment = a.attach();
       a.goes_to_10();
     }},
    {"ida_reassigned_and_initialised_anew", "",
     [] {
       App a("ggl");
       OwnIda ida(a);
       Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
       expect(ida.go(1.0) >= 0, "IDASolve failed before");
       attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
       expect(IDAReInit(ida.memory, 1.0, ida.y, ida.yp) == IDA_SUCCESS && ida.go(10.0) >= 0, "IDASolve failed after");
       App::arrived(ida.y);
     }},
    {"arkode_reassigned_in_mid_run", "",
     [] {
       App a;
       OwnArkode own(a, a.y);
       Attachment attachment = attach_arkode(own.memory, a.system, a.start, a.options);
       expect(own.go(1.0) >= 0, "ARKODE failed before");
       attachment = attach_arkode(own.memory, a.system, a.start, a.options);
       expect(own.go(10.0) >= 0, "ARKODE failed after");
       App::arrived(a.y);
     }},
    {"attachment_ends_before_the_memory_is_freed", "",
     [] {
       App a;
       {
         const Attachment attachment = a.attach();
         expect(a.go(1.0) >= 0, "CVode failed");
       }
       CVodeFree(&a.memory);
     }},
    {"context_ends_before_the_attachment", "",
     [] {
       App a;
       const Attachment attachment = a.attach();
       expect(a.go(1.0) >= 0, "CVode failed");
       CVodeFree(&a.memory);
       N_VDestroy(a.y);
       SUNContext_Free(&a.context);
     }},
    {"adams_with_newton", "",
     [] {
       App a("baumgarte", CV_ADAMS);
       const Attachment attachment = a.attach();
       a.goes_to_10();
     }},
    {"adams_with_fixed_point", "",
     [] {
       App a("baumgarte", CV_ADAMS);
       a.options.install_linear_solver = false;
       const Attachment attachment = a.attach();
       expect(CVodeSetNonlinearSolver(a.memory, SUNNonlinSol_FixedPoint(a.y, 0, a.context)) == CV_SUCCESS, "iteration");
       a.goes_to_10();
     }},
    {"initialised_anew", "",
     [] {
       for (const char* name :
            {"baumgarte", "projected", "penalty", "augmented_lagrangian", "unstabilized", "extended_lagrangian"}) {
         App a(name);
         const Attachment attachment = a.attach();
         for (int k = 0; k < 3; ++k) {
           expect(a.go(2.0) >= 0, std::string(name) + " failed");
           initial_values(a.system, a.start, a.options, a.y);
           expect(CVodeReInit(a.memory, 0.0, a.y) == CV_SUCCESS, "CVodeReInit");
         }
         a.goes_to_10();
       }
     }},
    {"tolerances_set_later", "",
     [] {
       App a;
       const Attachment attachment = a.attach();
       CVodeSStolerances(a.memory, 1e-10, 1e-12);
       a.goes_to_10();
     }},
    {"tolerances_of_ida_set_later", "",
     [] {
       App a("ggl");
       OwnIda ida(a);
       const Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
       IDASStolerances(ida.memory, 1e-6, 1e-8);
       expect(ida.go(10.0) >= 0, "IDASolve failed");
     }},
    {"ida_in_every_form", "",
     [] {
       for (const char* name : {"ggl", "index3", "index2", "index1", "stabilized_index1"}) {
         App a(name);
         OwnIda ida(a);
         const Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
         expect(ida.go(10.0) >= 0, std::string(name) + " failed");
         App::arrived(ida.y, name == std::string("index3") ? 2e-3 : 1e-4);
       }
     }},
    {"arkode", "",
     [] {
       for (const char* name : {"baumgarte", "projected", "penalty"}) {
         App a(name);
         OwnArkode own(a, a.y);
         const Attachment attachment = attach_arkode(own.memory, a.system, a.start, a.options);
         expect(own.go(10.0) >= 0, std::string(name) + " failed");
         App::arrived(a.y);
       }
     }},
    {"explained_before_the_run", "",
     [] {
       App a;
       Attachment attachment = a.attach();
       expect(
           attachment.explain("CVode", -4, "CV_CONV_FAILURE", 0.3).message.find("CV_CONV_FAILURE") != std::string::npos,
           "no flag in the message");
       MotionState state;
       expect(attachment.motion(0.0, a.y, state) && state.q[0] == 1.0, "motion() at the start");
     }},
};

const Case null_arguments[] = {
    {"y_null", "",
     [] {
       App a;
       a.y = nullptr;
       refused("y is null", [&] { a.attach(); });
     }},
    {"memory_null", "",
     [] {
       App a("ggl");
       OwnIda ida(a);
       refused("ida_memory is null", [&] { attach_ida(nullptr, a.context, ida.y, a.system, a.start, a.options); });
       a.options.formulation = "baumgarte";
       refused("cvode_memory is null",
               [&] { attach_cvode(nullptr, a.context, a.vector(), a.system, a.start, a.options); });
       refused("arkode_memory is null", [&] { attach_arkode(nullptr, a.system, a.start, a.options); });
     }},
    {"context_null", "",
     [] {
       App a;
       a.context = nullptr;
       refused("SUNContext is null", [&] { a.attach(); });
     }},
    {"system_null", "",
     [] {
       App a;
       const auto none = std::shared_ptr<const MechanicalSystem>();
       refused("system is null", [&] { attach_cvode(a.memory, a.context, a.y, none, a.start, a.options); });
       refused("system is null", [&] { num_unknowns(none, a.start, a.options); });
       refused("system is null", [&] { initial_values(none, a.start, a.options, a.y); });
       refused("system is null", [&] { attach_arkode(a.memory, none, a.start, a.options); });
       const InitialState start{0.0, Eigen::Vector2d(1, 0), {}};
       refused("system is null", [&] { consistent_state(none, start); });
       refused("system is null", [&] { analyse_redundancy(none, 0.0, Eigen::Vector2d(1, 0)); });
       refused("system is null", [&] { velocity_jump(none, start, {}, 0.5); });
       refused("system is null", [&] { simulate(none, start); });
     }},
    {"trajectory_of_another_time_or_system", "",
     [] {
       const App a;
       const auto run = simulate(a.system, {0.0, Eigen::Vector2d(1, 0), {}});
       refused("system", [&] { consistent_state_at(run.trajectory, nullptr, 0.5); });
       refused("2", [&] { consistent_state_at(run.trajectory, a.system, 2.0); });
       refused("nan", [&] { consistent_state_at(run.trajectory, a.system, nan); });
       refused("", [] { Trajectory().position_at(0.0); });
     }},
};

const Case vectors[] = {
    {"y_short", "",
     [] {
       App a;
       a.y = a.vector(1);
       refused("y has 3 entries", [&] { a.attach(); });
     }},
    {"y_long", "",
     [] {
       App a;
       a.y = a.vector(-3);
       refused("y has 7 entries", [&] { a.attach(); });
     }},
    {"vector_without_array", "",
     [] {
       App a;
       a.y->ops->nvgetarraypointer = nullptr;
       refused("no array", [&] { initial_values(a.system, a.start, a.options, a.y); });
       refused("no array", [&] { a.attach(); });
     }},
#ifdef SUNLAGRANGE_TEST_MANYVECTOR
    {"many_vector", "",
     [] {
       App a;
       N_Vector parts[2] = {N_VNew_Serial(2, a.context), N_VNew_Serial(2, a.context)};
       N_VConst(0.5, parts[0]);
       N_VConst(0.5, parts[1]);
       N_Vector y = N_VNew_ManyVector(2, parts, a.context);
       refused("no array", [&] { attach_cvode(a.memory, a.context, y, a.system, a.start, a.options); });
       // the memory of such vectors, a serial y
       void* memory = CVodeCreate(CV_BDF, a.context);
       expect(CVodeInit(memory, cvode_rhs, 0.0, y) == CV_SUCCESS, "CVodeInit");
       refused("no array", [&] { attach_cvode(memory, a.context, a.y, a.system, a.start, a.options); });
     }},
#endif
    {"initial_values_of_other_lengths", "",
     [] {
       App a("ggl");
       refused("yp has", [&] { initial_values(a.system, a.start, a.options, a.vector(), a.vector(5)); });
       refused("y is null", [&] { initial_values(a.system, a.start, a.options, nullptr); });
     }},
    {"cvode_initialised_with_another_length", "",
     [] {
       App a;
       void* memory = CVodeCreate(CV_BDF, a.context);
       expect(CVodeInit(memory, cvode_rhs, 0.0, a.vector(2)) == CV_SUCCESS, "CVodeInit");
       refused("CVodeInit was given has 2 entries",
               [&] { attach_cvode(memory, a.context, a.y, a.system, a.start, a.options); });
     }},
    {"arkode_created_with_another_length", "",
     [] {
       App a;
       N_VConst(0.1, a.y);
       OwnArkode own(a, a.vector(1));
       N_VConst(0.1, own.y);
       Attachment attachment = attach_arkode(own.memory, a.system, a.start, a.options);
       const int flag = own.go(1.0);
       expect(flag < 0, "no failure");
       expect(attachment.explain("ARKodeEvolve", flag, "", 0.0).message.find("has 3 entries") != std::string::npos,
              "no word of the length");
       refused("has 3 entries", [&] { attachment.rethrow(); });
     }},
    {"length_changed_after_attaching", "",
     [] {
       App a;
       Attachment attachment = a.attach();
       N_VSetArrayPointer(nullptr, a.y);
       MotionState state;
       refused("no array", [&] { attachment.motion(0.0, a.y, state); });
       refused("1 entries", [&] { attachment.motion(0.0, a.vector(3), state); });
       refused("1 entries", [&] { attachment.change_variables(0.0, a.vector(3)); });
     }},
};

const Case user_data[] = {
    {"no_attach", "",  // no linear solver either: CVODE says so
     [] {
       App a;
       expect(a.go(1.0) < 0, "no failure");
     }},
    {"no_attach_adams", no_user_data,
     [] {
       App a("baumgarte", CV_ADAMS);
       expect(CVodeSetNonlinearSolver(a.memory, SUNNonlinSol_FixedPoint(a.y, 0, a.context)) == CV_SUCCESS, "iteration");
       expect(a.go(1.0) < 0, "no failure");
     }},
    {"ida_no_attach", "",
     [] {
       const App a("ggl");
       OwnIda ida(a);
       expect(ida.go(1.0) < 0, "no failure");
     }},
    {"arkode_no_attach", no_user_data,
     [] {
       App a;
       OwnArkode own(a, a.y);
       expect(own.go(1.0) < 0, "no failure");
     }},
    {"user_pointer_of_nothing", no_user_data, [] { expect(user_pointer(nullptr) == nullptr, "not null"); }},
    {"user_data_null", no_user_data,
     [] {
       App a;
       const Attachment attachment = a.attach();
       CVodeSetUserData(a.memory, nullptr);
       expect(a.go(1.0) == CV_RHSFUNC_FAIL, "another flag");
     }},
    {"user_data_of_the_application", not_ours,
     [] {
       App a;
       const Attachment attachment = a.attach();
       double mine[64] = {1, 2, 3};
       CVodeSetUserData(a.memory, mine);
       expect(a.go(1.0) == CV_RHSFUNC_FAIL, "another flag");
       expect(mine[0] == 1 && mine[1] == 2 && mine[2] == 3, "the application's data were written to");
       expect(user_pointer(mine) == nullptr, "user_pointer() is not null");
     }},
    {"user_data_of_one_byte", not_ours,
     [] {
       App a;
       const Attachment attachment = a.attach();
       auto* mine = static_cast<char*>(std::malloc(1));
       *mine = 'x';
       CVodeSetUserData(a.memory, mine);
       expect(a.go(1.0) == CV_RHSFUNC_FAIL, "another flag");
       std::free(mine);
     }},
    {"user_data_of_the_application_in_ida", not_ours,
     [] {
       App a("ggl");
       OwnIda ida(a);
       const Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
       double mine = 3.0;
       IDASetUserData(ida.memory, &mine);
       expect(ida.go(1.0) < 0, "no failure");
     }},
    {"user_data_of_the_application_in_arkode", not_ours,
     [] {
       App a;
       OwnArkode own(a, a.y);
       const Attachment attachment = attach_arkode(own.memory, a.system, a.start, a.options);
       double mine = 3.0;
       ark::set_user_data(own.memory, &mine);
       expect(own.go(1.0) < 0, "no failure");
     }},
    {"user_data_of_the_application_in_mid_run", not_ours,
     [] {
       App a("projected");
       const Attachment attachment = a.attach();
       expect(a.go(1.0) >= 0, "CVode failed before");
       int mine = 3;
       CVodeSetUserData(a.memory, &mine);
       expect(a.go(2.0) < 0, "no failure");
     }},
};

const Case ends[] = {
    {"attachment_ends_and_cvode_goes_on", has_ended,
     [] {
       App a;
       {
         const Attachment attachment = a.attach();
         expect(a.go(1.0) >= 0, "CVode failed before");
       }
       expect(a.go(2.0) < 0, "no failure");
     }},
    {"attachment_ends_and_ida_goes_on", has_ended,
     [] {
       App a("ggl");
       OwnIda ida(a);
       {
         const Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
         expect(ida.go(1.0) >= 0, "IDASolve failed before");
       }
       expect(ida.go(2.0) < 0, "no failure");
     }},
    {"attachment_and_63_others_end", has_ended,
     [] {
       App a;
       const App b;
       { const Attachment attachment = a.attach(); }
       for (int k = 0; k < 63; ++k) const Attachment other = b.attach();
       expect(a.go(2.0) < 0, "no failure");
     }},
    {"attachment_of_another_memory_after_the_end", "",
     [] {
       App a, b;
       { const Attachment attachment = a.attach(); }
       const Attachment attachment = b.attach();
       b.goes_to_10();
     }},
    {"moved_from_is_used", "",
     [] {
       App a;
       Attachment first = a.attach();
       const Attachment second = std::move(first);
       MotionState state;
       refused("moved from", [&] { first.counts(); });
       refused("moved from", [&] { first.facts(); });
       refused("moved from", [&] { first.rethrow(); });
       refused("moved from", [&] { first.statistics(); });
       refused("moved from", [&] { first.motion(0.0, a.y, state); });
       refused("moved from", [&] { first.set_user_pointer(&state); });
       refused("moved from", [&] { first.explain("CVode", -4, "", 0.0); });
     }},
    {"ida_reassigned_in_mid_run", "",
     [] {
       App a("ggl");
       OwnIda ida(a);
       Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
       expect(ida.go(1.0) >= 0, "IDASolve failed before");
       attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
       if (ida.go(10.0) >= 0) App::arrived(ida.y);  // a flag or the right result
     }},
};

const Case order_of_calls[] = {
    {"before_init", "",
     [] {
       App a("baumgarte", CV_BDF, 1e300, false);
       refused("call CVodeInit first", [&] { a.attach(); });
       a.options.install_linear_solver = false;
       refused("call CVodeInit first", [&] { a.attach(); });
       a.options.install_linear_solver = true;
       a.set_up();
       const Attachment attachment = a.attach();
       a.goes_to_10();
     }},
    {"ida_before_init", "",
     [] {
       const App a("ggl");
       void* memory = IDACreate(a.context);
       refused("call IDAInit first", [&] { attach_ida(memory, a.context, a.vector(), a.system, a.start, a.options); });
     }},
#if SUNDIALS_VERSION_MAJOR < 7  // CVODE 7 crashes by itself, whoever forgets it
    {"linear_solver_forgotten", "",
     [] {
       App a;
       a.options.install_linear_solver = false;
       const Attachment attachment = a.attach();
       expect(a.go(1.0) < 0, "no failure");
     }},
#endif
    {"projected_refused_by_adams_then_baumgarte", "",
     [] {
       App a("projected", CV_ADAMS);
       refused("CV_BDF", [&] { a.attach(); });
       a.options.formulation = "baumgarte";
       const Attachment attachment = a.attach();
       a.goes_to_10();
     }},
    {"projected_refused_by_adams_then_run", "",  // as if attach had not been called
     [] {
       App a("projected", CV_ADAMS);
       refused("CV_BDF", [&] { a.attach(); });
       expect(a.go(1.0) < 0, "no failure");
     }},
    {"a_refused_attachment_changes_nothing", "",
     [] {
       const auto end = [](bool try_others) {
         App a("baumgarte", CV_ADAMS);
         const Attachment attachment = a.attach();
         expect(a.go(1.0) >= 0, "CVode failed");
         if (try_others) {
           const auto with_formulation = [&a](const char* name) {
             AttachOptions o = a.options;
             o.formulation = name;
             attach_cvode(a.memory, a.context, a.y, a.system, a.start, o);
           };
           refused("CV_BDF", [&] { with_formulation("projected"); });
           refused("DAE form", [&] { with_formulation("ggl"); });
           refused("y has", [&] { attach_cvode(a.memory, a.context, a.vector(1), a.system, a.start, a.options); });
           refused("SUNContext", [&] { attach_cvode(a.memory, nullptr, a.y, a.system, a.start, a.options); });
         }
         a.goes_to_10();
         return N_VGetArrayPointer(a.y)[0];
       };
       expect(end(true) == end(false), "the run is another one");
     }},
};

const Case options[] = {
    {"wrong_form", "",
     [] {
       App a;
       a.options.formulation = "ggl";
       refused("DAE form", [&] { a.attach(); });
       a.options.formulation = "nope";
       refused("nope", [&] { a.attach(); });
       a.options.formulation = "";
       refused("formulation", [&] { a.attach(); });
     }},
    {"wrong_start", "",
     [] {
       App a;
       a.start.q.resize(3);
       refused("consistent_state", [&] { a.attach(); });
       refused("consistent_state", [&] { num_unknowns(a.system, a.start, a.options); });
       refused("consistent_state", [&] { initial_values(a.system, a.start, a.options, a.y); });
     }},
    {"start_not_finite", "",
     [] {
       App a;
       for (const double bad : {nan, infinity}) {
         const MotionState start = with(a.start, bad);
         refused("not finite", [&] { attach_cvode(a.memory, a.context, a.y, a.system, start, a.options); });
       }
       a.start.t = nan;
       refused("not finite", [&] { a.attach(); });
     }},
    {"nonsense", "",
     [] {
       struct Nonsense {
         const char* part;
         void (*set)(AttachOptions&);
       };
       const Nonsense all[] = {
           {"rtol = -1", [](AttachOptions& o) { o.rtol = -1; }},
           {"rtol = nan", [](AttachOptions& o) { o.rtol = nan; }},
           {"atol = 0", [](AttachOptions& o) { o.atol = 0; }},
           {"t_span = -1", [](AttachOptions& o) { o.t_span = -1; }},
           {"rank_threshold = 2", [](AttachOptions& o) { o.linear_solver.rank_threshold = 2; }},
           {"regularization = -1", [](AttachOptions& o) { o.linear_solver.regularization = -1; }},
           {"linear_solver \"nope\"", [](AttachOptions& o) { o.linear_solver.name = "nope"; }},
           {"time_scale = -1", [](AttachOptions& o) { o.time_scale = -1; }},
           {"integrator.step = nan", [](AttachOptions& o) { o.integrator.step = nan; }},
           {"K_D", [](AttachOptions& o) { o.gains.K_D = -1.0; }},
           {"ida.initial_step", [](AttachOptions& o) { o.ida.initial_step = infinity; }},
           {"ida.nonlinear_coefficient", [](AttachOptions& o) { o.ida.nonlinear_coefficient = infinity; }},
           {"ida.max_nonlinear_iterations", [](AttachOptions& o) { o.ida.max_nonlinear_iterations = 0; }},
       };
       for (const Nonsense& nonsense : all) {
         App a;
         nonsense.set(a.options);
         refused(nonsense.part, [&] { a.attach(); });
       }
     }},
};

const Case exceptions[] = {
    {"the_model_throws", "",
     [] {
       for (const int method : {CV_BDF, CV_ADAMS}) {
         App a("baumgarte", method, 0.5);
         Attachment attachment = a.attach();
         const int flag = a.go(1.0);
         expect(flag < 0, "no failure");
         expect(attachment.explain("CVode", flag, "", 0.5).message.find("no data so late") != std::string::npos,
                "explain() does not know the exception");
         bool thrown = false;
         try {
           attachment.rethrow();
         } catch (const std::domain_error&) {
           thrown = true;
         }
         expect(thrown, "nothing was rethrown");
         attachment.rethrow();  // once
       }
     }},
    {"the_exception_is_forgotten_at_initialisation", "",
     [] {
       for (const int method : {CV_BDF, CV_ADAMS}) {
         App a("baumgarte", method, 0.5);
         Attachment attachment = a.attach();
         expect(a.go(1.0) < 0, "no failure");
         initial_values(a.system, a.start, a.options, a.y);
         CVodeReInit(a.memory, 0.0, a.y);
         expect(a.go(0.4) >= 0, "still failing");
         attachment.rethrow();  // nothing
         expect(a.go(1.0) < 0, "no failure the second time");
       }
     }},
    {"ida_forgets_the_exception_at_initialisation", "",
     [] {
       App a("ggl", CV_BDF, 0.5);
       OwnIda ida(a);
       Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
       expect(ida.go(1.0) < 0, "no failure");
       initial_values(a.system, a.start, a.options, ida.y, ida.yp);
       IDAReInit(ida.memory, 0.0, ida.y, ida.yp);
       expect(ida.go(0.4) >= 0, "still failing");
       attachment.rethrow();
     }},
    {"arkode_forgets_the_exception_at_a_reset", "",
     [] {
       App a("baumgarte", CV_BDF, 0.5);
       OwnArkode own(a, a.y);
       Attachment attachment = attach_arkode(own.memory, a.system, a.start, a.options);
       expect(own.go(1.0) < 0, "no failure");
       initial_values(a.system, a.start, a.options, a.y);
       ark::reset(own.memory, 0.0, a.y);
       expect(own.go(0.4) >= 0, "still failing");
       attachment.rethrow();
     }},
    {"the_exception_stays_until_then", "",
     [] {  // the fixed-point iteration of 6.4 tries shorter steps, in which the model does not throw
       App a("baumgarte", CV_ADAMS, 0.5);
       a.options.install_linear_solver = false;
       Attachment attachment = a.attach();
       expect(CVodeSetNonlinearSolver(a.memory, SUNNonlinSol_FixedPoint(a.y, 0, a.context)) == CV_SUCCESS, "iteration");
       expect(a.go(1.0) < 0 && a.go(1.0) < 0, "no failure");
       bool thrown = false;
       try {
         attachment.rethrow();
       } catch (const std::domain_error&) {
         thrown = true;
       }
       expect(thrown, "nothing was rethrown");
     }},
};

template <std::size_t count>
void check_all(const Case (&cases)[count]) {
  for (const Case& c : cases) {
    BOOST_TEST_CONTEXT(c.name) {
      const Ended ended = in_a_child(c.run);
      BOOST_TEST(ended.normally, c.name << ": " << ended.said);
      BOOST_TEST(ended.said.find(c.says) != std::string::npos,
                 c.name << " does not say \"" << c.says << "\": " << ended.said);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(right_uses_work) {
  check_all(right_uses);
}
BOOST_AUTO_TEST_CASE(null_arguments_are_refused) {
  check_all(null_arguments);
}
BOOST_AUTO_TEST_CASE(vectors_that_do_not_fit_are_refused) {
  check_all(vectors);
}
BOOST_AUTO_TEST_CASE(user_data_that_are_not_the_librarys_are_told) {
  check_all(user_data);
}
BOOST_AUTO_TEST_CASE(attachments_that_have_ended_are_told) {
  check_all(ends);
}
BOOST_AUTO_TEST_CASE(calls_in_the_wrong_order_are_refused) {
  check_all(order_of_calls);
}
BOOST_AUTO_TEST_CASE(options_are_checked) {
  check_all(options);
}
BOOST_AUTO_TEST_CASE(exceptions_belong_to_one_run) {
  check_all(exceptions);
}

/// A crash in a child is seen.
BOOST_AUTO_TEST_CASE(the_test_itself_can_fail) {
  BOOST_TEST(!in_a_child([] { std::abort(); }).normally);
  BOOST_TEST(!in_a_child([] { expect(false, "this"); }).normally);
  BOOST_TEST(in_a_child([] { refused("x", [] {}); }).said.find("accepted") != std::string::npos);
}
