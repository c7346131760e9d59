// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/assembly.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/internal/element_group.hpp>
#include <sunlagrange/model/parameters.hpp>

#include "base/problems.hpp"
#include "base/words.hpp"
#include "model/checks/given_members.hpp"

namespace sunlagrange {

using namespace internal;

Block centre_of(const Block& body) {
  switch (body.kind) {
    case BlockKind::planar_point:
    case BlockKind::planar_body:
      return {body.first, 2, BlockKind::planar_point, body.assembly};
    case BlockKind::spatial_point:
    case BlockKind::spatial_body:
      return {body.first, 3, BlockKind::spatial_point, body.assembly};
    case BlockKind::generic:
      if (body.size == 7) return {body.first, 3, BlockKind::generic, body.assembly};
      if (body.size >= 2) return {body.first, 2, BlockKind::generic, body.assembly};
      [[fallthrough]];
    default:
      break;
  }
  throw Error(std::string("centre_of: a block of kind ") + to_string(body.kind) + " and size " +
              std::to_string(body.size) + " has no point; give a point or a body");
}

Block coordinate_of(const Block& block, int i) {
  if (i < 0 || i >= block.size) {
    throw Error("coordinate_of: index " + std::to_string(i) + " is not in [0, " + std::to_string(block.size) +
                "), the size of the block");
  }
  const std::optional<Domain> domain = domain_of(block.kind, i);
  const bool angle_like = block.kind == BlockKind::spatial_body && i >= 3;  // a single Euler parameter is not an angle
  const BlockKind kind = domain.has_value() && !angle_like ? single_kind(*domain) : BlockKind::generic;
  return {block.first + i, 1, kind, block.assembly};
}

Block angle_of(const Block& body) {
  if (body.kind == BlockKind::rotation) return body;
  const bool planar = body.kind == BlockKind::planar_body || (body.kind == BlockKind::generic && body.size == 3);
  if (!planar) {
    throw Error(std::string("angle_of: a block of kind ") + to_string(body.kind) + " and size " +
                std::to_string(body.size) + " has no angle; give a planar_body");
  }
  return {body.first + 2, 1, BlockKind::rotation, body.assembly};
}

namespace {

/// Limit of the number of coordinates, whose names and indices have to fit into memory.
constexpr int most_coordinates = 10'000'000;

unsigned long next_assembly() {
  static std::atomic<unsigned long> last{0};
  return ++last;
}

}  // namespace

struct Assembly::Parts {
  struct Entry {
    ElementGroup* group;
    int position;  // of the element inside its group
    bool body = false;
  };
  int n = 0;
  unsigned long number = next_assembly();  // of this assembly: Block::assembly
  std::unordered_set<std::string> names, element_names;
  std::optional<std::array<double, 3>> gravity;
  std::vector<std::string> position_names;
  std::vector<BlockKind> position_kinds;
  std::vector<std::optional<Domain>> position_domains;
  std::vector<double> natural_scales;
  std::vector<std::pair<Block, std::string>> blocks;  // ascending
  std::vector<std::shared_ptr<ElementGroup>> groups;
  std::unordered_map<std::type_index, ElementGroup*> group_of_type;
  std::vector<Entry> order;

  void require_free(const std::string& name) const {
    if (names.count(name) > 0)
      throw Error("Assembly: the name \"" + name + "\" is taken; every block and element needs a name of its own");
  }
  /// An element may have the name of the block that it acts on alone.
  void require_free(const std::string& element, const std::vector<int>& coordinates) const {
    const auto own = [&](const auto& block) {
      return block.second == element && block.first.size == static_cast<int>(coordinates.size()) &&
             block.first.first == coordinates.front() && std::is_sorted(coordinates.begin(), coordinates.end());
    };
    if (element_names.count(element) > 0 || std::none_of(blocks.begin(), blocks.end(), own)) require_free(element);
  }
  void take_name(const std::string& name) {
    require_free(name);
    names.insert(name);
  }

  Block append(const std::string& name, int size, BlockKind kind) {
    if (name.empty()) throw Error("Assembly: a block of coordinates has an empty name; give it one");
    if (size > most_coordinates - n) {
      throw Error("Assembly: block \"" + name + "\" has size " + std::to_string(size) + ", but with " +
                  std::to_string(n) + " coordinates there is room for " + std::to_string(most_coordinates - n) +
                  " more; check the size");
    }
    take_name(name);
    const Block block{n, size, kind, number};
    for (int i = 0; i < size; ++i) {
      const std::string letter = coordinate_name(kind, i);
      const std::string part = letter.empty() ? "[" + std::to_string(i) + "]" : "." + letter;
      position_names.push_back(size == 1 ? name : name + part);
      position_kinds.push_back(kind);
      const std::optional<Domain> domain = domain_of(kind, i);
      position_domains.push_back(domain);
      natural_scales.push_back(domain.has_value() ? natural_scale(*domain) : 1.0);
    }
    blocks.emplace_back(block, name);
    n += size;
    return block;
  }

  /// Returns the block of this assembly that `block` is or is a part of, with its name; null if there is none.
  const std::pair<Block, std::string>* whole(const Block& block) const {
    if ((block.assembly != 0 && block.assembly != number) || block.size < 1) return nullptr;
    const auto after = std::upper_bound(blocks.begin(), blocks.end(), block.first,
                                        [](int first, const auto& own) { return first < own.first.first; });
    if (after == blocks.begin()) return nullptr;
    const Block& own = std::prev(after)->first;
    return block.first - own.first <= own.size - block.size ? &*std::prev(after) : nullptr;
  }

  void check_owner(const std::string& element, const std::vector<Block>& given) const;
  void check_kinds(const std::string& element, const BlockKind* wanted, std::size_t count,
                   const std::vector<Block>& given) const;
  std::vector<int> indices(const std::string& element, int wanted, const std::vector<Block>& given) const;
};

Assembly::Assembly() : parts_(std::make_unique<Parts>()) {}
Assembly::Assembly(Assembly&&) noexcept = default;
Assembly& Assembly::operator=(Assembly&&) noexcept = default;
Assembly::~Assembly() = default;

Assembly::Parts& Assembly::parts() {
  if (parts_ == nullptr) throw Error("this Assembly was moved from; use the one it was moved to, or make a new one");
  return *parts_;
}

Block Assembly::add_coordinates(const std::string& name, int size) {
  if (size <= 0) {
    throw Error("Assembly: block \"" + name + "\" has size " + std::to_string(size) + ", must be positive");
  }
  return parts().append(name, size, BlockKind::generic);
}

Block Assembly::add_coordinates(const std::string& name, BlockKind kind) {
  if (kind == BlockKind::generic) {
    throw Error("Assembly: block \"" + name + "\" is of kind generic, which has no size; give the size instead");
  }
  return parts().append(name, size_of(kind), kind);
}

void Assembly::set_natural_scale(const Block& block, double scale) {
  Parts& p = parts();
  const auto* own = p.whole(block);
  if (own == nullptr) {
    throw Error("Assembly: set_natural_scale refers to a block that is none of this assembly, nor part of one; take " +
                std::string("what add_coordinates, centre_of, coordinate_of or angle_of return"));
  }
  if (!(scale > 0.0) || !std::isfinite(scale)) {
    throw Error("Assembly: natural scale " + std::to_string(scale) + " of block \"" + own->second +
                "\": must be positive and finite, a typical size of its coordinates");
  }
  std::fill_n(p.natural_scales.begin() + block.first, block.size, scale);
}

void Assembly::Parts::check_owner(const std::string& element, const std::vector<Block>& given) const {
  for (const Block& block : given) {
    if (whole(block) != nullptr) continue;
    throw Error("Assembly: element \"" + element + "\" refers to a block" +
                (block.assembly != 0 && block.assembly != number
                     ? " of another assembly, or of one whose system is built; take a block of this one"
                     : " that does not lie within one block of this assembly; take what add_coordinates, centre_of, "
                       "coordinate_of or angle_of return"));
  }
}

void Assembly::Parts::check_kinds(const std::string& element, const BlockKind* wanted, std::size_t count,
                                  const std::vector<Block>& given) const {
  int offset = 0;  // of the block in the element's q
  for (const Block& block : given) {
    int start = 0;  // of wanted[k]
    std::size_t k = 0;
    while (k < count && start + size_of(wanted[k]) <= offset) start += size_of(wanted[k++]);
    if (k == count) return;  // too many coordinates: reported elsewhere
    if (block.kind != BlockKind::generic && (start != offset || block.kind != wanted[k])) {
      std::string list;
      for (std::size_t i = 0; i < count; ++i) append_word(list, to_string(wanted[i]));
      const bool centre = (block.kind == BlockKind::planar_body && wanted[k] == BlockKind::planar_point) ||
                          (block.kind == BlockKind::spatial_body && wanted[k] == BlockKind::spatial_point);
      const bool angle = block.kind == BlockKind::planar_body && wanted[k] == BlockKind::rotation;
      throw Error("Assembly: element \"" + element + "\" wants a block of kind " + to_string(wanted[k]) + " where " +
                  (block.size == whole(block)->first.size ? "block \"" : "part of block \"") + whole(block)->second +
                  "\"" + " of kind " + to_string(block.kind) + " is given; it acts on (" + list + ")" +
                  (centre  ? "; \"" + whole(block)->second + ".centre\" is the point of this body"
                   : angle ? "; \"" + whole(block)->second + ".phi\" is the angle of this body"
                           : ""));
    }
    offset += block.size;
  }
}

std::vector<int> Assembly::Parts::indices(const std::string& element, int wanted,
                                          const std::vector<Block>& given) const {
  std::vector<int> list;
  for (const Block& block : given) {
    for (int i = 0; i < block.size; ++i) list.push_back(block.first + i);
  }
  if (static_cast<int>(list.size()) != wanted) {
    throw Error("Assembly: element \"" + element + "\" acts on " + std::to_string(wanted) +
                " coordinates, but its blocks have " + std::to_string(list.size()));
  }
  std::vector<int> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw Error("Assembly: element \"" + element + "\" names the same block twice");
  }
  return list;
}

std::vector<int> Assembly::place(const std::string& element, int size, const BlockKind* kinds, std::size_t num_kinds,
                                 const std::vector<Block>& blocks) {
  Parts& p = parts();
  p.check_owner(element, blocks);
  if (kinds != nullptr) p.check_kinds(element, kinds, num_kinds, blocks);
  const std::vector<int> coordinates = p.indices(element, size, blocks);
  p.require_free(element, coordinates);
  return coordinates;
}

ElementGroup*& Assembly::group_of(const std::type_info& type) {
  return parts_->group_of_type[std::type_index(type)];
}

ElementGroup* Assembly::take(std::unique_ptr<ElementGroup> group) {
  return parts_->groups.emplace_back(std::move(group)).get();
}

void Assembly::enter(ElementGroup& group, int position) {
  parts_->names.insert(group.name(position));
  parts_->element_names.insert(group.name(position));
  parts_->order.push_back({&group, position});
}

void Assembly::note_body() {
  parts_->order.back().body = true;
}

void Assembly::gravity(double gx, double gy, double gz) {
  Parts& p = parts();
  if (p.gravity.has_value()) throw Error("Assembly: gravity was set before; set it once, for all bodies");
  for (const double g : {gx, gy, gz}) {
    if (!std::isfinite(g)) throw Error("Assembly: gravity has a component " + text(g) + "; it must be finite");
  }
  p.gravity = {gx, gy, gz};
}

namespace {

/// @throws Error if a name occurs twice, or is also that of a group ("a" beside "a[0]", "a.x"), so that it would be
/// ambiguous
void require_different(const char* kind, const std::vector<std::string>& names) {
  constexpr const char* remedy = "; rename a block, an element or what constraint_names returns";
  std::unordered_set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second)
      throw Error(std::string("Assembly: two ") + kind + " are called \"" + name + "\"" + remedy);
  }
  for (const std::string& name : names) {
    for (std::size_t end = name.find_first_of("[.", 1); end != std::string::npos;
         end = name.find_first_of("[.", end + 1)) {
      if (seen.count(name.substr(0, end)) == 0) continue;
      throw Error("Assembly: \"" + name.substr(0, end) + "\" is one of the " + kind + ", and all of which \"" + name +
                  "\" is a part" + remedy);
    }
  }
}

/// Visitor that sets the field of gravity of a body.
class Field final : public Parameters {
 public:
  Field(std::string body, const std::array<double, 3>& g) : body_(std::move(body)), g_(g) {}

  /// @throws Error if the body does not take the field
  void finish() const {
    const std::string what = "Assembly: body \"" + body_ + "\" ";
    if (found_ < 2) {
      throw Error(what + "has no weight, gravity cannot act on it; take e.g. PlanarBody or SpatialBody, or describe " +
                  "parameters gx, gy in its type");
    }
    if (own_) throw Error(what + "has a field of its own, and gravity is set for all bodies; leave gx, gy, gz out");
    if (found_ == 2 && g_[2] != 0.0) {
      throw Error(what + "moves in the x-y plane, and gravity has the component " + text(g_[2]) +
                  " along z; in the plane it has two components, e.g. (0, -9.81)");
    }
  }

 protected:
  void number(const Parameter& about, double& value) override {
    constexpr const char* names[] = {"gx", "gy", "gz"};
    for (std::size_t k = 0; k < 3; ++k) {
      if (depth_ > 0 || std::string(about.name) != names[k]) continue;
      own_ = own_ || value != 0.0;
      value = g_[k];
      ++found_;
    }
  }
  void enter(const ParameterPart& /*about*/) override { ++depth_; }
  void leave() override { --depth_; }

 private:
  std::string body_;
  std::array<double, 3> g_;
  int found_ = 0, depth_ = 0;
  bool own_ = false;
};

}  // namespace

std::shared_ptr<const MechanicalSystem> Assembly::build() {
  Parts& p = parts();
  if (p.gravity.has_value()) {
    int bodies = 0;
    for (const Parts::Entry& e : p.order) {
      if (!e.body) continue;
      Field field(e.group->name(e.position), *p.gravity);
      e.group->change(e.position, field);
      field.finish();
      ++bodies;
    }
    if (bodies == 0) {
      throw Error(
          "Assembly: gravity acts on bodies, and there is none; add bodies by body(), or give each mass an "
          "element for its weight, e.g. UniformGravity");
    }
  }
  const auto is_empty = [](const auto& group) { return group->size() == 0; };  // its only element was refused
  p.groups.erase(std::remove_if(p.groups.begin(), p.groups.end(), is_empty), p.groups.end());
  if (p.n == 0)
    throw Error("Assembly: no coordinates; add a body, a node of a network or a block of coordinates first");
  auto system = std::shared_ptr<MechanicalSystem>(new MechanicalSystem());
  system->n_ = p.n;
  for (const auto& [block, name] : p.blocks) system->blocks_.push_back({name, block.first, block.size, block.kind});
  system->position_names_ = p.position_names;
  system->position_kinds_ = p.position_kinds;
  system->position_domains_ = p.position_domains;
  system->natural_scales_ = Eigen::Map<const Eigen::VectorXd>(p.natural_scales.data(), p.n);
  system->natural_scales_are_one_ = (system->natural_scales_.array() == 1.0).all();
  for (const Parts::Entry& e : p.order) {
    system->m_g_ += e.group->num_constraints();
    system->m_psi_ += e.group->num_velocity_constraints();
  }
  system->constraint_names_.resize(static_cast<std::size_t>(system->num_constraints()));
  int next_g = 0;
  int next_psi = system->m_g_;
  for (const Parts::Entry& e : p.order) {
    e.group->place_rows(e.position, next_g, next_psi);
    const int m_g = e.group->num_constraints();
    const int m_psi = e.group->num_velocity_constraints();
    for (int i = 0; i < m_g + m_psi; ++i) {
      const int row = i < m_g ? next_g + i : next_psi + i - m_g;
      system->constraint_names_[static_cast<std::size_t>(row)] = e.group->constraint_name(e.position, i);
    }
    next_g += m_g;
    next_psi += m_psi;
  }
  require_different("coordinates", system->position_names_);
  require_different("constraint rows", system->constraint_names_);
  system->constant_mass_ =
      std::all_of(p.groups.begin(), p.groups.end(), [](const auto& g) { return g->constant_mass(); });
  system->energy_known_ =
      std::all_of(p.groups.begin(), p.groups.end(), [](const auto& g) { return g->energy_known(); });
  system->groups_.assign(p.groups.begin(), p.groups.end());
  std::unordered_map<const ElementGroup*, int> number;
  for (const auto& group : p.groups) number.emplace(group.get(), static_cast<int>(number.size()));
  for (const Parts::Entry& e : p.order) system->elements_.emplace_back(number.at(e.group), e.position);
  *this = Assembly();
  throw_if_any(wrong_members(*system));
  return system;
}

}  // namespace sunlagrange
