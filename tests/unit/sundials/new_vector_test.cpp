// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <nvector/nvector_serial.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <sunlagrange/sundials/new_vector.hpp>

#include "raw_sundials.hpp"

/// Every operation beside that of the serial vector, for lengths around the blocks of the loops, anywhere in memory.
using namespace sunlagrange;
using test::Context;

namespace {

constexpr int longest = 70;
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double rounding = std::numeric_limits<double>::epsilon();

/// Vectors of one kind whose entries begin anywhere, e.g. not where SIMD would like them to.
class Vectors {
 public:
  Vectors(N_Vector kind, int count, int offset) : buffers_(static_cast<std::size_t>(count)) {
    for (auto& buffer : buffers_) {
      buffer.resize(static_cast<std::size_t>(N_VGetLength(kind) + offset));
      v.push_back(N_VCloneEmpty(kind));
      N_VSetArrayPointer(buffer.data() + offset, v.back());
    }
  }
  Vectors(const Vectors&) = delete;
  ~Vectors() {
    for (N_Vector x : v) N_VDestroy(x);
  }
  double* operator[](int k) const { return N_VGetArrayPointer(v[static_cast<std::size_t>(k)]); }

  std::vector<N_Vector> v;

 private:
  std::vector<std::vector<double>> buffers_;
};

bool same(double a, double b, double within) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= within;
}

/// Calls use(v) on vectors of both kinds with the same random entries, the last of which is a mask, and compares what
/// is in the vectors afterwards and what was returned. @param special  one entry in so many is 0, inf or NaN
void compare(const std::string& name, int special, bool exact, int shortest,
             const std::function<std::vector<double>(const std::vector<N_Vector>&)>& use) {
  constexpr int count = 9;
  const Context context;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  const double specials[] = {0.0, -0.0, infinity, -infinity, nan, 1.0};
  for (int n = shortest; n <= longest; ++n) {
    N_Vector kinds[] = {N_VNew_Serial(n, context), new_vector(n, context)};
    N_VEnableFusedOps_Serial(kinds[0], SUNTRUE);
    for (int offset = 0; offset < 4; ++offset) {
      const Vectors serial(kinds[0], count, offset), ours(kinds[1], count, offset);
      for (int k = 0; k < count; ++k) {
        for (int i = 0; i < n; ++i) {
          double x = uniform(random);
          if (special > 0 && random() % static_cast<unsigned>(special) == 0) x = specials[random() % 6];
          serial[k][i] = ours[k][i] = k == count - 1 ? (random() % 3 == 0 ? 0.0 : 1.0) : x;
        }
      }
      const std::vector<double> expected = use(serial.v), found = use(ours.v);
      const double within = exact ? 0.0 : 32.0 * rounding * std::max(1, n);  // sums of terms up to 16
      bool good = expected.size() == found.size();
      for (std::size_t k = 0; good && k < found.size(); ++k) good = same(found[k], expected[k], within);
      for (int k = 0; good && k < count; ++k) {
        for (int i = 0; good && i < n; ++i) good = same(ours[k][i], serial[k][i], exact ? 0.0 : 64.0 * rounding);
      }
      BOOST_TEST(good, name << ", length " << n << ", offset " << offset);
    }
    for (N_Vector kind : kinds) N_VDestroy(kind);
  }
}

/// With ordinary entries, and with zeros, infinities and NaN among them.
template <class Use>
void entrywise(const std::string& name, bool exact, Use&& use) {
  for (const int special : {0, 5}) {
    compare(name, special, exact, 0, [&](const std::vector<N_Vector>& v) {
      use(v);
      return std::vector<double>();
    });
  }
}
template <class Use>
void number(const std::string& name, bool exact, int shortest, Use&& use) {
  for (const int special : {0, 5, 40}) {
    compare(name, special, exact, shortest,
            [&](const std::vector<N_Vector>& v) { return std::vector<double>{use(v)}; });
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(entry_by_entry) {
  const double factors[] = {1.0, -1.0, 0.0, 0.3, -0.3, 1.7};
  for (const double a : factors) {
    for (const double b : factors) {
      // a (x + y) where the serial vector knows a special case, a x + b y here
      const bool exact = (a != b && a != -b) || std::abs(a) == 1.0;
      entrywise("z = a x + b y", exact, [=](auto& v) { N_VLinearSum(a, v[0], b, v[1], v[2]); });
      entrywise("x = a x + b y", exact, [=](auto& v) { N_VLinearSum(a, v[0], b, v[1], v[0]); });
      entrywise("y = a x + b y", exact, [=](auto& v) { N_VLinearSum(a, v[0], b, v[1], v[1]); });
    }
    entrywise("z = c x", true, [=](auto& v) { N_VScale(a, v[0], v[1]); });
    entrywise("x = c x", true, [=](auto& v) { N_VScale(a, v[0], v[0]); });
    entrywise("z = c", true, [=](auto& v) { N_VConst(a, v[0]); });
    entrywise("z = x + b", true, [=](auto& v) { N_VAddConst(v[0], a, v[1]); });
  }
  entrywise("z = x y", true, [](auto& v) { N_VProd(v[0], v[1], v[2]); });
  entrywise("x = x y", true, [](auto& v) { N_VProd(v[0], v[1], v[0]); });
  entrywise("z = x / y", true, [](auto& v) { N_VDiv(v[0], v[1], v[2]); });
  entrywise("y = x / y", true, [](auto& v) { N_VDiv(v[0], v[1], v[1]); });
  entrywise("z = |x|", true, [](auto& v) { N_VAbs(v[0], v[1]); });
  entrywise("z = 1 / x", true, [](auto& v) { N_VInv(v[0], v[0]); });
}

BOOST_AUTO_TEST_CASE(to_one_number) {
  number("x.y", false, 0, [](auto& v) { return N_VDotProd(v[0], v[1]); });
  number("x.y, local", false, 0, [](auto& v) { return N_VDotProdLocal(v[0], v[1]); });
  number("|x|_1", false, 0, [](auto& v) { return N_VL1Norm(v[0]); });
  number("|x|_1, local", false, 0, [](auto& v) { return N_VL1NormLocal(v[0]); });
  number("|x|_wrms", false, 0, [](auto& v) { return N_VWrmsNorm(v[0], v[1]); });
  number("|x|_wrms, masked", false, 0, [](auto& v) { return N_VWrmsNormMask(v[0], v[1], v[8]); });
  number("|x|_wl2", false, 0, [](auto& v) { return N_VWL2Norm(v[0], v[1]); });
  number("sum (w x)^2", false, 0, [](auto& v) { return N_VWSqrSumLocal(v[0], v[1]); });
  number("sum (w x)^2, masked", false, 0, [](auto& v) { return N_VWSqrSumMaskLocal(v[0], v[1], v[8]); });
  number("max |x|", true, 0, [](auto& v) { return N_VMaxNorm(v[0]); });
  number("max |x|, local", true, 0, [](auto& v) { return N_VMaxNormLocal(v[0]); });
  number("min x", true, 1, [](auto& v) { return N_VMin(v[0]); });  // the serial vector reads the first entry of none
  number("min x, local", true, 1, [](auto& v) { return N_VMinLocal(v[0]); });
}

BOOST_AUTO_TEST_CASE(digits_do_not_depend_on_where_entries_are) {
  const Context context;
  N_Vector kind = new_vector(longest, context);
  std::vector<double> first;
  for (int offset = 0; offset < 4; ++offset) {
    const Vectors v(kind, 2, offset);
    for (int i = 0; i < longest; ++i) {
      v[0][i] = std::sin(i);
      v[1][i] = std::exp(std::cos(i));
    }
    const std::vector<double> found{N_VDotProd(v.v[0], v.v[1]), N_VL1Norm(v.v[0]), N_VWrmsNorm(v.v[0], v.v[1])};
    if (offset == 0) first = found;
    BOOST_TEST(found == first);
  }
  N_VDestroy(kind);
}

BOOST_AUTO_TEST_CASE(several_vectors) {
  double c[] = {0.7, -1.1, 0.2, 1.0, 0.9, -0.4, 0.5};
  for (int count = 0; count <= 7; ++count) {
    const auto combined = [&](bool in_place) {
      return [&, in_place](const std::vector<N_Vector>& v) {
        std::vector<N_Vector> X(v.begin(), v.end());
        const double flag = count > 0 ? N_VLinearCombination(count, c, X.data(), in_place ? X[0] : X[7]) : 0;
        return std::vector<double>{flag};
      };
    };
    for (const int special : {0, 5}) {
      compare("z = sum c X", special, false, 0, combined(false));
      compare("X_0 = sum c X", special, false, 0, combined(true));
    }
    if (count == 0) continue;
    entrywise("Y += a x", false, [&](const std::vector<N_Vector>& v) {
      std::vector<N_Vector> Y(v.begin() + 1, v.end());
      N_VScaleAddMulti(count, c, v[0], Y.data(), Y.data());
    });
    entrywise("Z = a x + Y", false, [&](const std::vector<N_Vector>& v) {
      std::vector<N_Vector> Y(v.begin() + 1, v.begin() + 5), Z(v.begin() + 5, v.end());
      N_VScaleAddMulti(std::min(count, 4), c, v[0], Y.data(), Z.data());
    });
    for (const int special : {0, 40}) {
      compare("x.Y", special, false, 0, [&](const std::vector<N_Vector>& v) {
        std::vector<N_Vector> Y(v.begin(), v.end());
        std::vector<double> products(14);
        N_VDotProdMulti(count, v[0], Y.data(), products.data());
        N_VDotProdMultiLocal(count, v[8], Y.data(), products.data() + 7);
        return products;
      });
    }
  }
}

/// What CVODES and IDAS do with sensitivities.
BOOST_AUTO_TEST_CASE(arrays_of_vectors) {
  double c[] = {0.7, -1.1, 0.2};
  const auto rows = [](const std::vector<N_Vector>& v, int from) {
    return std::vector<N_Vector>(v.begin() + from, v.begin() + from + 2);
  };
  entrywise("arrays", false, [&](const std::vector<N_Vector>& v) {
    std::vector<N_Vector> X = rows(v, 0), Y = rows(v, 2), Z = rows(v, 4), U = rows(v, 6);
    N_Vector* all[] = {X.data(), Y.data(), Z.data()};
    N_VLinearSumVectorArray(2, 0.3, X.data(), -1.2, Y.data(), Z.data());
    N_VScaleVectorArray(2, c, Z.data(), U.data());
    N_VLinearCombinationVectorArray(2, 3, c, all, U.data());
    N_VScaleAddMultiVectorArray(2, 3, c, U.data(), all, all);
    N_VConstVectorArray(2, 0.5, X.data());
  });
  for (const int special : {0, 40}) {
    compare("norms of arrays", special, false, 0, [&](const std::vector<N_Vector>& v) {
      std::vector<N_Vector> X = rows(v, 0), W = rows(v, 2);
      std::vector<double> norms(4);
      N_VWrmsNormVectorArray(2, X.data(), W.data(), norms.data());
      N_VWrmsNormMaskVectorArray(2, X.data(), W.data(), v[8], norms.data() + 2);
      return norms;
    });
  }
}

BOOST_AUTO_TEST_CASE(clones_are_of_the_same_kind) {
  const Context context;
  N_Vector v = new_vector(11, context), clone = N_VClone(v), empty = N_VCloneEmpty(clone);
  BOOST_TEST((N_VGetVectorID(clone) == SUNDIALS_NVEC_SERIAL));
  BOOST_TEST(N_VGetLength(clone) == 11);
  BOOST_TEST(NV_DATA_S(clone) == N_VGetArrayPointer(clone));
  BOOST_TEST(N_VGetArrayPointer(clone) != N_VGetArrayPointer(v));
  N_Vector serial = N_VNew_Serial(11, context);
  for (N_Vector x : {v, clone, empty}) {
    BOOST_TEST((x->ops->nvwrmsnorm == v->ops->nvwrmsnorm && x->ops->nvwrmsnorm != serial->ops->nvwrmsnorm));
    BOOST_TEST((x->ops->nvlinearcombination == v->ops->nvlinearcombination));
  }
  N_VConst(2.0, serial);
  N_VLinearSum(1.0, serial, 0.5, serial, clone);  // theirs into ours
  N_VLinearSum(1.0, clone, 1.0, serial, serial);  // ours
  BOOST_TEST(N_VDotProd(clone, serial) == 11 * 3.0 * 5.0);
  for (N_Vector x : {v, clone, empty, serial}) N_VDestroy(x);
}

BOOST_AUTO_TEST_CASE(nothing_to_make) {
  const Context context;
  BOOST_CHECK_THROW(new_vector(3, nullptr), Error);
  BOOST_CHECK_THROW(new_vector(-1, context), Error);
  N_Vector none = new_vector(0, context);
  BOOST_REQUIRE((none != nullptr));
  BOOST_TEST(N_VMin(none) == SUN_BIG_REAL);
  BOOST_TEST(N_VMaxNorm(none) == 0.0);
  BOOST_TEST(none->ops->nvlinearcombination(0, nullptr, nullptr, none) < 0);
  BOOST_TEST(none->ops->nvscaleaddmulti(0, nullptr, none, nullptr, nullptr) < 0);
  BOOST_TEST(none->ops->nvdotprodmulti(0, none, nullptr, nullptr) < 0);
  N_VDestroy(none);
}
