// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Every element of the catalogue (elements/elements.inc), by domain.

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/network.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
