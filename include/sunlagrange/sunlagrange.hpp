#pragma once

/// Umbrella header, in reading order.

#include <sunlagrange/version.hpp>
// what the words and symbols mean, where the equations come from
#include <sunlagrange/literature.hpp>
#include <sunlagrange/model/domains.hpp>
#include <sunlagrange/notation.hpp>
// what the user writes
#include <sunlagrange/derivatives/adapt.hpp>
#include <sunlagrange/derivatives/check_derivatives.hpp>
#include <sunlagrange/derivatives/make_program.hpp>
#include <sunlagrange/model/active_constraints.hpp>
#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/kinematic_program.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/model/planar.hpp>
#include <sunlagrange/model/requirements.hpp>
#include <sunlagrange/model/spatial/ends.hpp>
#include <sunlagrange/model/spatial/pose.hpp>
// elements for an Assembly: include what you use from <sunlagrange/model/elements/...>; list: elements.inc
// how it is run
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/consistency/redundancy.hpp>
#include <sunlagrange/consistency/velocity_jump.hpp>
#include <sunlagrange/events.hpp>
#include <sunlagrange/excess_energy.hpp>
#include <sunlagrange/formulation_options.hpp>
#include <sunlagrange/gains.hpp>
#include <sunlagrange/integrator_hint.hpp>
#include <sunlagrange/options.hpp>
#include <sunlagrange/simulate.hpp>
#include <sunlagrange/status.hpp>
// what comes out
#include <sunlagrange/catalogue.hpp>
#include <sunlagrange/power_balance.hpp>
#include <sunlagrange/reactions.hpp>
#include <sunlagrange/report.hpp>
#include <sunlagrange/trajectory.hpp>
// side module
#include <sunlagrange/first_order_form.hpp>
#include <sunlagrange/stability/boundedness.hpp>
#include <sunlagrange/stability/butcher_table.hpp>
#include <sunlagrange/stability/certificate.hpp>
#include <sunlagrange/stability/constraint_dynamics.hpp>
#include <sunlagrange/stability/damped_form.hpp>
#include <sunlagrange/stability/decay_certificate.hpp>
#include <sunlagrange/stability/definiteness.hpp>
#include <sunlagrange/stability/function_along_run.hpp>
#include <sunlagrange/stability/gain_advice.hpp>
#include <sunlagrange/stability/lyapunov.hpp>
#include <sunlagrange/stability/quadratic_eigenproblem.hpp>
#include <sunlagrange/stability/runge_kutta_conditions.hpp>
#include <sunlagrange/stability/step_norm.hpp>
#include <sunlagrange/stability/step_map.hpp>
#include <sunlagrange/stability/symmetric_factors.hpp>
