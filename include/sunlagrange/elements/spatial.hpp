// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Elements of space: points (x, y, z), bodies (x, y, z, Euler parameters), their joints, springs and forces.

#include <sunlagrange/elements/spatial/applied_force.hpp>
#include <sunlagrange/elements/spatial/applied_torque.hpp>
#include <sunlagrange/elements/spatial/axial_spring.hpp>
#include <sunlagrange/elements/spatial/body.hpp>
#include <sunlagrange/elements/spatial/cylindrical.hpp>
#include <sunlagrange/elements/spatial/distance.hpp>
#include <sunlagrange/elements/spatial/driven_hinge.hpp>
#include <sunlagrange/elements/spatial/driven_slide.hpp>
#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/elements/spatial/fixed.hpp>
#include <sunlagrange/elements/spatial/gravity.hpp>
#include <sunlagrange/elements/spatial/point_mass.hpp>
#include <sunlagrange/elements/spatial/pose.hpp>
#include <sunlagrange/elements/spatial/prescribed_point.hpp>
#include <sunlagrange/elements/spatial/prescribed_velocity.hpp>
#include <sunlagrange/elements/spatial/prismatic.hpp>
#include <sunlagrange/elements/spatial/revolute.hpp>
#include <sunlagrange/elements/spatial/rigid_body.hpp>
#include <sunlagrange/elements/spatial/rolling_disc.hpp>
#include <sunlagrange/elements/spatial/skate.hpp>
#include <sunlagrange/elements/spatial/spherical.hpp>
#include <sunlagrange/elements/spatial/spring_damper.hpp>
#include <sunlagrange/elements/spatial/torsion_spring.hpp>
#include <sunlagrange/elements/spatial/universal.hpp>
#include <sunlagrange/elements/spatial/visual.hpp>
