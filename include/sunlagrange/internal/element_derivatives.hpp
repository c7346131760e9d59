#pragma once

#include <algorithm>
#include <cmath>

#include <sunlagrange/derivatives/dual.hpp>
#include <sunlagrange/internal/difference_step.hpp>
#include <sunlagrange/internal/local_array.hpp>
#include <sunlagrange/model/requirements.hpp>

namespace sunlagrange {

/// Everything the library needs of one element, in local coordinates, from whatever rungs its type offers. Derivatives
/// come from the model if it has them, else from dual numbers and Taylor coefficients, else from central differences.
/// Matrices are column-major; rows of constraint matrices are (g, psi); all outputs are overwritten.
template <class E>
class ElementDerivatives {
 public:
  using C = Capabilities<E>;
  static constexpr int N = C::num_positions;
  /// Width of one forward sweep: the whole element if it is small, else chunks.
  static constexpr int W = (N > 0 && N <= 8) ? N : 4;
  /// Rows of constraint and of velocity_constraint; -1 if known only at run time.
  static constexpr int MG = [] {
    if constexpr (N < 0 || requirements::detected<requirements::CalledConstraints, E>) return -1;
    if constexpr (requirements::detected<requirements::StaticConstraints, E>) return E::num_constraints;
    return 0;
  }();
  static constexpr int MPSI = [] {
    if constexpr (N < 0 || requirements::detected<requirements::CalledVelocityConstraints, E>) return -1;
    if constexpr (requirements::detected<requirements::StaticVelocityConstraints, E>) {
      return E::num_velocity_constraints;
    }
    return 0;
  }();
  static constexpr int M = MG < 0 || MPSI < 0 ? -1 : MG + MPSI;
  static constexpr int NN = N < 0 ? -1 : N * N;
  static constexpr int MN = N < 0 || M < 0 ? -1 : M * N;

  template <class T>
  using Vector = LocalArray<T, N>;
  template <class T>
  using Rows = LocalArray<T, M>;
  template <class T>
  using Square = LocalArray<T, NN>;

  ElementDerivatives(const E& element, Arena& arena)
      : e_(element),
        arena_(arena),
        n_(C::positions(element)),
        m_g_(C::constraints(element)),
        m_psi_(C::velocity_constraints(element)) {}

  int n() const { return n_; }
  int m_g() const { return m_g_; }
  int m() const { return m_g_ + m_psi_; }

  bool mass(double t, const double* q, const double* v, double* out) const {
    std::fill(out, out + n_ * n_, 0.0);
    if constexpr (C::has_mass) return mass_matrix<double>(t, q, out);
    if constexpr (C::has_kinetic) return mass_from_kinetic(t, q, v, out);
    return true;
  }

  /// f: applied_force minus the velocity-dependent and potential terms of Lagrange's equations (rung 0b).
  bool force(double t, const double* q, const double* v, double* out) const {
    std::fill(out, out + n_, 0.0);
    if (!applied<double>(t, q, v, out)) return false;
    if constexpr (C::has_energies) {
      Vector<double> zero(arena_, n_);
      Vector<double> r(arena_, n_);
      if (!lagrange_residual<double>(t, q, v, zero.data(), r.data())) return false;
      for (int i = 0; i < n_; ++i) out[i] -= r[i];
    }
    return true;
  }

  /// g (m_g), velocity level (g', psi) (m) and bias gamma (m).
  bool constraint(double t, const double* q, const double* v, double* g, double* velocity, double* bias) const {
    if constexpr (C::has_constraint) {
      if constexpr (C::generic_constraint) {
        if (!taylor_rows(t, q, v, g, velocity, bias)) return false;
      } else {
        if (!difference_rows(t, q, v, g, velocity, bias)) return false;
      }
      if constexpr (C::has_bias) {
        std::fill(bias, bias + m_g_, 0.0);
        if (!accepted([&] { return e_.constraint_acceleration_bias(t, in(q), in(v), View<double>(bias, m_g_)); }))
          return false;
      }
    }
    if constexpr (C::has_velocity_constraint) {
      if constexpr (C::generic_velocity_constraint) {
        return taylor_velocity_rows(t, q, v, velocity + m_g_, bias + m_g_);
      } else {
        return difference_velocity_rows(t, q, v, velocity + m_g_, bias + m_g_);
      }
    }
    return true;
  }

  /// As constraint(), and G (m x n): one sweep for both where the types allow.
  bool jacobian(double t, const double* q, const double* v, double* g, double* velocity, double* bias,
                double* G) const {
    std::fill(G, G + m() * n_, 0.0);
    constexpr bool jets_g = C::generic_constraint && !C::has_jacobian && !C::has_bias;
    constexpr bool values_included = (C::has_rows || jets_g || !C::has_constraint) &&
                                     (C::generic_velocity_constraint || !C::has_velocity_constraint);
    if constexpr (!values_included) {
      if (!constraint(t, q, v, g, velocity, bias)) return false;
    }
    if constexpr (C::has_constraint) {
      if constexpr (C::has_rows) {
        if (!model_rows(t, q, v, g, velocity, bias, G)) return false;
      } else if constexpr (jets_g) {
        if (!jet_rows(t, q, v, g, velocity, bias, G)) return false;
      } else {
        if (!position_jacobian(t, q, G)) return false;
      }
    }
    if constexpr (C::has_velocity_constraint) {
      if constexpr (C::generic_velocity_constraint) {
        return jet_velocity_rows(t, q, v, velocity + m_g_, bias + m_g_, G);
      } else {
        return difference_velocity_jacobian(t, q, v, G);
      }
    }
    return true;
  }

  struct Tangent {
    double* residual_q;      // n x n
    double* residual_v;      // n x n
    double* velocity_q;      // m x n
    double* acceleration_q;  // m x n
    double* acceleration_v;  // m x n
  };

  /// Blocks of the Newton matrices at (t, q, v, a, lambda), see Workspace.
  bool tangent(double t, const double* q, const double* v, const double* a, const double* lambda,
               const Tangent& out) const {
    std::fill(out.residual_q, out.residual_q + n_ * n_, 0.0);
    std::fill(out.residual_v, out.residual_v + n_ * n_, 0.0);
    std::fill(out.velocity_q, out.velocity_q + m() * n_, 0.0);
    std::fill(out.acceleration_q, out.acceleration_q + m() * n_, 0.0);
    std::fill(out.acceleration_v, out.acceleration_v + m() * n_, 0.0);
    return inertia_tangent(t, q, a, out) && force_tangent(t, q, v, out) && lagrange_tangent(t, q, v, a, out) &&
           constraint_force_tangent(t, q, v, lambda, out) && row_tangent(t, q, v, a, out);
  }

  /// Adds energy [J] and power [W].
  bool energy(double t, const double* q, const double* v, double& energy, double& power) const {
    if constexpr (C::has_energy) {
      energy += e_.energy(t, in(q), in(v));
      if constexpr (C::has_power) power += e_.power(t, in(q), in(v));
    } else {
      if constexpr (C::has_energies) add_lagrange_energy(t, q, v, energy, power);
      if constexpr (C::has_mass) {
        Square<double> M_local(arena_, n_ * n_);
        if (!mass(t, q, v, M_local.data())) return false;
        for (int j = 0; j < n_; ++j) {
          for (int i = 0; i < n_; ++i) energy += 0.5 * v[i] * M_local[j * n_ + i] * v[j];
        }
      }
      return add_applied_power(t, q, v, power);
    }
    return true;
  }

  /// dT/dv; M v where the kinetic energy is given by a mass matrix.
  bool momentum(double t, const double* q, const double* v, double* out) const {
    std::fill(out, out + n_, 0.0);
    if constexpr (C::has_kinetic) {
      using S = Dual<double, W>;
      Vector<S> Q(arena_, n_);
      Vector<S> V(arena_, n_);
      for (int s = 0; s < n_; s += W) {
        for (int i = 0; i < n_; ++i) {
          Q[i] = S(q[i]);
          V[i] = S(v[i]);
          if (i >= s && i < s + W) V[i].d[i - s] = 1.0;
        }
        const S T = e_.kinetic_energy(S(t), View<const S>(Q.data(), n_), View<const S>(V.data(), n_));
        for (int i = s; i < std::min<int>(s + W, n_); ++i) out[i] = T.d[i - s];
      }
    } else if constexpr (C::has_mass) {
      Square<double> M_local(arena_, n_ * n_);
      if (!mass(t, q, v, M_local.data())) return false;
      for (int j = 0; j < n_; ++j) {
        for (int i = 0; i < n_; ++i) out[i] += M_local[j * n_ + i] * v[j];
      }
    }
    return true;
  }

  /// Adds the power [W] that is lost: v dD/dv, and -v f of an element that is `dissipative`.
  bool dissipated(double t, const double* q, const double* v, double& lost) const {
    if constexpr (C::has_dissipation) {
      using S = Dual<double, 1>;
      Vector<S> Q(arena_, n_);
      Vector<S> V(arena_, n_);
      for (int i = 0; i < n_; ++i) {
        Q[i] = S(q[i]);
        V[i] = S(v[i]);
        V[i].d[0] = v[i];
      }
      lost += e_.dissipation(S(t), View<const S>(Q.data(), n_), View<const S>(V.data(), n_)).d[0];
    }
    if constexpr (C::dissipative) {
      double applied_power = 0.0;
      if (!add_applied_power(t, q, v, applied_power)) return false;
      lost -= applied_power;
    }
    return true;
  }

  /// With a mass matrix of rung 0a that varies, applied_force holds gyroscopic terms, which are no work: then the
  /// model has to give the energy.
  static constexpr bool energy_known =
      C::has_energy || !C::has_mass || !C::has_force || (C::has_energies && C::constant_mass);

 private:
  View<const double> in(const double* x) const { return {x, n_}; }
  template <class T>
  View<const T> in(const T* x) const {
    return {x, n_};
  }

  // ---- values for any scalar -------------------------------------------------------------------------------------

  template <class T>
  bool mass_matrix(const T& t, const T* q, T* out) const {
    return accepted([&] { return e_.mass_matrix(t, View<const T>(q, n_), MatrixView<T>(out, n_, n_)); });
  }
  template <class T>
  bool applied(const T& t, const T* q, const T* v, T* out) const {
    if constexpr (C::has_force) {
      return accepted(
          [&] { return e_.applied_force(t, View<const T>(q, n_), View<const T>(v, n_), View<T>(out, n_)); });
    }
    return true;
  }
  template <class T>
  bool rows(const T& t, const T* q, T* out) const {
    return accepted([&] { return e_.constraint(t, View<const T>(q, n_), View<T>(out, m_g_)); });
  }
  template <class T>
  bool velocity_rows(const T& t, const T* q, const T* v, T* out) const {
    return accepted(
        [&] { return e_.velocity_constraint(t, View<const T>(q, n_), View<const T>(v, n_), View<T>(out, m_psi_)); });
  }

  // ---- rung 0b: Lagrange's equations -----------------------------------------------------------------------------

  bool mass_from_kinetic(double t, const double* q, const double* v, double* out) const {
    using Inner = Dual<double, W>;
    using Outer = Dual<Inner, W>;
    Vector<Outer> Q(arena_, n_);
    Vector<Outer> V(arena_, n_);
    for (int si = 0; si < n_; si += W) {
      for (int sj = 0; sj <= si; sj += W) {
        for (int i = 0; i < n_; ++i) {
          Q[i] = Outer(q[i]);
          V[i] = Outer(v[i]);
          if (i >= si && i < si + W) V[i].d[i - si] = Inner(1.0);
          if (i >= sj && i < sj + W) V[i].value.d[i - sj] = 1.0;
        }
        const Outer T = e_.kinetic_energy(Outer(t), View<const Outer>(Q.data(), n_), View<const Outer>(V.data(), n_));
        for (int i = si; i < std::min<int>(si + W, n_); ++i) {
          for (int j = sj; j < std::min<int>(sj + W, n_); ++j) {
            out[j * n_ + i] = out[i * n_ + j] = T.d[i - si].d[j - sj];
          }
        }
      }
    }
    return true;
  }

  /// r = d/dt(T_v) - T_q + V_q + D_v at acceleration a, for S = double or dual numbers in (q, v).
  /// T_v is followed along the motion by a Taylor coefficient: explicit time dependence is included.
  template <class S>
  bool lagrange_residual(const S& t, const S* q, const S* v, const S* a, S* r) const {
    using Curve = Taylor<S>;
    using Wide = Dual<Curve, W>;
    Vector<Wide> Q(arena_, n_);
    Vector<Wide> V(arena_, n_);
    Wide time{};
    time.value = Curve(t, S(1.0), S(0.0));
    const auto sweep = [&](int start, bool seed_v) {
      for (int i = 0; i < n_; ++i) {
        Q[i] = Wide{};
        V[i] = Wide{};
        Q[i].value = Curve(q[i], v[i], S(0.0));
        V[i].value = Curve(v[i], a[i], S(0.0));
        if (i >= start && i < start + W) (seed_v ? V[i] : Q[i]).d[i - start] = Curve(1.0);
      }
    };
    const View<const Wide> Qv(Q.data(), n_);
    const View<const Wide> Vv(V.data(), n_);
    for (int s = 0; s < n_; s += W) {
      const int end = std::min<int>(s + W, n_);
      sweep(s, true);
      if constexpr (C::has_kinetic) {
        const Wide T = e_.kinetic_energy(time, Qv, Vv);
        for (int i = s; i < end; ++i) r[i] += T.d[i - s].c1;
      }
      if constexpr (C::has_dissipation) {
        const Wide D = e_.dissipation(time, Qv, Vv);
        for (int i = s; i < end; ++i) r[i] += D.d[i - s].c0;
      }
      if constexpr (C::has_kinetic || C::has_potential) sweep(s, false);
      if constexpr (C::has_kinetic) {
        const Wide T = e_.kinetic_energy(time, Qv, Vv);
        for (int i = s; i < end; ++i) r[i] -= T.d[i - s].c0;
      }
      if constexpr (C::has_potential) {
        const Wide P = e_.potential_energy(time, Qv);
        for (int i = s; i < end; ++i) r[i] += P.d[i - s].c0;
      }
    }
    return true;
  }

  bool lagrange_tangent(double t, const double* q, const double* v, const double* a, const Tangent& out) const {
    if constexpr (C::has_energies) {
      return residual_jacobian(q, v, out, true, [&](const auto* Q, const auto* V, auto* r) {
        using S = std::remove_pointer_t<decltype(r)>;
        Vector<S> A(arena_, n_);
        for (int i = 0; i < n_; ++i) A[i] = S(a[i]);
        return lagrange_residual<S>(S(t), Q, V, A.data(), r);
      });
    }
    return true;
  }

  void add_lagrange_energy(double t, const double* q, const double* v, double& energy, double& power) const {
    using S = Dual<double, 2>;  // directions: scaling of v, time
    Vector<S> Q(arena_, n_);
    Vector<S> V(arena_, n_);
    for (int i = 0; i < n_; ++i) {
      Q[i] = S(q[i]);
      V[i] = S(v[i]);
      V[i].d[0] = v[i];
    }
    S time(t);
    time.d[1] = 1.0;
    const View<const S> Qv(Q.data(), n_);
    const View<const S> Vv(V.data(), n_);
    if constexpr (C::has_kinetic) {
      const S T = e_.kinetic_energy(time, Qv, Vv);
      energy += T.d[0] - T.value;
      power -= T.d[1];
    }
    if constexpr (C::has_potential) {
      const S P = e_.potential_energy(time, Qv);
      energy += P.value;
      power += P.d[1];
    }
    if constexpr (C::has_dissipation) power -= e_.dissipation(time, Qv, Vv).d[0];
  }

  bool add_applied_power(double t, const double* q, const double* v, double& power) const {
    Vector<double> f(arena_, n_);
    if (!applied<double>(t, q, v, f.data())) return false;
    for (int i = 0; i < n_; ++i) power += f[i] * v[i];
    return true;
  }

  // ---- constraint rows: values and Jacobian ----------------------------------------------------------------------

  bool taylor_rows(double t, const double* q, const double* v, double* g, double* velocity, double* bias) const {
    using T = Taylor<double>;
    Vector<T> Q(arena_, n_);
    Rows<T> R(arena_, m());
    for (int i = 0; i < n_; ++i) Q[i] = T(q[i], v[i], 0.0);
    if (!rows<T>(T(t, 1.0, 0.0), Q.data(), R.data())) return false;
    for (int i = 0; i < m_g_; ++i) {
      g[i] = R[i].c0;
      velocity[i] = R[i].c1;
      bias[i] = -2.0 * R[i].c2;
    }
    return true;
  }

  bool taylor_velocity_rows(double t, const double* q, const double* v, double* psi, double* bias) const {
    using T = Taylor<double>;
    Vector<T> Q(arena_, n_);
    Vector<T> V(arena_, n_);
    Rows<T> R(arena_, m());
    for (int i = 0; i < n_; ++i) {
      Q[i] = T(q[i], v[i], 0.0);
      V[i] = T(v[i], 0.0, 0.0);
    }
    if (!velocity_rows<T>(T(t, 1.0, 0.0), Q.data(), V.data(), R.data())) return false;
    for (int i = 0; i < m_psi_; ++i) {
      psi[i] = R[i].c0;
      bias[i] = -R[i].c1;
    }
    return true;
  }

  /// The model's own g, g', gamma and G.
  bool model_rows(double t, const double* q, const double* v, double* g, double* velocity, double* bias,
                  double* G) const {
    const auto call = [&](double* matrix) {
      return accepted([&] {
        return e_.constraint_rows(t, in(q), in(v), View<double>(g, m_g_), View<double>(velocity, m_g_),
                                  View<double>(bias, m_g_), MatrixView<double>(matrix, m_g_, n_));
      });
    };
    std::fill(g, g + m_g_, 0.0);
    std::fill(velocity, velocity + m_g_, 0.0);
    std::fill(bias, bias + m_g_, 0.0);
    if constexpr (!C::has_velocity_constraint) return call(G);
    LocalArray<double, MN> local(arena_, m_g_ * n_);
    if (!call(local.data())) return false;
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < m_g_; ++i) G[j * m() + i] = local[j * m_g_ + i];
    }
    return true;
  }

  bool jet_rows(double t, const double* q, const double* v, double* g, double* velocity, double* bias,
                double* G) const {
    using T = Jet<W>;
    Vector<T> Q(arena_, n_);
    Rows<T> R(arena_, m());
    T time(t);
    time.c1 = 1.0;
    for (int s = 0; s < n_; s += W) {
      for (int i = 0; i < n_; ++i) {
        Q[i] = T(q[i]);
        Q[i].c1 = v[i];
        if (i >= s && i < s + W) Q[i].d[i - s] = 1.0;
      }
      for (int i = 0; i < m_g_; ++i) R[i] = T();
      if (!rows<T>(time, Q.data(), R.data())) return false;
      store_gradients(R, s, 0, m_g_, G);
    }
    for (int i = 0; i < m_g_; ++i) {
      g[i] = R[i].c0;
      velocity[i] = R[i].c1;
      bias[i] = -2.0 * R[i].c2;
    }
    return true;
  }

  bool jet_velocity_rows(double t, const double* q, const double* v, double* psi, double* bias, double* G) const {
    using T = Jet<W>;
    Vector<T> Q(arena_, n_);
    Vector<T> V(arena_, n_);
    Rows<T> R(arena_, m());
    T time(t);
    time.c1 = 1.0;
    for (int s = 0; s < n_; s += W) {
      for (int i = 0; i < n_; ++i) {
        Q[i] = T(q[i]);
        Q[i].c1 = v[i];
        V[i] = T(v[i]);
        if (i >= s && i < s + W) V[i].d[i - s] = 1.0;
      }
      for (int i = 0; i < m_psi_; ++i) R[i] = T();
      if (!velocity_rows<T>(time, Q.data(), V.data(), R.data())) return false;
      store_gradients(R, s, m_g_, m_psi_, G);
    }
    for (int i = 0; i < m_psi_; ++i) {
      psi[i] = R[i].c0;
      bias[i] = -R[i].c1;
    }
    return true;
  }

  template <class R>
  void store_gradients(R& values, int start, int first_row, int count, double* G) const {
    for (int j = start; j < std::min<int>(start + W, n_); ++j) {
      for (int i = 0; i < count; ++i) G[j * m() + first_row + i] = values[i].d[j - start];
    }
  }

  /// G of the g rows alone: the model's, else dual numbers, else differences.
  bool position_jacobian(double t, const double* q, double* G) const {
    if constexpr (C::has_jacobian) {
      LocalArray<double, MN> local(arena_, m_g_ * n_);
      if (!accepted([&] { return e_.constraint_jacobian(t, in(q), MatrixView<double>(local.data(), m_g_, n_)); }))
        return false;
      for (int j = 0; j < n_; ++j) {
        for (int i = 0; i < m_g_; ++i) G[j * m() + i] = local[j * m_g_ + i];
      }
      return true;
    } else if constexpr (C::generic_constraint) {
      using T = Dual<double, W>;
      Vector<T> Q(arena_, n_);
      Rows<T> R(arena_, m());
      for (int s = 0; s < n_; s += W) {
        for (int i = 0; i < n_; ++i) {
          Q[i] = T(q[i]);
          if (i >= s && i < s + W) Q[i].d[i - s] = 1.0;
        }
        for (int i = 0; i < m_g_; ++i) R[i] = T();
        if (!rows<T>(T(t), Q.data(), R.data())) return false;
        store_gradients(R, s, 0, m_g_, G);
      }
      return true;
    } else {
      return central_difference(q, [&](const double* x, int j, double scale) {
        Rows<double> R(arena_, m());
        if (!rows<double>(t, x, R.data())) return false;
        for (int i = 0; i < m_g_; ++i) G[j * m() + i] += scale * R[i];
        return true;
      });
    }
  }

  // ---- differences, for members written in plain double -----------------------------------------------------------

  static constexpr double step_second = 1e-4;  // second differences along the motion: error about 1e-8

  /// add(x, j, scale) is called with x = base +- h e_j and scale = +-1/(2h).
  template <class Add>
  bool central_difference(const double* base, Add&& add) const {
    Vector<double> x(arena_, n_);
    for (int i = 0; i < n_; ++i) x[i] = base[i];
    for (int j = 0; j < n_; ++j) {
      const double h = internal::difference_step * (1.0 + std::abs(base[j]));
      x[j] = base[j] + h;
      if (!add(x.data(), j, 0.5 / h)) return false;
      x[j] = base[j] - h;
      if (!add(x.data(), j, -0.5 / h)) return false;
      x[j] = base[j];
    }
    return true;
  }

  /// Calls use(k, t + k s, q + k s v + (k s)^2/2 a) for k = -1, 0, 1.
  template <class Use>
  bool along_motion(double t, const double* q, const double* v, const double* a, Use&& use) const {
    Vector<double> x(arena_, n_);
    for (int k = -1; k <= 1; ++k) {
      const double s = k * step_second;
      for (int i = 0; i < n_; ++i) x[i] = q[i] + s * v[i] + (a == nullptr ? 0.0 : 0.5 * s * s * a[i]);
      if (!use(k, t + s, x.data())) return false;
    }
    return true;
  }

  bool difference_rows(double t, const double* q, const double* v, double* g, double* velocity, double* bias) const {
    std::fill(velocity, velocity + m_g_, 0.0);
    std::fill(bias, bias + m_g_, 0.0);
    return along_motion(t, q, v, nullptr, [&](int k, double time, const double* x) {
      Rows<double> R(arena_, m());
      if (!rows<double>(time, x, R.data())) return false;
      for (int i = 0; i < m_g_; ++i) {
        if (k == 0) g[i] = R[i];
        velocity[i] += k * R[i] / (2.0 * step_second);
        bias[i] -= (k == 0 ? -2.0 : 1.0) * R[i] / (step_second * step_second);
      }
      return true;
    });
  }

  bool difference_velocity_rows(double t, const double* q, const double* v, double* psi, double* bias) const {
    std::fill(bias, bias + m_psi_, 0.0);
    return along_motion(t, q, v, nullptr, [&](int k, double time, const double* x) {
      Rows<double> R(arena_, m());
      if (!velocity_rows<double>(time, x, v, R.data())) return false;
      for (int i = 0; i < m_psi_; ++i) {
        if (k == 0) psi[i] = R[i];
        bias[i] -= k * R[i] / (2.0 * step_second);
      }
      return true;
    });
  }

  bool difference_velocity_jacobian(double t, const double* q, const double* v, double* G) const {
    return central_difference(v, [&](const double* x, int j, double scale) {
      Rows<double> R(arena_, m());
      if (!velocity_rows<double>(t, q, x, R.data())) return false;
      for (int i = 0; i < m_psi_; ++i) G[j * m() + m_g_ + i] += scale * R[i];
      return true;
    });
  }

  // ---- tangent ---------------------------------------------------------------------------------------------------

  /// Adds the Jacobian of r(q, v) to residual_q (and residual_v); `r(Q, V, out)` is generic in the scalar.
  template <class Residual>
  bool residual_jacobian(const double* q, const double* v, const Tangent& out, bool by_v, Residual&& r) const {
    using S = Dual<double, W>;
    Vector<S> Q(arena_, n_);
    Vector<S> V(arena_, n_);
    Vector<S> R(arena_, n_);
    for (int side = 0; side < (by_v ? 2 : 1); ++side) {
      double* target = side == 0 ? out.residual_q : out.residual_v;
      for (int s = 0; s < n_; s += W) {
        for (int i = 0; i < n_; ++i) {
          Q[i] = S(q[i]);
          V[i] = S(v[i]);
          R[i] = S();
          if (i >= s && i < s + W) (side == 0 ? Q[i] : V[i]).d[i - s] = 1.0;
        }
        if (!r(static_cast<const S*>(Q.data()), static_cast<const S*>(V.data()), R.data())) return false;
        for (int j = s; j < std::min<int>(s + W, n_); ++j) {
          for (int i = 0; i < n_; ++i) target[j * n_ + i] += R[i].d[j - s];
        }
      }
    }
    return true;
  }

  bool inertia_tangent(double t, const double* q, const double* a, const Tangent& out) const {
    if constexpr (!C::has_mass || C::constant_mass) {
      return true;
    } else if constexpr (C::has_inertia_jacobian) {
      Square<double> local(arena_, n_ * n_);
      if (!accepted([&] { return e_.inertia_jacobian(t, in(q), in(a), MatrixView<double>(local.data(), n_, n_)); }))
        return false;
      for (int k = 0; k < n_ * n_; ++k) out.residual_q[k] += local[k];
      return true;
    } else if constexpr (C::generic_mass) {
      return residual_jacobian(q, a, out, false, [&](const auto* Q, const auto*, auto* r) {
        using S = std::remove_pointer_t<decltype(r)>;
        Square<S> M_local(arena_, n_ * n_);
        if (!mass_matrix<S>(S(t), Q, M_local.data())) return false;
        for (int j = 0; j < n_; ++j) {
          for (int i = 0; i < n_; ++i) r[i] += M_local[j * n_ + i] * a[j];
        }
        return true;
      });
    } else {
      return central_difference(q, [&](const double* x, int k, double scale) {
        Square<double> M_local(arena_, n_ * n_);
        if (!mass_matrix<double>(t, x, M_local.data())) return false;
        for (int j = 0; j < n_; ++j) {
          for (int i = 0; i < n_; ++i) out.residual_q[k * n_ + i] += scale * M_local[j * n_ + i] * a[j];
        }
        return true;
      });
    }
  }

  bool force_tangent(double t, const double* q, const double* v, const Tangent& out) const {
    if constexpr (!C::has_force) {
      return true;
    } else if constexpr (C::has_force_jacobians) {
      Square<double> f_q(arena_, n_ * n_);
      Square<double> f_v(arena_, n_ * n_);
      if (!accepted([&] {
            return e_.force_jacobians(t, in(q), in(v), MatrixView<double>(f_q.data(), n_, n_),
                                      MatrixView<double>(f_v.data(), n_, n_));
          }))
        return false;
      for (int k = 0; k < n_ * n_; ++k) {
        out.residual_q[k] -= f_q[k];
        out.residual_v[k] -= f_v[k];
      }
      return true;
    } else if constexpr (C::generic_force) {
      return residual_jacobian(q, v, out, true, [&](const auto* Q, const auto* V, auto* r) {
        using S = std::remove_pointer_t<decltype(r)>;
        if (!applied<S>(S(t), Q, V, r)) return false;
        for (int i = 0; i < n_; ++i) r[i] = -r[i];
        return true;
      });
    } else {
      const auto add = [&](const double* x, const double* w, double* target, int j, double scale) {
        Vector<double> f(arena_, n_);
        if (!applied<double>(t, x, w, f.data())) return false;
        for (int i = 0; i < n_; ++i) target[j * n_ + i] -= scale * f[i];
        return true;
      };
      return central_difference(
                 q, [&](const double* x, int j, double scale) { return add(x, v, out.residual_q, j, scale); }) &&
             central_difference(
                 v, [&](const double* x, int j, double scale) { return add(q, x, out.residual_v, j, scale); });
    }
  }

  bool constraint_force_tangent(double t, const double* q, const double* v, const double* lambda,
                                const Tangent& out) const {
    if constexpr (C::has_constraint) {
      if (!position_force_tangent(t, q, lambda, out)) return false;
    }
    if constexpr (C::has_velocity_constraint) return velocity_force_tangent(t, q, v, lambda + m_g_, out);
    return true;
  }

  bool position_force_tangent(double t, const double* q, const double* lambda, const Tangent& out) const {
    if constexpr (C::has_constraint_force_jacobian) {
      Square<double> local(arena_, n_ * n_);
      if (!accepted([&] {
            return e_.constraint_force_jacobian(t, in(q), View<const double>(lambda, m_g_),
                                                MatrixView<double>(local.data(), n_, n_));
          }))
        return false;
      for (int k = 0; k < n_ * n_; ++k) out.residual_q[k] += local[k];
      return true;
    } else if constexpr (C::generic_constraint) {
      return residual_jacobian(q, q, out, false, [&](const auto* Q, const auto*, auto* r) {
        using S = std::remove_pointer_t<decltype(r)>;
        using Wide = Dual<S, W>;
        Vector<Wide> X(arena_, n_);
        Rows<Wide> R(arena_, m());
        for (int s = 0; s < n_; s += W) {
          for (int i = 0; i < n_; ++i) {
            X[i] = Wide();
            X[i].value = Q[i];
            if (i >= s && i < s + W) X[i].d[i - s] = S(1.0);
          }
          for (int i = 0; i < m_g_; ++i) R[i] = Wide();
          if (!rows<Wide>(Wide(t), X.data(), R.data())) return false;
          for (int j = s; j < std::min<int>(s + W, n_); ++j) {
            for (int i = 0; i < m_g_; ++i) r[j] += R[i].d[j - s] * lambda[i];
          }
        }
        return true;
      });
    } else {
      return central_difference(q, [&](const double* x, int k, double scale) {
        LocalArray<double, MN> G(arena_, m() * n_);
        if (!position_jacobian(t, x, G.data())) return false;
        for (int j = 0; j < n_; ++j) {
          for (int i = 0; i < m_g_; ++i) out.residual_q[k * n_ + j] += scale * G[j * m() + i] * lambda[i];
        }
        return true;
      });
    }
  }

  bool velocity_force_tangent(double t, const double* q, const double* v, const double* lambda,
                              const Tangent& out) const {
    if constexpr (C::generic_velocity_constraint) {
      return residual_jacobian(q, v, out, true, [&](const auto* Q, const auto* V, auto* r) {
        using S = std::remove_pointer_t<decltype(r)>;
        using Wide = Dual<S, W>;
        Vector<Wide> X(arena_, n_);
        Vector<Wide> Y(arena_, n_);
        Rows<Wide> R(arena_, m());
        for (int s = 0; s < n_; s += W) {
          for (int i = 0; i < n_; ++i) {
            X[i] = Wide();
            Y[i] = Wide();
            X[i].value = Q[i];
            Y[i].value = V[i];
            if (i >= s && i < s + W) Y[i].d[i - s] = S(1.0);
          }
          for (int i = 0; i < m_psi_; ++i) R[i] = Wide();
          if (!velocity_rows<Wide>(Wide(t), X.data(), Y.data(), R.data())) return false;
          for (int j = s; j < std::min<int>(s + W, n_); ++j) {
            for (int i = 0; i < m_psi_; ++i) r[j] += R[i].d[j - s] * lambda[i];
          }
        }
        return true;
      });
    } else {
      const auto add = [&](const double* x, const double* w, double* target, int k, double scale) {
        LocalArray<double, MN> G(arena_, m() * n_);
        if (!difference_velocity_jacobian(t, x, w, G.data())) return false;
        for (int j = 0; j < n_; ++j) {
          for (int i = 0; i < m_psi_; ++i) target[k * n_ + j] += scale * G[j * m() + m_g_ + i] * lambda[i];
        }
        return true;
      };
      return central_difference(
                 q, [&](const double* x, int k, double scale) { return add(x, v, out.residual_q, k, scale); }) &&
             central_difference(
                 v, [&](const double* x, int k, double scale) { return add(q, x, out.residual_v, k, scale); });
    }
  }

  /// G' and G'' along the motion; d(g'')/dv = 2 G' is the identity behind the factor two.
  bool row_tangent(double t, const double* q, const double* v, const double* a, const Tangent& out) const {
    if constexpr (C::has_constraint) {
      if (!position_row_tangent(t, q, v, a, out)) return false;
    }
    if constexpr (C::has_velocity_constraint) return velocity_row_tangent(t, q, v, a, out);
    return true;
  }

  bool position_row_tangent(double t, const double* q, const double* v, const double* a, const Tangent& out) const {
    if constexpr (C::generic_constraint) {
      using T = Dual<Taylor<double>, W>;
      Vector<T> Q(arena_, n_);
      Rows<T> R(arena_, m());
      T time;
      time.value = Taylor<double>(t, 1.0, 0.0);
      for (int s = 0; s < n_; s += W) {
        for (int i = 0; i < n_; ++i) {
          Q[i] = T();
          Q[i].value = Taylor<double>(q[i], v[i], 0.5 * a[i]);
          if (i >= s && i < s + W) Q[i].d[i - s] = Taylor<double>(1.0);
        }
        for (int i = 0; i < m_g_; ++i) R[i] = T();
        if (!rows<T>(time, Q.data(), R.data())) return false;
        for (int j = s; j < std::min<int>(s + W, n_); ++j) {
          for (int i = 0; i < m_g_; ++i) {
            const Taylor<double>& column = R[i].d[j - s];
            out.velocity_q[j * m() + i] = column.c1;
            out.acceleration_q[j * m() + i] = 2.0 * column.c2;
            out.acceleration_v[j * m() + i] = 2.0 * column.c1;
          }
        }
      }
      return true;
    } else {
      constexpr double h = 5e-3;  // G may itself be a difference: its error 1e-10 stays small after division by h^2
      Vector<double> x(arena_, n_);
      for (int k = -1; k <= 1; ++k) {
        const double s = k * h;
        for (int i = 0; i < n_; ++i) x[i] = q[i] + s * v[i] + 0.5 * s * s * a[i];
        LocalArray<double, MN> G(arena_, m() * n_);
        if (!position_jacobian(t + s, x.data(), G.data())) return false;
        for (int j = 0; j < n_; ++j) {
          for (int i = 0; i < m_g_; ++i) {
            const int e = j * m() + i;
            out.velocity_q[e] += k * G[e] / (2.0 * h);
            out.acceleration_v[e] += k * G[e] / h;
            out.acceleration_q[e] += (k == 0 ? -2.0 : 1.0) * G[e] / (h * h);
          }
        }
      }
      return true;
    }
  }

  bool velocity_row_tangent(double t, const double* q, const double* v, const double* a, const Tangent& out) const {
    if constexpr (C::generic_velocity_constraint) {
      using T = Dual<Taylor<double>, W>;
      Vector<T> Q(arena_, n_);
      Vector<T> V(arena_, n_);
      Rows<T> R(arena_, m());
      T time;
      time.value = Taylor<double>(t, 1.0, 0.0);
      for (int side = 0; side < 2; ++side) {
        for (int s = 0; s < n_; s += W) {
          for (int i = 0; i < n_; ++i) {
            Q[i] = T();
            V[i] = T();
            Q[i].value = Taylor<double>(q[i], v[i], 0.0);
            V[i].value = Taylor<double>(v[i], a[i], 0.0);
            if (i < s || i >= s + W) continue;
            if (side == 0) {
              Q[i].d[i - s] = Taylor<double>(1.0);
            } else {
              V[i].d[i - s] = Taylor<double>(1.0);
              Q[i].d[i - s] = Taylor<double>(0.0, 1.0, 0.0);  // q(t + s) = q + s v moves with v
            }
          }
          for (int i = 0; i < m_psi_; ++i) R[i] = T();
          if (!velocity_rows<T>(time, Q.data(), V.data(), R.data())) return false;
          for (int j = s; j < std::min<int>(s + W, n_); ++j) {
            for (int i = 0; i < m_psi_; ++i) {
              const int e = j * m() + m_g_ + i;
              const Taylor<double>& column = R[i].d[j - s];
              if (side == 0) {
                out.velocity_q[e] = column.c0;
                out.acceleration_q[e] = column.c1;
              } else {
                out.acceleration_v[e] = column.c1;
              }
            }
          }
        }
      }
      return true;
    } else {
      const auto rate = [&](double* target, const double* x, const double* w, int j, double scale, bool derivative) {
        Rows<double> R(arena_, m());
        if (!derivative) {
          if (!velocity_rows<double>(t, x, w, R.data())) return false;
          for (int i = 0; i < m_psi_; ++i) target[j * m() + m_g_ + i] += scale * R[i];
          return true;
        }
        Vector<double> y(arena_, n_);
        Vector<double> z(arena_, n_);
        for (int k = -1; k <= 1; k += 2) {
          const double s = k * 1e-3;
          for (int i = 0; i < n_; ++i) {
            y[i] = x[i] + s * w[i];
            z[i] = w[i] + s * a[i];
          }
          if (!velocity_rows<double>(t + s, y.data(), z.data(), R.data())) return false;
          for (int i = 0; i < m_psi_; ++i) target[j * m() + m_g_ + i] += scale * R[i] / (2.0 * s);
        }
        return true;
      };
      return central_difference(q,
                                [&](const double* x, int j, double scale) {
                                  return rate(out.velocity_q, x, v, j, scale, false) &&
                                         rate(out.acceleration_q, x, v, j, scale, true);
                                }) &&
             central_difference(v, [&](const double* x, int j, double scale) {
               return rate(out.acceleration_v, q, x, j, scale, true);
             });
    }
  }

  const E& e_;
  Arena& arena_;
  Count<N> n_;
  Count<MG> m_g_;
  Count<MPSI> m_psi_;
};

}  // namespace sunlagrange
