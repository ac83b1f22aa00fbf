// The figure's shape, and what it wears.
#include <algorithm>
#include <cmath>

#include "asset/sample_build.h"
#include "asset/sample_figure.h"

namespace flexor::asset::sample {
namespace {

using P = FigurePlaces;

// Collects blobs with few words; left-side places are mirrored for the right.
class PartBuilder {
 public:
  PartBuilder(std::size_t side, double blend) : side_(side) { part_.blend = blend; }

  PartBuilder& Add(std::uint32_t bone, Vec3d a, Vec3d b, double ra, double rb, double blend) {
    Blob blob;
    blob.a = OnSide(a, side_);
    blob.b = OnSide(b, side_);
    blob.radius_a = ra;
    blob.radius_b = rb;
    blob.blend = blend;
    blob.bone = bone;
    part_.blobs.push_back(blob);
    return *this;
  }
  /// Makes the last blob flatter along an axis.
  PartBuilder& Flat(Vec3d axis, double flat) {
    part_.blobs.back().flat_axis = OnSide(Normalized(axis), side_);
    part_.blobs.back().flat = flat;
    return *this;
  }
  /// Takes the last blob away instead of adding it.
  PartBuilder& Carve() {
    part_.blobs.back().carve = true;
    return *this;
  }
  Part Done() { return part_; }

 private:
  std::size_t side_;
  Part part_;
};

Part Torso(const FigureJoints& j) {
  PartBuilder b(0, 0.03);
  constexpr Vec3d kFront{0, 0, 1};
  b.Add(j.hips, {-0.070, 0.915, -0.008}, {0.070, 0.915, -0.008}, 0.105, 0.105, 0.03)
      .Flat(kFront, 0.86);
  b.Add(j.hips, {-0.062, 0.895, -0.045}, {0.062, 0.895, -0.045}, 0.080, 0.080, 0.05);
  b.Add(j.spine, {-0.046, 1.040, 0.002}, {0.046, 1.040, 0.002}, 0.095, 0.095, 0.07)
      .Flat(kFront, 0.82);
  b.Add(j.chest, {-0.052, 1.160, 0.0}, {0.052, 1.160, 0.0}, 0.102, 0.102, 0.07).Flat(kFront, 0.82);
  b.Add(j.upper_chest, {-0.070, 1.270, -0.004}, {0.070, 1.270, -0.004}, 0.105, 0.105, 0.06)
      .Flat(kFront, 0.86);
  b.Add(j.upper_chest, {-0.100, 1.340, -0.016}, {0.100, 1.340, -0.016}, 0.068, 0.068, 0.06);
  b.Add(j.upper_chest, {-0.060, 1.285, 0.048}, {-0.058, 1.283, 0.048}, 0.060, 0.060, 0.05);
  b.Add(j.upper_chest, {0.060, 1.285, 0.048}, {0.058, 1.283, 0.048}, 0.060, 0.060, 0.05);
  // From the neck down to the shoulders.
  for (std::size_t s = 0; s < 2; ++s) {
    b.Add(j.sides[s].clavicle, OnSide({0.035, 1.405, -0.026}, s), OnSide({0.130, 1.380, -0.020}, s),
          0.044, 0.046, 0.06);
  }
  b.Add(j.neck, {0, 1.385, -0.024}, {0, 1.500, -0.008}, 0.058, 0.051, 0.045);
  return b.Done();
}

Part Head(const FigureJoints& j) {
  PartBuilder b(0, 0.022);
  constexpr Vec3d kSide{1, 0, 0};
  // Skull and face, then cheeks, jaw and chin.
  b.Add(j.head, {0, 1.598, -0.020}, {0, 1.618, -0.012}, 0.088, 0.086, 0.03).Flat(kSide, 0.86);
  b.Add(j.head, {0, 1.552, 0.026}, {0, 1.602, 0.028}, 0.058, 0.060, 0.035);
  b.Add(j.jaw, {0, 1.522, 0.036}, {0, 1.513, 0.057}, 0.042, 0.029, 0.035);
  b.Add(j.head, {-0.036, 1.556, 0.052}, {0.036, 1.556, 0.052}, 0.026, 0.026, 0.03);
  // Eye sockets, nose, lips.
  for (std::size_t s = 0; s < 2; ++s) {
    b.Add(j.head, OnSide({0.027, 1.590, 0.097}, s), OnSide({0.037, 1.590, 0.094}, s), 0.0155,
          0.0145, 0.012)
        .Carve();
  }
  b.Add(j.head, {0, 1.596, 0.082}, {0, 1.560, 0.100}, 0.0085, 0.0120, 0.014);
  b.Add(j.head, {-0.011, 1.556, 0.092}, {0.011, 1.556, 0.092}, 0.0085, 0.0085, 0.010);
  b.Add(j.jaw, {-0.015, 1.527, 0.0755}, {0.015, 1.527, 0.0755}, 0.0100, 0.0100, 0.008);
  return b.Done();
}

Part Ear(const FigureJoints& j, std::size_t s) {
  return PartBuilder(s, 0.008)
      .Add(j.head, {0.079, 1.598, -0.006}, {0.075, 1.570, 0.000}, 0.020, 0.015, 0.01)
      .Flat({1, 0.1, -0.35}, 0.5)
      .Done();
}

Part Arm(const FigureJoints& j, std::size_t s) {
  const FigureSide& side = j.sides[s];
  PartBuilder b(s, 0.04);
  const Vec3d upper = P::kElbow - P::kShoulder, fore = P::kWrist - P::kElbow;
  const auto on_upper = [&](double t, Vec3d off) { return P::kShoulder + upper * t + off; };
  const auto on_fore = [&](double t, Vec3d off) { return P::kElbow + fore * t + off; };
  b.Add(side.upper_arm, on_upper(-0.05, {}), on_upper(0.5, {}), 0.047, 0.039, 0.02);
  b.Add(side.upper_arm_twist, on_upper(0.5, {}), on_upper(1, {}), 0.039, 0.034, 0.02);
  b.Add(side.upper_arm, on_upper(0.10, {0.012, 0.004, 0}), on_upper(0.25, {0.008, 0.006, 0}), 0.044,
        0.037, 0.03);
  // Biceps in front, triceps behind.
  b.Add(side.upper_arm, on_upper(0.38, {0, 0, 0.016}), on_upper(0.5, {0, 0, 0.017}), 0.032, 0.033,
        0.03);
  b.Add(side.upper_arm_twist, on_upper(0.5, {0, 0, 0.017}), on_upper(0.72, {0, 0, 0.012}), 0.033,
        0.028, 0.03);
  b.Add(side.upper_arm, on_upper(0.3, {0, 0, -0.014}), on_upper(0.5, {0, 0, -0.015}), 0.034, 0.034,
        0.03);
  b.Add(side.forearm, on_fore(0, {}), on_fore(0.5, {}), 0.034, 0.031, 0.03);
  b.Add(side.forearm, on_fore(0.14, {0, 0, 0.012}), on_fore(0.46, {0, 0, 0.008}), 0.027, 0.023,
        0.03);
  b.Add(side.forearm, on_fore(0.14, {0, 0, -0.012}), on_fore(0.46, {0, 0, -0.008}), 0.027, 0.023,
        0.03);
  b.Add(side.forearm_twist, on_fore(0.5, {}), on_fore(1, {}), 0.031, 0.025, 0.03);
  return b.Done();
}

Part Leg(const FigureJoints& j, std::size_t s) {
  const FigureSide& side = j.sides[s];
  PartBuilder b(s, 0.035);
  const Vec3d thigh = P::kKnee - P::kThigh, shin = P::kAnkle - P::kKnee;
  const auto on_thigh = [&](double t, Vec3d off) { return P::kThigh + thigh * t + off; };
  const auto on_shin = [&](double t, Vec3d off) { return P::kKnee + shin * t + off; };
  b.Add(side.thigh, on_thigh(0, {0.004, 0, -0.006}), on_thigh(0.5, {0, 0, 0}), 0.088, 0.072, 0.03);
  b.Add(side.thigh_twist, on_thigh(0.5, {}), on_thigh(1, {0, 0, -0.004}), 0.072, 0.050, 0.03);
  b.Add(side.thigh_twist, on_thigh(0.40, {0, 0, 0.012}), on_thigh(0.80, {0, 0, 0.010}), 0.058,
        0.046, 0.04);
  // The knee, the calf behind, and the shin down to the ankle.
  b.Add(side.shin, on_shin(-0.02, {0, 0, 0.008}), on_shin(0.06, {0, 0, 0.008}), 0.043, 0.042, 0.03);
  b.Add(side.shin, on_shin(0.04, {}), on_shin(1, {0, 0, 0}), 0.046, 0.028, 0.03);
  b.Add(side.shin, on_shin(0.22, {0.004, 0, -0.018}), on_shin(0.42, {0.002, 0, -0.014}), 0.046,
        0.038, 0.05);
  return b.Done();
}

Part Foot(const FigureJoints& j, std::size_t s) {
  const FigureSide& side = j.sides[s];
  PartBuilder b(s, 0.03);
  constexpr Vec3d kUp{0, 1, 0};
  b.Add(side.foot, {0.110, 0.046, -0.050}, {0.113, 0.052, -0.020}, 0.040, 0.040, 0.02);
  b.Add(side.foot, {0.112, 0.056, -0.010}, {0.120, 0.036, 0.075}, 0.040, 0.040, 0.03);
  b.Add(side.foot, {0.113, 0.034, 0.030}, {0.122, 0.034, 0.085}, 0.040, 0.045, 0.02)
      .Flat(kUp, 0.72);
  b.Add(side.toes, {0.122, 0.034, 0.095}, {0.126, 0.032, 0.135}, 0.045, 0.038, 0.02)
      .Flat(kUp, 0.72);
  return b.Done();
}

// ---- what it wears -----------------------------------------------------------------------------

// Zero on the edge of a garment; the name says where it is positive. Far from where the edge could
// be each holds to one side, so that hands and hips do not mix.
double AboveHem(Vec3d p) { return std::abs(p.x) < 0.30 ? p.y - 0.955 : 1; }
double BeyondSleeve(Vec3d p) {
  if (std::abs(p.x) < 0.205 || p.y < 1.0) return std::abs(p.x) < 0.3 ? -1 : 1;
  const Vec3d along = Normalized(P::kElbow - P::kShoulder);
  return Dot(Vec3d{std::abs(p.x), p.y, p.z} - P::kShoulder, along) - 0.150;
}
double AboveCollar(Vec3d p) {
  return p.y > 1.3 ? p.y + 0.35 * p.z - 0.45 * std::abs(p.x) - 1.412 : -1;
}
double BelowShorts(Vec3d p) { return p.y < 0.75 ? 0.560 - p.y : -1; }
double AboveShoes(Vec3d p) { return p.y < 0.3 ? p.y - 0.20 * p.z - 0.105 : 1; }
double BeforeHair(Vec3d p) {
  if (p.y < 1.47) return 1;
  // From the forehead over the temples to the nape; the ears stay free.
  const double back = 0.030 - p.z;
  return 1.618 - p.y - std::clamp(back, -0.07, 0.12) * 0.85 + 0.25 * std::abs(p.x) +
         0.9 * std::max(0.0, p.z - 0.055) + 3 * std::max(0.0, std::abs(p.x) - 0.0765);
}
}  // namespace

std::vector<Part> FigureParts(const FigureJoints& joints) {
  std::vector<Part> parts{Torso(joints), Head(joints)};
  for (std::size_t s = 0; s < 2; ++s) {
    parts.push_back(Ear(joints, s));
    parts.push_back(Arm(joints, s));
    HandBones bones;
    bones.hand = joints.sides[s].hand;
    bones.fingers = joints.sides[s].fingers;
    AddHand(parts, FigureHand(s), bones);
    parts.push_back(Leg(joints, s));
    parts.push_back(Foot(joints, s));
  }
  return parts;
}

std::vector<double (*)(Vec3d)> FigureSeams() {
  return {&AboveHem, &BeyondSleeve, &AboveCollar, &BelowShorts, &AboveShoes, &BeforeHair};
}

FigureMaterial FigureMaterialAt(Vec3d p) {
  if (AboveCollar(p) > 0) return BeforeHair(p) < 0 ? kHairMaterial : kSkinMaterial;
  if (AboveShoes(p) < 0) return kShoesMaterial;
  if (BelowShorts(p) > 0 || BeyondSleeve(p) > 0) return kSkinMaterial;
  return AboveHem(p) > 0 ? kShirtMaterial : kShortsMaterial;
}

double FigureThickness(Vec3d p) {
  const auto inside = [](double outside, double full, double width) {
    return full * SmoothStep(0, width, -outside);
  };
  switch (FigureMaterialAt(p)) {
    case kShirtMaterial:
      return std::min({0.006, inside(-AboveHem(p), 0.007, 0.018),
                       inside(BeyondSleeve(p), 0.006, 0.018),
                       inside(AboveCollar(p), 0.006, 0.018)});
    case kShortsMaterial:
      return inside(BelowShorts(p), 0.006, 0.018);
    case kShoesMaterial:
      return inside(AboveShoes(p), 0.006, 0.018);
    case kHairMaterial:
      return inside(BeforeHair(p), 0.014, 0.03);
    default:
      return 0;
  }
}

}  // namespace flexor::asset::sample
