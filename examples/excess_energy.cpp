// The constraint error with inertia, stiffness and dissipation of its own, and a start off the constraint: a bead on a
// ring. The feedback is softer near the ring; constant gains are equally stiff everywhere.
#include <cstdio>

#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

struct Bead {  // 1 kg, no force but the ring's: kinetic energy is all there is to say
  static constexpr int num_positions = 2, num_constraints = 1;
  template <class T>
  T kinetic_energy(T, View<const T>, View<const T> v) const {
    return 0.5 * (v[0] * v[0] + v[1] * v[1]);
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  }
};

int main() {
  SimulationOptions options;
  options.formulation = "extended_lagrangian";
  options.start = Start::as_given;  // 0.22 m outside the ring
  options.t_end = 3.0;
  options.excess.mass = [](double, const auto&, Eigen::MatrixXd& m) { m(0, 0) = 2.0; };
  options.excess.stiffness = [](double, const Eigen::VectorXd& q, Eigen::MatrixXd& k) { k(0, 0) = 20.0 * q.norm(); };
  options.excess.dissipation = [](double, const auto&, const auto&, Eigen::MatrixXd& c) { c(0, 0) = 10.0; };
  const Simulation run =
      simulate(make_system(Bead{}), {0.0, Eigen::Vector2d(1.22, 0.0), Eigen::Vector2d(0.1, 1.6)}, options);
  std::printf("%s|q| = %.6f m\n", run.report.text(run.status).c_str(), run.trajectory.position_at(3.0).norm());
  return run.status.finished() ? 0 : 1;
}
