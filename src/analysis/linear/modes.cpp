// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/modes.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <sunlagrange/base/setting.hpp>

#include "analysis/shared/rounding.hpp"
#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/parts.hpp"
#include "linear_algebra/small_matrices.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

/// Eigenvalues relative to |A| (A balanced), those of quadratic forms relative to the largest one.
struct ModeLimits {
  static constexpr double undecided = 1e-9;  ///< signs of smaller real parts and forms are not certain
};

struct Spread {
  double least = 0.0, most = 0.0;  // smallest eigenvalue and largest modulus of a symmetric form
};

Spread spread(const MatrixXd& S, const MatrixXd& M) {
  if (S.rows() == 0) return {};
  const VectorXd values = generalized_eigenvalues(S, M);
  return {values[0], std::max(std::abs(values[0]), std::abs(values[values.size() - 1]))};
}

bool has_potential(const Linearisation& at) {
  return at.at == LinearisedAt::equilibrium && at.K.rows() == at.K.cols() &&
         at.circulatory.norm() <= ModeLimits::undecided * at.stiffness.norm();
}

/// Returns the reason why the energy is not a Lyapunov function, or an empty string if it is one: the stiffness is
/// positive definite and no force feeds energy in.
std::string no_minimum_of_potential(const Linearisation& at) {
  if (at.at == LinearisedAt::instant && at.state.v.isZero(0.0)) return "the state is no equilibrium";
  if (at.at != LinearisedAt::equilibrium) return "there is no potential about a motion";
  if (at.K.rows() != at.K.cols())
    return "velocity constraints leave fewer velocities than positions, so the potential does not decide about this "
           "equilibrium";
  if (!has_potential(at)) return "circulatory forces have no potential";
  const Spread stiffness = spread(at.stiffness, at.M), damping = spread(at.damping, at.M);
  if (stiffness.most == 0.0) return "indifferent: nothing has a stiffness, so every position is an equilibrium";
  const std::string least = "the smallest stiffness over mass, " + text(stiffness.least) + " 1/s^2, ";
  if (std::abs(stiffness.least) <= rounding_of_value * stiffness.most)
    return "a free motion: some displacement meets no stiffness";
  if (stiffness.least < -ModeLimits::undecided * stiffness.most) return least + "is negative";
  if (!(stiffness.least > ModeLimits::undecided * stiffness.most))
    return least + "is lost beside the largest, " + text(stiffness.most) + " 1/s^2";
  return damping.least >= -ModeLimits::undecided * damping.most ? "" : "some damping feeds energy in";
}

/// Sets dq and dv of an eigenvector (y, w), scaled so that the largest entry of dq (of dv if dq = 0) is one natural
/// scale.
void set_shape(const Linearisation& at, const VectorXcd& x, const VectorXd& natural, Mode& mode) {
  const Index p = at.positions.cols(), k = at.velocities.cols();
  const VectorXcd y = x.head(p), w = x.tail(k);
  mode.shape = at.positions.cast<std::complex<double>>() * y;
  mode.velocity = at.velocities.cast<std::complex<double>>() * w + at.transport.cast<std::complex<double>>() * y;
  Index most = 0;
  mode.shape.cwiseAbs().cwiseQuotient(natural).maxCoeff(&most);
  const std::complex<double> unit = mode.shape[most] / natural[most];
  if (unit == 0.0) return;
  mode.shape /= unit;
  mode.velocity /= unit;
}

/// Returns true if every direction is damped. Then a minimum of the potential is asymptotically stable and a saddle is
/// unstable, whatever gyroscopic forces act [Kelvin and Tait, Chetaev].
bool damps_everything(const Linearisation& at) {
  const Spread damping = spread(at.damping, at.M);
  return damping.least > ModeLimits::undecided * damping.most;
}

bool at_damped_saddle(const Linearisation& at) {
  if (!has_potential(at)) return false;
  const Spread stiffness = spread(at.stiffness, at.M);
  return stiffness.least < -ModeLimits::undecided * stiffness.most && damps_everything(at);
}

std::string verdict_of(const Linearisation& at, Stability stability, double growth, const std::string& no_minimum) {
  std::string verdict;
  switch (stability) {
    case Stability::asymptotic:
      verdict = "asymptotically stable: " +
                (growth < 0.0 ? "the slowest disturbance decays with " + text(-growth) + " 1/s"
                              : "a minimum of the potential, and everything is damped; the slowest decay is lost "
                                "beside the fastest");
      break;
    case Stability::stable:
      verdict = "stable: a minimum of the potential; undamped motions go on oscillating";
      break;
    case Stability::undecided:
      verdict =
          "undecided by the linearisation: nothing grows exponentially, but something does not decay; " + no_minimum;
      break;
    case Stability::unstable:
      verdict = growth > 0.0 ? "unstable: a disturbance grows with " + text(growth) + " 1/s"
                             : "unstable: the potential has no minimum, and everything is damped; how fast a "
                               "disturbance grows is lost beside the fastest decay";
      break;
  }
  if (at.at == LinearisedAt::instant) verdict += " (of frozen coefficients, which prove nothing)";
  return verdict;
}

/// Modes of one part of the system that is coupled to no other. Thresholds are relative to the largest eigenvalue of
/// the part.
struct PartModes {
  std::vector<Mode> modes;
  Stability stability = Stability::undecided;
  double growth = -INFINITY;
  std::string no_minimum;
};

PartModes modes_of_part(const Linearisation& at) {
  PartModes found;
  const MatrixXd A = at.state_matrix();
  const VectorXd scales = balancing_scales(A);
  const MatrixXd balanced = similar(A, scales);
  const EigenPairs pairs = eigenpairs(balanced);
  const double norm = balanced.norm();
  double& growth = found.growth;
  for (Index i = 0; i < A.rows(); ++i) {
    std::complex<double> mu = pairs.values[i];
    if (std::abs(mu.real()) <= rounding_of_solution * norm) mu.real(0.0);
    Mode mode;
    mode.zero = std::abs(mu) <= std::sqrt(rounding_of_value) * norm;  // rounding moves a double zero by its root
    growth = std::max(growth, mode.zero ? 0.0 : mu.real());
    if (mu.imag() < 0.0) continue;  // its conjugate has the same mode
    mode.eigenvalue = mu;
    mode.frequency = mode.zero ? 0.0 : mu.imag() / (2.0 * std::acos(-1.0));
    mode.damping_ratio = mode.zero || mu.real() == 0.0 ? 0.0 : -mu.real() / std::abs(mu);
    set_shape(at, scales.asDiagonal() * pairs.vectors.col(i), at.natural_scales, mode);
    found.modes.push_back(std::move(mode));
  }
  const double noise = ModeLimits::undecided * norm;
  found.no_minimum = no_minimum_of_potential(at);
  found.stability = growth > noise              ? Stability::unstable
                    : at_damped_saddle(at)      ? Stability::unstable
                    : growth < -noise           ? Stability::asymptotic
                    : !found.no_minimum.empty() ? Stability::undecided
                    : damps_everything(at)      ? Stability::asymptotic
                                                : Stability::stable;
  return found;
}

/// Returns the connected components of the state matrix: numbers of y from 0, of w from p.
std::vector<std::vector<int>> parts_of(const Linearisation& at) {
  const Index p = at.positions.cols(), k = at.velocities.cols();
  Parts parts(p + k);
  parts.unite(at.T, 0, p);
  parts.unite(at.S, 0, 0);
  parts.unite(at.K, p, 0);
  for (const MatrixXd* form : {&at.M, &at.damping, &at.gyroscopic, &at.stiffness, &at.circulatory})
    parts.unite(*form, p, p);
  return parts.members();
}

Linearisation part_of(const Linearisation& at, const std::vector<int>& members) {
  std::vector<int> y, w;
  const int p = static_cast<int>(at.positions.cols());
  for (const int i : members) {
    if (i < p)
      y.push_back(i);
    else
      w.push_back(i - p);
  }
  Linearisation part;
  part.at = at.at;
  part.state = at.state;
  part.natural_scales = at.natural_scales;
  part.positions = at.positions(Eigen::all, y);
  part.velocities = at.velocities(Eigen::all, w);
  part.transport = at.transport(Eigen::all, y);
  part.T = at.T(y, w);
  part.S = at.S(y, y);
  part.M = at.M(w, w);
  part.damping = at.damping(w, w);
  part.gyroscopic = at.gyroscopic(w, w);
  part.K = at.K(w, y);
  part.stiffness = at.stiffness(w, w);
  part.circulatory = at.circulatory(w, w);
  return part;
}

}  // namespace

Modes modes(const Linearisation& at) {
  if (!at.status.finished()) throw Error("modes: there is no linearisation: " + at.status.message);
  Modes found;
  if (at.positions.cols() + at.velocities.cols() == 0) {
    found.stability = Stability::asymptotic;
    found.verdict = "immobile: the constraints leave no motion";
    return found;
  }
  PartModes worst;
  worst.stability = Stability::asymptotic;
  for (const std::vector<int>& members : parts_of(at)) {
    PartModes part = modes_of_part(part_of(at, members));
    std::move(part.modes.begin(), part.modes.end(), std::back_inserter(found.modes));
    if (std::make_pair(part.stability, part.growth) >= std::make_pair(worst.stability, worst.growth))
      worst = std::move(part);
  }
  std::stable_sort(found.modes.begin(), found.modes.end(),
                   [](const Mode& a, const Mode& b) { return std::abs(a.eigenvalue) < std::abs(b.eigenvalue); });
  found.stability = worst.stability;
  found.verdict = verdict_of(at, worst.stability, worst.growth, worst.no_minimum);
  return found;
}

}  // namespace sunlagrange
