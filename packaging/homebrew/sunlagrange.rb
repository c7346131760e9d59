# SPDX-License-Identifier: BSD-3-Clause
class Sunlagrange < Formula
  desc "Constrained mechanical systems for SUNDIALS"
  homepage "https://example.org/sunlagrange"
  url "https://example.org/sunlagrange/sunlagrange-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "BSD-3-Clause"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "cli11"
  depends_on "eigen"
  depends_on "fmt"
  depends_on "nlohmann-json"
  depends_on "suite-sparse"
  depends_on "sundials"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DBUILD_SHARED_LIBS=ON",
                    "-Dsunlagrange_BUILD_TESTS=OFF", "-Dsunlagrange_BUILD_PYTHON=OFF",
                    "-Dsunlagrange_WITH_IMPORT=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"sunlagrange", "run", "pendulum", "--t-end", "1"
  end
end
