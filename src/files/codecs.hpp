// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/model/parameter_list.hpp>

/// The element types that files can hold: each entry of elements.inc, and for templates every combination of ends and
/// laws (variants.hpp).
namespace sunlagrange::internal {

/// One type that can be made from a file.
struct Codec {
  std::string name;  ///< name in the catalogue, without <>
  std::vector<BlockKind> blocks;
  int num_positions = 0;
  std::vector<ParameterInfo> parameters;
  /// Makes an element by `read`, calls `when_read` and adds the element.
  void (*add)(Assembly& assembly, const std::string& name, const std::vector<Block>& blocks, Parameters& read,
              const std::function<void()>& when_read);
  /// The same with a block of its own, by Assembly::body; null: it is no body.
  Block (*add_body)(Assembly& assembly, const std::string& name, Parameters& read,
                    const std::function<void()>& when_read) = nullptr;
  /// Reads a body and returns its volume [m^3]; null: it has no shape.
  double (*volume)(Parameters& read) = nullptr;
};

/// A type that can be written.
struct WrittenType {
  std::string name;
  std::vector<BlockKind> blocks;
  void (*describe)(const void* element, Parameters& visitor);
};

struct Codecs {
  std::vector<Codec> read;  ///< types of one name stand together, the default first
  std::unordered_map<std::type_index, WrittenType> written;
};

const Codecs& codecs();

void add_planar(Codecs& list);
void add_spatial(Codecs& list);
void add_coordinate(Codecs& list);
void add_network(Codecs& list);

}  // namespace sunlagrange::internal
