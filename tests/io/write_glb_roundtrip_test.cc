// load(EncodeGlb(x)) is x: for the built-in samples and for every character of the corpus, whose
// written forms the Khronos validator must accept as well.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>

#include "flexor/asset/sample.h"
#include "flexor/asset/weights.h"
#include "flexor/io/load.h"

#include "io/write_glb_support.h"
#include "support/corpus.h"

namespace flexor::io {
namespace {

using asset::Character;
using asset::kNone;
using test::CorpusPath;
using WriteGlbRoundTrip = test::WriteTest;

// Collects the first few differences between two characters as sentences.
class Comparison {
 public:
  Comparison(const Character& before, const Character& after) : a_(before), b_(after) {
    Same(a_.source.title, b_.source.title, "title");
    Same(a_.source.author, b_.source.author, "author");
    Same(a_.source.license, b_.source.license, "licence");
    Nodes();
    Skins();
    Meshes();
    Instances();
    Clips();
    Materials();
  }

  std::string text;

 private:
  template <class... Parts>
  void Say(const Parts&... parts) {
    if (++said_ > 8) return;
    std::ostringstream out;
    (out << ... << parts);
    text += out.str() + "\n";
  }
  template <class X>
  bool Same(const X& before, const X& after, const std::string& what) {
    if (before == after) return true;
    if constexpr (std::is_arithmetic_v<X> || std::is_same_v<X, std::string>) {
      Say(what, ": ", before, " became ", after);
    } else {
      Say(what, " differs");
    }
    return false;
  }
  bool Near(double before, double after, double tolerance, const std::string& what) {
    if (std::abs(before - after) <= tolerance * std::max(1.0, std::abs(before))) return true;
    Say(what, ": ", before, " became ", after);
    return false;
  }
  template <class V>
  void NearArrays(std::span<const V> before, std::span<const V> after, double tolerance,
                  const std::string& what) {
    if (!Same(before.size(), after.size(), what + " count")) return;
    const auto* x = reinterpret_cast<const float*>(before.data());
    const auto* y = reinterpret_cast<const float*>(after.data());
    for (std::size_t i = 0; i < before.size_bytes() / sizeof(float); ++i) {
      if (!Near(static_cast<double>(x[i]), static_cast<double>(y[i]), tolerance,
                what + " " + std::to_string(i))) {
        return;
      }
    }
  }
  void NearMatrices(const Mat34d& before, const Mat34d& after, double tolerance,
                    const std::string& what) {
    const Vec3d x[] = {before.linear.x, before.linear.y, before.linear.z, before.translation};
    const Vec3d y[] = {after.linear.x, after.linear.y, after.linear.z, after.translation};
    for (std::size_t c = 0; c < 4; ++c) {
      for (std::size_t i = 0; i < 3; ++i) {
        if (!Near(x[c][i], y[c][i], tolerance, what)) return;
      }
    }
  }
  static Mat34d Rest(const asset::Node& node) {
    return node.rest_matrix ? *node.rest_matrix : ToMat34(node.rest);
  }

  // Added nodes stand behind the others: the rest is the same, up to those on the way to the
  // parent.
  void Nodes() {
    if (b_.nodes.size() < a_.nodes.size()) return Say(a_.nodes.size(), " nodes became fewer");
    for (std::size_t n = 0; n < a_.nodes.size(); ++n) {
      const std::string what = "node " + std::to_string(n);
      Same(a_.nodes[n].name, b_.nodes[n].name, what + " name");
      Mat34d parent_from_node = Rest(b_.nodes[n]);
      std::int32_t parent = b_.nodes[n].parent;
      while (parent != kNone && static_cast<std::size_t>(parent) >= a_.nodes.size()) {
        const asset::Node& added = b_.nodes[static_cast<std::size_t>(parent)];
        parent_from_node = Rest(added) * parent_from_node;
        parent = added.parent;
      }
      Same(a_.nodes[n].parent, parent, what + " parent");
      NearMatrices(Rest(a_.nodes[n]), parent_from_node, 1e-6, what + " rest");
    }
  }
  void Skins() {
    if (!Same(a_.skins.size(), b_.skins.size(), "skins")) return;
    for (std::size_t s = 0; s < a_.skins.size(); ++s) {
      const asset::Skin &x = a_.skins[s], &y = b_.skins[s];
      const std::string what = "skin " + std::to_string(s);
      Same(x.name, y.name, what + " name");
      if (y.joints.size() < x.joints.size()) {
        Say(what, " lost joints");
        continue;
      }
      for (std::size_t j = 0; j < x.joints.size(); ++j) {
        const bool twice =
            std::find(x.joints.begin(), x.joints.begin() + static_cast<std::ptrdiff_t>(j),
                      x.joints[j]) != x.joints.begin() + static_cast<std::ptrdiff_t>(j);
        const std::uint32_t node = y.joints[j];
        Same(x.joints[j], twice ? static_cast<std::uint32_t>(b_.nodes[node].parent) : node,
             what + " joint");
        NearMatrices(x.joint_from_mesh[j], y.joint_from_mesh[j], 1e-7,
                     what + " inverse bind matrix");
      }
    }
  }
  void Meshes() {
    std::size_t other = 0;
    for (std::size_t m = 0; m < a_.meshes.size(); ++m) {
      mesh_.push_back(kNone);
      if (a_.meshes[m].vertex_count() == 0) continue;
      if (other == b_.meshes.size()) return Say("mesh ", m, " is gone");
      mesh_.back() = static_cast<std::int32_t>(other);
      Mesh(a_.meshes[m], b_.meshes[other++], "mesh " + std::to_string(m));
    }
    Same(other, b_.meshes.size(), "meshes");
  }
  void Mesh(const asset::Mesh& x, const asset::Mesh& y, const std::string& what) {
    Same(x.name, y.name, what + " name");
    Same(x.positions, y.positions, what + " positions");
    NearArrays<Vec3f>(x.normals, y.normals, 1e-6, what + " normals");
    NearArrays<Vec4f>(x.tangents, y.tangents, 1e-6, what + " tangents");
    // Textured without coordinates: zeros were added.
    if (!x.texcoords.empty()) Same(x.texcoords, y.texcoords, what + " texture coordinates");
    Same(x.triangles, y.triangles, what + " triangles");
    std::vector<asset::Subset> subsets = x.subsets;
    std::erase_if(subsets, [](const asset::Subset& s) { return s.index_count == 0; });
    if (Same(subsets.size(), y.subsets.size(), what + " subsets")) {
      for (std::size_t s = 0; s < subsets.size(); ++s) {
        Same(subsets[s].first_index, y.subsets[s].first_index, what + " subset");
        Same(subsets[s].index_count, y.subsets[s].index_count, what + " subset");
        Same(subsets[s].material, y.subsets[s].material, what + " subset material");
      }
    }
    Same(static_cast<int>(x.skinning), static_cast<int>(y.skinning), what + " method");
    Same(x.dqs_weights, y.dqs_weights, what + " method weights");
    Influences(x, y, what);
    if (!Same(x.morphs.size(), y.morphs.size(), what + " morphs")) return;
    Same(x.morph_weights, y.morph_weights, what + " morph weights");
    for (std::size_t k = 0; k < x.morphs.size(); ++k) {
      const asset::Morph &p = x.morphs[k], &q = y.morphs[k];
      const std::string morph = what + " morph " + std::to_string(k);
      Same(p.name, q.name, morph + " name");
      const std::size_t count = x.vertex_count();
      Same(Dense(p, p.positions, count), Dense(q, q.positions, count), morph + " positions");
      if (!x.normals.empty()) {
        Same(Dense(p, p.normals, count), Dense(q, q.normals, count), morph + " normals");
      }
      if (!x.tangents.empty()) {
        Same(Dense(p, p.tangents, count), Dense(q, q.tangents, count), morph + " tangents");
      }
    }
  }
  static std::vector<Vec3f> Dense(const asset::Morph& morph, const std::vector<Vec3f>& values,
                                  std::size_t count) {
    std::vector<Vec3f> dense(count);
    for (std::size_t i = 0; i < values.size(); ++i) {
      dense[morph.vertices.empty() ? i : morph.vertices[i]] = values[i];
    }
    return dense;
  }
  void Influences(const asset::Mesh& x, const asset::Mesh& y, const std::string& what) {
    if (!Same(x.influences.vertex_count(), y.influences.vertex_count(), what + " influences"))
      return;
    const asset::Influences want = asset::RepairWeights(x.influences, {}, nullptr);
    const asset::Influences& have = y.influences;
    for (std::size_t v = 0; v < want.vertex_count(); ++v) {
      const std::string vertex = what + " vertex " + std::to_string(v);
      const std::uint32_t i = want.offsets[v], end = want.offsets[v + 1], k = have.offsets[v];
      const std::uint32_t count = have.offsets[v + 1] - k;
      if (i == end) {  // it follows the still joint
        if (count != 1 || have.weights[k] != 1) return Say(vertex, " has no still joint");
        continue;
      }
      if (!Same(end - i, count, vertex + " influences")) return;
      for (std::uint32_t n = 0; n < count; ++n) {
        if (!Same(want.joints[i + n], have.joints[k + n], vertex + " joint") ||
            !Near(static_cast<double>(want.weights[i + n]),
                  static_cast<double>(have.weights[k + n]), 1e-6, vertex + " weight")) {
          return;
        }
      }
    }
  }
  void Instances() {
    // By node: instances on added nodes come last in the file.
    std::size_t written = 0;
    for (std::size_t i = 0; i < a_.instances.size(); ++i) {
      const asset::MeshInstance& x = a_.instances[i];
      if (x.mesh >= mesh_.size() || mesh_[x.mesh] == kNone) continue;
      ++written;
      const auto match =
          std::find_if(b_.instances.begin(), b_.instances.end(), [&](const asset::MeshInstance& y) {
            return static_cast<std::int32_t>(y.mesh) == mesh_[x.mesh] && y.skin == x.skin &&
                   y.visible == x.visible &&
                   (y.node == x.node || static_cast<std::size_t>(y.node) >= a_.nodes.size());
          });
      if (match == b_.instances.end()) {
        Say("instance ", i, " '", x.name, "' is gone");
        continue;
      }
      Same(x.morph_weights, match->morph_weights, "weights of instance " + std::to_string(i));
    }
    Same(written, b_.instances.size(), "instances");
  }
  void Clips() {
    std::size_t other = 0;
    for (const asset::Clip& x : a_.clips) {
      std::size_t channels = 0;
      for (const asset::Channel& channel : x.channels) {
        channels += channel.path != asset::ChannelPath::kMorphWeights ||
                    mesh_[a_.instances[channel.target].mesh] != kNone;
      }
      if (channels == 0) continue;
      if (other == b_.clips.size()) return Say("clip '", x.name, "' is gone");
      const asset::Clip& y = b_.clips[other++];
      Same(x.name, y.name, "clip name");
      Near(x.end_time, y.end_time, 1e-6, "clip end");
      Near(x.frames_per_second, y.frames_per_second, 1e-6, "clip rate");
      if (!Same(channels, y.channels.size(), "channels of clip '" + x.name + "'")) continue;
      std::size_t c = 0;
      for (const asset::Channel& channel : x.channels) {
        if (channel.path == asset::ChannelPath::kMorphWeights &&
            mesh_[a_.instances[channel.target].mesh] == kNone) {
          continue;
        }
        Channel(channel, y.channels[c], "clip '" + x.name + "' channel " + std::to_string(c));
        ++c;
      }
    }
    Same(other, b_.clips.size(), "clips");
  }
  void Channel(const asset::Channel& x, const asset::Channel& y, const std::string& what) {
    Same(static_cast<int>(x.path), static_cast<int>(y.path), what + " path");
    // A spline of one key becomes a step, which holds the same value everywhere.
    const bool lone = x.interpolation == asset::Interpolation::kCubicSpline && x.times.size() == 1;
    const auto interpolation = lone ? asset::Interpolation::kStep : x.interpolation;
    Same(static_cast<int>(interpolation), static_cast<int>(y.interpolation),
         what + " interpolation");
    if (x.path != asset::ChannelPath::kMorphWeights) Same(x.target, y.target, what + " target");
    if (!Same(x.times.size(), y.times.size(), what + " keys")) return;
    for (std::size_t k = 0; k < x.times.size(); ++k) {
      if (!Near(x.times[k], y.times[k], 1e-6, what + " time")) return;
    }
    std::vector<float> values = x.values;
    if (lone) values = {values.begin() + x.components, values.begin() + 2 * x.components};
    if (x.path == asset::ChannelPath::kRotation) {
      MakeUnit(values, interpolation == asset::Interpolation::kCubicSpline);
    }
    NearArrays<float>(values, y.values, 1e-6, what + " value");
  }
  // glTF wants unit rotations; the curve means the same, as samplers normalise.
  static void MakeUnit(std::vector<float>& values, bool cubic) {
    const std::size_t stride = cubic ? 12 : 4, at = cubic ? 4 : 0;
    for (std::size_t k = 0; k < values.size(); k += stride) {
      float* q = values.data() + k + at;
      const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
      if (length == 0) {
        q[3] = 1;
      } else if (std::abs(length - 1) > 1e-5) {
        for (std::size_t i = 0; i < stride; ++i) {
          values[k + i] = static_cast<float>(static_cast<double>(values[k + i]) / length);
        }
      }
    }
  }
  void Materials() {
    if (!Same(a_.materials.size(), b_.materials.size(), "materials")) return;
    for (std::size_t m = 0; m < a_.materials.size(); ++m) {
      const asset::Material &x = a_.materials[m], &y = b_.materials[m];
      const std::string what = "material " + std::to_string(m);
      Same(x.name, y.name, what + " name");
      Same(x.base_color, y.base_color, what + " colour");
      Same(static_cast<int>(x.alpha_mode), static_cast<int>(y.alpha_mode), what + " alpha mode");
      if (x.alpha_mode == asset::AlphaMode::kMask) {
        Same(x.alpha_cutoff, y.alpha_cutoff, what + " cutoff");
      }
      Same(x.double_sided, y.double_sided, what + " sides");
      const asset::Image* before = ImageOf(a_, x);
      const asset::Image* after = ImageOf(b_, y);
      if (!Same(before != nullptr, after != nullptr, what + " has an image") || before == nullptr) {
        continue;
      }
      Same(before->name, after->name, what + " image name");
      Same(before->bytes, after->bytes, what + " image bytes");
      Same(x.uv_offset, y.uv_offset, what + " uv offset");
      Same(x.uv_scale, y.uv_scale, what + " uv scale");
      Same(x.uv_rotation, y.uv_rotation, what + " uv rotation");
    }
  }
  // Only pictures that glTF can hold survive.
  static const asset::Image* ImageOf(const Character& character, const asset::Material& material) {
    if (material.base_image == kNone) return nullptr;
    const asset::Image& image = character.images[static_cast<std::size_t>(material.base_image)];
    const bool can = image.media_type == "image/png" || image.media_type == "image/jpeg";
    return can && !image.bytes.empty() ? &image : nullptr;
  }

  const Character& a_;
  const Character& b_;
  std::vector<std::int32_t> mesh_;  // of b, for each of a
  int said_ = 0;
};

// The differences that a round trip makes, as text; empty when there are none. `out_bytes` gets the
// written file.
std::string RoundTrip(const Character& character, std::vector<std::byte>* out_bytes) {
  auto bytes = EncodeGlb(character);
  if (!bytes.ok()) return "not written: " + bytes.error().ToString();
  const auto again = LoadCharacterFromMemory(*bytes, "again.glb", {});
  if (!again.ok()) return "not read again: " + again.error().ToString();
  *out_bytes = std::move(*bytes);
  std::string text = Comparison(character, again->character).text;
  for (const Diagnostic& d : again->diagnostics.entries()) {
    if (d.severity == Severity::kError) text += "read with " + d.code + ": " + d.message + "\n";
  }
  // Once written, written again the same: nothing creeps.
  Character second = again->character;
  const auto third = EncodeGlb(second);
  if (!third.ok()) return text + "not written again: " + third.error().ToString();
  const auto fourth = LoadCharacterFromMemory(*third, "third.glb", {});
  if (!fourth.ok()) return text + "not read a third time: " + fourth.error().ToString();
  if (fourth->character.nodes.size() != second.nodes.size()) text += "nodes were added again\n";
  return text + Comparison(second, fourth->character).text;
}

void Save(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void ExpectValidatorIsContent(const std::vector<std::string>& names,
                              const std::vector<std::string>& paths) {
  const auto report = test::RunValidator(paths);
  ASSERT_EQ(report["files"].size(), paths.size());
  std::map<std::string, int> warnings;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_EQ(report["files"][i]["errors"], 0) << names[i] << "\n"
                                               << test::Messages(report["files"][i]);
    for (const auto& message : report["files"][i]["messages"]) {
      if (message["severity"] == "warning") ++warnings[message["code"].get<std::string>()];
    }
  }
  std::cout << "[ VALIDATE ] " << paths.size() << " files, " << report["errors"] << " errors, "
            << report["warnings"] << " warnings";
  for (const auto& [code, count] : warnings) std::cout << " · " << code << " " << count;
  std::cout << "\n";
}

TEST_F(WriteGlbRoundTrip, SamplesComeBack) {
  std::vector<std::string> names, paths;
  for (const asset::SampleInfo& info : asset::Samples()) {
    const auto character = asset::MakeSample(info.name);
    ASSERT_TRUE(character.ok()) << info.name << ": " << character.error().ToString();
    std::vector<std::byte> bytes;
    EXPECT_EQ(RoundTrip(*character, &bytes), "") << info.name;
    names.emplace_back(info.name);
    paths.push_back(Path(names.back() + ".glb"));
    Save(paths.back(), bytes);
  }
  EXPECT_EQ(names.size(), asset::Samples().size());
  if (!test::HasValidator()) GTEST_SKIP() << "SKIPPED FOR WANT OF THE KHRONOS VALIDATOR";
  ExpectValidatorIsContent(names, paths);
}

// What no sample has: the method of the character and of each vertex, and who made it.
TEST_F(WriteGlbRoundTrip, MethodsAndAuthorsComeBack) {
  Character character = test::SkinnedSquare();
  character.meshes[0].skinning = asset::SkinningMethod::kDualQuaternion;
  character.meshes[0].dqs_weights = {0, 0.25f, 0.5f, 1};
  character.source.title = "Square";
  character.source.author = "ねこ";
  character.source.license = "CC0-1.0";
  ASSERT_TRUE(asset::Finalize(character).ok());
  std::vector<std::byte> bytes;
  EXPECT_EQ(RoundTrip(character, &bytes), "");
}

TEST_F(WriteGlbRoundTrip, CorpusComesBack) {
  FLEXOR_REQUIRE_CORPUS();
  std::vector<std::string> sources;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CorpusPath("gltf"))) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".gltf" || extension == ".glb" || extension == ".vrm") {
      sources.push_back(entry.path().string());
    }
  }
  std::sort(sources.begin(), sources.end());
  std::vector<std::string> names, paths;
  for (const std::string& source : sources) {
    const auto loaded = LoadCharacter(source);
    if (!loaded.ok()) continue;  // whether it should load is the reader's test
    std::vector<std::byte> bytes;
    EXPECT_EQ(RoundTrip(loaded->character, &bytes), "") << source;
    names.push_back(source);
    paths.push_back(Path(std::to_string(paths.size()) + ".glb"));
    Save(paths.back(), bytes);
  }
  EXPECT_GE(names.size(), 150u) << "of " << sources.size();
  if (!test::HasValidator()) GTEST_SKIP() << "SKIPPED FOR WANT OF THE KHRONOS VALIDATOR";
  ExpectValidatorIsContent(names, paths);
}

}  // namespace
}  // namespace flexor::io
