#include <unistd.h>

#include <fstream>

#include "fuzz.hpp"
#include "shared/problem.hpp"

/// Butcher tables as files: what is read is a method or has problems; a method runs.
using namespace sunlagrange;

namespace {

struct Pendulum {
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string file = "/tmp/sunlagrange_fuzz_table_" + std::to_string(getpid()) + ".json";
  static const auto system = make_system(Pendulum{});
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const ButcherTable table = bench::read_table(file);
    if (table.problems().empty()) {
      fuzz::expect(table.order_found() >= std::min(table.order, 4), "an order that the table has not");
      fuzz::expect(std::abs(table.stability_function(0.0) - 1.0) < 1e-12, "R(0) is not 1");
      (void)table.real_stability_limit();
    }
    SimulationOptions o;
    o.table = table;
    o.step = 1e-2;
    o.t_end = 5e-2;
    fuzz::run(system, {0.0, Eigen::Vector2d(1.0, 0.0), {}}, o);
  } catch (const Error&) {
  }
  return 0;
}
