#pragma once

/// Umbrella header, in reading order.

#include <sunlagrange/version.hpp>
// what the words and symbols mean, where the equations come from
#include <sunlagrange/notation.hpp>
#include <sunlagrange/literature.hpp>
// what the user writes
#include <sunlagrange/model/requirements.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/derivatives/adapt.hpp>
#include <sunlagrange/derivatives/check_derivatives.hpp>
// elements for an Assembly: include what you use from <sunlagrange/model/elements/...>; list: elements.inc
// how it is run
#include <sunlagrange/status.hpp>
#include <sunlagrange/gains.hpp>
#include <sunlagrange/options.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/simulate.hpp>
// what comes out
#include <sunlagrange/trajectory.hpp>
#include <sunlagrange/report.hpp>
#include <sunlagrange/catalogue.hpp>
// side module
#include <sunlagrange/stability/butcher_table.hpp>
