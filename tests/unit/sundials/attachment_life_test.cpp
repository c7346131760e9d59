// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "attachment_cases.hpp"

/// From attaching to the end: what applications may do, who must outlive whom, whose exceptions are told.
using namespace sunlagrange;
using namespace sunlagrange::test;

namespace {

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
    {"vector_tolerances_set_after_initialising_anew", "",
     [] {
       App a;
       const Attachment attachment = a.attach();
       expect(a.go(2.0) >= 0, "CVode failed before");
       initial_values(a.system, a.start, a.options, a.y);
       expect(CVodeReInit(a.memory, 0.0, a.y) == CV_SUCCESS, "CVodeReInit");
       const N_Vector absolute = N_VClone(a.y);
       N_VConst(1e-11, absolute);
       expect(CVodeSVtolerances(a.memory, 1e-10, absolute) == CV_SUCCESS, "CVodeSVtolerances");
       N_VDestroy(absolute);
       expect(a.go(10.0) >= 0, "CVode failed");
       App::arrived(a.y, 1e-6);  // as the tolerances now say
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
    {"erkstep", "",
     [] {
       for (const char* name : {"baumgarte", "projected"}) {
         App a(name);
         void* memory = ERKStepCreate(arkode_rhs, 0.0, a.y, a.context);
         const Attachment attachment = attach_arkode(memory, a.system, a.start, a.options);
         ark::set_tolerances(memory, 1e-9, 1e-11);
         double t = 0.0;
         int flag = 0;
         while (flag >= 0 && t < 10.0) flag = ark::evolve(memory, 10.0, a.y, &t);
         if (flag >= 0) ark::derivative(memory, 10.0, 0, a.y);
         expect(flag >= 0, std::string(name) + " failed");
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
    {"attachment_ends_and_ida_goes_on_with_weights_of_its_own", has_ended,
     [] {
       App a("ggl");
       OwnIda ida(a);
       a.options.install_error_weights = false;
       {
         const Attachment attachment = attach_ida(ida.memory, a.context, ida.y, a.system, a.start, a.options);
         IDASStolerances(ida.memory, 1e-4, 1e-4);
         expect(ida.go(0.1) >= 0, "IDASolve failed before");
       }
       expect(ida.go(2.0) < 0, "no failure");
     }},
    {"attachment_and_many_others_end", has_ended,
     [] {
       App a;
       const App b;
       {
         const Attachment attachment = a.attach();
         expect(a.go(1.0) >= 0, "CVode failed before");
       }
       for (int k = 0; k < 200; ++k) const Attachment other = b.attach();
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

}  // namespace

BOOST_AUTO_TEST_CASE(right_uses_work) {
  check_all(right_uses);
}
BOOST_AUTO_TEST_CASE(attachments_that_have_ended_are_told) {
  check_all(ends);
}
BOOST_AUTO_TEST_CASE(exceptions_belong_to_one_run) {
  check_all(exceptions);
}
