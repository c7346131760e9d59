#pragma once

#include <memory>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange {

/// A named block of coordinates, returned by Assembly::add_coordinates.
struct Block {
  int first = 0;
  int size = 0;
};

/// Builder of a MechanicalSystem from named coordinate blocks and elements that act on a few of them.
///
///     Assembly assembly;
///     Block bob = assembly.add_coordinates("bob", 2);
///     assembly.add("mass", PointMass{1.0}, {bob});
///     assembly.add("weight", UniformGravity{1.0}, {bob});
///     assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
///     auto system = assembly.build();
///
/// An element sees the coordinates of its blocks one after the other as its local q. Any struct with members of
/// requirements.hpp is an element; include derivatives/adapt.hpp (or the umbrella header) to add one.
class Assembly {
 public:
  /// @throws Error if the size is not positive or the name is taken
  Block add_coordinates(const std::string& name, int size);

  /// Adds an element acting on `blocks`. Constraint rows are numbered in the order of addition, g rows before psi rows.
  /// @throws Error if the blocks do not have as many coordinates as the element asks for, or the name is taken
  template <class E>
  void add(const std::string& name, E element, const std::vector<Block>& blocks);

  /// Hands everything over to the system; the assembly is empty afterwards.
  /// @throws Error if there are no coordinates
  std::shared_ptr<const MechanicalSystem> build();

 private:
  std::vector<int> indices(const std::string& element, int wanted, const std::vector<Block>& blocks) const;
  void take_name(const std::string& name);

  struct Entry {
    ElementGroup* group;
    int position;  // of the element inside its group
  };
  int n_ = 0;
  std::unordered_set<std::string> names_;
  std::vector<std::string> position_names_;
  std::vector<std::shared_ptr<ElementGroup>> groups_;
  std::unordered_map<std::type_index, ElementGroup*> group_of_type_;
  std::vector<Entry> order_;
};

}  // namespace sunlagrange
