// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

/// Gains as they are typed on a command line.
using namespace sunlagrange;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Gains gains = Gains::parse(std::string(reinterpret_cast<const char*>(data), size));
    for (const Gain* gain : {&gains.K_D, &gains.K_P, &gains.K_N, &gains.Lambda}) {
      fuzz::expect(!gain->text().empty(), "no text");
      if (gain->automatic()) continue;
      for (int m = 0; m < 5; ++m) {
        try {
          const GainMatrix matrix = gain->matrix(m, "K", true);
          const bool full = matrix.full.size() > 0;
          fuzz::expect(full ? matrix.full.allFinite() && matrix.full.rows() == m
                            : matrix.diagonal.allFinite() && matrix.diagonal.size() == m,
                       "a gain of another size, or not finite");
        } catch (const Error&) {
        }
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
