// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <sunlagrange/internal/pattern_matrix.hpp>

namespace sunlagrange::internal {

/// The quantities that one evaluation computes; combine with |.
namespace request {
inline constexpr unsigned mass = 1U << 0;        ///< M
inline constexpr unsigned force = 1U << 1;       ///< f
inline constexpr unsigned constraint = 1U << 2;  ///< g, (g', psi), gamma
inline constexpr unsigned jacobian = 1U << 3;    ///< G; includes `constraint`, which is computed in the same sweep
inline constexpr unsigned tangent = 1U << 4;     ///< blocks of the Newton matrices; needs Point::a and Point::lambda
inline constexpr unsigned energy = 1U << 5;      ///< energy and power
inline constexpr unsigned acceleration_level = mass | force | constraint | jacobian;
}  // namespace request

/// The point of an evaluation. a and lambda are read for request::tangent only.
struct Point {
  double t = 0.0;
  const double* q = nullptr;
  const double* v = nullptr;
  const double* a = nullptr;
  const double* lambda = nullptr;
};

/// The same quantities of one element in its own coordinates, n of them, m rows (g, psi). Matrices are column-major.
struct LocalRows {
  double* g;         ///< m_g
  double* velocity;  ///< (g', psi), m
  double* bias;      ///< gamma, m
};
struct LocalTangent {
  double* residual_q;      ///< n x n; see Workspace
  double* residual_v;      ///< n x n
  double* velocity_q;      ///< m x n
  double* acceleration_q;  ///< m x n
  double* acceleration_v;  ///< m x n
};

/// Storage of matrices: full columns, or only the entries that can be non-zero.
enum class Storage { dense, sparse };

/// Patterns of the matrices an evaluation fills. The tangent pattern contains the mass pattern.
struct SystemPatterns {
  SparsePattern mass;      ///< n x n
  SparsePattern tangent;   ///< n x n
  SparsePattern jacobian;  ///< m x n, rows (g, psi)
  std::vector<int> mass_in_tangent;
  Eigen::VectorXd natural_scales;  ///< scales of the n coordinates
};

/// Places of the local entries of one element group in the value arrays. Local entries are listed once per type (all
/// elements of a type have one local pattern), places element after element.
struct GroupSlots {
  std::vector<int> mass;      ///< elements x local mass entries
  std::vector<int> jacobian;  ///< elements x local jacobian entries
  std::vector<int> tangent;   ///< elements x local tangent entries
};

/// Bump allocator for scratch of elements whose size is known only at run time: grows in the first calls, then never.
class Arena {
 public:
  void reset() {
    used_ = 0;
    block_ = 0;
  }
  template <class T>
  T* take(int count) {
    const std::size_t bytes = (sizeof(T) * static_cast<std::size_t>(count) + 63U) / 64U * 64U + 64U;
    while (block_ < blocks_.size() && used_ + bytes > blocks_[block_].size) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      const std::size_t size = bytes > minimum_ ? bytes : minimum_;
      blocks_.push_back({std::make_unique<unsigned char[]>(size), size});
      used_ = 0;
    }
    unsigned char* base = blocks_[block_].bytes.get() + used_;
    used_ += bytes;
    void* place = base;
    std::size_t space = bytes;
    T* first = static_cast<T*>(std::align(64, sizeof(T), place, space));
    for (int i = 0; i < count; ++i) new (first + i) T();
    return first;
  }

 private:
  struct Block {
    std::unique_ptr<unsigned char[]> bytes;
    std::size_t size;
  };
  static constexpr std::size_t minimum_ = 1U << 16;
  std::vector<Block> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
};

/// Results of evaluations, owned by the caller; one per thread. Made by make_workspace() (src/model/evaluation.hpp).
struct Workspace {
  Storage storage = Storage::dense;
  std::shared_ptr<const SystemPatterns> patterns;
  std::vector<GroupSlots> slots;  ///< one per element group

  PatternMatrix M;         ///< n x n
  Eigen::VectorXd f;       ///< length n
  Eigen::VectorXd g;       ///< length m_g
  Eigen::VectorXd g_rate;  ///< (g', psi), length m
  Eigen::VectorXd gamma;   ///< length m: g'' = G v' - gamma, psi' = G v' - gamma
  PatternMatrix G;         ///< m x n, rows dg/dq then dpsi/dv

  // With r(q, v, a, lambda) = M a + G^T lambda - f, n x n:
  PatternMatrix r_q;  ///< dr/dq
  PatternMatrix r_v;  ///< dr/dv
  // m x n:
  PatternMatrix V_q;  ///< d(g', psi)/dq
  PatternMatrix A_q;  ///< d(g'', psi')/dq at (q, v, a)
  PatternMatrix A_v;  ///< d(g'', psi')/dv

  double energy = 0.0;  ///< J
  double power = 0.0;   ///< W, of all forces that the energy does not contain, without constraint forces

  bool mass_ready = false;  ///< true if M is constant and has been evaluated
  Arena arena;

  // Only of a system with rows switched off: the evaluation of the system with all rows, and the places of its entries.
  std::unique_ptr<Workspace> base;
  std::vector<int> base_slots;  ///< slot in base->patterns->jacobian of every slot in patterns->jacobian
  Eigen::VectorXd base_lambda;  ///< lambda with zeros in the rows switched off
};

}  // namespace sunlagrange::internal
