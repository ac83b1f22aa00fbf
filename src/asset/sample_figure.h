/// @file asset/sample_figure.h
/// Private parts of the figure: skeleton, body, clips, morphs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "flexor/asset/character.h"

#include "asset/sample_hand.h"

namespace flexor::asset::sample {

/// Joints of one side; index 0 is left (+X), 1 right (-X).
struct FigureSide {
  std::uint32_t clavicle, upper_arm, upper_arm_twist, forearm, forearm_twist, hand;
  std::array<std::array<std::uint32_t, 3>, 5> fingers;
  std::uint32_t thigh, thigh_twist, shin, foot, toes, eye;
};

/// Node indices of the figure, which are also its joint indices.
struct FigureJoints {
  std::uint32_t root, hips, spine, chest, upper_chest, neck, head, jaw;
  std::array<FigureSide, 2> sides;
  std::uint32_t count;
};

/// Positions that skeleton, body and clips share, metres, for the left side.
struct FigurePlaces {
  static constexpr double kHips = 0.93, kSpine = 1.02, kChest = 1.14, kUpperChest = 1.27;
  static constexpr double kNeck = 1.42, kHead = 1.50;
  static constexpr Vec3d kShoulder{0.165, 1.375, -0.015};
  static constexpr Vec3d kElbow{0.358, 1.189, -0.026};
  static constexpr Vec3d kWrist{0.533, 1.019, -0.008};
  static constexpr Vec3d kThigh{0.090, 0.885, 0.0};
  static constexpr Vec3d kKnee{0.103, 0.480, 0.012};
  static constexpr Vec3d kAnkle{0.112, 0.082, -0.022};
  static constexpr Vec3d kToes{0.125, 0.028, 0.100};
  static constexpr Vec3d kEye{0.0315, 1.5895, 0.0690};
  static constexpr double kEyeRadius = 0.0145;
  static constexpr Vec3d kLid{0, 0.0092, -0.0008};
  static constexpr double kLidRadius = 0.0137;
};

/// A left-side place on the given side.
inline Vec3d OnSide(Vec3d left, std::size_t side) {
  return side == 0 ? left : Vec3d{-left.x, left.y, left.z};
}

/// The hand of a side, as it hangs in the rest pose.
HandFrame FigureHand(std::size_t side);

/// Appends all joints to an empty character. Rest rotations are the identity: the axes of every
/// joint are those of the model.
FigureJoints AddFigureJoints(Character& character);

/// The body's shape; bones are joint indices.
std::vector<Part> FigureParts(const FigureJoints& joints);

/// How far the weights flow where each joint's skin is, (joints.count).
std::vector<double> FigureSoftness(const FigureJoints& joints);

/// Clothes, hair and lips.
enum FigureMaterial : std::int32_t {
  kSkinMaterial,
  kShirtMaterial,
  kShortsMaterial,
  kShoesMaterial,
  kHairMaterial,
  kLipsMaterial,
  kEyeMaterial,
  kIrisMaterial,
  kFigureMaterials,
};
FigureMaterial FigureMaterialAt(Vec3d p);
/// Functions whose zero lines part the materials.
std::vector<double (*)(Vec3d)> FigureSeams();
/// How far cloth and hair stand off the body at a point of its skin, metres.
double FigureThickness(Vec3d p);

std::vector<Morph> FigureMorphs(const Mesh& mesh);

Clip FigureWalk(const Character& character, const FigureJoints& joints);
Clip FigureWave(const Character& character, const FigureJoints& joints);

}  // namespace flexor::asset::sample
