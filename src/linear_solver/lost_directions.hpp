#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sunlagrange::internal {

/// The weakest directions u of a scaled Schur complement S, followed with factors of S + Delta (Delta diagonal and
/// small) by inverse subspace iteration in the metric of Delta:
///
///     u <- (S + Delta)^-1 Delta u,    u^T Delta u = 1,    sigma = u^T S u / u^T u
///
/// Null directions of S are exact fixed points, whatever Delta is. One direction more than is weak is followed, so that
/// further loss is noticed. For a few lost directions: each costs two solves per factorisation.
class LostDirections {
 public:
  static constexpr int most_followed = 16;

  LostDirections(int n, int m) : n_(n), m_(m) {}

  /// Follows the directions to a new matrix.
  /// @param delta  diagonal of Delta, length m, positive
  /// @param weak   sigma below which a direction counts as weak
  /// @param fresh  pivots and scales are new: more iterations. The first call obtains memory.
  /// @param solve  solve(u, top): u <- (S + Delta)^-1 u and top = M^-1 G^T of the result
  /// @return false if there are more than most_followed: nothing is followed then
  template <class Solve>
  bool update(const double* delta, double weak, bool fresh, Solve&& solve);

  bool followed() const { return weak_ >= 0; }
  void forget();
  int count_below(double sigma) const;

  /// Takes from the right-hand side [f; b] of [M G^T; G -Delta] what asks for weak directions, tapered as in
  /// WeakDirections: nothing is left of exact null directions, all is left from `weak` on.
  void filter(const double* delta, double weak, const double* f, double* b) const;

  /// The first `lost` directions as an orthonormal basis in coordinates u_i / weight_i; deflate() removes them.
  void prepare_deflation(int lost, const double* weight);
  void deflate(double* y) const;

 private:
  double* direction(int k) { return directions_.data() + static_cast<std::ptrdiff_t>(k) * m_; }
  const double* direction(int k) const { return directions_.data() + static_cast<std::ptrdiff_t>(k) * m_; }
  double* response(int k) { return responses_.data() + static_cast<std::ptrdiff_t>(k) * n_; }
  const double* response(int k) const { return responses_.data() + static_cast<std::ptrdiff_t>(k) * n_; }
  int most() const { return std::min(m_, most_followed + 1); }
  void prepare();
  void start(int k);
  void normalize(const double* delta, int k);
  void swap(int k, int l);
  double sigma_of(const double* delta, int k) const;

  int n_, m_;
  int weak_ = -1;    // weak directions; one more is kept behind them if m allows it
  int vectors_ = 0;  // that hold something to continue from
  bool too_many_ = false;
  int deflated_ = 0;
  std::vector<double> directions_, responses_;  // u_k, M^-1 G^T u_k
  std::vector<double> sigma_, before_, basis_;
};

template <class Solve>
bool LostDirections::update(const double* delta, double weak, bool fresh, Solve&& solve) {
  if (too_many_) return false;
  prepare();
  for (int k = 0; k < most();) {
    const bool cold = k >= vectors_;
    if (cold) {
      start(k);
      vectors_ = k + 1;
    }
    for (int sweep = 0; sweep < (cold ? 6 : fresh ? 4 : 2); ++sweep) {
      normalize(delta, k);
      double* u = direction(k);
      std::copy(u, u + m_, before_.data());
      for (int i = 0; i < m_; ++i) u[i] *= delta[i];
      solve(u, response(k));
      sigma_.data()[k] = sigma_of(delta, k);
    }
    normalize(delta, k);
    if (sigma_.data()[k] < weak) {
      ++k;
    } else if (k + 1 < vectors_) {  // it came back, others may be lost still
      swap(k, --vectors_);
    } else {
      weak_ = k;
      return true;
    }
  }
  weak_ = m_;
  if (m_ <= most_followed) return true;
  forget();
  too_many_ = true;
  return false;
}

}  // namespace sunlagrange::internal
