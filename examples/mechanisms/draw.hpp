#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace sunlagrange::mechanisms {

/// Random numbers that are the same with every compiler and standard library, whose distributions are not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}

  double between(double low, double high) { return low + (high - low) * share(); }
  double power_of_ten(double low, double high) { return std::pow(10.0, between(low, high)); }
  int below(int n) { return static_cast<int>(n * share()); }
  bool chance(double p) { return share() < p; }

 private:
  double share() { return static_cast<double>(bits_() >> 11U) * 0x1p-53; }
  std::mt19937_64 bits_;
};

}  // namespace sunlagrange::mechanisms
