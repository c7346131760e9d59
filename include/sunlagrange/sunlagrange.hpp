// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Umbrella header, in reading order. Elements for an Assembly: <sunlagrange/elements.hpp>; proofs about gains and
/// steps: <sunlagrange/stability.hpp>.

// clang-format off
#include <sunlagrange/version.hpp>
// what the words and symbols mean, where the equations come from
#include <sunlagrange/notation.hpp>
#include <sunlagrange/literature.hpp>
#include <sunlagrange/model/domains.hpp>
// what the user writes
#include <sunlagrange/model/requirements.hpp>
#include <sunlagrange/model/make_system.hpp>
#include <sunlagrange/model/make_program.hpp>
#include <sunlagrange/derivatives/check_derivatives.hpp>
#include <sunlagrange/model/kinematic_program.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/system_evaluator.hpp>
#include <sunlagrange/model/active_constraints.hpp>
#include <sunlagrange/model/rescaled_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/model/start_values.hpp>
#include <sunlagrange/model/system_parameters.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/elements/spatial/pose.hpp>
// how it is run
#include <sunlagrange/simulation/simulate.hpp>
#include <sunlagrange/simulation/stepper.hpp>
#include <sunlagrange/simulation/catalogue.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/gains/gains.hpp>
#include <sunlagrange/gains/gain_advice.hpp>
#include <sunlagrange/gains/excess_energy.hpp>
#include <sunlagrange/events/events.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/consistency/redundancy.hpp>
#include <sunlagrange/consistency/velocity_jump.hpp>
// what comes out
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/results/error_estimate.hpp>
#include <sunlagrange/results/report.hpp>
#include <sunlagrange/results/report_json.hpp>
#include <sunlagrange/results/trajectory.hpp>
#include <sunlagrange/results/reactions.hpp>
#include <sunlagrange/results/power_balance.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/not_smooth.hpp>
#include <sunlagrange/page/write_html.hpp>
// clang-format on
