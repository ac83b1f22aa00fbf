// Prints how flexor composes a USD file, as JSON: prims in order, the layers that speak about each,
// metadata, properties with values and targets. tools/usd_stage_agreement.py compares it with
// OpenUSD.
//
//   usd_stage_dump FILE

#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "flexor/core/file.h"

#include "io/neighbours.h"
#include "io/usd/attribute.h"
#include "io/usd/stage.h"

namespace {

using namespace flexor;
using namespace flexor::io::usd;
using Json = nlohmann::ordered_json;

Json Real(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

Json Plain(bool v) { return v; }
Json Plain(std::uint8_t v) { return static_cast<int>(v); }
Json Plain(std::int32_t v) { return v; }
Json Plain(std::uint32_t v) { return v; }
Json Plain(std::int64_t v) { return v; }
Json Plain(std::uint64_t v) { return v; }
Json Plain(Half v) { return Real(static_cast<double>(ToFloat(v))); }
Json Plain(float v) { return Real(static_cast<double>(v)); }
Json Plain(double v) { return Real(v); }
Json Plain(TimeCode v) { return Real(v.value); }
Json Plain(String v) { return v.text.str(); }
Json Plain(Token v) { return v.str(); }
Json Plain(AssetPath v) { return v.text.str(); }
Json Plain(PathExpression v) { return v.text.str(); }
template <class T>
Json Plain(const Vec2<T>& v) {
  return {Plain(v.x), Plain(v.y)};
}
template <class T>
Json Plain(const Vec3<T>& v) {
  return {Plain(v.x), Plain(v.y), Plain(v.z)};
}
template <class T>
Json Plain(const Vec4<T>& v) {
  return {Plain(v.x), Plain(v.y), Plain(v.z), Plain(v.w)};
}
template <class T>
Json Plain(const Quat<T>& q) {
  return {Plain(q.x), Plain(q.y), Plain(q.z), Plain(q.w)};
}
Json Plain(const Quath& q) { return {Plain(q.x), Plain(q.y), Plain(q.z), Plain(q.w)}; }
template <int N>
Json Plain(const RowMatrix<N>& matrix) {
  Json rows = Json::array();
  for (const auto& row : matrix.m) {
    Json numbers = Json::array();
    for (const double number : row) numbers.push_back(Plain(number));
    rows.push_back(numbers);
  }
  return rows;
}

Json ToJson(const Value& value) {
  if (value.empty()) return nullptr;
  if (value.dictionary() != nullptr) {
    Json entries = Json::object();
    for (const auto& [name, entry] : value.dictionary()->entries) {
      entries[name.str()] = ToJson(entry);
    }
    return entries;
  }
  if (!HasArrays(value.type())) return std::string(Info(value.type()).name);
  return WithElementType(value.type(), [&]<class T>(T) -> Json {
    if (!value.is_array()) return Plain(*value.Get<T>());
    Json elements = Json::array();
    for (const T& element : value.Array<T>()) elements.push_back(Plain(element));
    return elements;
  });
}

Json Loaded(const Result<Value>& value) {
  if (!value.ok()) return Json{{"error", value.error().ToString()}};
  return ToJson(*value);
}

/// Times worth asking at: the samples, between them, and beyond both ends.
std::vector<double> TimesToAsk(const std::vector<double>& samples) {
  std::vector<double> times;
  if (samples.empty()) return times;
  times.push_back(samples.front() - 1);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    times.push_back(samples[i]);
    if (i + 1 < samples.size()) times.push_back(samples[i] * 0.625 + samples[i + 1] * 0.375);
  }
  times.push_back(samples.back() + 1);
  return times;
}

Json PropertyToJson(Stage& stage, const StagePrim& prim, Token name) {
  const Property property = stage.FindProperty(prim, name.text());
  Json out = Json::object();
  Json targets = Json::array();
  for (const Path target : stage.Targets(prim, name.text())) targets.push_back(target.ToString());
  out["relationship"] = property.is_relationship();
  out["targets"] = targets;
  Json stack = Json::array();
  for (const PropertyOpinion& opinion : property.opinions) {
    stack.push_back({opinion.layer->identifier(), opinion.spec->path.ToString()});
  }
  out["stack"] = stack;
  if (property.is_relationship()) return out;
  out["type"] = property.type_name().str();
  out["uniform"] = property.is_uniform();
  MemoryBudget budget(std::uint64_t{8} << 30);
  out["default"] = Loaded(DefaultValue(property, budget));
  const std::vector<double> samples = SampleTimes(property);
  out["times"] = samples;
  Json values = Json::array();
  for (const double time : TimesToAsk(samples)) {
    values.push_back({time, Loaded(ValueAt(property, time, Between::kLinear, budget))});
  }
  out["values"] = values;
  if (const Value* interpolation = property.Metadata("interpolation")) {
    out["interpolation"] = interpolation->text();
  }
  return out;
}

Json PrimToJson(Stage& stage, const StagePrim& prim) {
  constexpr const char* kSpecifiers[] = {"def", "over", "class"};
  Json out = Json::object();
  out["path"] = prim.path.ToString();
  out["specifier"] = kSpecifiers[static_cast<int>(prim.specifier)];
  out["type"] = prim.type_name.str();
  out["active"] = prim.is_active;
  out["defined"] = prim.is_defined;
  out["abstract"] = prim.is_abstract;
  out["instance"] = prim.is_instance;
  Json stack = Json::array();
  for (const Opinion& opinion : prim.opinions) {
    stack.push_back({opinion.layer->identifier(), opinion.spec->path.ToString()});
  }
  out["stack"] = stack;
  Json schemas = Json::array();
  for (const Token schema : stage.ApiSchemas(prim)) schemas.push_back(schema.str());
  out["schemas"] = schemas;
  Json metadata = Json::object();
  for (const char* field : {"kind", "customData", "assetInfo", "documentation", "hidden"}) {
    if (const Value value = stage.Metadata(prim, field); !value.empty()) {
      metadata[field] = ToJson(value);
    }
  }
  out["metadata"] = metadata;
  Json properties = Json::object();
  for (const Token name : stage.PropertyNames(prim)) {
    properties[name.str()] = PropertyToJson(stage, prim, name);
  }
  out["properties"] = properties;
  return out;
}

Json Dump(const std::string& path) {
  const io::LoadOptions options;
  auto bytes = ReadFile(path, options.limits.file_bytes);
  if (!bytes.ok()) return {{"error", bytes.error().ToString()}};
  MemoryBudget budget(options.limits.memory_bytes);
  Diagnostics diagnostics;
  const io::ResourceFn resources = io::NeighboursOf(path, false);
  auto stage = Stage::Compose(*bytes, path, resources, options, {}, budget, diagnostics);
  Json out = Json::object();
  if (!stage.ok()) {
    out["error"] = stage.error().ToString();
    return out;
  }
  Json prims = Json::array();
  for (const StagePrim& prim : (*stage)->prims()) {
    if (prim.parent >= 0) prims.push_back(PrimToJson(**stage, prim));
  }
  out["prims"] = prims;
  Json said = Json::array();
  for (const Diagnostic& entry : diagnostics.entries()) {
    said.push_back({entry.code, entry.where, entry.message});
  }
  out["diagnostics"] = said;
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: usd_stage_dump FILE\n";
    return 2;
  }
  std::cout << Dump(argv[1]).dump() << '\n';
  return 0;
}
