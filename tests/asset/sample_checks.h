/// @file tests/asset/sample_checks.h
/// What every built-in sample must hold, and a plain deformer to look at them with.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "flexor/asset/sample.h"
#include "flexor/core/digest.h"
#include "flexor/pose/palette.h"
#include "flexor/pose/pose.h"

namespace flexor::test {

/// The number of times each edge is met in the direction of its triangle without being met once in
/// the other: 0 for a closed surface of one winding.
inline std::size_t OpenEdges(const std::vector<std::uint32_t>& triangles) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> seen;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    for (std::size_t k = 0; k < 3; ++k) {
      ++seen[{triangles[t + k], triangles[t + (k + 1) % 3]}];
    }
  }
  std::size_t open = 0;
  for (const auto& [edge, count] : seen) {
    const auto back = seen.find({edge.second, edge.first});
    if (count != 1 || back == seen.end() || back->second != 1) ++open;
  }
  return open;
}

/// Positive when the triangles are counter-clockwise seen from outside.
inline double SignedVolume(const std::vector<Vec3f>& positions,
                           const std::vector<std::uint32_t>& triangles) {
  double volume = 0;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    const Vec3d a = Cast<double>(positions[triangles[t]]);
    const Vec3d b = Cast<double>(positions[triangles[t + 1]]);
    const Vec3d c = Cast<double>(positions[triangles[t + 2]]);
    volume += Dot(a, Cross(b, c)) / 6;
  }
  return volume;
}

/// One number for everything that a deformation of the sample depends on.
inline std::uint64_t DigestOfSample(const asset::Character& c) {
  std::uint64_t digest = 0xcbf29ce484222325ull;
  const auto add = [&](const auto& values) {
    digest = DigestOf(std::span(values.data(), values.size()), digest);
  };
  for (const asset::Node& node : c.nodes) {
    const Transform& t = node.rest;
    add(std::vector<double>{t.translation.x, t.translation.y, t.translation.z, t.rotation.x,
                            t.rotation.y, t.rotation.z, t.rotation.w, t.scale.x, t.scale.y,
                            t.scale.z});
  }
  for (const asset::Mesh& mesh : c.meshes) {
    add(mesh.positions);
    add(mesh.normals);
    add(mesh.texcoords);
    add(mesh.triangles);
    add(mesh.influences.offsets);
    add(mesh.influences.joints);
    add(mesh.influences.weights);
    add(mesh.sdef.vertices);
    add(mesh.sdef.joints);
    add(mesh.sdef.weights);
    add(mesh.sdef.centers);
    add(mesh.sdef.r0);
    add(mesh.sdef.r1);
    for (const asset::Morph& morph : mesh.morphs) {
      add(morph.vertices);
      add(morph.positions);
      add(morph.normals);
    }
  }
  for (const asset::Clip& clip : c.clips) {
    for (const asset::Channel& channel : clip.channels) {
      add(channel.times);
      add(channel.values);
    }
  }
  return digest;
}

/// Linear blending in double, written to be obviously right, at one time of one clip.
inline std::vector<Vec3d> BlendLinear(const asset::Character& c, std::uint32_t clip,
                                      double seconds) {
  pose::Pose pose = pose::RestPose(c);
  pose::SampleClip(c.clips[clip], seconds, pose);
  std::vector<Mat34d> world;
  pose::ComputeModelSpace(c, pose, world);
  pose::Palette palette;
  pose::ComputePalette(c, c.instances[0], world, palette);
  const asset::Mesh& mesh = c.meshes[c.instances[0].mesh];
  std::vector<Vec3d> out;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3d p = Cast<double>(mesh.positions[v]);
    Vec3d moved{};
    for (std::uint32_t i = mesh.influences.offsets[v]; i < mesh.influences.offsets[v + 1]; ++i) {
      moved += TransformPoint(palette[mesh.influences.joints[i]], p) *
               static_cast<double>(mesh.influences.weights[i]);
    }
    if (mesh.influences.offsets[v] == mesh.influences.offsets[v + 1]) moved = p;
    out.push_back(moved);
  }
  return out;
}

}  // namespace flexor::test
