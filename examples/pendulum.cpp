#include <iostream>

#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

struct Pendulum {  // 1 kg on a massless rod of 1 m, y upwards
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
  }
};

int main() {
  SimulationOptions options;
  options.t_end = 10.0;
  options.formulation = "baumgarte";  // or ggl, projected, penalty, ...: one word changes the equations
  const Simulation run = simulate(make_system(Pendulum{}), {0.0, Eigen::Vector2d(1.0, 0.0), {}}, options);
  std::cout << run.report.text(run.status) << "q(5) = " << run.trajectory.position_at(5.0).transpose() << "\n";
  return run.status.finished() ? 0 : 1;
}
