// A humanoid of about twenty thousand vertices that walks and waves.
#include "asset/sample_figure.h"

#include <array>
#include <functional>

#include "asset/sample_build.h"
#include "asset/sample_skin.h"
#include "asset/sample_surface.h"

namespace flexor::asset::sample {
namespace {

using P = FigurePlaces;

constexpr double kCell = 0.0122;

Surface MakeBody(const Field& field, std::vector<std::uint32_t>& owner) {
  std::vector<Lens> lenses{{{0, 1.570, 0.070}, 0.24, 2.4}};
  for (std::size_t s = 0; s < 2; ++s) {
    const HandFrame hand = FigureHand(s);
    lenses.push_back({hand.wrist + hand.along * 0.11, 0.40, 3});
  }
  Surface body = Polygonize(field, kCell, lenses);
  for (const auto& seam : FigureSeams()) CutAlong(body, seam);
  for (const Vec3d p : body.positions) owner.push_back(field.Bone(p));
  return body;
}

// Cloth and hair stand off the skin.
void Dress(Surface& body) {
  std::vector<Vec3d> moved;
  moved.reserve(body.positions.size());
  for (std::size_t v = 0; v < body.positions.size(); ++v) {
    moved.push_back(body.positions[v] + body.normals[v] * FigureThickness(body.positions[v]));
  }
  const std::vector<Vec3d> before = AverageNormals(body.positions, body.triangles);
  const std::vector<Vec3d> after = AverageNormals(moved, body.triangles);
  for (std::size_t v = 0; v < moved.size(); ++v) {
    body.normals[v] = Normalized(body.normals[v] + (after[v] - before[v]), body.normals[v]);
  }
  body.positions = std::move(moved);
}

// A ball with its pole toward +Z, so that the rings about it can be iris and white.
Surface MakeBall(Vec3d center, double radius, int rings, int segments) {
  Surface ball;
  const auto add = [&](Vec3d n) {
    ball.positions.push_back(center + n * radius);
    ball.normals.push_back(n);
  };
  add({0, 0, 1});
  for (int r = 1; r < rings; ++r) {
    for (int s = 0; s < segments; ++s) {
      const double polar = kPi * r / rings, around = 2 * kPi * s / segments;
      add({Sin(polar) * Cos(around), Sin(polar) * Sin(around), Cos(polar)});
    }
  }
  add({0, 0, -1});
  const auto ring = [&](int r, int s) {
    return static_cast<std::uint32_t>(1 + (r - 1) * segments + s % segments);
  };
  const auto last = static_cast<std::uint32_t>(ball.positions.size() - 1);
  for (int s = 0; s < segments; ++s) {
    ball.triangles.insert(ball.triangles.end(), {0, ring(1, s), ring(1, s + 1)});
    for (int r = 1; r + 1 < rings; ++r) {
      ball.triangles.insert(ball.triangles.end(), {ring(r, s), ring(r + 1, s), ring(r + 1, s + 1),
                                                   ring(r, s), ring(r + 1, s + 1), ring(r, s + 1)});
    }
    ball.triangles.insert(ball.triangles.end(), {last, ring(rings - 1, s + 1), ring(rings - 1, s)});
  }
  return ball;
}

// The point of the face at x and y: from in front of it straight back.
Vec3d OnFace(const Field& field, double x, double y) {
  double z = 0.14;
  for (int step = 0; step < 60; ++step) z -= 0.4 * field.Value({x, y, z});
  return {x, y, z};
}

// A soft string along the face through the given places (x, y), for brows and lips.
void AddString(const Field& field, const std::vector<std::array<double, 3>>& bow, Part& part) {
  for (std::size_t k = 0; k + 1 < bow.size(); ++k) {
    Blob blob;
    blob.a = OnFace(field, bow[k][0], bow[k][1]);
    blob.b = OnFace(field, bow[k + 1][0], bow[k + 1][1]);
    blob.radius_a = bow[k][2];
    blob.radius_b = bow[k + 1][2];
    blob.blend = 0.002;
    // A little sunk in.
    blob.a.z -= 0.001;
    blob.b.z -= 0.001;
    part.blobs.push_back(blob);
  }
}

Surface MakeBrow(const Field& field, double side) {
  Part part;
  part.blend = 0.002;
  AddString(field,
            {{side * 0.0165, 1.6105, 0.0026},
             {side * 0.0250, 1.6140, 0.0036},
             {side * 0.0360, 1.6150, 0.0034},
             {side * 0.0475, 1.6110, 0.0016}},
            part);
  return Polygonize(Field({part}), 0.0022, {});
}

Surface MakeLips(const Field& field) {
  Part part;
  part.blend = 0.002;
  AddString(field,
            {{-0.0235, 1.5325, 0.0014},
             {-0.0130, 1.5293, 0.0032},
             {-0.0045, 1.5290, 0.0040},
             {0.0045, 1.5290, 0.0040},
             {0.0130, 1.5293, 0.0032},
             {0.0235, 1.5325, 0.0014}},
            part);
  AddString(field,
            {{-0.0210, 1.5308, 0.0012},
             {-0.0090, 1.5240, 0.0040},
             {0.0090, 1.5240, 0.0040},
             {0.0210, 1.5308, 0.0012}},
            part);
  return Polygonize(Field({part}), 0.0024, {});
}

std::vector<Vec2f> FrontTexcoords(const Surface& surface) {
  std::vector<Vec2f> texcoords;
  texcoords.reserve(surface.positions.size());
  for (const Vec3d p : surface.positions) {
    texcoords.push_back({static_cast<float>(0.5 + p.x / 1.7), static_cast<float>(1 - p.y / 1.7)});
  }
  return texcoords;
}

// A surface that follows one joint alone.
void AppendRigid(Mesh& mesh, const Surface& surface, std::uint32_t joint,
                 const std::function<std::int32_t(Vec3d)>& material) {
  AppendSurface(mesh, surface,
                std::vector<WeightRun>(surface.positions.size(), WeightRun{{joint, 1.0}}),
                FrontTexcoords(surface), material, kFigureMaterials);
}

void AddEye(Mesh& mesh, const Field& field, const FigureJoints& joints, std::size_t side) {
  const Vec3d center = OnSide(P::kEye, side);
  AppendRigid(mesh, MakeBall(center, P::kEyeRadius, 12, 18), joints.sides[side].eye, [&](Vec3d p) {
    return p.z - center.z > 0.85 * P::kEyeRadius ? kIrisMaterial : kEyeMaterial;
  });
  // The upper lid is a ball as well, a little higher: where it comes out of the eye is its edge.
  AppendRigid(mesh, MakeBall(center + P::kLid, P::kLidRadius, 10, 16), joints.head,
              [](Vec3d) { return kSkinMaterial; });
  AppendRigid(mesh, MakeBrow(field, side == 0 ? 1 : -1), joints.head,
              [](Vec3d) { return kHairMaterial; });
}

void AddMaterials(Character& c) {
  c.materials.push_back(MakeMaterial("skin", 0.78f, 0.47f, 0.33f));
  c.materials.push_back(MakeMaterial("shirt", 0.07f, 0.30f, 0.36f));
  c.materials.push_back(MakeMaterial("shorts", 0.10f, 0.11f, 0.15f));
  c.materials.push_back(MakeMaterial("shoes", 0.62f, 0.60f, 0.56f));
  c.materials.push_back(MakeMaterial("hair", 0.075f, 0.035f, 0.018f));
  c.materials.push_back(MakeMaterial("lips", 0.62f, 0.24f, 0.20f));
  c.materials.push_back(MakeMaterial("eye", 0.85f, 0.85f, 0.83f));
  c.materials.push_back(MakeMaterial("iris", 0.06f, 0.035f, 0.02f));
}

}  // namespace

Character MakeFigure() {
  Character c;
  c.name = "figure";
  const FigureJoints joints = AddFigureJoints(c);
  std::vector<std::uint32_t> all(joints.count);
  for (std::uint32_t j = 0; j < joints.count; ++j) all[j] = j;
  c.skins.push_back(BindAtRest(c, "figure", all));
  const std::uint32_t holder = AddNode(c, "body", kNone, {0, 0, 0});
  AddMaterials(c);

  Mesh mesh;
  mesh.name = "body";
  std::vector<std::uint32_t> owner;
  const Field field(FigureParts(joints));
  Surface body = MakeBody(field, owner);
  const std::vector<WeightRun> weights = FlowWeights(body, owner, FigureSoftness(joints), 28, 6);
  std::vector<Vec3d> skin = body.positions;
  Dress(body);
  // Materials are told by where the skin was, before cloth was put on it.
  const std::vector<Vec3d> worn = body.positions;
  std::swap(body.positions, skin);
  AppendSurface(
      mesh, body, weights, FrontTexcoords(body), [](Vec3d p) { return FigureMaterialAt(p); },
      kFigureMaterials);
  for (std::size_t v = 0; v < worn.size(); ++v) mesh.positions[v] = RoundedPoint(worn[v]);
  for (std::size_t s = 0; s < 2; ++s) AddEye(mesh, field, joints, s);
  AppendRigid(mesh, MakeLips(field), joints.head, [](Vec3d) { return kLipsMaterial; });
  mesh.morphs = FigureMorphs(mesh);
  c.meshes.push_back(std::move(mesh));

  MeshInstance instance;
  instance.name = "body";
  instance.node = static_cast<std::int32_t>(holder);
  instance.skin = 0;
  c.instances.push_back(std::move(instance));
  c.clips.push_back(FigureWalk(c, joints));
  c.clips.push_back(FigureWave(c, joints));
  return c;
}

}  // namespace flexor::asset::sample
