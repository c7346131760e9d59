// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Stability theory: laws of the constraint error, Runge-Kutta conditions, certificates along runs, step maps, Lyapunov
/// tools. A library of its own on top of sunlagrange: link sunlagrange::stability.

#include <sunlagrange/stability/boundedness.hpp>
#include <sunlagrange/stability/certificate.hpp>
#include <sunlagrange/stability/constraint_dynamics.hpp>
#include <sunlagrange/stability/damped_form.hpp>
#include <sunlagrange/stability/decay_certificate.hpp>
#include <sunlagrange/stability/definiteness.hpp>
#include <sunlagrange/stability/first_order_form.hpp>
#include <sunlagrange/stability/function_along_run.hpp>
#include <sunlagrange/stability/gain_limits.hpp>
#include <sunlagrange/stability/lyapunov.hpp>
#include <sunlagrange/stability/quadratic_eigenproblem.hpp>
#include <sunlagrange/stability/runge_kutta_conditions.hpp>
#include <sunlagrange/stability/step_map.hpp>
#include <sunlagrange/stability/step_norm.hpp>
#include <sunlagrange/stability/symmetric_factors.hpp>
