// Small characters and pictures for the tests of this module.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/render/draw.h"

namespace flexor::render {

/// A character of one mesh, one instance and one material, with what Draw wants of it.
struct Scene {
  asset::Character character;

  asset::Mesh& mesh() { return character.meshes[0]; }
  asset::Material& material() { return character.materials[0]; }
  DrawMesh Drawn() const {
    return {0, character.meshes[0].positions, character.meshes[0].normals, {}};
  }
};

inline Scene MakeScene(std::vector<Vec3f> positions, std::vector<std::uint32_t> triangles) {
  Scene scene;
  asset::Mesh mesh;
  mesh.positions = std::move(positions);
  mesh.triangles = std::move(triangles);
  mesh.subsets = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), 0}};
  scene.character.meshes.push_back(std::move(mesh));
  scene.character.materials.emplace_back();
  asset::MeshInstance instance;
  instance.name = "thing";
  scene.character.instances.push_back(instance);
  return scene;
}

/// A triangle in the plane z = 0 about the origin, facing +Z.
inline Scene TriangleScene() { return MakeScene({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}, {0, 1, 2}); }

/// A square from -1 to 1 in the plane z = 0 with texture coordinates, v running down.
inline Scene SquareScene() {
  Scene scene = MakeScene({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {0, 1, 2, 0, 2, 3});
  scene.mesh().texcoords = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  return scene;
}

/// A ball of radius 1 with smooth normals.
inline Scene BallScene(int rows, Vec3f center = {}) {
  std::vector<Vec3f> positions, normals;
  std::vector<std::uint32_t> triangles;
  const int columns = 2 * rows;
  for (int i = 0; i <= rows; ++i) {
    for (int j = 0; j <= columns; ++j) {
      const double theta = std::numbers::pi * i / rows, phi = std::numbers::pi * j / rows;
      const Vec3f n = Cast<float>(
          Vec3d{std::sin(theta) * std::sin(phi), std::cos(theta), std::sin(theta) * std::cos(phi)});
      normals.push_back(n);
      positions.push_back(center + n);
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const auto a = static_cast<std::uint32_t>(i * (columns + 1) + j);
      const auto below = a + static_cast<std::uint32_t>(columns) + 1;
      triangles.insert(triangles.end(), {a, below, below + 1, a, below + 1, a + 1});
    }
  }
  Scene scene = MakeScene(std::move(positions), std::move(triangles));
  scene.mesh().normals = std::move(normals);
  return scene;
}

struct Rgba {
  int r = 0, g = 0, b = 0, a = 0;
  friend bool operator==(const Rgba&, const Rgba&) = default;
};

inline Rgba At(const Image& image, int x, int y) {
  const std::size_t i = (static_cast<std::size_t>(y) * image.width + x) * 4;
  return {image.rgba[i], image.rgba[i + 1], image.rgba[i + 2], image.rgba[i + 3]};
}

inline Image Filled(int width, int height, Rgba color) {
  Image image;
  image.width = width;
  image.height = height;
  for (int i = 0; i < width * height; ++i) {
    for (const int c : {color.r, color.g, color.b, color.a}) {
      image.rgba.push_back(static_cast<std::uint8_t>(c));
    }
  }
  return image;
}

/// Settings without anything around the subject: no ground, no background.
inline DrawSettings Bare(int side) {
  DrawSettings settings;
  settings.width = settings.height = side;
  settings.ground = false;
  settings.transparent_background = true;
  return settings;
}

/// A camera straight in front of the square from -1 to 1, which then fills a square picture
/// exactly.
inline Camera FrontCamera() {
  Camera camera;
  camera.eye = {0, 0, 4};
  camera.vertical_fov_degrees = 2 * std::atan(0.25) * 180 / std::numbers::pi;
  return camera;
}

}  // namespace flexor::render
