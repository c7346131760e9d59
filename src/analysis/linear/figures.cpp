// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/state_space.hpp>
#include <sunlagrange/analysis/static_equilibrium.hpp>
#include <sunlagrange/base/figures.hpp>

/// The descriptions of linearisations, modes and equilibria.
namespace sunlagrange {

void Linearisation::describe(Figures& f) {
  status.describe(f);
  f("at", at, "kind of the state");
  f("state", state, "consistent state about which the system is linearised");
  f("natural_scales", natural_scales, "unit of q", "natural scales of the coordinates");
  f.derived("degrees_of_freedom", static_cast<long>(velocities.cols()), "number of degrees of freedom, k");
  f("positions", positions, "unit of q", "P of dq = P y, n x p");
  f("velocities", velocities, "unit of v", "N of dv = N w + C y, n x k");
  f("transport", transport, "unit of v", "C of dv = N w + C y, n x p");
  f("T", T, "1/s", "T of y' = T w + S y, p x k");
  f("S", S, "1/s", "S of y' = T w + S y, p x p");
  f("M", M, "unit of inertia", "mass matrix of w, k x k");
  f("damping", damping, "unit of force x s", "symmetric part of the velocity forces, k x k");
  f("gyroscopic", gyroscopic, "unit of force x s", "skew part of the velocity forces, k x k");
  f("K", K, "unit of force", "displacement forces, k x p");
  f("stiffness", stiffness, "unit of force", "symmetric part of the displacement forces, k x k");
  f("circulatory", circulatory, "unit of force", "skew part of the displacement forces, k x k");
  f.derived("state_matrix", velocities.rows() > 0 ? state_matrix() : Eigen::MatrixXd(), "1/s",
            "A of (y, w)' = A (y, w)");
  f("rank", rank, "rank of G");
  f("redundant", redundant, "rows that depend on others");
  f("lost", lost, "redundant rows that are independent nearby: a singular pose");
  f("imbalance", imbalance, "1", "largest unbalanced force over the typical one; an equilibrium has at most 1e-6");
}

void Mode::describe(Figures& f) {
  f("eigenvalue", eigenvalue, "1/s", "eigenvalue mu");
  f("frequency", frequency, "Hz", "|Im mu| / 2 pi; 0: no oscillation");
  f("damping_ratio", damping_ratio, "1", "-Re mu / |mu|");
  f("zero", zero, "true if mu is 0 to rounding");
  f("shape", shape, "natural scale", "displacement of each coordinate; the largest entry is 1 natural scale");
  f("velocity", velocity, "natural scale / s", "velocity of each coordinate in the same motion");
}

void Modes::describe(Figures& f) {
  f("modes", modes, "modes, slowest first");
  f("stability", stability, "what the linearised motion says about small disturbances");
  f("verdict", verdict, "the same in words, with the eigenvalue that decides");
}

void StateSpace::describe(Figures& f) {
  status.describe(f);
  f("inputs", inputs, "names of the inputs u");
  f("outputs", outputs, "names of the outputs z");
  f("A", A, "1/s", "A of x' = A x + B du");
  f("B", B, "unit of x / s over unit of u", "B of x' = A x + B du");
  f("C", C, "unit of z over unit of x", "C of dz = C x + D du");
  f("D", D, "unit of z over unit of u", "D of dz = C x + D du");
  f("z", z, "unit of z", "outputs at the state itself");
  f("about", about, "linearisation");
}

void Equilibrium::describe(Figures& f) {
  status.describe(f);
  f("state", state, "state at rest, or where the search ended");
  f("iterations", iterations, "iterations of the search");
  f("reaction", reaction, "unit of force", "-G^T lambda: force of the constraints on each coordinate");
  f("linearisation", linearisation, "linearisation about the equilibrium");
  modes.describe(f);
}

}  // namespace sunlagrange
