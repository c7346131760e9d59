// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// clang-format off
/// @file
/// Keyed references (documentation only). Reports print the keys.
///
/// [000]  R. G. Mukharlyamov, Chernet Tuge Deressa, Stabilization of Redundantly Constrained Dynamic System:
///        equations (1)-(34); here: Baumgarte (16), (20), (21), penalty (24)-(31), Lyapunov function (18)-(19).
/// [001]  R. G. Mukharlyamov, Stabilization of constraints (in Russian): extended systems with excess variables.
/// [002]  R. G. Mukharlyamov, A. W. Beshaw, Solving differential equations of motion for constrained mechanical
///        systems: kinematic programs (7)-(9), stability of explicit Runge-Kutta methods, Theorems 2 to 5.
/// [003]  R. G. Mukharlyamov, Dynamics of systems of different physical nature (in Russian): extended Lagrangian.
/// [AnantharamanHiller1991]  M. Anantharaman, M. Hiller, Numerical simulation of mechanical systems using methods for
///        differential-algebraic equations, International Journal for Numerical Methods in Engineering 32, 1991.
/// [AscherPetzold1998]  U. M. Ascher, L. R. Petzold, Computer Methods for Ordinary Differential Equations and
///        Differential-Algebraic Equations, SIAM, 1998.
/// [Baumgarte1972]  J. Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems, Computer
///        Methods in Applied Mechanics and Engineering 1, 1972.
/// [Bayo1988]  E. Bayo, J. Garcia de Jalon, M. A. Serna, A modified Lagrangian formulation for the dynamic analysis of
///        constrained mechanical systems, Computer Methods in Applied Mechanics and Engineering 71, 1988.
/// [BayoLedesma1996]  E. Bayo, R. Ledesma, Augmented Lagrangian and mass-orthogonal projection methods for constrained
///        multibody dynamics, Nonlinear Dynamics 9, 1996.
/// [BogackiShampine1989]  P. Bogacki, L. F. Shampine, A 3(2) pair of Runge-Kutta formulas, Applied Mathematics
///        Letters 2, 1989.
/// [BrenanCampbellPetzold1996]  K. E. Brenan, S. L. Campbell, L. R. Petzold, Numerical Solution of Initial-Value
///        Problems in Differential-Algebraic Equations, SIAM, 1996.
/// [CaoLiPetzoldSerban2003]  Y. Cao, S. Li, L. Petzold, R. Serban, Adjoint sensitivity analysis for
///        differential-algebraic equations: the adjoint DAE system and its numerical solution, SIAM Journal on Scientific
///        Computing 24, 2003.
/// [CuadradoCardenalBayo1997]  J. Cuadrado, J. Cardenal, E. Bayo, Modeling and solution methods for efficient real-time
///        simulation of multibody dynamics, Multibody System Dynamics 1, 1997.
/// [DennisSchnabel1983]  J. E. Dennis, R. B. Schnabel, Numerical Methods for Unconstrained Optimization and Nonlinear
///        Equations, Prentice-Hall, 1983.
/// [DormandPrince1980]  J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, Journal of
///        Computational and Applied Mathematics 6, 1980.
/// [Eich1993]  E. Eich, Convergence results for a coordinate projection method applied to mechanical systems with
///        algebraic constraints, SIAM Journal on Numerical Analysis 30, 1993.
/// [Fehlberg1968]  E. Fehlberg, Classical fifth-, sixth-, seventh-, and eighth-order Runge-Kutta formulas with stepsize
///        control, NASA Technical Report R-287, 1968.
/// [GearGuptaLeimkuhler1985]  C. W. Gear, B. Leimkuhler, G. K. Gupta, Automatic integration of Euler-Lagrange equations
///        with constraints, Journal of Computational and Applied Mathematics 12-13, 1985.
/// [GolubVanLoan1996]  G. H. Golub, C. F. Van Loan, Matrix Computations, 3rd ed., Johns Hopkins, 1996.
/// [GosselinAngeles1990]  C. Gosselin, J. Angeles, Singularity analysis of closed-loop kinematic chains, IEEE
///        Transactions on Robotics and Automation 6, 1990.
/// [HairerLubichRoche1989]  E. Hairer, C. Lubich, M. Roche, The Numerical Solution of Differential-Algebraic Systems by
///        Runge-Kutta Methods, Springer, 1989.
/// [HairerWanner1996]  E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer, 1996.
/// [Hindmarsh2005]  A. C. Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers,
///        ACM Transactions on Mathematical Software 31, 2005.
/// [Keller1977]  H. B. Keller, Numerical solution of bifurcation and nonlinear eigenvalue problems, in: P. H. Rabinowitz
///        (ed.), Applications of Bifurcation Theory, Academic Press, 1977.
/// [MalyPetzold1996]  T. Maly, L. R. Petzold, Numerical methods and software for sensitivity analysis of
///        differential-algebraic systems, Applied Numerical Mathematics 20, 1996.
/// [Merkin1997]  D. R. Merkin, Introduction to the Theory of Stability, Springer, 1997.
/// [More1978]  J. J. More, The Levenberg-Marquardt algorithm: implementation and theory, in: G. A. Watson (ed.), Numerical
///        Analysis, Lecture Notes in Mathematics 630, Springer, 1978.
/// [PfeifferGlocker1996]  F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley, 1996.
/// [Skeel1986]  R. D. Skeel, Thirteen ways to estimate global error, Numerische Mathematik 48, 1986.
/// [Verner1978]  J. H. Verner, Explicit Runge-Kutta methods with estimates of the local truncation error, SIAM Journal
///        on Numerical Analysis 15, 1978.
/// [Verner2010]  J. H. Verner, Numerically optimal Runge-Kutta pairs with interpolants, Numerical Algorithms 53, 2010.
/// [WehageHaug1982]  R. A. Wehage, E. J. Haug, Generalized coordinate partitioning for dimension reduction in
///        analysis of constrained dynamic systems, Journal of Mechanical Design 104, 1982.
/// [Wojtyra2005]  M. Wojtyra, Joint reaction forces in multibody systems with redundant constraints, Multibody System
///        Dynamics 14, 2005.
// clang-format on
