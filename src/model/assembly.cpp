#include <sunlagrange/model/assembly.hpp>

#include <algorithm>

#include <sunlagrange/status.hpp>

namespace sunlagrange {

void Assembly::take_name(const std::string& name) {
  if (!names_.insert(name).second) {
    throw Error("Assembly: the name \"" + name + "\" is taken; every block and element needs a name of its own");
  }
}

Block Assembly::add_coordinates(const std::string& name, int size) {
  if (size <= 0) {
    throw Error("Assembly: block \"" + name + "\" has size " + std::to_string(size) + ", must be positive");
  }
  take_name(name);
  const Block block{n_, size};
  for (int i = 0; i < size; ++i) position_names_.push_back(size == 1 ? name : name + "[" + std::to_string(i) + "]");
  n_ += size;
  return block;
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

std::shared_ptr<const MechanicalSystem> Assembly::build() {
  if (n_ == 0) throw Error("Assembly: no coordinates; call add_coordinates first");
  auto system = std::shared_ptr<MechanicalSystem>(new MechanicalSystem());
  system->n_ = n_;
  system->position_names_ = position_names_;
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
  *this = Assembly();
  return system;
}

}  // namespace sunlagrange
