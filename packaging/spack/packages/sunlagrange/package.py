# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Sunlagrange(CMakePackage):
    """Constrained mechanical systems for SUNDIALS."""

    homepage = "https://example.org/sunlagrange"
    url = "https://example.org/sunlagrange/sunlagrange-0.2.0.tar.gz"

    license("BSD-3-Clause")

    version("0.2.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("shared", default=True, description="Build shared libraries")
    variant("python", default=False, description="Build the Python package")

    extends("python", when="+python")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("sundials@6.4:6,7.1:7")
    depends_on("eigen@3.4:")
    depends_on("suite-sparse")
    depends_on("nlohmann-json")
    depends_on("cli11")
    depends_on("fmt@8:")
    depends_on("python@3.9:", when="+python")
    depends_on("py-pybind11@2.10:", when="+python")
    depends_on("py-numpy", when="+python", type=("build", "run"))

    def cmake_args(self):
        args = [
            self.define("sunlagrange_BUILD_TESTS", False),
            self.define("sunlagrange_WITH_IMPORT", False),
            self.define_from_variant("sunlagrange_BUILD_PYTHON", "python"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        if self.spec.satisfies("+python"):
            args.append(self.define("sunlagrange_PYTHON_DIR", python_platlib))
        return args
