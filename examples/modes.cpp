#include <cmath>
#include <cstdio>

#include <Eigen/LU>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

/// Zeros of Laguerre's polynomial of degree n, ascending: the squared frequencies of n equal masses that hang below
/// each other at distances l, in units of g / l (Daniel Bernoulli, 1733). By bisection between zeros of lower degree.
std::vector<double> laguerre_zeros(int n) {
  const auto value = [](int degree, double x) {
    double before = 1.0, now = 1.0 - x;
    for (int k = 1; k < degree; ++k) {
      const double next = ((2 * k + 1 - x) * now - k * before) / (k + 1);
      before = now;
      now = next;
    }
    return now;
  };
  std::vector<double> zeros = {1.0};
  for (int degree = 2; degree <= n; ++degree) {
    std::vector<double> ends = {0.0}, next;
    ends.insert(ends.end(), zeros.begin(), zeros.end());
    ends.push_back(4.0 * degree + 2.0);
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      double low = ends[k], high = ends[k + 1];
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (value(degree, low) * value(degree, middle) > 0.0 ? low : high) = middle;
      }
      next.push_back(0.5 * (low + high));
    }
    zeros = next;
  }
  return zeros;
}

/// Computes the modes of a hanging chain, and its response to a push at its end.
int main() try {
  constexpr int links = 6;
  constexpr double length = 0.25, gravity = 9.81;
  Assembly assembly;
  Block above;
  InitialState hanging;
  hanging.q = Eigen::VectorXd::Zero(2 * links);
  for (int i = 0; i < links; ++i) {
    const std::string number = std::to_string(i + 1);
    const Block point = assembly.add_coordinates("p" + number, BlockKind::planar_point);
    assembly.add("mass " + number, PointMass{1.0}, {point});
    assembly.add("weight " + number, UniformGravity{1.0}, {point});
    if (i == 0)
      assembly.add("rod 1", DistanceToGround{0.0, 0.0, length}, {point});
    else
      assembly.add("rod " + number, Distance{length}, {above, point});
    if (i == links - 1) assembly.add("push", AxialForce{Input{0.0}}, {coordinate_of(point, 0)});
    hanging.q[2 * i + 1] = -(i + 1) * length;
    above = point;
  }
  const auto system = assembly.build();

  const Linearisation at = linearise(system, hanging);
  const Modes found = modes(at);
  std::printf("%d degrees of freedom, about an %s: %s\n", static_cast<int>(at.velocities.cols()), to_string(at.at),
              found.verdict.c_str());
  const std::vector<double> squares = laguerre_zeros(links);
  double worst = 0.0;
  for (std::size_t k = 0; k < found.modes.size(); ++k) {
    const double exact = std::sqrt(squares[k] * gravity / length) / (2.0 * std::acos(-1.0));
    std::printf("  %.6f Hz, exactly %.6f Hz; sideways, from the top:", found.modes[k].frequency, exact);
    for (int i = 0; i < links; ++i) std::printf(" %6.3f", found.modes[k].shape[2 * i].real());
    std::printf("\n");
    worst = std::max(worst, std::abs(found.modes[k].frequency / exact - 1.0));
  }
  write_html(at, found, system, "chain_modes.html", "a hanging chain");

  // x' = A x + B du, dz = C x + D du: at rest with a steady push, dz = (D - C A^-1 B) du
  const StateSpace s = state_space(system, hanging, {"push"}, {"p6.x", "p1.x"});
  const Eigen::MatrixXd steady = s.D - s.C * s.A.partialPivLu().solve(s.B);
  double sum = 0.0;  // each rod turns by the push over the weight that it carries
  for (int i = 0; i < links; ++i) sum += length / ((links - i) * gravity);
  std::printf("a push of 1 N at the end moves it by %.6f m (exactly %.6f m), the first mass by %.6f m\n", steady(0, 0),
              sum, steady(1, 0));
  return found.modes.size() == links && worst < 1e-9 && std::abs(steady(0, 0) - sum) < 1e-9 ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
