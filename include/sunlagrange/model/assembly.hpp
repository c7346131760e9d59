// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange {

/// A named block of coordinates, returned by Assembly::add_coordinates, or a part of one (centre_of, coordinate_of,
/// angle_of). It belongs to that assembly only.
struct Block {
  int first = 0;                        ///< number of its first coordinate in q
  int size = 0;                         ///< number of its coordinates, which follow each other in q
  BlockKind kind = BlockKind::generic;  ///< compared by Assembly::add with the `blocks` of an element
  unsigned long assembly = 0;           ///< number of its assembly; 0: given by its coordinates alone
};

/// The point of a body that an element for points acts on, e.g. UniformGravity: (x, y) of a planar_body, (x, y, z) of a
/// spatial_body. Of a generic block the first two coordinates, or three if it has seven.
/// @throws Error if the block is of a kind without a point
Block centre_of(const Block& body);

/// Coordinate i of a block as a block of its own, for elements that act on one length or angle.
/// @throws Error if the block has no such coordinate
Block coordinate_of(const Block& block, int i);

/// The angle of a planar_body (or of a generic block of three) as a rotation block: gears, torsion springs, flywheels
/// take it. @throws Error for other blocks
Block angle_of(const Block& body);

/// Builder of a MechanicalSystem from named coordinate blocks and elements that act on a few of them.
///
/// @code
/// Assembly assembly;
/// assembly.gravity(0.0, -9.81);
/// const Block bob = assembly.body("bob", PlanarParticle{1.0});
/// assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
/// const std::shared_ptr<const MechanicalSystem> system = assembly.build();
/// @endcode
///
/// Each element contributes to M, f, g and psi of (SADDLE), notation.hpp; the contributions of all elements are added.
/// An element sees the coordinates of its blocks one after the other as its local q. Any struct with members of
/// requirements.hpp is an element; include model/make_system.hpp (or the umbrella header) to add one. An assembly can
/// be moved, not copied.
class Assembly {
 public:
  Assembly();
  Assembly(Assembly&&) noexcept;
  Assembly& operator=(Assembly&&) noexcept;
  ~Assembly();

  /// Adds a block without a meaning (BlockKind::generic); its coordinates are "name[0]", "name[1]", ..., or "name".
  /// @throws Error if the size is not positive, the name is empty or taken, or the coordinates are too many
  Block add_coordinates(const std::string& name, int size);

  /// Adds a block with a meaning: elements that declare `blocks` accept only blocks of these kinds.
  /// @throws Error if the kind is generic (it has no size of its own) or the name is taken
  Block add_coordinates(const std::string& name, BlockKind kind);

  /// Sets the typical size of the coordinates of a block, or of a part of one (centre_of, coordinate_of, angle_of), in
  /// their unit. atol is relative to it. Default: natural_scale(Domain) of domains.hpp, which supposes SI units, and 1
  /// in generic blocks. Set it in other units, e.g. 1 for a volume in litres: the same model then takes the same steps
  /// in any units.
  /// @throws Error if the scale is not positive and finite, or the block is not of this assembly
  void set_natural_scale(const Block& block, double scale);

  /// Adds a body: its coordinates, a block called `name`, and its inertia and weight, an element called `name` as well.
  ///
  ///     const Block crank = assembly.body("crank", PlanarBody{2.0, 0.1});
  ///     const Block link = assembly.body("link", SpatialSolid::of_density(7850.0, shape::Rod{0.5, 0.01}));
  ///
  /// Its parameters are "crank.m" and so on. When not: for coordinates with several inertias: add_coordinates and add.
  /// @param body  PlanarBody, PlanarSolid, PlanarParticle, SpatialBody, SpatialSolid, SpatialParticle, or a struct of
  ///              the user that declares its one kind of block in `blocks` and describes parameters gx, gy (and gz)
  /// @throws Error as add_coordinates and add
  template <class B>
  Block body(const std::string& name, B body) {
    static_assert(B::blocks.size() == 1, "sunlagrange: a body acts on one block of coordinates");
    const Block block = add_coordinates(name, B::blocks[0]);
    add(name, std::move(body), {block});
    note_body();
    return block;
  }

  /// Sets the acceleration of gravity of all bodies, those that are added later included [m/s^2]; default: none.
  /// Inertias that add() has added stay without weight; theirs is an element of its own.
  /// @param gz  0 for bodies in the plane
  /// @throws Error if a number is not finite, or it was called before; build() throws if there is no body, or one has a
  /// field of its own
  void gravity(double gx, double gy, double gz = 0.0);

  /// Adds an element acting on `blocks`. Its name differs from all others, but for the block that it acts on alone.
  /// Constraint rows are numbered in the order of addition, g rows before psi rows. If E declares `static constexpr
  /// std::array<BlockKind, k> blocks`, every block that is not generic must be of the kind that the element asks for at
  /// this place; other elements take any blocks of the right total size. Calls the members of the element once with
  /// random arguments, to find the entries that they read and write.
  /// @throws Error if the blocks do not have as many coordinates as the element asks for, one is of the wrong kind or
  /// of another assembly, the name is taken, its `describe_parameters` finds a value out of range, an index is out of
  /// range, a row depends on no coordinate, or a mass matrix that is said to be constant is not
  template <class E>
  void add(const std::string& name, E element, const std::vector<Block>& blocks) {
    internal::ElementType<E>::add(*this, name, std::move(element), blocks);
  }

  /// Returns the finished system. The assembly is empty afterwards.
  /// @throws Error if there are no coordinates, or gravity() was called without bodies or does not fit one
  std::shared_ptr<const MechanicalSystem> build();

 private:
  template <class E>
  friend struct internal::ElementType;

  /// Returns the coordinates of an element that acts on `size` of them in blocks of these kinds (null: any).
  std::vector<int> place(const std::string& element, int size, const BlockKind* kinds, std::size_t num_kinds,
                         const std::vector<Block>& blocks);
  /// Returns the group of the elements of this type; null if there is none yet.
  internal::ElementGroup*& group_of(const std::type_info& type);
  internal::ElementGroup* take(std::unique_ptr<internal::ElementGroup> group);
  void enter(internal::ElementGroup& group, int position);
  /// Notes that the element added last is a body.
  void note_body();

  struct Parts;
  Parts& parts();

  std::unique_ptr<Parts> parts_;  // null: moved from
};

}  // namespace sunlagrange
