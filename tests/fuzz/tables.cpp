// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "fuzz.hpp"
#include "models.hpp"
#include "shared/problem.hpp"

/// Butcher tables as files: what is read is a method or has problems; a method runs.
using namespace sunlagrange;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string file = "/tmp/sunlagrange_fuzz_table_" + std::to_string(getpid()) + ".json";
  static const auto system = make_system(test::Pendulum{});
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const ButcherTable table = program::read_table(file);
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
