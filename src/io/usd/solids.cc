#include "io/usd/solids.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "io/usd/attribute.h"
#include "io/usd/numeric.h"

namespace flexor::io::usd {
namespace {

constexpr std::string_view kSolids[] = {"Cube", "Sphere", "Cylinder", "Cone", "Capsule", "Plane"};
constexpr int kAround = 24;
constexpr int kRings = 12;  // from pole to pole

/// Grows a mesh about the Z axis.
class Builder {
 public:
  void Vertex(Vec3d position, Vec3d normal) {
    mesh.positions.push_back(Cast<float>(position));
    mesh.normals.push_back(Cast<float>(Normalized(normal)));
  }
  void Triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    mesh.triangles.insert(mesh.triangles.end(), {a, b, c});
  }
  std::uint32_t Count() const { return static_cast<std::uint32_t>(mesh.positions.size()); }

  /// A ring at each point of a profile (radius, height) with its normal there, joined from bottom
  /// to top.
  struct ProfilePoint {
    double radius, height;
    double normal_out, normal_up;
  };
  void Revolve(const std::vector<ProfilePoint>& profile) {
    const std::uint32_t first = Count();
    for (const ProfilePoint& point : profile) {
      for (int i = 0; i < kAround; ++i) {
        const double angle = 2 * std::numbers::pi * i / kAround;
        const double c = std::cos(angle), s = std::sin(angle);
        Vertex({point.radius * c, point.radius * s, point.height},
               {point.normal_out * c, point.normal_out * s, point.normal_up});
      }
    }
    for (std::uint32_t ring = 0; ring + 1 < profile.size(); ++ring) {
      for (std::uint32_t i = 0; i < kAround; ++i) {
        const std::uint32_t next = (i + 1) % kAround;
        const std::uint32_t a = first + ring * kAround + i, b = first + ring * kAround + next;
        const std::uint32_t c = a + kAround, d = b + kAround;
        if (profile[ring].radius > 0) Triangle(a, b, d);
        if (profile[ring + 1].radius > 0) Triangle(a, d, c);
      }
    }
  }
  void Disc(double radius, double height, double up) {
    Revolve(up > 0 ? std::vector<ProfilePoint>{{radius, height, 0, 1}, {0, height, 0, 1}}
                   : std::vector<ProfilePoint>{{0, height, 0, -1}, {radius, height, 0, -1}});
  }

  asset::Mesh mesh;
};

void AddFace(Builder& builder, Vec3d center, Vec3d right, Vec3d up) {
  const std::uint32_t first = builder.Count();
  const Vec3d normal = Cross(right, up);
  builder.Vertex(center - right - up, normal);
  builder.Vertex(center + right - up, normal);
  builder.Vertex(center + right + up, normal);
  builder.Vertex(center - right + up, normal);
  builder.Triangle(first, first + 1, first + 2);
  builder.Triangle(first, first + 2, first + 3);
}

void AddCube(Builder& builder, double size) {
  const double h = size / 2;
  AddFace(builder, {h, 0, 0}, {0, h, 0}, {0, 0, h});
  AddFace(builder, {-h, 0, 0}, {0, -h, 0}, {0, 0, h});
  AddFace(builder, {0, h, 0}, {0, 0, h}, {h, 0, 0});
  AddFace(builder, {0, -h, 0}, {0, 0, h}, {-h, 0, 0});
  AddFace(builder, {0, 0, h}, {h, 0, 0}, {0, h, 0});
  AddFace(builder, {0, 0, -h}, {-h, 0, 0}, {0, h, 0});
}

/// A half or whole ball around (0, 0, center), from one latitude to another.
void AppendArc(std::vector<Builder::ProfilePoint>& profile, double radius, double center,
               double from, double to, int steps) {
  for (int i = 0; i <= steps; ++i) {
    const double latitude = from + (to - from) * i / steps;
    const bool is_pole = std::abs(std::abs(latitude) - std::numbers::pi / 2) < 1e-12;
    const double out = is_pole ? 0 : std::cos(latitude), up = std::sin(latitude);
    profile.push_back({radius * out, center + radius * up, out, up});
  }
}

/// Turns a mesh about Z so that Z becomes the axis that the prim names.
void TurnTo(char axis, asset::Mesh& mesh) {
  const auto turn = [axis](Vec3f v) {
    return axis == 'X' ? Vec3f{v.z, v.x, v.y} : axis == 'Y' ? Vec3f{v.y, v.z, v.x} : v;
  };
  for (std::vector<Vec3f>* vectors : {&mesh.positions, &mesh.normals}) {
    for (Vec3f& v : *vectors) v = turn(v);
  }
}

}  // namespace

bool IsSolid(Token type_name) {
  return std::find(std::begin(kSolids), std::end(kSolids), type_name.text()) != std::end(kSolids);
}

Result<asset::Mesh> ReadSolid(const Stage& stage, const StagePrim& prim, std::optional<double> time,
                              MemoryBudget& budget) {
  const auto number = [&](const char* name, double fallback) -> Result<double> {
    const Property property = stage.FindProperty(prim, name);
    FLEXOR_ASSIGN(const Value value, time ? ValueAt(property, *time, Between::kLinear, budget)
                                          : DefaultValue(property, budget));
    const double found = AsNumber(value).value_or(fallback);
    return std::isfinite(found) ? found : fallback;
  };
  FLEXOR_ASSIGN(const Value axis_value, DefaultValue(stage.FindProperty(prim, "axis"), budget));
  const char axis = axis_value.text().size() == 1 ? axis_value.text()[0] : 'Z';
  constexpr double kQuarter = std::numbers::pi / 2;
  const bool is_capsule = prim.type_name == "Capsule";
  FLEXOR_ASSIGN(const double radius, number("radius", is_capsule ? 0.5 : 1));
  FLEXOR_ASSIGN(const double height, number("height", is_capsule ? 1 : 2));

  Builder builder;
  std::vector<Builder::ProfilePoint> profile;
  if (prim.type_name == "Cube") {
    FLEXOR_ASSIGN(const double size, number("size", 2));
    AddCube(builder, size);
  } else if (prim.type_name == "Plane") {
    FLEXOR_ASSIGN(const double width, number("width", 2));
    FLEXOR_ASSIGN(const double length, number("length", 2));
    AddFace(builder, {}, {width / 2, 0, 0}, {0, length / 2, 0});
  } else if (prim.type_name == "Sphere") {
    AppendArc(profile, radius, 0, -kQuarter, kQuarter, kRings);
    builder.Revolve(profile);
  } else if (is_capsule) {
    AppendArc(profile, radius, -height / 2, -kQuarter, 0, kRings / 2);
    AppendArc(profile, radius, height / 2, 0, kQuarter, kRings / 2);
    builder.Revolve(profile);
  } else {
    const bool is_cone = prim.type_name == "Cone";
    const double top = is_cone ? 0 : radius;
    const double out = is_cone ? height : 1, up = is_cone ? radius : 0;
    builder.Revolve({{radius, -height / 2, out, up}, {top, height / 2, out, up}});
    builder.Disc(radius, -height / 2, -1);
    if (!is_cone) builder.Disc(radius, height / 2, 1);
  }
  if (!(prim.type_name == "Cube")) TurnTo(axis, builder.mesh);
  return std::move(builder.mesh);
}

}  // namespace flexor::io::usd
