#pragma once

/// Version of the library. CMake reads these three lines; nothing else states the version.
#define SUNLAGRANGE_VERSION_MAJOR 0
#define SUNLAGRANGE_VERSION_MINOR 2
#define SUNLAGRANGE_VERSION_PATCH 0
