// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/results/trajectory.hpp>

/// Power and energy of each element in the unified variables effort, flow, displacement and momentum [003, table].
/// model/domains.hpp has their names and units in every domain. Elements need no code for it.
namespace sunlagrange {

class Figures;

/// The unified variables of one element on one of its coordinates.
struct UnifiedVariables {
  int coordinate = 0;            ///< number of the coordinate in q
  std::string name;              ///< name of the coordinate
  std::optional<Domain> domain;  ///< physical domain; empty for generic blocks
  double effort = 0.0;           ///< e: generalised force that the element takes from the others
  double flow = 0.0;             ///< v
  double displacement = 0.0;     ///< q
  double momentum = 0.0;         ///< dT/dv of the element's kinetic energy
  double power = 0.0;            ///< effort x flow, positive into the element
  double effort_size = 0.0;      ///< |inertia| + |force| + |reaction|, the terms of the effort

  void describe(Figures& f);
};

/// Power of one element: power = stored + dissipated - supplied - prescribed + unassigned.
struct ElementPower {
  std::string name;
  std::vector<UnifiedVariables> variables;  ///< one for each of its coordinates
  double power = 0.0;                       ///< power that flows into the element [W], the sum of effort x flow
  double stored = 0.0;                      ///< rate of change of its energy [W]
  double dissipated = 0.0;                  ///< power of `dissipation`, or of the force of a `dissipative` element
  double supplied = 0.0;    ///< power of its other forces and of explicit time in its energies; negative: a load
  double prescribed = 0.0;  ///< power of its constraints: of prescribed motions and flows, else 0
  double unassigned = 0.0;  ///< power of an element whose energy is not known, but for `prescribed`

  void describe(Figures& f);
};

/// Powers of all elements at one state. The effort of an element is M_e a - f_e + G_e^T lambda with its shares of the
/// system's matrices. By the equations of motion the efforts on each coordinate sum to zero, and so do all powers
/// (Tellegen's theorem; [003, (1.1)] with the sources counted among the components).
struct PowerBalance {
  double t = 0.0;
  std::vector<ElementPower> elements;  ///< elements in the order of addition

  double stored = 0.0, dissipated = 0.0, supplied = 0.0, prescribed = 0.0, unassigned = 0.0;  ///< totals [W]

  double sum = 0.0;             ///< sum of all powers [W], zero to rounding
  double magnitude = 0.0;       ///< sum of effort_size x |flow| [W], the scale of `sum`
  Eigen::VectorXd effort_sum;   ///< sum of the efforts on each coordinate, zero to rounding
  Eigen::VectorXd effort_size;  ///< sum of effort_size on each coordinate, the scale of `effort_sum`

  Status status;  ///< finished; model_error if an element declined the point: the list ends before that element

  /// @throws Error listing the known names
  const ElementPower& element(const std::string& name) const;

  /// Returns a table of elements and coordinates.
  std::string text() const;

  void describe(Figures& f);
};

/// Returns the power balance at a complete state, e.g. of consistent_state() or consistent_state_at(). If accelerations
/// and multipliers do not belong to (t, q, v), as those of a stabilised formulation off the constraints, `sum` and
/// `effort_sum` show the difference.
/// @throws Error on wrong sizes and for kinematic programs; what the model throws
PowerBalance power_balance(const MechanicalSystem& system, const MotionState& state);

/// Energy of one element over a run: taken = stored + dissipated - supplied - prescribed.
struct ElementEnergy {
  std::string name;
  double stored = 0.0;      ///< its energy at the end minus that at the start [J], jumps at events excluded
  double taken = 0.0;       ///< integral of ElementPower::power [J]
  double dissipated = 0.0;  ///< integral of the part of the same name, as the two below [J]
  double supplied = 0.0;
  double prescribed = 0.0;

  void describe(Figures& f);
};

/// Energy balance of a run: stored + dissipated - supplied - prescribed = 0. `stored` comes from the energies at the
/// two ends, the other terms from integrals of power, so that the two are independent.
struct EnergyBalance {
  double t_start = 0.0, t_end = 0.0;
  std::vector<ElementEnergy> elements;                                      ///< elements in the order of addition
  double stored = 0.0, dissipated = 0.0, supplied = 0.0, prescribed = 0.0;  ///< totals [J]
  double jumps = 0.0;     ///< energy that jumps of velocity or position at events brought in [J]
  double residual = 0.0;  ///< stored + dissipated - supplied - prescribed [J], of the size of the error of the run
  double turnover = 0.0;  ///< energy that was exchanged [J]: integral of half of PowerBalance::magnitude
  double closure = 0.0;   ///< |residual| relative to the largest of turnover and |energy of any element| at the ends

  Status status;  ///< finished; rank_loss or model_error if accelerations could not be computed: the balance ends there

  /// @throws Error listing the known names
  const ElementEnergy& element(const std::string& name) const;

  /// Returns a table for people: energies of the elements, totals and the residual.
  std::string text() const;

  void describe(Figures& f);
};

/// Integrates the powers of all elements along a trajectory that has every step (Record::every_step), with the physical
/// accelerations and multipliers on the interpolation between the steps. It takes three Gauss points in each part of a
/// step, and halves the parts until each integral of a step changes by less than 1e-9 of the exchanged energy.
/// `residual` does not show the error of these integrals where one element takes what another one gives at the same
/// instant.
/// @param system  the system of the run; if events switched constraints, use Report::energy_drift instead
/// @throws Error if the trajectory has fewer than two states or is of another system, or lists the elements whose
/// energy is not known (varying mass_matrix and applied_force without `energy`)
EnergyBalance energy_balance(const Trajectory& trajectory, const std::shared_ptr<const MechanicalSystem>& system,
                             const LinearSolverOptions& options = {});

}  // namespace sunlagrange
