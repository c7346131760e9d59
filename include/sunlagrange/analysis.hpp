// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// From motion to answers: linearisation and modes, equilibria, kinematic analysis, sensitivities, identification. A
/// library of its own on top of sunlagrange: link sunlagrange::analysis.

#include <sunlagrange/analysis/drive_forces.hpp>
#include <sunlagrange/analysis/functional.hpp>
#include <sunlagrange/analysis/gradient.hpp>
#include <sunlagrange/analysis/identify.hpp>
#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/analysis/linearise.hpp>
#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/analysis/state_space.hpp>
#include <sunlagrange/analysis/static_equilibrium.hpp>
#include <sunlagrange/analysis/workspace.hpp>
#include <sunlagrange/analysis/write_html.hpp>
