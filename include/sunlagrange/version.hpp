// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Version of the library. CMake and pyproject.toml read these three lines; the places that repeat them are listed in
/// scripts/recipes.py, and a test compares them.
#define SUNLAGRANGE_VERSION_MAJOR 0
#define SUNLAGRANGE_VERSION_MINOR 2
#define SUNLAGRANGE_VERSION_PATCH 0
