// What matters in the end: a written character moves as the one it was made from.
#include <algorithm>
#include <cmath>

#include "flexor/asset/sample.h"
#include "flexor/bake/performer.h"
#include "flexor/io/load.h"

#include "io/write_glb_support.h"
#include "support/corpus.h"

namespace flexor::io {
namespace {

using asset::Character;
using test::CorpusPath;

struct Shapes {
  std::vector<std::vector<Vec3f>> positions, normals;  // of every instance
};

Shapes Perform(const Character& character, double seconds) {
  bake::PerformerSettings settings;
  settings.backend = deform::BackendKind::kReference;
  settings.all_instances = true;
  settings.deform.sdef.mode = deform::SdefMode::kOff;  // glTF has none
  auto performer = bake::Performer::Create(character, settings);
  EXPECT_TRUE(performer.ok()) << performer.error().ToString();
  Shapes shapes;
  if (!performer.ok()) return shapes;
  const auto clip = character.clips.empty() ? std::nullopt : std::optional<std::uint32_t>(0);
  const Status status = performer->Evaluate(clip, seconds);
  EXPECT_TRUE(status.ok()) << status.error().ToString();
  for (const deform::DeformedMesh& result : performer->results()) {
    shapes.positions.emplace_back(result.positions.begin(), result.positions.end());
    shapes.normals.emplace_back(result.normals.begin(), result.normals.end());
  }
  return shapes;
}

double LargestDistance(const std::vector<std::vector<Vec3f>>& a,
                       const std::vector<std::vector<Vec3f>>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    EXPECT_EQ(a[i].size(), b[i].size());
    for (std::size_t v = 0; v < std::min(a[i].size(), b[i].size()); ++v) {
      largest = std::max(largest, Length(Cast<double>(a[i][v]) - Cast<double>(b[i][v])));
    }
  }
  return largest;
}

double Size(const std::vector<std::vector<Vec3f>>& points) {
  double size = 0;
  for (const auto& instance : points) {
    for (const Vec3f& p : instance) size = std::max(size, Length(Cast<double>(p)));
  }
  return size;
}

void ExpectMovesAlike(const Character& character, const std::string& name) {
  const auto bytes = EncodeGlb(character);
  ASSERT_TRUE(bytes.ok()) << name << ": " << bytes.error().ToString();
  const auto again = LoadCharacterFromMemory(*bytes, "again.glb", {});
  ASSERT_TRUE(again.ok()) << name << ": " << again.error().ToString();
  const double end = character.clips.empty() ? 0 : character.clips[0].end_time;
  for (const double seconds : {0.0, end * 0.37, end}) {
    const Shapes before = Perform(character, seconds);
    const Shapes after = Perform(again->character, seconds);
    EXPECT_LE(LargestDistance(before.positions, after.positions), 1e-5 * Size(before.positions))
        << name << " at " << seconds;
    EXPECT_LE(LargestDistance(before.normals, after.normals), 1e-3) << name << " at " << seconds;
  }
}

TEST(WriteGlbDeform, SamplesMoveAlike) {
  for (const asset::SampleInfo& info : asset::Samples()) {
    const auto character = asset::MakeSample(info.name);
    ASSERT_TRUE(character.ok());
    ExpectMovesAlike(*character, std::string(info.name));
  }
}

TEST(WriteGlbDeform, AddedJointsAndNodesChangeNothing) {
  Character character = test::SkinnedSquare(4);
  character.nodes[0].rest_matrix = Mat34d{{{1, 0, 0}, {0.7, 1, 0}, {0, 0.3, -2}}, {5, 6, 7}};
  character.nodes[2].rest_matrix = Mat34d{{{1, 1, 0}, {1, 1, 0}, {0, 0, 2}}, {0, 1, 0}};
  character.nodes[3].parent = asset::kNone;       // a second root
  character.meshes[0].influences.weights[2] = 0;  // a vertex without weight
  asset::MeshInstance rigid = character.instances[0];
  rigid.skin = asset::kNone;
  rigid.node = 1;
  character.instances.insert(character.instances.begin(), rigid);  // as a reader lists them
  ASSERT_TRUE(asset::Finalize(character).ok());
  ExpectMovesAlike(character, "awkward");
}

TEST(WriteGlbDeform, CorpusCharactersMoveAlike) {
  FLEXOR_REQUIRE_CORPUS();
  const std::vector<std::string> files = {
      "gltf/khronos-sample/CesiumMan/glTF-Binary/CesiumMan.glb",
      "gltf/khronos-sample/Fox/glTF-Binary/Fox.glb",
      "gltf/khronos-sample/RiggedFigure/glTF-Draco/RiggedFigure.gltf",
      "gltf/khronos-sample/RiggedSimple/glTF/RiggedSimple.gltf",
      "gltf/khronos-sample/AnimatedMorphCube/glTF-Quantized/AnimatedMorphCube.gltf",
      "gltf/khronos-sample/InterpolationTest/glTF/InterpolationTest.gltf",
      "gltf/khronos-sample/NegativeScaleTest/glTF-Binary/NegativeScaleTest.glb",
  };
  for (const std::string& file : files) {
    const auto loaded = LoadCharacter(CorpusPath(file));
    ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
    ExpectMovesAlike(loaded->character, file);
  }
}

}  // namespace
}  // namespace flexor::io
