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

/// Power and energy, element by element, in the unified variables effort, flow, displacement, momentum [003, table];
/// model/domains.hpp has their names and units in every domain. Nothing has to be written in an element for it.
namespace sunlagrange {

class Figures;

/// The unified variables of one element on one of its coordinates.
struct UnifiedVariables {
  int coordinate = 0;            ///< number in q
  std::string name;              ///< of the coordinate
  std::optional<Domain> domain;  ///< empty in generic blocks
  double effort = 0.0;           ///< e: generalised force that the element takes from the others
  double flow = 0.0;             ///< v
  double displacement = 0.0;     ///< q
  double momentum = 0.0;         ///< dT/dv of the element's kinetic energy
  double power = 0.0;            ///< effort x flow, positive into the element
  double effort_size = 0.0;      ///< |inertia| + |force| + |reaction|, the parts of the effort

  void describe(Figures& f);
};

/// What one element does with power. With power = stored + dissipated - supplied - prescribed + unassigned:
struct ElementPower {
  std::string name;
  std::vector<UnifiedVariables> variables;  ///< one for each of its coordinates
  double power = 0.0;                       ///< [W] sum of effort x flow: what flows into the element
  double stored = 0.0;                      ///< rate of change of its energy
  double dissipated = 0.0;                  ///< by `dissipation`, or the force of an element that is `dissipative`
  double supplied = 0.0;    ///< by its other forces, explicit time in its energies included; negative: a load
  double prescribed = 0.0;  ///< by its constraints: prescribed motions and flows, else 0
  double unassigned = 0.0;  ///< of an element whose energy is not known: everything but `prescribed`

  void describe(Figures& f);
};

/// All elements at one state. The effort of an element is M_e a - f_e + G_e^T lambda with its shares of the system's
/// matrices, so that the equations of motion say: the efforts on every coordinate sum to zero, and so do all powers
/// (Tellegen's theorem; [003, (1.1)] with the sources counted among the components).
struct PowerBalance {
  double t = 0.0;
  std::vector<ElementPower> elements;  ///< in the order of addition

  double stored = 0.0, dissipated = 0.0, supplied = 0.0, prescribed = 0.0, unassigned = 0.0;  ///< totals [W]

  double sum = 0.0;             ///< of all powers [W]; zero to rounding
  double magnitude = 0.0;       ///< sum of effort_size x |flow| [W], to judge `sum` by
  Eigen::VectorXd effort_sum;   ///< for each coordinate; zero to rounding
  Eigen::VectorXd effort_size;  ///< for each coordinate the sum of effort_size, to judge `effort_sum` by

  Status status;  ///< finished; model_error where an element declined the point: then it ends before that element

  /// @throws Error listing the known names
  const ElementPower& element(const std::string& name) const;

  /// A table of elements and coordinates.
  std::string text() const;

  void describe(Figures& f);
};

/// Power balance at a complete state, e.g. of consistent_state() or consistent_state_at(). With accelerations and
/// multipliers that do not belong to (t, q, v), as those of a stabilised formulation off the constraints, `sum` and
/// `effort_sum` show by how much.
/// @throws Error on wrong sizes and for kinematic programs; what the model throws
PowerBalance power_balance(const MechanicalSystem& system, const MotionState& state);

/// What one element did with energy during a run: taken = stored + dissipated - supplied - prescribed.
struct ElementEnergy {
  std::string name;
  double stored = 0.0;      ///< [J] its energy at the end minus that at the start, jumps at events excluded
  double taken = 0.0;       ///< integral of ElementPower::power
  double dissipated = 0.0;  ///< integrals of the parts of the same name
  double supplied = 0.0;
  double prescribed = 0.0;

  void describe(Figures& f);
};

/// Energy balance of a run: stored + dissipated - supplied - prescribed = 0, where `stored` comes from the energies of
/// the two ends and everything else from integrals of power in between: two independent routes.
struct EnergyBalance {
  double t_start = 0.0, t_end = 0.0;
  std::vector<ElementEnergy> elements;                                      ///< in the order of addition
  double stored = 0.0, dissipated = 0.0, supplied = 0.0, prescribed = 0.0;  ///< totals [J]
  double jumps = 0.0;     ///< energy that events brought in by jumps of velocity or position
  double residual = 0.0;  ///< stored + dissipated - supplied - prescribed [J]; as good as the run
  double turnover = 0.0;  ///< integral of half of PowerBalance::magnitude [J]: what changed hands
  double closure = 0.0;   ///< |residual| relative to the largest of turnover and |energy of any element| at the ends

  Status status;  ///< finished; rank_loss or model_error where accelerations could not be computed: then it ends there

  /// @throws Error listing the known names
  const ElementEnergy& element(const std::string& name) const;

  std::string text() const;

  void describe(Figures& f);
};

/// Integrates the powers of all elements along a trajectory that has every step (Record::every_step), by three Gauss
/// points per step on its dense output, with the physical accelerations and multipliers there.
/// @param system  of the run; for a run in which events switched constraints, use Report::energy_drift instead
/// @throws Error if the trajectory has fewer than two states or is of another system, or lists the elements whose
/// energy is not known (varying mass_matrix and applied_force without `energy`)
EnergyBalance energy_balance(const Trajectory& trajectory, const std::shared_ptr<const MechanicalSystem>& system,
                             const LinearSolverOptions& options = {});

}  // namespace sunlagrange
