// Numbers of buffers, views, accessors and sparse parts, any of them wrong, around bytes that are
// read as everything a character is made of.

#include <string>

#include <fuzzer/FuzzedDataProvider.h>
#include <nlohmann/json.hpp>

#include "fuzz_support.h"

namespace {

using Json = nlohmann::json;

constexpr int kComponents[] = {5120, 5121, 5122, 5123, 5125, 5126, 0};
constexpr const char* kTypes[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4", "?"};

/// Mostly small, sometimes anything.
std::uint64_t Number(FuzzedDataProvider& in) {
  switch (in.ConsumeIntegralInRange(0, 7)) {
    case 0:
      return in.ConsumeIntegral<std::uint64_t>() >> in.ConsumeIntegralInRange(0, 63);
    case 1:
      return in.ConsumeIntegralInRange(0, 4) * 4u;
    default:
      return in.ConsumeIntegralInRange(0u, 24u);
  }
}

Json View(FuzzedDataProvider& in) {
  Json view = {{"buffer", in.ConsumeIntegralInRange(0, 9) / 9}, {"byteLength", Number(in)}};
  if (in.ConsumeBool()) view["byteOffset"] = Number(in);
  if (in.ConsumeIntegralInRange(0, 3) == 0) view["byteStride"] = Number(in);
  return view;
}

Json Accessor(FuzzedDataProvider& in) {
  Json accessor = {{"componentType", in.PickValueInArray(kComponents)},
                   {"type", in.PickValueInArray(kTypes)},
                   {"count", Number(in)}};
  if (in.ConsumeIntegralInRange(0, 4) != 0)
    accessor["bufferView"] = in.ConsumeIntegralInRange(0, 7);
  if (in.ConsumeBool()) accessor["byteOffset"] = Number(in);
  if (in.ConsumeBool()) accessor["normalized"] = in.ConsumeBool();
  if (in.ConsumeIntegralInRange(0, 2) == 0) {
    accessor["sparse"] = {
        {"count", Number(in)},
        {"indices",
         {{"bufferView", in.ConsumeIntegralInRange(0, 7)},
          {"byteOffset", Number(in)},
          {"componentType", in.PickValueInArray(kComponents)}}},
        {"values", {{"bufferView", in.ConsumeIntegralInRange(0, 7)}, {"byteOffset", Number(in)}}}};
  }
  return accessor;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  Json json = {{"asset", {{"version", "2.0"}}}, {"extensionsUsed", {"KHR_mesh_quantization"}}};
  constexpr int kCount = 8;
  for (int i = 0; i < kCount; ++i) json["bufferViews"].push_back(View(in));
  for (int i = 0; i < kCount; ++i) json["accessors"].push_back(Accessor(in));
  const auto pick = [&] { return in.ConsumeIntegralInRange(0, kCount - 1); };
  Json attributes = {{"POSITION", pick()}};
  for (const char* name : {"NORMAL", "TANGENT", "TEXCOORD_0"}) {
    if (in.ConsumeBool()) attributes[name] = pick();
  }
  if (in.ConsumeBool()) {
    attributes["JOINTS_0"] = pick();
    attributes["WEIGHTS_0"] = pick();
  }
  Json primitive = {{"attributes", attributes}, {"mode", in.ConsumeIntegralInRange(0, 6)}};
  if (in.ConsumeBool()) primitive["indices"] = pick();
  if (in.ConsumeBool()) primitive["targets"] = {{{"POSITION", pick()}}, {{"NORMAL", pick()}}};
  json["meshes"] = {{{"primitives", {primitive}}}};
  json["nodes"] = {{{"mesh", 0}, {"skin", 0}}, Json::object(), Json::object()};
  json["skins"] = {{{"joints", {1, 2}}}};
  if (in.ConsumeBool()) json["skins"][0]["inverseBindMatrices"] = pick();
  if (in.ConsumeBool()) {
    constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};
    constexpr const char* kWays[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    json["animations"] = {
        {{"samplers",
          {{{"input", pick()}, {"output", pick()}, {"interpolation", in.PickValueInArray(kWays)}}}},
         {"channels",
          {{{"sampler", 0}, {"target", {{"node", 0}, {"path", in.PickValueInArray(kPaths)}}}}}}}};
  }
  const std::string bytes = in.ConsumeRemainingBytesAsString();
  const Json second = {{"byteLength", 64}, {"uri", "neighbour.bin"}};
  json["buffers"] = {{{"byteLength", bytes.size()}}, second};
  std::string text = json.dump();
  while (text.size() % 4 != 0) text += ' ';
  const auto number = [](std::size_t value) {
    std::string out;
    for (unsigned i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
  };
  const std::string glb = "glTF" + number(2) + number(28 + text.size() + bytes.size()) +
                          number(text.size()) + "JSON" + text + number(bytes.size()) +
                          std::string("BIN\0", 4) + bytes;
  flexor::fuzz::Load(std::as_bytes(std::span(glb)));
  return 0;
}
