# What the library itself needs. Tests, examples and benchmarks look for their own packages.

# No version in the call: some 7.x packages refuse a request for 6.4, because the major version differs.
find_package(SUNDIALS REQUIRED COMPONENTS cvode ida arkode nvecserial)
if(SUNDIALS_VERSION VERSION_LESS 6.4 OR SUNDIALS_VERSION VERSION_GREATER_EQUAL 8)
  message(FATAL_ERROR "SUNDIALS ${SUNDIALS_VERSION} in ${SUNDIALS_DIR}: 6.4 to 7.x is needed. "
                      "Set SUNDIALS_DIR or CMAKE_PREFIX_PATH to choose another one.")
endif()

find_package(Eigen3 3.4 REQUIRED NO_MODULE)

set(KLU_FOUND OFF)
if(sunlagrange_WITH_KLU)
  find_package(KLU)
endif()
