# SPDX-License-Identifier: BSD-3-Clause
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get


class SunlagrangeConan(ConanFile):
    name = "sunlagrange"
    version = "0.2.0"
    description = "Constrained mechanical systems for SUNDIALS"
    license = "BSD-3-Clause"
    homepage = "https://example.org/sunlagrange"
    topics = ("multibody-dynamics", "differential-algebraic-equations", "sundials")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    requires = (
        "sundials/[>=6.4 <7 || >=7.1 <8]",
        "eigen/[>=3.4 <4]",
        "suitesparse-klu/[>=2]",
        "nlohmann_json/[>=3]",
    )

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, f"https://example.org/sunlagrange/sunlagrange-{self.version}.tar.gz", strip_root=True,
            sha256="0000000000000000000000000000000000000000000000000000000000000000")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in "TESTS", "EXAMPLES", "BENCHMARKS", "PYTHON":
            toolchain.cache_variables[f"sunlagrange_BUILD_{part}"] = False
        toolchain.cache_variables["sunlagrange_WITH_IMPORT"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # the package file of the library itself is the right one
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "sunlagrange"))
