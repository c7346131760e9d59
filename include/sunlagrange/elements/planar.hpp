// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Elements of the plane: points (x, y), bodies (x, y, angle), their joints, springs and forces.

#include <sunlagrange/elements/planar/applied_force.hpp>
#include <sunlagrange/elements/planar/body.hpp>
#include <sunlagrange/elements/planar/coincidence.hpp>
#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/distance_between.hpp>
#include <sunlagrange/elements/planar/eccentric_body.hpp>
#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/elements/planar/knife_edge.hpp>
#include <sunlagrange/elements/planar/linear_damper.hpp>
#include <sunlagrange/elements/planar/linear_spring.hpp>
#include <sunlagrange/elements/planar/pin_on_curve.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/prescribed_point.hpp>
#include <sunlagrange/elements/planar/prismatic.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/rolling_disc.hpp>
#include <sunlagrange/elements/planar/surface_contact.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>
#include <sunlagrange/elements/planar/uniform_rod.hpp>
