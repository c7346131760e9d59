// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// clang-format off
/// @file
/// Notation of the whole library (documentation only). SI units; "per coordinate" where q mixes lengths and angles.
///
/// | symbol | code name | shape | unit | meaning |
/// |---|---|---|---|---|
/// | t | `t` | scalar | s | time |
/// | q | `q`, positions | n | m or rad | generalised coordinates |
/// | v | `v`, velocities | n | m/s or rad/s | v = q' |
/// | a | `a`, accelerations | n | m/s^2 or rad/s^2 | v' |
/// | M | `mass_matrix`, `M` | n x n | kg, kg m, kg m^2 | symmetric; positive definite on the null space of G |
/// | f | `applied_force`, `f` | n | N or N m | all non-constraint generalised forces, gyroscopic terms included |
/// | g | `constraint`, `g` | m_g | as the constraint defines | holonomic, g(t,q) = 0 |
/// | psi | `velocity_constraint`, last rows of `g_rate` | m_psi | unit of g per s | nonholonomic, psi(t,q,v) = 0 |
/// | G | `constraint_jacobian`, `G` | m x n | unit of g per unit of q | dg/dq stacked over dpsi/dv, m = m_g + m_psi |
/// | gamma | `constraint_acceleration_bias`, `gamma` | m | unit of g per s^2 | g'' = G v' - gamma; psi' = G v' - gamma |
/// | lambda | `lambda`, multipliers | m | J per unit of g | rows (g, psi); the constraint force is -G^T lambda |
/// | C | `compliance` | m x m | 1 / (J s^2 per unit of g^2) | Lambda^-1 of the penalty form, or delta of a regularisation |
/// | K_D, K_P, K_N | the same | m_g, m_g, m_psi square | 1/s, 1/s^2, 1/s | feedback of g', g, psi |
/// | Lambda | the same | m x m | J s^2 per unit of g^2 | penalty ("excess mass") matrix |
/// | h | `h`, `gamma` at CVODE | scalar | s | step; in Newton systems CVODE's gamma in I - gamma J, 1/c of IDA's dF/dy + c dF/dy' |
/// | r | `residual` | n | N or N m | M a + G^T lambda - f |
/// | E | `energy` | scalar | J | mechanical energy |
///
/// The equations, tag (SADDLE):
///
///     [ M   G^T ] [ v'     ]   [ f                            ]
///     [ G   -C  ] [ lambda ] = [ gamma - K_D g' - K_P g       ]      psi rows: gamma - K_N psi
///
/// n is the number of positions, m the number of constraint rows, always.
///
/// Lagrange's equations d/dt (T_v) - T_q = ... with T = v^T M v / 2 read M v' = f where f contains -M' v + T_q,
/// M' = dM/dt + sum_i dM/dq_i v_i: whoever states M and f himself (rung 0a) puts all of that into f, the explicit
/// -dM/dt v of an M that depends on t as well. With kinetic_energy (rung 0b) the library does.
// clang-format on
