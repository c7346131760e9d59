// Properties of gains that are proved before a run, and the run itself, for a pendulum that starts off its constraint:
// 1. rates proved for the differential equation of the constraint error; 2. steps of rk4 that contract it; 3. a run of
// rk4 certified step by step; 4. an adaptive run measured against the proof.

#include <cmath>
#include <cstdio>

#include <sunlagrange/stability.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

struct Pendulum {  // 1 kg on a massless rod of 1 m
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
  const double omega = 10.0;  // [rad/s]
  const Gains gains = Gains::natural_frequency(omega, 1.0);
  const ConstraintDynamics law = ConstraintDynamics::second_order(gains, 1);

  std::printf("1. g'' + %g g' + %g g = 0, proved decay [1/s], overshoot:\n", 2.0 * omega, omega * omega);
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(1, 1);
  const DecayCertificate papers = DampedForm(2.0 * omega * one, omega * omega * one).best_certificate();
  const DecayCertificate sharper = lyapunov_certificate_at_rate(law.K(0.0), 0.9 * omega);
  const SymmetricFactors theorem = symmetric_factors(law.K(0.0));
  std::printf("   Lyapunov function (18)-(19) of the paper: %.4f, %.1f\n", papers.rate, papers.overshoot);
  std::printf("   Lyapunov's equation, asked for 90 %%:      %.4f, %.1f\n", sharper.rate, sharper.overshoot);
  std::printf("   Theorem 1, symmetric factors: %s\n", theorem.verdict.c_str());

  const std::vector<Interval> steps = admissible_steps(rk4(), law);
  if (steps.empty()) return 1;
  std::printf("2. rk4 contracts the constraint error for steps up to %.5f s (omega x step = %.4f)\n", steps.back().high,
              omega * steps.back().high);

  const auto system = make_system(Pendulum{});
  const InitialState violated{0.0, Eigen::Vector2d(1.0002, 0.0), Eigen::Vector2d(0.001, 0.0)};
  ConsistencyOptions as_given;
  as_given.start = Start::as_given;
  FormulationOptions formulation;
  formulation.gains = gains;
  CertificateOptions wanted;
  wanted.eps = 2e-3;  // of (g, g' / omega) in the norm made for rk4 at this step
  const Certificate certificate =
      certify_run(system, consistent_state(system, violated, as_given).state, formulation, rk4(), 0.01, 2.0, wanted);
  std::printf("3. %s\n", certificate.text().c_str());

  SimulationOptions options;
  options.t_end = 2.0;
  options.start = Start::as_given;
  options.gains = gains;
  options.rtol = options.atol = 1e-9;
  const Simulation run = simulate(system, violated, options);
  const ErrorHistory history = constraint_error_history(run.trajectory, *system);
  const Boundedness measured = measure_boundedness(history);
  const BoundCheck check = check_bound(history, sharper, measured.noise_floor);
  std::printf("4. adaptive run: %s\n   %s\n", measured.verdict.c_str(), check.verdict.c_str());

  return papers.certified && sharper.certified && certificate.certified && check.respected && run.status.finished() ? 0
                                                                                                                    : 1;
}
