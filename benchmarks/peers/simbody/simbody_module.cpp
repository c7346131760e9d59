// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <stdexcept>

#include "simbody_models.hpp"

namespace sunlagrange::peers {

Ending run_simbody(const SimbodyRun& run) {
  static void* const module = dlopen(SUNLAGRANGE_SIMBODY_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (module == nullptr) throw std::runtime_error(dlerror());
  static const auto function =
      reinterpret_cast<decltype(&sunlagrange_run_simbody)>(dlsym(module, "sunlagrange_run_simbody"));
  if (function == nullptr) throw std::runtime_error(dlerror());
  Ending ending;
  function(&run, &ending);
  return ending;
}

}  // namespace sunlagrange::peers
