#include "asset/sample_build.h"

#include <algorithm>
#include <cmath>

namespace flexor::asset::sample {
namespace {

// Series about zero for |x| <= pi/4, where thirteen terms are more than doubles can show.
double SinSeries(double x) {
  const double x2 = x * x;
  double term = x, sum = x;
  for (int n = 1; n <= 9; ++n) {
    term = -term * x2 / static_cast<double>((2 * n) * (2 * n + 1));
    sum += term;
  }
  return sum;
}

double CosSeries(double x) {
  const double x2 = x * x;
  double term = 1, sum = 1;
  for (int n = 1; n <= 10; ++n) {
    term = -term * x2 / static_cast<double>((2 * n - 1) * (2 * n));
    sum += term;
  }
  return sum;
}

// The angle as a number of quarter turns and a rest of at most an eighth of a turn.
struct Reduced {
  int quarter;
  double rest;
};

Reduced Reduce(double quarters) {
  const double nearest = std::floor(quarters + 0.5);
  const double turns = std::floor(nearest / 4);
  return {static_cast<int>(nearest - 4 * turns), (quarters - nearest) * (kPi / 2)};
}

double SinOf(Reduced r) {
  switch (r.quarter) {
    case 0:
      return SinSeries(r.rest);
    case 1:
      return CosSeries(r.rest);
    case 2:
      return -SinSeries(r.rest);
    default:
      return -CosSeries(r.rest);
  }
}

}  // namespace

double Sin(double radians) { return SinOf(Reduce(radians / (kPi / 2))); }
double Cos(double radians) {
  Reduced r = Reduce(radians / (kPi / 2));
  r.quarter = (r.quarter + 1) % 4;
  return SinOf(r);
}

Quatd Turn(Vec3d axis, double degrees) {
  const Vec3d unit = Normalized(axis);
  Reduced half = Reduce(degrees / 180);
  const double s = SinOf(half);
  half.quarter = (half.quarter + 1) % 4;
  const double c = SinOf(half);
  // Adding zero turns a negative zero into a positive one: signs of dots then do not waver.
  return {unit.x * s + 0.0, unit.y * s + 0.0, unit.z * s + 0.0, c + 0.0};
}

Vec3f RoundedPoint(Vec3d p) {
  const auto rounded = [](double x) { return static_cast<float>(std::floor(x * 1e6 + 0.5) / 1e6); };
  return {rounded(p.x), rounded(p.y), rounded(p.z)};
}

Vec3f RoundedDirection(Vec3d d) { return RoundedPoint(d); }

double SmoothStep(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

std::uint32_t AddNode(Character& character, std::string name, std::int32_t parent,
                      Vec3d translation, Quatd rotation, Vec3d scale) {
  Node node;
  node.name = std::move(name);
  node.parent = parent;
  node.rest = {translation, rotation, scale};
  character.nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(character.nodes.size() - 1);
}

std::vector<Mat34d> RestWorld(const Character& character) {
  std::vector<Mat34d> world(character.nodes.size());
  for (std::size_t i = 0; i < world.size(); ++i) {
    const Node& node = character.nodes[i];
    world[i] = ToMat34(node.rest);
    if (node.parent != kNone) world[i] = world[static_cast<std::size_t>(node.parent)] * world[i];
  }
  return world;
}

Skin BindAtRest(const Character& character, std::string name, std::vector<std::uint32_t> joints) {
  const std::vector<Mat34d> world = RestWorld(character);
  Skin skin;
  skin.name = std::move(name);
  for (const std::uint32_t joint : joints) skin.joint_from_mesh.push_back(Inverse(world[joint]));
  skin.joints = std::move(joints);
  return skin;
}

void AddRun(Influences& influences, const std::vector<std::pair<std::uint32_t, double>>& run) {
  if (influences.offsets.empty()) influences.offsets.push_back(0);
  for (const auto& [joint, weight] : run) {
    if (weight == 0) continue;
    influences.joints.push_back(joint);
    influences.weights.push_back(static_cast<float>(weight));
  }
  influences.offsets.push_back(static_cast<std::uint32_t>(influences.joints.size()));
}

Channel RotationChannel(std::uint32_t node, double step, const std::vector<Quatd>& keys) {
  Channel channel;
  channel.path = ChannelPath::kRotation;
  channel.target = node;
  channel.components = 4;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    channel.times.push_back(static_cast<double>(k) * step);
    for (const double value : {keys[k].x, keys[k].y, keys[k].z, keys[k].w}) {
      channel.values.push_back(static_cast<float>(value));
    }
  }
  return channel;
}

Channel VectorChannel(ChannelPath path, std::uint32_t node, double step,
                      const std::vector<Vec3d>& keys) {
  Channel channel;
  channel.path = path;
  channel.target = node;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    channel.times.push_back(static_cast<double>(k) * step);
    for (const double value : {keys[k].x, keys[k].y, keys[k].z}) {
      channel.values.push_back(static_cast<float>(value));
    }
  }
  return channel;
}

std::vector<Vec3d> AverageNormals(const std::vector<Vec3d>& positions,
                                  const std::vector<std::uint32_t>& triangles) {
  std::vector<Vec3d> sums(positions.size());
  for (std::size_t t = 0; t + 2 < triangles.size(); t += 3) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t at = triangles[t + corner];
      const Vec3d a = positions[triangles[t + (corner + 1) % 3]] - positions[at];
      const Vec3d b = positions[triangles[t + (corner + 2) % 3]] - positions[at];
      // cross / (|a|^2 |b|^2): by angle and closeness, exact for vertices on a sphere, and without
      // a trigonometric function.
      const double scale = Dot(a, a) * Dot(b, b);
      if (scale > 0) sums[at] += Cross(a, b) / scale;
    }
  }
  for (Vec3d& n : sums) n = Normalized(n, {0, 1, 0});
  return sums;
}

Material MakeMaterial(std::string name, float r, float g, float b) {
  Material material;
  material.name = std::move(name);
  material.base_color = {r, g, b, 1};
  return material;
}

}  // namespace flexor::asset::sample
