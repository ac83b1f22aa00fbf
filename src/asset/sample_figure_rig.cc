// The figure's skeleton.
#include "asset/sample_build.h"
#include "asset/sample_figure.h"

namespace flexor::asset::sample {

HandFrame FigureHand(std::size_t side) {
  // The palm looks at the thigh and a little back, the thumb forward.
  const Vec3d along =
      Normalized(FigurePlaces::kWrist - FigurePlaces::kElbow + Vec3d{-0.02, -0.02, 0.0});
  const Vec3d palm = Normalized(Cross(along, Vec3d{-0.1, 0, 1}));
  HandFrame left{FigurePlaces::kWrist, along, palm, Cross(palm, along)};
  if (side == 0) return left;
  return {OnSide(left.wrist, 1), OnSide(left.along, 1), OnSide(left.palm, 1),
          OnSide(left.thumb, 1)};
}

FigureJoints AddFigureJoints(Character& character) {
  using P = FigurePlaces;
  FigureJoints j{};
  std::vector<Vec3d> world;
  const auto add = [&](const std::string& name, std::int32_t parent, Vec3d place) {
    const Vec3d origin = parent == kNone ? Vec3d{} : world[static_cast<std::size_t>(parent)];
    world.push_back(place);
    return AddNode(character, name, parent, place - origin);
  };
  const auto under = [](std::uint32_t node) { return static_cast<std::int32_t>(node); };
  j.root = add("root", kNone, {0, 0, 0});
  j.hips = add("hips", under(j.root), {0, P::kHips, 0});
  j.spine = add("spine", under(j.hips), {0, P::kSpine, -0.005});
  j.chest = add("chest", under(j.spine), {0, P::kChest, -0.012});
  j.upper_chest = add("upper_chest", under(j.chest), {0, P::kUpperChest, -0.016});
  j.neck = add("neck", under(j.upper_chest), {0, P::kNeck, -0.022});
  j.head = add("head", under(j.neck), {0, P::kHead, -0.006});
  j.jaw = add("jaw", under(j.head), {0, 1.555, 0.008});
  constexpr const char* kFingerNames[5] = {"thumb", "index", "middle", "ring", "little"};
  for (std::size_t s = 0; s < 2; ++s) {
    FigureSide& side = j.sides[s];
    const std::string end = s == 0 ? "_L" : "_R";
    const auto at = [&](Vec3d left) { return OnSide(left, s); };
    side.eye = add("eye" + end, under(j.head), at(P::kEye));
    side.clavicle = add("clavicle" + end, under(j.upper_chest), at({0.028, 1.375, 0.012}));
    side.upper_arm = add("upper_arm" + end, under(side.clavicle), at(P::kShoulder));
    side.upper_arm_twist =
        add("upper_arm_twist" + end, under(side.upper_arm), at((P::kShoulder + P::kElbow) * 0.5));
    side.forearm = add("forearm" + end, under(side.upper_arm), at(P::kElbow));
    side.forearm_twist =
        add("forearm_twist" + end, under(side.forearm), at((P::kElbow + P::kWrist) * 0.5));
    side.hand = add("hand" + end, under(side.forearm), at(P::kWrist));
    const std::array<FingerJoints, 5> fingers = PlaceFingers(FigureHand(s));
    for (std::size_t f = 0; f < 5; ++f) {
      std::uint32_t parent = side.hand;
      for (std::size_t k = 0; k < 3; ++k) {
        parent = add(std::string(kFingerNames[f]) + "_" + std::to_string(k + 1) + end,
                     under(parent), fingers[f][k]);
        side.fingers[f][k] = parent;
      }
    }
    side.thigh = add("thigh" + end, under(j.hips), at(P::kThigh));
    side.thigh_twist =
        add("thigh_twist" + end, under(side.thigh), at((P::kThigh + P::kKnee) * 0.5));
    side.shin = add("shin" + end, under(side.thigh), at(P::kKnee));
    side.foot = add("foot" + end, under(side.shin), at(P::kAnkle));
    side.toes = add("toes" + end, under(side.foot), at(P::kToes));
  }
  j.count = static_cast<std::uint32_t>(world.size());
  return j;
}

std::vector<double> FigureSoftness(const FigureJoints& j) {
  std::vector<double> softness(j.count, 0.8);
  for (const std::uint32_t joint : {j.head, j.jaw}) softness[joint] = 0.5;
  for (const FigureSide& side : j.sides) {
    for (const std::uint32_t joint :
         {side.forearm, side.forearm_twist, side.upper_arm_twist, side.shin, side.foot}) {
      softness[joint] = 0.6;
    }
    softness[side.hand] = 0.35;
    softness[side.toes] = 0.4;
    for (const auto& finger : side.fingers) {
      for (const std::uint32_t joint : finger) softness[joint] = 0.12;
    }
  }
  return softness;
}

}  // namespace flexor::asset::sample
