#include <sunlagrange/results/trajectory.hpp>

#include <algorithm>
#include <fstream>
#include <iomanip>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

namespace sunlagrange {

void Trajectory::append(double t, const double* q, const double* v, const double* a, const double* lambda) {
  t_.push_back(t);
  data_.insert(data_.end(), q, q + n_);
  data_.insert(data_.end(), v, v + n_);
  data_.insert(data_.end(), a, a + n_);
  data_.insert(data_.end(), lambda, lambda + m_);
}

void Trajectory::set_velocity(std::size_t k, const double* v) {
  const auto width = static_cast<std::size_t>(3 * n_ + m_);
  std::copy(v, v + n_, data_.begin() + static_cast<std::ptrdiff_t>(k * width) + n_);
}

void Trajectory::set_acceleration(std::size_t k, const double* a) {
  const auto width = static_cast<std::size_t>(3 * n_ + m_);
  std::copy(a, a + n_, data_.begin() + static_cast<std::ptrdiff_t>(k * width) + 2 * n_);
}

Eigen::VectorXd Trajectory::position_at(double t) const {
  return hermite(t, 0);
}
Eigen::VectorXd Trajectory::velocity_at(double t) const {
  return hermite(t, 1);
}

/// Quintic p(s), s in [0, 1], h p' = v etc. at both ends, written with x = q1 - q0 - h v0 - h^2 a0/2 and its rates.
Eigen::VectorXd Trajectory::hermite(double t, int derivative) const {
  if (t_.empty() || !(t >= t_.front() && t <= t_.back())) {
    throw Error("trajectory: t = " + text(t) + " is outside the computed interval" +
                (t_.empty() ? "" : " [" + text(t_.front()) + ", " + text(t_.back()) + "]"));
  }
  if (t_.size() == 1) return derivative == 0 ? q(0) : v(0);
  const auto after = std::upper_bound(t_.begin(), t_.end() - 1, t);
  const auto k = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - t_.begin())) - 1;
  const double h = t_[k + 1] - t_[k];
  if (h == 0.0) return derivative == 0 ? q(k + 1) : v(k + 1);  // the run ends with an event
  const double s = (t - t_[k]) / h;
  const Eigen::VectorXd x0 = q(k + 1) - q(k) - h * v(k) - 0.5 * h * h * a(k);
  const Eigen::VectorXd x1 = h * (v(k + 1) - v(k) - h * a(k));
  const Eigen::VectorXd x2 = h * h * (a(k + 1) - a(k));
  const Eigen::VectorXd c3 = 10.0 * x0 - 4.0 * x1 + 0.5 * x2;
  const Eigen::VectorXd c4 = -15.0 * x0 + 7.0 * x1 - x2;
  const Eigen::VectorXd c5 = 6.0 * x0 - 3.0 * x1 + 0.5 * x2;
  if (derivative == 0) {
    return q(k) + s * (h * v(k) + s * (0.5 * h * h * a(k) + s * (c3 + s * (c4 + s * c5))));
  }
  return v(k) + s * h * a(k) + s * s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)) / h;
}

void Trajectory::write_csv(std::ostream& out, const MechanicalSystem& system) const {
  out << "t";
  for (int i = 0; i < n_; ++i) out << "," << system.position_name(i);
  for (int i = 0; i < n_; ++i) out << "," << system.position_name(i) << "'";
  for (int i = 0; i < m_; ++i) out << ",lambda:" << system.constraint_name(i);
  out << "\n" << std::setprecision(17);
  for (std::size_t k = 0; k < size(); ++k) {
    out << t_[k];
    for (int i = 0; i < n_; ++i) out << "," << q(k)[i];
    for (int i = 0; i < n_; ++i) out << "," << v(k)[i];
    for (int i = 0; i < m_; ++i) out << "," << lambda(k)[i];
    out << "\n";
  }
}

void Trajectory::write_csv(const std::string& file, const MechanicalSystem& system) const {
  std::ofstream out(file);
  write_csv(out, system);
  out.close();
  if (!out) throw Error("trajectory: cannot write \"" + file + "\"; check that the folder exists and is writable");
}

}  // namespace sunlagrange
