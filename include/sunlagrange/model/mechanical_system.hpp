// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/motion_law.hpp>

namespace sunlagrange {

struct KinematicProgram;

/// The members of requirements.hpp that an element type has and does not have. A misspelled one is among the absent.
struct ElementMembers {
  std::string element;                       ///< name of the first element of this type
  int elements = 1;                          ///< number of elements of this type
  std::vector<std::string> present, absent;  ///< names of members
};

/// A block of coordinates as Assembly::add_coordinates made it.
struct NamedBlock {
  std::string name;                     ///< name given to Assembly::add_coordinates
  int first = 0;                        ///< number of its first coordinate in q
  int size = 0;                         ///< number of its coordinates
  BlockKind kind = BlockKind::generic;  ///< generic: coordinates without a meaning
};

namespace internal {
class ElementGroup;
struct SystemAccess;
struct SystemAnalysis;
}  // namespace internal

/// A constrained mechanical (or electrical, hydraulic, mixed) system, ready to be evaluated (notation.hpp, tag
/// (SADDLE)):
///
///     M(t,q) v' + G^T lambda = f(t,q,v),   g(t,q) = 0,   psi(t,q,v) = 0,   q' = v
///
/// Assembly::build() makes it of elements, make_system() of a struct or of functions, make_program() makes a kinematic
/// program; read_mechanism() reads it from a model file. It describes its coordinates and rows; SystemEvaluator
/// computes M, f, g, psi, G and gamma at a point, simulate() the motion.
///
/// @code
/// std::cout << system->num_positions() << " coordinates, the first is " << system->position_name(0) << "\n";
/// SystemEvaluator evaluator(system);
/// std::cout << "M =\n" << evaluator.at(0.0, Eigen::Vector2d(1.0, 0.0)).M << "\n";
/// @endcode
///
/// A system does not change after it was built, so that several runs in several threads may share it.
class MechanicalSystem {
 public:
  int num_positions() const { return n_; }                 ///< n, also the number of velocities
  int num_position_constraints() const { return m_g_; }    ///< m_g, rows of g
  int num_velocity_constraints() const { return m_psi_; }  ///< m_psi, rows of psi
  int num_constraints() const { return m_g_ + m_psi_; }    ///< m = m_g + m_psi, the length of lambda

  /// Returns the name of coordinate i, 0 <= i < n: "block.x", "block[0]", or "block" where it has one coordinate.
  const std::string& position_name(int i) const { return position_names_[static_cast<std::size_t>(i)]; }
  /// Returns the kind of the block that coordinate i belongs to.
  BlockKind position_kind(int i) const { return position_kinds_[static_cast<std::size_t>(i)]; }
  /// Returns the physical domain of coordinate i; empty in generic blocks.
  std::optional<Domain> position_domain(int i) const { return position_domains_[static_cast<std::size_t>(i)]; }
  /// Returns the typical sizes of the coordinates, length n, each in the unit of its coordinate; those of velocities
  /// are the same per second. atol is relative to them (Tolerances), and coordinates are divided by them wherever
  /// several are compared.
  const Eigen::VectorXd& natural_scales() const { return natural_scales_; }
  /// True if all natural scales are 1, as in mechanisms of lengths and angles.
  bool natural_scales_are_one() const { return natural_scales_are_one_; }

  /// Rows are numbered (g rows, psi rows), as in lambda.
  const std::string& constraint_name(int row) const { return constraint_names_[static_cast<std::size_t>(row)]; }

  /// Returns the row of exactly this name, or all rows of the element of this name ("pin" stands for "pin[0]" and
  /// "pin[1]"). Ascending; empty if there is none.
  std::vector<int> constraint_rows(const std::string& name) const;

  /// Returns the coordinate of exactly this name, or all coordinates of the block of this name.
  std::vector<int> position_indices(const std::string& name) const;

  /// True if every element says that its mass matrix is constant, or has none: M is then evaluated once.
  bool constant_mass() const { return constant_mass_; }
  /// True if energy and power of every element are stated or follow from its members (requirements.hpp); else runs
  /// balance the kinetic energy alone.
  bool energy_known() const { return energy_known_; }

  /// Returns the values in which mechanical systems and kinematic programs differ.
  MotionLaw motion_law() const;

  /// True for a kinematic program y' = v(y, t), q = y (kinematic_program.hpp). It has no forces and no accelerations to
  /// solve for, and only formulations for programs apply.
  bool first_order() const { return program_ != nullptr; }
  /// Returns null unless first_order().
  const KinematicProgram* program() const { return program_.get(); }

  /// Elements in the order of addition; a system of make_system() has one, called "model".
  int num_elements() const;
  /// Returns the name of an element, 0 <= element < num_elements().
  const std::string& element_name(int element) const;
  /// Returns the group of elements of one type that it belongs to, and its place there.
  std::pair<const internal::ElementGroup*, int> element(int element) const;

  /// Returns the blocks in the order of their coordinates.
  const std::vector<NamedBlock>& blocks() const { return blocks_; }

  /// True if rows are switched off (without_constraints).
  bool has_inactive_rows() const { return base_ != nullptr; }

  /// Returns the members found and not found, for each element type.
  std::vector<ElementMembers> members() const;

  /// Returns pairs (quantity, its source), e.g. the model itself or dual numbers, each once.
  std::vector<std::pair<std::string, std::string>> sources() const;

  /// Returns the members that a model may have and no element of this one has; empty for systems of library elements
  /// alone.
  std::vector<std::string> missing_members() const;

 private:
  friend class Assembly;
  friend struct internal::SystemAccess;  // evaluates it
  friend std::shared_ptr<const MechanicalSystem> without_constraint_rows(
      const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows);
  friend std::shared_ptr<const MechanicalSystem> as_program(const std::shared_ptr<const MechanicalSystem>& system,
                                                            KinematicProgram program);
  MechanicalSystem();

  int n_ = 0;
  int m_g_ = 0;
  int m_psi_ = 0;
  bool constant_mass_ = false;
  bool energy_known_ = false;
  std::vector<NamedBlock> blocks_;
  std::vector<std::string> position_names_;
  std::vector<BlockKind> position_kinds_;
  std::vector<std::optional<Domain>> position_domains_;
  Eigen::VectorXd natural_scales_;
  bool natural_scales_are_one_ = true;
  std::vector<std::string> constraint_names_;
  std::vector<std::shared_ptr<const internal::ElementGroup>> groups_;
  std::vector<std::pair<int, int>> elements_;  // (group, position in it) in the order of addition

  std::shared_ptr<const KinematicProgram> program_;
  std::shared_ptr<const MechanicalSystem> base_;  // with all rows; null unless rows are switched off
  std::vector<int> kept_;                         // row numbers in base_, ascending

  std::shared_ptr<internal::SystemAnalysis> analysis_;  // properties of its structure, found at the first use
};

}  // namespace sunlagrange
