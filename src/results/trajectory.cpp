// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/results/trajectory.hpp>

#include <algorithm>
#include <iomanip>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/base/whole_file.hpp>

#include "base/interpolation.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Returns the range of the step from state k, or of the only state.
QuinticHermite polynomial(const Trajectory& path, std::size_t k) {
  const auto end = [&path](std::size_t i) { return StepEnd{path.t(i), path.q(i), path.v(i), path.a(i)}; };
  return {end(k), end(std::min(k + 1, path.size() - 1))};
}

/// @throws Error if the system has not n positions and m constraints
void require_system_of_run(const MechanicalSystem& system, int n, int m) {
  if (system.num_positions() == n && system.num_constraints() == m) return;
  throw Error("trajectory: it has " + std::to_string(n) + " positions and " + std::to_string(m) +
              " constraints, the system " + std::to_string(system.num_positions()) + " and " +
              std::to_string(system.num_constraints()) + "; give the system of the run");
}

/// Returns a name as a cell of RFC 4180, in quotes if it needs them.
std::string csv_cell(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos && name.find_first_of(" \t") != 0 &&
      (name.empty() || name.find_last_of(" \t") != name.size() - 1))
    return name;
  std::string cell = "\"";
  for (const char c : name) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + "\"";
}

}  // namespace

Trajectory::Trajectory(const std::vector<MotionState>& states) {
  if (states.empty()) return;
  n_ = static_cast<int>(states.front().q.size());
  m_ = static_cast<int>(states.front().lambda.size());
  for (const MotionState& s : states) {
    if (s.q.size() != n_ || s.v.size() != n_ || s.a.size() != n_ || s.lambda.size() != m_) {
      throw Error("trajectory: the state at t = " + text(s.t) + " has not n = " + std::to_string(n_) + " entries in " +
                  "q, v, a and m = " + std::to_string(m_) + " in lambda, as the first one");
    }
    if (!t_.empty() && !(s.t >= t_.back()))
      throw Error("trajectory: t = " + text(s.t) + " after " + text(t_.back()) + "; give the states in order of time");
    append(s.t, s.q.data(), s.v.data(), s.a.data(), s.lambda.data());
  }
}

Trajectory Trajectory::cut_after(double t) {
  const auto kept = std::upper_bound(t_.begin(), t_.end(), t) - t_.begin();
  const std::size_t numbers = static_cast<std::size_t>(kept) * static_cast<std::size_t>(3 * n_ + m_);
  Trajectory later(n_, m_);
  later.t_.assign(t_.begin() + kept, t_.end());
  later.order_.assign(order_.begin() + kept, order_.end());
  later.data_ = GrowingArray(data_.data() + numbers, data_.data() + data_.size());
  t_.erase(t_.begin() + kept, t_.end());
  order_.erase(order_.begin() + kept, order_.end());
  data_.shorten(numbers);
  return later;
}

void Trajectory::put_back(std::size_t size, const Trajectory& piece) noexcept {
  const auto replace_end = [](auto& all, std::size_t kept, const auto& end) {
    all.resize(kept);
    all.insert(all.end(), end.begin(), end.end());
  };
  replace_end(t_, size, piece.t_);
  replace_end(order_, size, piece.order_);
  data_.shorten(size * static_cast<std::size_t>(3 * n_ + m_));
  const double* first = piece.data_.data();
  std::copy(first, first + piece.data_.size(), data_.append(static_cast<std::ptrdiff_t>(piece.data_.size())));
}

void Trajectory::append(double t, const double* q, const double* v, const double* a, const double* lambda, int order) {
  if (t_.size() == t_.capacity()) t_.reserve(2 * t_.size() + 1);
  if (order_.size() == order_.capacity()) order_.reserve(2 * order_.size() + 1);
  double* out = data_.append(3 * n_ + m_);
  t_.push_back(t);
  order_.push_back(static_cast<signed char>(order));
  out = std::copy(q, q + n_, out);
  out = std::copy(v, v + n_, out);
  out = std::copy(a, a + n_, out);
  std::copy(lambda, lambda + m_, out);
}

void Trajectory::set_velocity(std::size_t k, const double* v) {
  const auto width = static_cast<std::size_t>(3 * n_ + m_);
  std::copy(v, v + n_, data_.data() + k * width + n_);
}

void Trajectory::set_acceleration(std::size_t k, const double* a) {
  const auto width = static_cast<std::size_t>(3 * n_ + m_);
  std::copy(a, a + n_, data_.data() + k * width + 2 * n_);
}

/// Returns the step that contains t without its end; the last step contains its end as well.
std::size_t Trajectory::step_at(double t) const {
  if (t_.empty() || !(t >= t_.front() && t <= t_.back())) {
    throw Error("trajectory: t = " + text(t) +
                (t_.empty() ? ": the trajectory is empty: the run did not begin, or was moved away"
                            : " is outside the computed interval [" + text(t_.front()) + ", " + text(t_.back()) +
                                  "]: ask for a time inside, or give the run another t_end"));
  }
  const auto after = std::upper_bound(t_.begin(), t_.end() - 1, t);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - t_.begin())) - 1;
}

Eigen::VectorXd Trajectory::position_at(double t) const {
  return polynomial(*this, step_at(t)).position(t);
}
Eigen::VectorXd Trajectory::velocity_at(double t) const {
  return polynomial(*this, step_at(t)).velocity(t);
}

void Trajectory::write_csv(std::ostream& out, const MechanicalSystem& system,
                           const std::optional<ErrorEstimate>& estimate) const {
  require_system_of_run(system, n_, m_);
  std::vector<std::string> names;
  for (int i = 0; i < n_; ++i) names.push_back(system.position_name(i));
  for (int i = 0; i < n_; ++i) names.push_back(system.position_name(i) + "'");
  for (int i = 0; i < m_; ++i) names.push_back("lambda:" + system.constraint_name(i));
  out << "t";
  for (const std::string& name : names) out << "," << csv_cell(name);
  if (estimate) {
    for (const std::string& name : names) out << "," << csv_cell("error " + name);
  }
  out << "\n" << std::setprecision(17);
  const auto cells = [&out](const auto& entries) {
    for (const double entry : entries) out << "," << entry;
  };
  std::size_t compared = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    out << t_[k];
    cells(q(k));
    cells(v(k));
    cells(lambda(k));
    if (estimate) {
      const std::vector<StateError>& along = estimate->along;
      while (compared < along.size() && along[compared].state < k) ++compared;
      if (compared < along.size() && along[compared].state == k) {
        cells(along[compared].q);
        cells(along[compared].v);
        cells(along[compared].lambda);
      } else {
        for (int i = 0; i < 2 * n_ + m_; ++i) out << ",nan";
      }
    }
    out << "\n";
  }
}

void Trajectory::write_csv(const std::string& file, const MechanicalSystem& system,
                           const std::optional<ErrorEstimate>& estimate) const {
  require_system_of_run(system, n_, m_);
  WholeFile whole(file, "trajectory: ");
  write_csv(whole.stream(), system, estimate);
  whole.commit();
}

}  // namespace sunlagrange
