#pragma once

/// Version of the library. CMake reads these three lines; nothing else states the version but CITATION.cff, which a
/// test compares with them.
#define SUNLAGRANGE_VERSION_MAJOR 0
#define SUNLAGRANGE_VERSION_MINOR 2
#define SUNLAGRANGE_VERSION_PATCH 0
