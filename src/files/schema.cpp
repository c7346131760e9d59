// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include <sunlagrange/files/mechanism_file.hpp>
#include <sunlagrange/simulation/catalogue.hpp>

#include "files/codecs.hpp"
#include "files/json_parameters.hpp"
#include "files/laws.hpp"
#include "files/options_json.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

Json parameters_schema(const std::vector<ParameterInfo>& parameters);

std::string description(const ParameterInfo& p) {
  return p.meaning + (p.unit.empty() || p.unit == "1" ? "" : " [" + p.unit + "]");
}

/// Returns the schema of a law: a reference to one of the definitions.
Json law_schema(const ParameterInfo& p) {
  Json choices = Json::array();
  for (const std::string& type : p.choices) choices.push_back({{"$ref", "#/definitions/" + type}});
  return {{"description", description(p)}, {"anyOf", choices}};
}

Json parameter_schema(const ParameterInfo& p) {
  if (!p.choices.empty()) return law_schema(p);
  if (p.part) return parameters_schema(p.parts);
  Json json = {{"description", description(p)}};
  Json number = p.range == Range::positive       ? Json{{"$ref", "#/definitions/positive"}}
                : p.range == Range::not_negative ? Json{{"$ref", "#/definitions/not_negative"}}
                                                 : Json{{"$ref", "#/definitions/number"}};
  if (p.list) {
    json["type"] = "array";
    json["items"] = number;
    json["default"] = p.value;
  } else {
    json["allOf"] = Json::array({number});
    json["default"] = p.value.front();
  }
  return json;
}

Json parameters_schema(const std::vector<ParameterInfo>& parameters) {
  Json properties = Json::object();
  for (const ParameterInfo& p : parameters) properties[p.name] = parameter_schema(p);
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

/// Returns the schema of a part: an object with its type, or the type alone if it has no parameters.
Json typed_schema(const ParameterInfo& part) {
  Json object = parameters_schema(part.parts);
  object["properties"]["type"] = {{"const", part.type}};
  return {{"anyOf", Json::array({object, {{"const", part.type}}})}};
}

/// Returns the schema of all types of one name, with all choices of each part.
Json element_schema(const std::vector<const Codec*>& variants) {
  Json properties = Json::object();
  for (std::size_t k = 0; k < variants.front()->parameters.size(); ++k) {
    const ParameterInfo& usual = variants.front()->parameters[k];
    if (!usual.part) {
      properties[usual.name] = parameter_schema(usual);
      continue;
    }
    if (!usual.choices.empty()) {
      properties[usual.name] = law_schema(usual);
      continue;
    }
    std::map<std::string, Json> types;
    for (const Codec* codec : variants) {
      const ParameterInfo& part = codec->parameters[k];
      types.emplace(part.type, typed_schema(part));
    }
    Json choices = Json::array();
    for (auto& type : types) choices.push_back(std::move(type.second));
    properties[usual.name] = {
        {"description", description(usual)}, {"anyOf", std::move(choices)}, {"default", usual.type}};
  }
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

template <class... Laws>
void define(Json& definitions, const OneOf<Laws...>&) {
  const auto define_one = [&definitions](const char* type, std::vector<ParameterInfo> parameters) {
    definitions[type] = typed_schema({type, "", "", Range::finite, {}, false, true, type, {}, std::move(parameters)});
  };
  (define_one(Laws::type_name, parameters_of(Laws{})), ...);
}

/// States the name that a function has in place of parameters; the type alone is no function.
void define_function(Json& definitions) {
  Json object = definitions[NamedFunction::type_name]["anyOf"][0];
  object["description"] = "a function of the application that reads the model; a file alone has only its name";
  object["properties"]["name"] = {{"type", "string"}, {"description", "name of the function"}};
  object["required"] = {"type", "name"};
  definitions[NamedFunction::type_name] = {{"anyOf", Json::array({std::move(object)})}};
}

Json number_schema(const char* bound, double value) {
  Json number = {{"type", "number"}};
  if (bound != nullptr) number[bound] = value;
  Json with_unit = {{"type", "object"},
                    {"properties", {{"value", number}, {"unit", {{"type", "string"}}}}},
                    {"required", {"value", "unit"}},
                    {"additionalProperties", false}};
  return {{"anyOf", Json::array({number, with_unit})}};
}

/// Returns the types of the catalogue, the variants of one name together.
std::vector<std::vector<const Codec*>> codecs_by_name() {
  std::vector<std::vector<const Codec*>> names;
  for (const Codec& codec : codecs().read) {
    if (names.empty() || names.back().front()->name != codec.name) names.emplace_back();
    names.back().push_back(&codec);
  }
  return names;
}

std::string summary_of(const std::string& name) {
  for (const ElementInfo& info : elements()) {
    if (info.name.substr(0, info.name.find('<')) == name) return std::string(info.summary);
  }
  return "";
}

Json scale_schema() {
  return {{"type", {"number", "array"}}, {"description", "typical size of its coordinates, for atol"}};
}

Json bodies_schema() {
  Json choices = Json::array();
  for (const auto& variants : codecs_by_name()) {
    const Codec& codec = *variants.front();
    if (codec.add_body == nullptr) continue;
    Json properties = {{"name", {{"type", "string"}}},
                       {"type", {{"const", codec.name}}},
                       {"parameters", element_schema(variants)},
                       {"natural_scale", scale_schema()}};
    if (codec.volume != nullptr) {
      properties["density"] = {{"description", "in place of m: mass over volume [kg/m^3]"},
                               {"allOf", Json::array({{{"$ref", "#/definitions/positive"}}})}};
    }
    choices.push_back({{"description", summary_of(codec.name)},
                       {"properties", std::move(properties)},
                       {"required", {"name", "type"}},
                       {"additionalProperties", false}});
  }
  return {{"description", "bodies: each is a block of coordinates and an element with its inertia and weight"},
          {"type", "array"},
          {"items", {{"type", "object"}, {"oneOf", choices}}}};
}

Json gravity_schema() {
  return {{"description", "acceleration of gravity of all bodies, gx, gy, in space also gz [m/s^2]"},
          {"type", "array"},
          {"items", {{"$ref", "#/definitions/number"}}},
          {"minItems", 2},
          {"maxItems", 3}};
}

Json elements_schema() {
  Json choices = Json::array();
  for (const auto& variants : codecs_by_name()) {
    const std::string& name = variants.front()->name;
    choices.push_back({{"description", summary_of(name)},
                       {"properties",
                        {{"name", {{"type", "string"}}},
                         {"type", {{"const", name}}},
                         {"blocks", {{"type", "array"}, {"items", {{"type", "string"}}}}},
                         {"parameters", element_schema(variants)}}},
                       {"required", {"name", "type", "blocks"}},
                       {"additionalProperties", false}});
  }
  return {{"type", "array"}, {"items", {{"type", "object"}, {"oneOf", choices}}}};
}

Json blocks_schema() {
  Json kinds = Json::array();
  for (int k = 0; k <= static_cast<int>(BlockKind::economic); ++k)
    kinds.push_back(to_string(static_cast<BlockKind>(k)));
  return {{"type", "array"},
          {"items",
           {{"type", "object"},
            {"properties",
             {{"name", {{"type", "string"}}},
              {"kind", {{"enum", kinds}, {"default", "generic"}}},
              {"size", {{"type", "integer"}, {"minimum", 1}, {"description", "of a generic block"}}},
              {"natural_scale", scale_schema()}}},
            {"required", {"name"}},
            {"additionalProperties", false}}}};
}

Json start_schema() {
  const Json values = {{"type", "object"}, {"additionalProperties", {{"$ref", "#/definitions/number"}}}};
  const Json names = {{"type", "array"}, {"items", {{"type", "string"}}}};
  return {{"type", "object"},
          {"properties",
           {{"t", {{"$ref", "#/definitions/number"}}},
            {"positions", values},
            {"velocities", values},
            {"held_positions", names},
            {"held_velocities", names}}},
          {"additionalProperties", false}};
}

}  // namespace

std::string mechanism_schema() {
  const Json text = {{"type", "string"}};
  Json definitions = {{"number", number_schema(nullptr, 0.0)},
                      {"positive", number_schema("exclusiveMinimum", 0.0)},
                      {"not_negative", number_schema("minimum", 0.0)}};
  define(definitions, FileTimeLaw{});
  define(definitions, EffortLaw{});
  define(definitions, PlanarForceLaw{});
  define(definitions, PathLaw{});
  define(definitions, SpatialForceLaw{});
  define(definitions, AnyCurve{});
  define(definitions, Solid{});
  define_function(definitions);
  const Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                       {"title", "sunlagrange mechanism"},
                       {"type", "object"},
                       {"properties",
                        {{"$schema", text},
                         {"name", text},
                         {"summary", text},
                         {"gravity", gravity_schema()},
                         {"bodies", bodies_schema()},
                         {"blocks", blocks_schema()},
                         {"elements", elements_schema()},
                         {"start", start_schema()},
                         {"simulation", options_schema()}}},
                       {"required", {"elements"}},
                       {"anyOf", Json::array({{{"required", {"bodies"}}}, {{"required", {"blocks"}}}})},
                       {"additionalProperties", false},
                       {"definitions", std::move(definitions)}};
  return schema.dump(1) + "\n";
}

}  // namespace sunlagrange
