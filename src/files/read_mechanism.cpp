// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <system_error>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/files/law_function.hpp>
#include <sunlagrange/model/start_values.hpp>
#include <sunlagrange/model/units.hpp>

#include "base/problems.hpp"
#include "base/words.hpp"
#include "files/codecs.hpp"
#include "files/json_parameters.hpp"
#include "files/options_json.hpp"
#include "formulation/options.hpp"
#include "results/weights.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

Place entry_of(const char* list, std::size_t k) {
  return {std::string(list), k};
}

Fields entry(const Document& document, const char* list, const char* kind, std::size_t k) {
  const Json& object = document.root()[list][k];
  const std::string name = object.is_object() && object.contains("name") && object["name"].is_string()
                               ? " \"" + object["name"].get<std::string>() + "\""
                               : " " + std::to_string(k);
  return {document, object, entry_of(list, k), kind + name};
}

std::string name_of(Fields& fields) {
  std::string name;
  fields.get("name");
  fields.read("name", name);
  return name;
}

/// Blocks by name while the assembly is built.
class NamedBlocks {
 public:
  Block add(Assembly& assembly, Fields& fields) {
    const std::string name = name_of(fields);
    std::string kind = "generic";
    long size = 0;
    fields.read("kind", kind);
    fields.read("size", size);
    const bool generic = kind == "generic";
    if (!generic && fields.find("size") != nullptr)
      fields.fail("size", "a block of kind " + kind + " has its own size");
    constexpr long most = std::numeric_limits<int>::max();
    if (size > most)
      fields.fail("size", "size = " + std::to_string(size) + ": is more than any model holds; check the size");
    const Block block = fields.document().at(fields.place(generic ? "size" : "kind"), fields.what(), [&] {
      return generic ? assembly.add_coordinates(name, static_cast<int>(std::max(size, -1L)))
                     : assembly.add_coordinates(name, kind_called(kind));
    });
    enter(name, block);
    return block;
  }

  void enter(const std::string& name, const Block& block) {
    names_.push_back(name);
    blocks_.push_back(block);
  }

  /// Returns the block of "arm", "arm.centre", "arm.phi" or "q[0]". @throws Error if there is none
  Block find(const std::string& text) const {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (text == names_[k]) return blocks_[k];
    }
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const std::string& name = names_[k];
      const Block& block = blocks_[k];
      if (text.compare(0, name.size(), name) != 0) continue;
      const std::string part = text.substr(name.size());
      if (part == ".centre") return centre_of(block);
      for (int i = 0; i < block.size; ++i) {
        const std::string letter = coordinate_name(block.kind, i);
        if (part == "[" + std::to_string(i) + "]" || (!letter.empty() && part == "." + letter))
          return coordinate_of(block, i);
      }
    }
    const std::string named = text.substr(0, text.find_last_of(".["));
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (named == names_[k]) {
        const std::vector<std::string> parts = parts_of(k);
        throw_unknown("part of a block", text, {parts.begin(), parts.end()});
      }
    }
    throw_unknown("block", named, {names_.begin(), names_.end()});
  }

 private:
  /// Returns the names of the parts of a block: "arm.centre", "arm.phi", "q[0]".
  std::vector<std::string> parts_of(std::size_t k) const {
    const Block& block = blocks_[k];
    std::vector<std::string> parts;
    if (block.kind == BlockKind::planar_body || block.kind == BlockKind::spatial_body)
      parts.push_back(names_[k] + ".centre");
    for (int i = 0; i < block.size; ++i) {
      const std::string letter = coordinate_name(block.kind, i);
      parts.push_back(names_[k] + (letter.empty() ? "[" + std::to_string(i) + "]" : "." + letter));
    }
    return parts;
  }

  static BlockKind kind_called(const std::string& name) {
    std::vector<std::string_view> known;
    for (int k = 0; k <= static_cast<int>(BlockKind::economic); ++k) {
      const auto kind = static_cast<BlockKind>(k);
      if (name == to_string(kind)) return kind;
      known.emplace_back(to_string(kind));
    }
    throw_unknown("kind", name, known);
  }

  std::vector<std::string> names_;
  std::vector<Block> blocks_;
};

void set_scales(Assembly& assembly, Fields& fields, const Block& block) {
  const Json* given = fields.find("natural_scale");
  if (given == nullptr) return;
  fields.document().at(fields.place("natural_scale"), fields.what(), [&] {
    const auto unit = [&block](int i) { return units_of(coordinate_of(block, i).kind).displacement; };
    const bool one_unit = std::string(unit(0)) == unit(block.size - 1);
    if (!given->is_array()) return assembly.set_natural_scale(block, number_in(*given, one_unit ? unit(0) : ""));
    if (given->size() != static_cast<std::size_t>(block.size))
      throw Error("natural_scale: one number, or one for each of " + std::to_string(block.size) + " coordinates");
    for (int i = 0; i < block.size; ++i)
      assembly.set_natural_scale(coordinate_of(block, i), number_in((*given)[static_cast<std::size_t>(i)], unit(i)));
  });
}

/// Returns the type of a part in the file; empty: the file does not state it.
std::string part_type(const Json& parameters, const std::string& name) {
  const auto part = parameters.find(name);
  if (part == parameters.end()) return "";
  if (part->is_string()) return part->get<std::string>();
  const auto type = part->is_object() ? part->find("type") : part->end();
  return part->is_object() && type != part->end() && type->is_string() ? type->get<std::string>() : "";
}

/// Returns the type of that name with the ends that the file names and the same number of blocks.
const Codec& choose_codec(Fields& element, const std::string& type, const Json& parameters, std::size_t num_blocks) {
  std::vector<const Codec*> candidates;
  std::vector<std::string_view> known;
  for (const Codec& codec : codecs().read) {
    if (codec.name == type) candidates.push_back(&codec);
    if (known.empty() || known.back() != codec.name) known.push_back(codec.name);
  }
  if (candidates.empty()) {
    element.document().at(element.place("type"), element.what(), [&] { throw_unknown("type", type, known); });
  }
  const Codec* usual = candidates.front();
  for (std::size_t k = 0; k < usual->parameters.size(); ++k) {
    const ParameterInfo& part = usual->parameters[k];
    if (!part.part || part.type.empty()) continue;  // a law is chosen as it is read
    std::string wanted = part_type(parameters, part.name);
    if (wanted.empty()) wanted = part.type;
    std::vector<const Codec*> left;
    std::vector<std::string_view> types;
    for (const Codec* codec : candidates) {
      const std::string& held = codec->parameters[k].type;
      if (held == wanted) left.push_back(codec);
      if (std::find(types.begin(), types.end(), held) == types.end()) types.push_back(held);
    }
    if (left.empty()) {
      Place place = element.place("parameters");
      place.emplace_back(part.name);
      element.document().at(place, element.what() + ", field \"" + part.name + "\"",
                            [&] { throw_unknown("type", wanted, types); });
    }
    candidates = left;
  }
  for (const Codec* codec : candidates) {
    if (codec->blocks.size() == num_blocks) return *codec;
  }
  return *candidates.front();
}

/// Returns the units of the laws of an element on these blocks.
LawUnits units_of_laws(const std::vector<Block>& blocks) {
  if (blocks.empty()) return LawUnits();
  const DomainUnits units = units_of(blocks.front().kind);
  return LawUnits(units.displacement, units.flow);
}

/// Calls add. Errors get the place of the parameters; their messages name the element as well, once.
template <class Add>
void at_parameters(const Fields& fields, const std::string& name, const std::string& what, const Add& add) {
  fields.document().at(fields.place("parameters"), what, [&] {
    try {
      add();
    } catch (const PlacedError&) {
      throw;
    } catch (const Error& error) {
      const std::string words = error.what(), same = "element \"" + name + "\": ";
      throw Error(words.rfind(same, 0) == 0 ? words.substr(same.size()) : words);
    }
  });
}

/// @param defaults  gets the defaults that were taken, "spring.k = 1 N/m, ..."
void add_element(Assembly& assembly, const NamedBlocks& blocks, Fields fields, const LawFunctions& functions,
                 std::string& defaults) {
  static const Json nothing = Json::object();
  const std::string name = name_of(fields);
  std::string type;
  fields.get("type");
  fields.read("type", type);
  std::vector<std::string> names;
  fields.get("blocks");
  fields.read("blocks", names);
  const Json* parameters = fields.find("parameters");
  fields.finish();
  std::vector<Block> found;
  for (std::size_t k = 0; k < names.size(); ++k) {
    Place place = fields.place("blocks");
    place.emplace_back(k);
    found.push_back(fields.document().at(place, fields.what(), [&] { return blocks.find(names[k]); }));
  }
  const Json& given = parameters == nullptr ? nothing : *parameters;
  const std::string what = fields.what() + " (" + type + ")";
  Fields described(fields.document(), given, fields.place("parameters"), what);
  const Codec& codec = choose_codec(fields, type, given, found.size());
  ReadParameters read(described, &functions, units_of_laws(found));
  at_parameters(fields, name, what, [&] { codec.add(assembly, name, found, read, [&read] { read.finish(); }); });
  for (const std::string& taken : read.defaults_taken()) append_word(defaults, name + "." + taken);
}

/// @throws Error if the type is no body
const Codec& choose_body(const Fields& body, const std::string& type) {
  return *body.document().at(body.place("type"), body.what(), [&]() -> const Codec* {
    std::vector<std::string_view> known;
    for (const Codec& codec : codecs().read) {
      if (codec.add_body == nullptr) continue;
      if (codec.name == type) return &codec;
      known.push_back(codec.name);
    }
    throw_unknown("type of a body", type, known);
  });
}

/// Returns the parameters of a body with the mass that its density gives. @throws Error if it has no shape, or a mass
Json with_mass_of(double density, Fields& body, const Codec& codec, const Json& given) {
  if (codec.volume == nullptr) {
    std::string known;
    for (const Codec& other : codecs().read) {
      if (other.volume != nullptr) append_word(known, other.name);
    }
    body.fail("density", codec.name + " has no shape whose volume gives a mass; state its m, or take one of: " + known);
  }
  if (!(density > 0.0) || !std::isfinite(density))
    body.fail("density", "density = " + text(density) + ": must be positive and finite");
  if (given.contains("m")) body.fail("density", "the parameter m is given as well; state the mass or the density");
  ReadParameters read({body.document(), given, body.place("parameters"), body.what()});
  Json complete = given;
  complete["m"] = std::abs(density * codec.volume(read));  // lengths out of their range are refused with the body
  return complete;
}

void add_body(Assembly& assembly, NamedBlocks& blocks, Fields fields, const LawFunctions& functions,
              std::string& defaults) {
  const std::string name = name_of(fields);
  std::string type;
  fields.get("type");
  fields.read("type", type);
  double density = 0.0;
  fields.read("density", density, "kg/m^3");
  const Codec& codec = choose_body(fields, type);
  const Json* parameters = fields.find("parameters");
  Json given = parameters == nullptr ? Json::object() : *parameters;
  if (fields.find("density") != nullptr) given = with_mass_of(density, fields, codec, given);
  const std::string what = fields.what() + " (" + type + ")";
  ReadParameters read({fields.document(), given, fields.place("parameters"), what}, &functions);
  Block block;
  at_parameters(fields, name, what, [&] { block = codec.add_body(assembly, name, read, [&read] { read.finish(); }); });
  blocks.enter(name, block);
  set_scales(assembly, fields, block);
  fields.finish();
  for (const std::string& taken : read.defaults_taken()) append_word(defaults, name + "." + taken);
}

/// Reads two or three components [m/s^2].
void read_gravity(Assembly& assembly, const Document& document, const Json& given) {
  document.at({std::string("gravity")}, "mechanism", [&] {
    if (!given.is_array() || given.size() < 2 || given.size() > 3)
      throw Error("gravity has the components gx, gy, in space also gz, e.g. [0, -9.81] or [0, 0, -9.81]");
    double g[3] = {};
    for (std::size_t k = 0; k < given.size(); ++k) g[k] = number_in(given[k], "m/s^2");
    assembly.gravity(g[0], g[1], g[2]);
  });
}

void read_start(MechanismFile& mechanism, Fields fields) {
  StartValues start(mechanism.system);
  InitialState state = start.state();
  fields.read("t", state.t, "s");
  const MechanicalSystem& system = *mechanism.system;
  const auto values = [&](const std::string& list, Eigen::VectorXd& target, bool rates) {
    const Json* given = fields.find(list);
    if (given == nullptr) return;
    Fields named(fields.document(), *given, fields.place(list), "start, " + list);
    for (const auto& entry : given->items()) {
      fields.document().at(named.place(entry.key()), named.what(), [&] {
        static_cast<void>(start[entry.key()]);  // throws if there is no such coordinate
        const int i = system.position_indices(entry.key()).front();
        const std::optional<Domain> domain = system.position_domain(i);
        const DomainUnits units = domain.has_value() ? units_of(*domain) : DomainUnits{};
        const char* unit = rates ? units.flow : units.displacement;
        target[i] = fields.document().at(named.place(entry.key()), named.what() + ", \"" + entry.key() + "\"",
                                         [&] { return number_in(entry.value(), unit == nullptr ? "" : unit); });
      });
    }
  };
  values("positions", state.q, false);
  values("velocities", state.v, true);
  const auto held = [&](const std::string& list, std::vector<std::string>& names) {
    fields.read(list, names);
    for (const std::string& name : names) {
      fields.document().at(fields.place(list), fields.what(), [&] {
        if (system.position_indices(name).empty()) static_cast<void>(start[name]);
      });
    }
  };
  held("held_positions", state.fixed_positions);
  held("held_velocities", state.fixed_velocities);
  fields.finish();
  mechanism.start = state;
}

/// Reads the options that have to fit the system. After an exception `mechanism` must not be used.
void read_run(MechanismFile& mechanism, const Fields& fields) {
  SimulationOptions& options = mechanism.options;
  read_options(options, fields);
  fields.document().at(fields.place("gains"), fields.what(),
                       [&] { throw_if_any(objections(options, *mechanism.system)); });
}

/// Returns a list of the file. @param needed  false: it may be missing
const Json& list_of(const Document& document, const char* name, bool needed = true) {
  static const Json none = Json::array();
  const auto list = document.root().find(name);
  if (!needed && list == document.root().end()) return none;
  if (list == document.root().end() || !list->is_array())
    document.fail({std::string(name)}, "mechanism", std::string("needs a list \"") + name + "\": [...]");
  return *list;
}

}  // namespace

MechanismFile parse_mechanism(const std::string& text, const std::string& source) {
  return parse_mechanism(text, source, {});
}

MechanismFile parse_mechanism(const std::string& text, const std::string& source, const LawFunctions& functions) {
  const Document document(text, source);
  Fields top(document, document.root(), {}, "mechanism");
  MechanismFile mechanism;
  std::string schema;
  top.read("$schema", schema);
  top.read("name", mechanism.name);
  top.read("summary", mechanism.summary);
  for (const char* list : {"bodies", "blocks", "elements"}) top.find(list);
  const Json* gravity = top.find("gravity");
  const Json* start = top.find("start");
  const Json* simulation = top.find("simulation");
  top.finish();

  Assembly assembly;
  NamedBlocks blocks;
  std::string defaults;
  const std::size_t num_bodies = list_of(document, "bodies", false).size();
  if (gravity != nullptr) read_gravity(assembly, document, *gravity);
  for (std::size_t k = 0; k < num_bodies; ++k)
    add_body(assembly, blocks, entry(document, "bodies", "body", k), functions, defaults);
  if (num_bodies == 0 && document.root().contains("bodies") && !document.root().contains("blocks"))
    document.fail({std::string("bodies")}, "mechanism",
                  "the list \"bodies\" is empty and there are no \"blocks\"; state a body");
  for (std::size_t k = 0; k < list_of(document, "blocks", num_bodies == 0).size(); ++k) {
    Fields fields = entry(document, "blocks", "block", k);
    const Block block = blocks.add(assembly, fields);
    set_scales(assembly, fields, block);
    fields.finish();
  }
  for (std::size_t k = 0; k < list_of(document, "elements").size(); ++k)
    add_element(assembly, blocks, entry(document, "elements", "element", k), functions, defaults);
  if (!defaults.empty()) mechanism.notes.push_back("defaults taken: " + defaults);
  mechanism.system = document.at({}, "mechanism", [&assembly] { return assembly.build(); });
  for (WeightMismatch& found : mismatched_weights(*mechanism.system)) mechanism.notes.push_back(std::move(found.text));
  const Json nothing = Json::object();
  read_start(mechanism, {document, start != nullptr ? *start : nothing, {std::string("start")}, "start"});
  if (simulation == nullptr) return mechanism;
  const Fields run(document, *simulation, {std::string("simulation")}, "simulation");
  read_run(mechanism, run);
  if (simulation->contains("t_end") && !(mechanism.options.t_end > mechanism.start.t))
    run.fail("t_end", "t_end = " + sunlagrange::text(mechanism.options.t_end) +
                          ": must be later than the start, t = " + sunlagrange::text(mechanism.start.t));
  return mechanism;
}

void read_options(SimulationOptions& options, const std::string& text, const std::string& source) {
  const Document document(text, source);
  SimulationOptions changed = options;
  internal::read_options(changed, {document, document.root(), {}, "options"});
  options = std::move(changed);
}

void read_options(MechanismFile& mechanism, const std::string& text, const std::string& source) {
  const Document document(text, source);
  MechanismFile changed = mechanism;
  read_run(changed, {document, document.root(), {}, "options"});
  mechanism.options = std::move(changed.options);
}

double in_unit(double value, const std::string& given, const std::string& wanted) {
  return number_in(Json{{"value", value}, {"unit", given}}, wanted);
}

double number_with_unit(const std::string& typed, const std::string& wanted) {
  char* end = nullptr;
  const double value = std::strtod(typed.c_str(), &end);
  std::string unit = end;
  unit.erase(0, unit.find_first_not_of(" \t"));
  unit.erase(unit.find_last_not_of(" \t") + 1);
  if (end == typed.c_str()) throw Error("\"" + typed + "\" is not a number");
  if (!std::isfinite(value)) throw Error("\"" + typed + "\" is not a finite number");
  try {
    return unit.empty() ? value : in_unit(value, unit, wanted);
  } catch (const Error& error) {
    throw Error("\"" + typed + "\": " + error.what());
  }
}

TimeLaw parse_law(const std::string& text, const std::string& source) {
  const Document alone(text, source);  // its message has the right columns
  if (alone.root().is_number())
    throw Error(source + ": a constant is written {\"type\": \"Constant\", \"value\": " + text + "}");
  const Document document("{\"law\":" + text + "}", source);
  ReadParameters read({document, document.root(), {}, "law of time"});
  TimeLaw law;
  read.part("law", law, "");
  read.finish();
  return law;
}

MechanismFile read_mechanism(const std::string& file) {
  if (std::error_code none; std::filesystem::is_directory(file, none))
    throw Error("\"" + file + "\" is a folder; name a model file");
  errno = 0;
  std::ifstream in(file);
  if (!in) {
    const std::string reason = errno != 0 ? ": " + std::generic_category().message(errno) : "";
    throw Error("cannot read \"" + file + "\"" + reason + "; name a model file");
  }
  std::ostringstream text;
  text << in.rdbuf();
  return parse_mechanism(text.str(), file);
}

}  // namespace sunlagrange
