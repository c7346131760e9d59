// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/test/unit_test.hpp>

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>

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

/// Applications that attach the library to memory of their own, each in a child process, so that a crash is the failure
/// of that case only.
namespace sunlagrange::test {

using namespace internal;

// ---- a child process for each case ---------------------------------------------------------------------------------

/// In the child: the case has failed. (Boost's own checks belong to the parent.)
inline void expect(bool good, const std::string& what) {
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

inline Ended in_a_child(const std::function<void()>& run) {
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

struct Case {
  const char* name;
  const char* says;  // on stderr; empty: nothing is demanded
  std::function<void()> run;
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

// ---- an application ------------------------------------------------------------------------------------------------

/// 1 m, 1 kg, from the horizontal; throws after a time that may be set.
struct Thrower : Pendulum {
  double latest = std::numeric_limits<double>::infinity();
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    if (value_of(t) > latest) throw std::domain_error("no data so late");
    Pendulum::applied_force(t, q, v, f);
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
  N_Vector vector(sunindextype less = 0) const { return N_VNew_Serial(num_unknowns(system, start, options) - less, context); }
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

inline MotionState with(MotionState state, double q0) {
  state.q[0] = q0;
  return state;
}

}  // namespace sunlagrange::test
