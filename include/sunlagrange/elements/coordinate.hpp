// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Elements on single coordinates: angles and lengths of any mechanism.

#include <sunlagrange/elements/coordinate/applied_torque.hpp>
#include <sunlagrange/elements/coordinate/damper.hpp>
#include <sunlagrange/elements/coordinate/friction.hpp>
#include <sunlagrange/elements/coordinate/gear.hpp>
#include <sunlagrange/elements/coordinate/inertia.hpp>
#include <sunlagrange/elements/coordinate/prescribed.hpp>
#include <sunlagrange/elements/coordinate/spring.hpp>
