#include <sunlagrange/model/assembly.hpp>

#include <algorithm>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

Block centre_of(const Block& body) {
  switch (body.kind) {
    case BlockKind::planar_point:
    case BlockKind::planar_body:
      return {body.first, 2, BlockKind::planar_point};
    case BlockKind::spatial_point:
    case BlockKind::spatial_body:
      return {body.first, 3, BlockKind::spatial_point};
    case BlockKind::generic:
      if (body.size == 7) return {body.first, 3};
      if (body.size >= 2) return {body.first, 2};
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
  const bool angle_like = block.kind == BlockKind::spatial_body && i >= 3;  // one Euler parameter is no angle
  return {block.first + i, 1, domain.has_value() && !angle_like ? single_kind(*domain) : BlockKind::generic};
}

Block angle_of(const Block& body) {
  if (body.kind == BlockKind::rotation) return body;
  const bool planar = body.kind == BlockKind::planar_body || (body.kind == BlockKind::generic && body.size == 3);
  if (!planar) {
    throw Error(std::string("angle_of: a block of kind ") + to_string(body.kind) + " and size " +
                std::to_string(body.size) + " has no angle; give a planar_body");
  }
  return {body.first + 2, 1, BlockKind::rotation};
}

void Assembly::take_name(const std::string& name) {
  if (!names_.insert(name).second) {
    throw Error("Assembly: the name \"" + name + "\" is taken; every block and element needs a name of its own");
  }
}

Block Assembly::add_coordinates(const std::string& name, int size) {
  if (size <= 0) {
    throw Error("Assembly: block \"" + name + "\" has size " + std::to_string(size) + ", must be positive");
  }
  return append_coordinates(name, size, BlockKind::generic);
}

Block Assembly::add_coordinates(const std::string& name, BlockKind kind) {
  if (kind == BlockKind::generic) {
    throw Error("Assembly: block \"" + name + "\" is of kind generic, which has no size; give the size instead");
  }
  return append_coordinates(name, size_of(kind), kind);
}

Block Assembly::append_coordinates(const std::string& name, int size, BlockKind kind) {
  take_name(name);
  const Block block{n_, size, kind};
  for (int i = 0; i < size; ++i) {
    position_names_.push_back(size == 1 ? name : name + "[" + std::to_string(i) + "]");
    position_kinds_.push_back(kind);
    position_domains_.push_back(domain_of(kind, i));
  }
  blocks_.emplace_back(block, name);
  n_ += size;
  return block;
}

/// Of the block it is, or is a part of.
std::string Assembly::block_name(const Block& block) const {
  for (const auto& [own, name] : blocks_) {
    if (block.first < own.first || block.first + block.size > own.first + own.size) continue;
    return block.size == own.size ? "\"" + name + "\"" : "part of \"" + name + "\"";
  }
  return "that is not one of this assembly";
}

void Assembly::check_kinds(const std::string& element, const BlockKind* wanted, std::size_t count,
                           const std::vector<Block>& blocks) const {
  int offset = 0;  // of the block in the element's q
  for (const Block& block : blocks) {
    int start = 0;  // of wanted[k]
    std::size_t k = 0;
    while (k < count && start + size_of(wanted[k]) <= offset) start += size_of(wanted[k++]);
    if (k == count) return;  // too many coordinates: reported as such
    if (block.kind != BlockKind::generic && (start != offset || block.kind != wanted[k])) {
      std::string list;
      for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + std::string(to_string(wanted[i]));
      const bool centre = (block.kind == BlockKind::planar_body && wanted[k] == BlockKind::planar_point) ||
                          (block.kind == BlockKind::spatial_body && wanted[k] == BlockKind::spatial_point);
      const bool angle = block.kind == BlockKind::planar_body && wanted[k] == BlockKind::rotation;
      throw Error("Assembly: element \"" + element + "\" wants a block of kind " + to_string(wanted[k]) +
                  " where block " + block_name(block) + " of kind " + to_string(block.kind) +
                  " is given; it acts on (" + list + ")" +
                  (centre  ? "; centre_of(...) gives the point of a body"
                   : angle ? "; angle_of(...) gives the angle of a body"
                           : ""));
    }
    offset += block.size;
  }
}

std::vector<int> Assembly::indices(const std::string& element, int wanted, const std::vector<Block>& blocks) const {
  std::vector<int> list;
  for (const Block& block : blocks) {
    if (block.first < 0 || block.first + block.size > n_) {
      throw Error("Assembly: element \"" + element + "\" refers to a block of another assembly");
    }
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

void Assembly::add_group(std::shared_ptr<ElementGroup> group) {
  for (int k = 0; k < group->size(); ++k) {
    take_name(group->name(k));
    order_.push_back({group.get(), k});
  }
  groups_.push_back(std::move(group));
}

std::shared_ptr<const MechanicalSystem> Assembly::build() {
  if (n_ == 0) throw Error("Assembly: no coordinates; call add_coordinates first");
  auto system = std::shared_ptr<MechanicalSystem>(new MechanicalSystem());
  system->n_ = n_;
  system->position_names_ = position_names_;
  system->position_kinds_ = position_kinds_;
  system->position_domains_ = position_domains_;
  for (const Entry& e : order_) {
    system->m_g_ += e.group->num_constraints(e.position);
    system->m_psi_ += e.group->num_velocity_constraints(e.position);
  }
  system->constraint_names_.resize(static_cast<std::size_t>(system->num_constraints()));
  int next_g = 0;
  int next_psi = system->m_g_;
  for (const Entry& e : order_) {
    e.group->place_rows(e.position, next_g, next_psi);
    const int m_g = e.group->num_constraints(e.position);
    const int m_psi = e.group->num_velocity_constraints(e.position);
    for (int i = 0; i < m_g + m_psi; ++i) {
      const int row = i < m_g ? next_g + i : next_psi + i - m_g;
      system->constraint_names_[static_cast<std::size_t>(row)] = e.group->constraint_name(e.position, i);
    }
    next_g += m_g;
    next_psi += m_psi;
  }
  system->constant_mass_ =
      std::all_of(groups_.begin(), groups_.end(), [](const auto& g) { return g->constant_mass(); });
  system->energy_known_ = std::all_of(groups_.begin(), groups_.end(), [](const auto& g) { return g->energy_known(); });
  system->groups_.assign(groups_.begin(), groups_.end());
  std::unordered_map<const ElementGroup*, int> number;
  for (const auto& group : groups_) number.emplace(group.get(), static_cast<int>(number.size()));
  for (const Entry& e : order_) system->elements_.emplace_back(number.at(e.group), e.position);
  *this = Assembly();
  return system;
}

}  // namespace sunlagrange
