#pragma once

/// Electrical, hydraulic, thermal and economic elements, and what couples them to mechanisms.

#include <sunlagrange/elements/network/compliance.hpp>
#include <sunlagrange/elements/network/gyrator.hpp>
#include <sunlagrange/elements/network/hydraulic_cylinder.hpp>
#include <sunlagrange/elements/network/inertia.hpp>
#include <sunlagrange/elements/network/junction.hpp>
#include <sunlagrange/elements/network/massless_branch.hpp>
#include <sunlagrange/elements/network/resistance.hpp>
#include <sunlagrange/elements/network/source.hpp>
#include <sunlagrange/elements/network/thermal.hpp>
#include <sunlagrange/elements/network/transformer.hpp>
