#include <boost/test/unit_test.hpp>
#include <cstdio>
#include "linear_solver/saddle_point_system.hpp"
#include "mechanisms/mechanism.hpp"
using namespace sunlagrange;
using namespace sunlagrange::internal;
BOOST_AUTO_TEST_CASE(d) {
  const auto arm = mechanisms::find_mechanism("two_link").make(0);
  for (const char* name : {"dense", "klu"}) {
    LinearSolverOptions o;
    o.name = name;
    SaddlePointSystem s(arm.system, o);
    for (double t = 0.4929; t < 0.4937; t += 5e-6) {
      const auto r = arm.reference(t);
      const EvaluationResult e = s.factorize(t, r->q.data(), r->v.data());
      Eigen::VectorXd a(2), l(2);
      s.accelerations(a.data(), l.data());
      std::printf("%s %.7f %d rank %d a %.9g %.9g l %.9g %.9g  G %.3g %.3g %.3g %.3g\n", name, t, int(e), s.solver().rank(), a[0], a[1], l[0], l[1], s.workspace().G.data()[0], s.workspace().G.data()[2], s.workspace().G.data()[1], s.workspace().G.data()[3]);
    }
  }
}
