#pragma once

/// Every element of the catalogue; elements.inc lists them with one line each on what they are. A program that uses one
/// or two elements may include their headers alone.

#include <sunlagrange/model/elements/distance.hpp>
#include <sunlagrange/model/elements/point_mass.hpp>
#include <sunlagrange/model/elements/revolute.hpp>
#include <sunlagrange/model/elements/rigid_body.hpp>
#include <sunlagrange/model/elements/uniform_gravity.hpp>
#include <sunlagrange/model/elements/uniform_rod.hpp>
