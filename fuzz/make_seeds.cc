// Writes the seed corpora of the fuzz targets, small and the same every time:
// make_seeds FOLDER writes FOLDER/<target>/<seed>.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>
#include <meshoptimizer.h>

#include "flexor/deform/saved_plan.h"
#include "flexor/render/image.h"

#include "../tests/support/gltf_builder.h"
#include "../tests/support/mmd_builder.h"

namespace {

namespace fs = std::filesystem;
using flexor::test::GltfBuilder;
using flexor::test::Json;

fs::path g_folder;

void Write(const std::string& target, const std::string& name, const std::string& bytes) {
  fs::create_directories(g_folder / target);
  std::ofstream(g_folder / target / name, std::ios::binary) << bytes;
}

/// A triangle with everything: skin, morph, clip, material, picture.
GltfBuilder Character() {
  GltfBuilder b;
  const std::size_t position = b.Zigzag(3);
  const std::size_t normal = b.Floats("VEC3", {0, 0, 1, 0, 0, 1, 0, 0, 1});
  const std::size_t tangent = b.Floats("VEC4", {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1});
  const std::size_t texcoord =
      b.Accessor("VEC2", std::vector<std::uint8_t>{0, 0, 255, 0, 0, 255}, true);
  const std::size_t joints =
      b.Accessor("VEC4", std::vector<std::uint8_t>{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
  const std::size_t weights = b.Floats("VEC4", {0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const std::size_t offsets = b.Floats("VEC3", {0, 0, 1, 0, 0, 0, 0, 0, 0});
  const std::size_t indices = b.Accessor("SCALAR", std::vector<std::uint16_t>{0, 1, 2});
  std::vector<float> matrices;
  for (int j = 0; j < 2; ++j) {
    matrices.insert(matrices.end(), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  }
  const std::size_t inverse = b.Floats("MAT4", matrices);
  const std::size_t times = b.Floats("SCALAR", {0, 1});
  const std::size_t rotations = b.Floats("VEC4", {0, 0, 0, 1, 0, 1, 0, 0});
  const std::size_t morph_keys = b.Floats("SCALAR", {0, 1});
  b.Mesh({{"name", "m"},
          {"primitives",
           {{{"attributes",
              {{"POSITION", position},
               {"NORMAL", normal},
               {"TANGENT", tangent},
               {"TEXCOORD_0", texcoord},
               {"JOINTS_0", joints},
               {"WEIGHTS_0", weights}}},
             {"indices", indices},
             {"material", 0},
             {"targets", {{{"POSITION", offsets}}}}}}},
          {"weights", {0.5}},
          {"extras", {{"targetNames", {"t"}}}}});
  b.Node({{"mesh", 0}, {"skin", 0}});
  b.Node({{"children", {2}}});
  b.Node({{"translation", {0, 1, 0}}});
  b.Skin({{"joints", {1, 2}}, {"inverseBindMatrices", inverse}, {"skeleton", 1}});
  b.json["scenes"] = {{{"nodes", {0, 1}}}};
  b.json["scene"] = 0;
  b.json["animations"] = {
      {{"name", "a"},
       {"samplers",
        {{{"input", times}, {"output", rotations}},
         {{"input", times}, {"output", morph_keys}, {"interpolation", "STEP"}}}},
       {"channels",
        {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}},
         {{"sampler", 1}, {"target", {{"node", 0}, {"path", "weights"}}}}}}}};
  b.json["images"] = {{{"uri", "data:image/png;base64,iVBORw0KGgo="}}};
  b.json["textures"] = {{{"source", 0}}};
  b.json["materials"] = {
      {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}, {"alphaMode", "MASK"}}};
  return b;
}

/// A sparse accessor without a base view, a matrix node, a strip, a VRM 0.x root.
GltfBuilder Oddities() {
  GltfBuilder b;
  const std::size_t indices = b.View(std::vector<std::uint8_t>{1, 3});
  const std::size_t values = b.View(std::vector<float>{1, 0, 0, 0, 1, 0});
  b.Append("accessors", {{"componentType", 5126},
                         {"count", 4},
                         {"type", "VEC3"},
                         {"sparse",
                          {{"count", 2},
                           {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                           {"values", {{"bufferView", values}}}}}});
  b.Mesh({{"primitives", {{{"attributes", {{"POSITION", 0}}}, {"mode", 5}}}}});
  b.Node({{"mesh", 0}, {"matrix", {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, -1, 0, 3, 4, 5, 1}}});
  b.json["extensionsUsed"] = {"VRM", "KHR_node_visibility"};
  b.json["extensions"]["VRM"] = {{"meta", {{"title", "t"}, {"author", "a"}}}};
  return b;
}

std::string DracoTriangles(bool edgebreaker) {
  draco::TriangleSoupMeshBuilder builder;
  builder.Start(2);
  const int position =
      builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
  const int joints = builder.AddAttribute(draco::GeometryAttribute::GENERIC, 4, draco::DT_UINT8);
  const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const int faces[2][3] = {{0, 1, 2}, {2, 1, 3}};
  const std::uint8_t joint[4] = {0, 1, 0, 0};
  for (int f = 0; f < 2; ++f) {
    const draco::FaceIndex face(static_cast<std::uint32_t>(f));
    builder.SetAttributeValuesForFace(position, face, corners[faces[f][0]], corners[faces[f][1]],
                                      corners[faces[f][2]]);
    builder.SetAttributeValuesForFace(joints, face, joint, joint, joint);
  }
  const auto mesh = builder.Finalize();
  draco::Encoder encoder;
  encoder.SetEncodingMethod(edgebreaker ? draco::MESH_EDGEBREAKER_ENCODING
                                        : draco::MESH_SEQUENTIAL_ENCODING);
  encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, 8);
  draco::EncoderBuffer buffer;
  if (!encoder.EncodeMeshToBuffer(*mesh, &buffer).ok()) return {};
  return {buffer.data(), buffer.size()};
}

/// The four bytes that meshopt_fuzz reads first, then the data.
std::string Meshopt(int mode, int filter, int stride, int count,
                    const std::vector<unsigned char>& data, std::size_t used) {
  std::string bytes = {static_cast<char>(mode + 4 * filter), static_cast<char>(stride),
                       static_cast<char>(count), '\0'};
  return bytes.append(reinterpret_cast<const char*>(data.data()), used);
}

void WriteMeshopt() {
  std::vector<unsigned char> vertices(40 * 8);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    vertices[i] = static_cast<unsigned char>(i * i / 7);
  }
  std::vector<unsigned char> out(meshopt_encodeVertexBufferBound(40, 8));
  const std::size_t used =
      meshopt_encodeVertexBuffer(out.data(), out.size(), vertices.data(), 40, 8);
  for (int filter = 0; filter < 4; ++filter) {
    Write("meshopt", "vertices_" + std::to_string(filter), Meshopt(0, filter, 8, 40, out, used));
  }
  std::vector<unsigned int> indices;
  for (unsigned i = 0; i < 20; ++i) {
    indices.insert(indices.end(), {i, i + 1 + i % 2, i + 2 - i % 2});
  }
  std::vector<unsigned char> triangles(meshopt_encodeIndexBufferBound(60, 22));
  const std::size_t triangle_bytes =
      meshopt_encodeIndexBuffer(triangles.data(), triangles.size(), indices.data(), indices.size());
  Write("meshopt", "triangles", Meshopt(1, 0, 4, 60, triangles, triangle_bytes));
  std::vector<unsigned char> sequence(meshopt_encodeIndexSequenceBound(60, 22));
  const std::size_t sequence_bytes =
      meshopt_encodeIndexSequence(sequence.data(), sequence.size(), indices.data(), indices.size());
  Write("meshopt", "sequence", Meshopt(2, 0, 2, 60, sequence, sequence_bytes));
}

std::string Text(const flexor::test::MmdBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

void WriteMmd() {
  using namespace flexor::io::mmd;
  const PmxWidths mixed{2, 1, 4, 2, 1, 4};
  Write("pmx", "full.pmx", Text(flexor::test::FullPmx()));
  Write("pmx", "utf8.pmx",
        Text(flexor::test::FullPmx({PmxVersion::k21, PmxEncoding::kUtf8, mixed, 4})));
  Write("pmx", "old.pmx",
        Text(flexor::test::FullPmx({PmxVersion::k20, PmxEncoding::kUtf16, {}, 0})));
  Write("pmd", "full.pmd", Text(flexor::test::FullPmd()));
  for (const bool old_signature : {false, true}) {
    Write("vmd", old_signature ? "old.vmd" : "new.vmd", Text(flexor::test::FullVmd(old_signature)));
  }
  const std::string head = "Vocaloid Pose Data file\r\n\r\nm.osm;\t// c\r\n1;\r\n\r\n";
  const std::string bone = "Bone0{\x83\x7b\r\n  1.5,-2,3e-1;\r\n  0,0,0,1;\r\n}\r\n";
  Write("vpd", "bone.vpd", head + bone);
  Write("vpd", "morph.vpd", head + bone + "Morph0{\x82\xa0\r\n 0.5;\r\n}\r\nstray\r\n");
  Write("vpd", "utf8.vpd",
        "Vocaloid Pose Data file\nm;\n1;\nBone0{\xe5\xb7\xa6\n0,0,0;\n0,0,0,1;\n}\n");
}

/// The JSON of a builder, its buffer without a uri.
std::string Text(const GltfBuilder& b) {
  Json json = b.json;
  json["buffers"] = {{{"byteLength", b.bin.size()}}};
  return json.dump();
}

/// `size` bytes with some of them set.
std::string Header(std::size_t size, const std::vector<std::pair<std::size_t, int>>& set) {
  std::string bytes(size, '\0');
  for (const auto& [at, value] : set) bytes[at] = static_cast<char>(value);
  return bytes;
}

void WriteImages() {
  flexor::render::Image image{4, 3, std::vector<std::uint8_t>(48)};
  for (std::size_t i = 0; i < image.rgba.size(); ++i) {
    image.rgba[i] = static_cast<std::uint8_t>(i * 5);
  }
  const auto write = [](const char* name, const std::vector<std::byte>& bytes) {
    Write("image", name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  write("alpha.png", *flexor::render::EncodePng(image));
  write("grey.jpg", *flexor::render::EncodeJpeg(image));
  const std::string pixels = std::string(48, 'p');
  Write("image", "plain.bmp",
        Header(54, {{0, 'B'}, {1, 'M'}, {10, 54}, {14, 40}, {18, 4}, {22, 3}, {26, 1}, {28, 24}}) +
            pixels);
  Write("image", "palette.bmp",
        Header(
            54 + 1024,
            {{0, 'B'}, {1, 'M'}, {10, 54}, {11, 4}, {14, 40}, {18, 4}, {22, 3}, {26, 1}, {28, 8}}) +
            pixels);
  Write("image", "masks.bmp",
        Header(66, {{0, 'B'},
                    {1, 'M'},
                    {10, 66},
                    {14, 40},
                    {18, 4},
                    {22, 3},
                    {26, 1},
                    {28, 16},
                    {30, 3},
                    {55, 0xf8},
                    {58, 0xe0},
                    {59, 7},
                    {62, 0x1f}}) +
            pixels);
  Write("image", "plain.tga", Header(18, {{2, 2}, {12, 4}, {14, 3}, {16, 32}}) + pixels);
  Write("image", "runs.tga", Header(18, {{2, 10}, {12, 4}, {14, 3}, {16, 24}}) + "\x8b" + pixels);
  Write("image", "palette.tga",
        Header(18, {{1, 1}, {2, 1}, {5, 4}, {7, 24}, {12, 4}, {14, 3}, {16, 8}}) +
            std::string(24, '\1'));
}

/// The check takes what every reader takes, and a character with one fault of each kind that has a
/// walk of its own: a loop, two parents, a common use of one view, references to nothing.
void WriteCheck() {
  for (const char* reader : {"glb", "json", "pmx", "pmd", "vmd", "vpd"}) {
    for (const auto& seed : fs::directory_iterator(g_folder / reader)) {
      fs::create_directories(g_folder / "check");
      fs::copy_file(seed.path(), g_folder / "check" / seed.path().filename(),
                    fs::copy_options::overwrite_existing);
    }
  }
  GltfBuilder faulty = Character();
  faulty.json["nodes"][2]["children"] = {1};
  faulty.json["nodes"][0]["children"] = {2};
  faulty.json["skins"][0]["skeleton"] = 9;
  faulty.json["accessors"][0]["bufferView"] = 1;
  faulty.json["accessors"][1]["max"] = {1, 1, 1};
  faulty.json["accessors"][1]["min"] = {0, "x", 0};
  faulty.json["extensionsUsed"] = {"KHR_materials_variants", "KHR_lights_punctual",
                                   "EXT_texture_webp", "KHR_texture_transform"};
  faulty.json["materials"][0]["normalTexture"] = {
      {"index", 3}, {"extensions", {{"KHR_texture_transform", {{"texCoord", 2}}}}}};
  faulty.json["meshes"][0]["primitives"][0]["extensions"] = {
      {"KHR_materials_variants", {{"mappings", {{{"variants", {0, 0, 7}}, {"material", 0}}}}}}};
  faulty.json["extensions"] = {{"KHR_materials_variants", {{"variants", {{{"name", "v"}}}}}}};
  Write("check", "faulty.glb", faulty.Glb());
}

/// Plans with everything in them, without their heads (plan_fuzz.cc).
void WritePlans() {
  using namespace flexor;
  asset::Mesh mesh;
  mesh.name = "m";
  mesh.influences.offsets = {0};
  for (std::uint32_t v = 0; v < 20; ++v) {
    const float x = static_cast<float>(v) / 20;
    mesh.positions.push_back({x, x * x, 1 - x});
    mesh.normals.push_back({0, 0, 1});
    mesh.tangents.push_back({1, 0, 0, 1});
    mesh.dqs_weights.push_back(v < 5 ? 0.0f : v < 10 ? 0.5f : 1.0f);
    for (std::uint32_t i = 0; i < 1 + v % 2; ++i) {
      mesh.influences.joints.push_back((v + i) % 3);
      mesh.influences.weights.push_back(v % 2 == 0 ? 1.0f : 0.5f);
    }
    mesh.influences.offsets.push_back(static_cast<std::uint32_t>(mesh.influences.joints.size()));
  }
  asset::Morph dense, sparse;
  dense.positions.assign(20, {0, 0, 1});
  sparse.vertices = {3, 17};
  sparse.positions.assign(2, {0, 1, 0});
  sparse.normals.assign(2, {1, 0, 0});
  mesh.morphs = {dense, sparse};
  mesh.sdef.vertices = {1, 18};
  mesh.sdef.joints = {{0, 1}, {1, 2}};
  mesh.sdef.weights = {0.5f, 0.25f};
  mesh.sdef.centers = mesh.sdef.r0 = mesh.sdef.r1 = {{0, 0, 0}, {1, 0, 0}};
  const auto plan = deform::BuildDeformPlan(mesh, 3, {});
  const auto write = [](const std::string& name, const Result<std::vector<std::byte>>& bytes) {
    constexpr std::size_t kHeadBytes = 40;
    Write("plan", name,
          std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())
              .substr(kHeadBytes));
  };
  write("plan", deform::SavePlan(*plan));
  for (const deform::BackendKind kind :
       {deform::BackendKind::kReference, deform::BackendKind::kCpu}) {
    const auto backend = deform::CreateBackend(kind);
    for (const auto order : {deform::OutputOrder::kCaller, deform::OutputOrder::kPrepared}) {
      const std::string name = std::string(deform::BackendName(kind)) +
                               (order == deform::OutputOrder::kCaller ? "" : "_prepared");
      const auto prepared = (*backend)->Prepare(*plan, {order});
      write(name, deform::SavePrepared(**backend, **prepared));
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: make_seeds FOLDER\n";
    return 2;
  }
  g_folder = arguments[1];
  const GltfBuilder character = Character(), oddities = Oddities();
  Write("glb", "character.glb", character.Glb());
  Write("glb", "oddities.glb", oddities.Glb());
  Write("glb", "oddities.gltf", oddities.Gltf());
  Write("json", "character.gltf", Text(character));
  Write("json", "oddities.gltf", Text(oddities));
  Write("json", "neighbour.gltf", oddities.Gltf("n.bin"));
  Write("json", "empty.gltf", GltfBuilder().Gltf());
  // The structure of these is that of accessors_fuzz.cc; any bytes are a valid input.
  std::string mixed;
  for (int i = 0; i < 512; ++i) mixed += static_cast<char>(i * 37 % 256);
  Write("accessors", "mixed", mixed);
  Write("accessors", "zeros", std::string(400, '\0'));
  Write("draco", "edgebreaker.drc", DracoTriangles(true));
  Write("draco", "sequential.drc", DracoTriangles(false));
  WriteMeshopt();
  WriteMmd();
  WriteImages();
  WriteCheck();
  WritePlans();
  return 0;
}
