// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#ifdef SUNLAGRANGE_TEST_MANYVECTOR
#include <nvector/nvector_manyvector.h>
#endif

#include "attachment_cases.hpp"

/// The attach functions in hands that make mistakes: an Error, or a flag of the integrator and a message, and nothing
/// written out of bounds.
using namespace sunlagrange;
using namespace sunlagrange::test;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr const char* no_user_data = "no user data: call attach_cvode, attach_ida or attach_arkode";
constexpr const char* not_ours = "Attachment::set_user_pointer()";

int decay(sunrealtype, N_Vector y, N_Vector ydot, void*) {
  N_VScale(-1.0, y, ydot);
  return 0;
}
int decay_residual(sunrealtype, N_Vector y, N_Vector yp, N_Vector r, void*) {
  N_VLinearSum(1.0, y, 1.0, yp, r);
  return 0;
}

/// What is said of a call that failed has `part` in it, and so has the exception behind it.
void told(Attachment& attachment, const char* function, int flag, const std::string& part) {
  expect(flag < 0, "no failure");
  const std::string message = attachment.explain(flag, 0.0).message;
  expect(message.find(function) == 0, message + " does not begin with " + function);
  expect(message.find(part) != std::string::npos, "\"" + part + "\" is not in: " + message);
  refused(part, [&] { attachment.rethrow(); });
}

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
       refused("kind ManyVector", [&] { attach_cvode(a.memory, a.context, y, a.system, a.start, a.options); });
       // the memory of such vectors, a serial y
       void* memory = CVodeCreate(CV_BDF, a.context);
       expect(CVodeInit(memory, cvode_rhs, 0.0, y) == CV_SUCCESS, "CVodeInit");
       refused("kind ManyVector", [&] { attach_cvode(memory, a.context, a.y, a.system, a.start, a.options); });
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
    {"user_data_of_before_is_kept", "",
     [] {
       const auto root = [](sunrealtype, N_Vector y, sunrealtype* out, void* data) {
         const auto* limit = static_cast<double*>(user_pointer(data));
         out[0] = N_VGetArrayPointer(y)[1] + *limit;  // y = -limit
         return 0;
       };
       App a;
       double limit = 0.5;
       CVodeSetUserData(a.memory, &limit);
       CVodeRootInit(a.memory, 1, root);
       Attachment attachment = a.attach();
       bool said = false;
       for (const Setting& line : attachment.facts().lines()) said = said || line.name == "user pointer";
       expect(said, "facts() do not say that the pointer was kept");
       expect(a.go(1.0) == CV_ROOT_RETURN, "no root");
       expect(std::abs(N_VGetArrayPointer(a.y)[1] + limit) < 1e-6, "another root");
       limit = 0.7;
       const Attachment next = a.attach();  // the same pointer again, not the binding
       expect(a.go(2.0) == CV_ROOT_RETURN, "no second root");
       expect(std::abs(N_VGetArrayPointer(a.y)[1] + limit) < 1e-6, "another second root");

       App b("ggl");
       OwnIda ida(b);
       IDASetUserData(ida.memory, &limit);
       IDARootInit(ida.memory, 1, [](sunrealtype, N_Vector y, N_Vector, sunrealtype* out, void* data) {
         out[0] = N_VGetArrayPointer(y)[1] + *static_cast<double*>(user_pointer(data));
         return 0;
       });
       const Attachment to_ida = attach_ida(ida.memory, b.context, ida.y, b.system, b.start, b.options);
       expect(ida.go(1.0) == IDA_ROOT_RETURN, "no root of IDA");

       App c;
       OwnArkode own(c, c.y);
       ark::set_user_data(own.memory, &limit);
       ark::set_roots(own.memory, 1, root);
       const Attachment to_arkode = attach_arkode(own.memory, c.system, c.start, c.options);
       double t = 0.0;
       int flag = 0;
       while (flag == 0 && t < 1.0) flag = ark::evolve(own.memory, 1.0, c.y, &t);
       expect(flag == ARK_ROOT_RETURN, "no root of ARKODE");
     }},
    {"user_data_that_are_no_address", "",
     [] {
       App a;
       CVodeSetUserData(a.memory, reinterpret_cast<void*>(3));  // NOLINT(performance-no-int-to-ptr)
       const Attachment attachment = a.attach();
       a.goes_to_10();
     }},
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
       const std::string why = attachment.explain(CV_RHSFUNC_FAIL, 0.0).message;
       expect(
           why.find(
               "CVode returned CV_RHSFUNC_FAIL (-8) at t = 0: cvode_rhs: the user data belongs to no Attachment") == 0,
           why);
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
    {"cvode_integrates_equations_of_its_own", "",
     [] {
       for (const char* formulation : {"baumgarte", "projected"}) {
         App a(formulation, CV_BDF, 1e300, false);
         expect(CVodeInit(a.memory, decay, 0.0, a.y) == CV_SUCCESS, "CVodeInit");
         expect(CVodeSStolerances(a.memory, 1e-6, 1e-8) == CV_SUCCESS, "CVodeSStolerances");
         Attachment attachment = a.attach();
         told(attachment, "CVode", a.go(1.0), "give cvode_rhs to CVodeInit");
       }
     }},
    {"ida_integrates_equations_of_its_own", "",
     [] {
       App a("ggl");
       OwnIda ida(a);
       IDAFree(&ida.memory);
       ida.memory = IDACreate(a.context);
       expect(IDAInit(ida.memory, decay_residual, 0.0, ida.y, ida.yp) == IDA_SUCCESS, "IDAInit");
       Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
       told(attachment, "IDASolve", ida.go(1.0), "give ida_residual to IDAInit");
     }},
    {"arkode_integrates_equations_of_its_own", "",
     [] {
       App a("projected");
       OwnArkode own(a, a.y);
       own.memory = ARKStepCreate(decay, nullptr, 0.0, a.y, a.context);
       Attachment attachment = attach_arkode(own.memory, a.system, a.start, a.options);
       told(attachment, "ARKStepEvolve", own.go(1.0), "give arkode_rhs to ARKStepCreate");
     }},
    {"initial_values_after_init", "",
     [] {
       for (const char* formulation : {"baumgarte", "projected", "penalty"}) {
         App a(formulation, CV_BDF, 1e300, false);
         N_VConst(0.0, a.y);
         a.set_up();
         initial_values(a.system, a.start, a.options, a.y);
         refused("the state that CVodeInit was given violates \"constraint\" at t = 0, g = ", [&] { a.attach(); });
         expect(CVodeReInit(a.memory, 0.0, a.y) == CV_SUCCESS, "CVodeReInit");
         const Attachment attachment = a.attach();
         a.goes_to_10();
       }
     }},
    {"velocities_that_are_none", "",
     [] {
       App a("baumgarte", CV_BDF, 1e300, false);
       const MotionState moving = consistent_state(a.system, {0.0, a.start.q, Eigen::Vector2d(0.0, 2.0)}).state;
       a.start = moving;
       initial_values(a.system, a.start, a.options, a.y);
       N_VGetArrayPointer(a.y)[2] = 1.0;
       a.set_up();
       refused(", g' = 1:", [&] { a.attach(); });
       a.start.v[0] = 1.0;  // it is meant so
       const Attachment attachment = a.attach();
       expect(a.go(1.0) >= 0, "CVode failed");
     }},
    {"ida_initialised_before_initial_values", "",
     [] {
       for (const char* formulation : {"ggl", "index1", "index2", "index3"}) {
         App a(formulation);
         OwnIda ida(a);
         N_VConst(0.0, ida.y);
         expect(IDAReInit(ida.memory, 0.0, ida.y, ida.yp) == IDA_SUCCESS, "IDAReInit");
         initial_values(a.system, a.start, a.options, ida.y, ida.yp);
         const auto attach = [&] { return attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options); };
         refused("the state that IDAInit was given violates", attach);
         expect(IDAReInit(ida.memory, 0.0, ida.y, ida.yp) == IDA_SUCCESS, "IDAReInit");
         const Attachment attachment = attach();
         expect(ida.go(1.0) >= 0, "IDASolve failed");
         const Attachment in_mid_run = attach();
         N_VConst(0.0, ida.y);
         attach();  // what the memory holds counts, and that runs already
       }
     }},
    {"arkode_created_before_initial_values", "",
     [] {
       App a;
       N_VConst(0.0, a.y);
       OwnArkode own(a, a.y);
       Attachment attachment = attach_arkode(own.memory, a.system, a.start, a.options);
       initial_values(a.system, a.start, a.options, a.y);
       told(attachment, "ARKStepEvolve", own.go(1.0), "the state that ARKODE was given violates");
     }},
    {"starts_off_the_constraints_that_are_meant", "",
     [] {
       for (const double off : {1e-6, 1e-3, 3e-2, 0.5, 2.0}) {
         App a("baumgarte", CV_BDF, 1e300, false);
         N_Vector y = a.vector();
         initial_values(a.system, a.start, a.options, y);
         N_VGetArrayPointer(y)[0] = 1.0 + off;
         expect(CVodeInit(a.memory, cvode_rhs, 0.0, y) == CV_SUCCESS, "CVodeInit");
         expect(CVodeSStolerances(a.memory, 1e-6, 1e-8) == CV_SUCCESS, "CVodeSStolerances");
         if (off < 0.1) {
           a.attach();
         } else {
           refused("attach with that state as the start", [&] { a.attach(); });
         }
         a.start.q[0] = 1.0 + off;
         const Attachment attachment = a.attach();
         expect(a.go(1.0) >= 0, "CVode failed");
       }
     }},
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

/// What explain() says of each flag is about that flag.
const Case flags[] = {
    {"backward_in_time_with_feedback", "",
     [] {
       for (const char* name : {"baumgarte", "penalty", "augmented_lagrangian"}) {
         App a(name);
         Attachment attachment = a.attach();
         told(attachment, "CVode", a.go(-10.0), "goes backward in time, where the feedback of " + std::string(name));
       }
       App explicit_steps;
       OwnArkode arkode(explicit_steps, explicit_steps.y);
       Attachment of_arkode =
           attach_arkode(arkode.memory, explicit_steps.system, explicit_steps.start, explicit_steps.options);
       double t = 0.0;
       int flag = ark::evolve(arkode.memory, -10.0, arkode.y, &t);  // one step
       if (flag >= 0) flag = ark::evolve(arkode.memory, -10.0, arkode.y, &t);
       told(of_arkode, "ARKStepEvolve", flag, "goes backward in time");
       App index1("index1");
       OwnIda ida(index1);
       Attachment of_ida = attach_ida(ida.memory, index1.context, ida.y, index1.system, index1.start, index1.options);
       IDASetInitStep(ida.memory, 0.0);
       told(of_ida, "IDASolve", ida.go(-10.0), "goes backward in time");
     }},
    {"backward_in_time_without_feedback", "",
     [] {
       for (const bool without_gains : {false, true}) {  // let go at rest, the motion is symmetric in time
         App a(without_gains ? "baumgarte" : "projected");
         if (without_gains) a.options.gains.K_D = a.options.gains.K_P = 0.0;
         const Attachment attachment = a.attach();
         expect(a.go(-10.0) >= 0, "CVode failed");
         App::arrived(a.y, without_gains ? 1e-2 : 1e-4);
       }
       App ggl("ggl");
       OwnIda ida(ggl);
       const Attachment attachment = attach_ida(ida.memory, ggl.context, ida.y, ggl.system, ggl.start, ggl.options);
       const std::string why = attachment.explain(ida.go(-10.0), 0.0).message;
       expect(why.find("IDASetInitStep(memory, 0.0)") != std::string::npos, why);
       IDASetInitStep(ida.memory, 0.0);
       expect(ida.go(-10.0) >= 0, "IDASolve failed");
       App::arrived(ida.y);
     }},
    {"inequality_constraints_that_the_motion_leaves", "",  // the bob passes below its pivot
     [] {
       for (const double kind : {1.0, 2.0}) {
         App a;
         const Attachment attachment = a.attach();
         const N_Vector positive = N_VClone(a.y);
         N_VConst(0.0, positive);
         N_VGetArrayPointer(positive)[0] = kind;
         expect(CVodeSetConstraints(a.memory, positive) == CV_SUCCESS, "CVodeSetConstraints");
         const std::string why = attachment.explain(a.go(3.0), 0.0).message;
         expect(why.find("violated inequality constraints") != std::string::npos, why);
         N_VDestroy(positive);
       }
       for (const char* name : {"index1", "ggl", "index3"}) {
         App a(name);
         OwnIda ida(a);
         const Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
         const N_Vector positive = N_VClone(ida.y);
         N_VConst(0.0, positive);
         N_VGetArrayPointer(positive)[0] = 1.0;
         expect(IDASetConstraints(ida.memory, positive) == IDA_SUCCESS, "IDASetConstraints");
         const std::string why = attachment.explain(ida.go(3.0), 0.0).message;
         expect(why.find("violated inequality constraints") != std::string::npos, why);
         N_VDestroy(positive);
       }
     }},
    {"begun_anew_at_an_earlier_time", "",
     [] {
       App a;
       const Attachment attachment = a.attach();
       expect(a.go(1.0) >= 0, "CVode failed");
       initial_values(a.system, a.start, a.options, a.y);
       expect(CVodeReInit(a.memory, 0.0, a.y) == CV_SUCCESS, "CVodeReInit");
       a.goes_to_10();
     }},
    {"no_failure", "",
     [] {
       App a;
       const Attachment attachment = a.attach();
       const Status status = attachment.explain(CV_SUCCESS, 0.0);
       expect(status.finished() && status.message.find("no failure") != std::string::npos, status.message);
     }},
    {"no_tolerances", "",
     [] {
       App a("baumgarte", CV_BDF, 1e300, false);
       expect(CVodeInit(a.memory, cvode_rhs, 0.0, a.y) == CV_SUCCESS, "CVodeInit");
       const Attachment attachment = a.attach();
       const int flag = a.go(1.0);
       const std::string why = attachment.explain(flag, 0.0).message;
       expect(why.find("CVode returned CV_ILL_INPUT (-22)") == 0, why);
       expect(why.find("tolerances (CVodeSStolerances") != std::string::npos, why);
       expect(why.find("another formulation") == std::string::npos, why);
     }},
    {"too_many_steps", "",
     [] {
       App a;
       const Attachment attachment = a.attach();
       CVodeSetMaxNumSteps(a.memory, 3);
       const std::string why = attachment.explain(a.go(1.0), 0.0).message;
       expect(
           why.find("CV_TOO_MUCH_WORK") != std::string::npos && why.find("call again to continue") != std::string::npos,
           why);
     }},
    {"root_function_of_the_application", "",
     [] {
       App a;
       const Attachment attachment = a.attach();
       CVodeRootInit(a.memory, 1, [](sunrealtype, N_Vector, sunrealtype*, void*) { return -1; });
       const std::string why = attachment.explain(a.go(1.0), 0.0).message;
       expect(why.find("CV_RTFUNC_FAIL") != std::string::npos, why);
       expect(why.find("from user_pointer(user_data)") != std::string::npos, why);
     }},
    {"ida_no_tolerances", "",
     [] {
       App a("ggl");
       a.options.install_error_weights = false;
       OwnIda ida(a);
       IDAFree(&ida.memory);
       ida.memory = IDACreate(a.context);
       expect(IDAInit(ida.memory, ida_residual, 0.0, ida.y, ida.yp) == IDA_SUCCESS, "IDAInit");
       const Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
       const std::string why = attachment.explain(ida.go(1.0), 0.0).message;
       expect(why.find("IDASolve returned IDA_ILL_INPUT (-22)") == 0, why);
       expect(why.find("IDASStolerances") != std::string::npos, why);
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

}  // namespace

BOOST_AUTO_TEST_CASE(null_arguments_are_refused) {
  check_all(null_arguments);
}
BOOST_AUTO_TEST_CASE(vectors_that_do_not_fit_are_refused) {
  check_all(vectors);
}
BOOST_AUTO_TEST_CASE(user_data_that_are_not_the_librarys_are_told) {
  check_all(user_data);
}
BOOST_AUTO_TEST_CASE(calls_in_the_wrong_order_are_refused) {
  check_all(order_of_calls);
}
BOOST_AUTO_TEST_CASE(flags_are_explained_by_their_meaning) {
  check_all(flags);
}
BOOST_AUTO_TEST_CASE(options_are_checked) {
  check_all(options);
}

/// A crash in a child is seen.
BOOST_AUTO_TEST_CASE(the_test_itself_can_fail) {
  BOOST_TEST(!in_a_child([] { std::abort(); }).normally);
  BOOST_TEST(!in_a_child([] { expect(false, "this"); }).normally);
  BOOST_TEST(in_a_child([] { refused("x", [] {}); }).said.find("accepted") != std::string::npos);
}
