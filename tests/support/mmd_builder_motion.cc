#include "support/mmd_builder.h"

namespace flexor::test {
namespace {

// CP932, written out so that no codec of flexor's is in it.
constexpr char kCenter[] = "\x83\x5a\x83\x93\x83\x5e\x81\x5b";     // センター
constexpr char kLeftKnee[] = "\x8d\xb6\x82\xd0\x82\xb4";           // 左ひざ
constexpr char kLeftLegIk[] = "\x8d\xb6\x91\xab\x82\x68\x82\x6a";  // 左足ＩＫ
constexpr char kModelName[] = "\x8f\x89\x89\xb9\x83\x7e\x83\x4e";  // 初音ミク

void PmdBone(MmdBytes& b, int number, std::string_view name, int parent, int tail, int type, int ik,
             float x, float y) {
  b.Mark("bone " + std::to_string(number)).Field(name, 20);
  b.U16(static_cast<std::uint64_t>(parent & 0xffff)).U16(static_cast<std::uint64_t>(tail & 0xffff));
  b.U8(static_cast<std::uint64_t>(type)).U16(static_cast<std::uint64_t>(ik & 0xffff)).F({x, y, 0});
}

void PmdVertex(MmdBytes& b, float x, int bone_a, int bone_b, int percent, int no_edge) {
  b.F({x, 1, 2, 0, 1, 0, 0.5f, 0.25f}).U16(static_cast<std::uint64_t>(bone_a));
  b.U16(static_cast<std::uint64_t>(bone_b)).U8(static_cast<std::uint64_t>(percent));
  b.U8(static_cast<std::uint64_t>(no_edge));
}

void PmdMaterial(MmdBytes& b, float alpha, int toon, int edge, int count, std::string_view file) {
  b.F({1, 0.5f, 0.25f, alpha}).F({7}).F({0.1f, 0.2f, 0.3f}).F({0.4f, 0.5f, 0.6f});
  b.U8(static_cast<std::uint64_t>(toon & 0xff)).U8(static_cast<std::uint64_t>(edge));
  b.I32(count).Field(file, 20);
}

}  // namespace

MmdBytes FullPmd() {
  MmdBytes b;
  b.Raw("Pmd").F({1}).Field(kModelName, 20).Field("comment", 256);
  b.Mark("vertices").I32(4).Mark("vertex 0");
  PmdVertex(b, 0, 0, 1, 100, 0);
  b.Mark("vertex 1");
  PmdVertex(b, 1, 1, 0, 75, 1);
  PmdVertex(b, 2, 2, 2, 0, 0);
  PmdVertex(b, 3, 0, 0xffff, 50, 0);
  b.Mark("faces").I32(9).Mark("face index 0");
  for (const int index : {0, 1, 2, 2, 1, 3, 3, 0, 1}) b.U16(static_cast<std::uint64_t>(index));
  b.Mark("materials").I32(3);
  PmdMaterial(b, 1, 0, 1, 3, "body.bmp*shine.SPH");
  PmdMaterial(b, 0.98f, 1, 0, 3, "glow.spa");
  PmdMaterial(b, 0.5f, -1, 0, 3, "");

  b.Mark("bones").U16(11);
  PmdBone(b, 0, kCenter, -1, 1, 1, 0, 0, 0);     // 0 moves
  PmdBone(b, 1, "leg", 0, 2, 4, 0, 1, 10);       // 1 under IK
  PmdBone(b, 2, kLeftKnee, 1, 3, 4, 0, 1, 5);    // 2 knee
  PmdBone(b, 3, "ankle", 2, 0, 6, 0, 1, 0);      // 3 IK target
  PmdBone(b, 4, kLeftLegIk, 0, -1, 2, 0, 1, 0);  // 4 IK
  PmdBone(b, 5, "twist", 1, 2, 8, 0, 1, 8);      // 5 twists along (0, -1, 0)
  PmdBone(b, 6, "follow", 0, 1, 9, 50, 2, 10);   // 6 follows the leg by half
  PmdBone(b, 7, "under", 0, 0, 5, 2, 3, 10);     // 7 turns as the knee
  PmdBone(b, 8, "hidden", 6, 0, 7, 0, 3, 0);     // 8 child of a follower
  PmdBone(b, 9, "plain", 0, 99, 0, 0, 3, 0);     // 9 its tail is not there
  PmdBone(b, 10, "toe", 4, 0, 2, 0, 1, 0);       // 10 IK below the other
  b.Mark("IK chains").U16(3);
  b.Mark("IK chain 0").U16(10).U16(3).U8(1).U16(3).F({1}).U16(2);
  b.Mark("IK chain 1").U16(4).U16(3).U8(2).U16(40).F({0.5f}).Mark("IK chain 1 link").U16(2).U16(1);
  b.Mark("IK chain 2").U16(4).U16(2).U8(1).U16(10).F({0.25f}).U16(1);

  b.Mark("morphs").U16(3);
  b.Field("base", 20).Mark("morph 0 count").I32(2).Mark("morph 0 panel").U8(0);
  b.Mark("morph 0 entry").I32(3).F({3, 1, 2}).I32(1).F({1, 1, 2});
  b.Field("smile", 20)
      .I32(2)
      .U8(3)
      .Mark("morph 1 entry")
      .I32(0)
      .F({0, 0.5f, 0})
      .I32(1)
      .F({0, 0, 1});
  b.Field("blink", 20).I32(1).U8(2).Mark("morph 2 entry").I32(1).F({0, -1, 0});

  b.Mark("display lists").U8(2).U16(2).U16(1);
  b.U8(1).Field("arms\n", 50);
  b.I32(3).U16(0).U8(0).U16(1).U8(1).U16(2).U8(1);

  b.Mark("English names").U8(1).Field("Miku", 20).Field("comment en", 256);
  for (const char* name : {"center", "leg", "knee L", "ankle", "leg IK L", "twist", "follow",
                           "under", "hidden", "plain", "toe IK"}) {
    b.Field(name, 20);
  }
  b.Field("Smile", 20).Field("Blink", 20).Field("Arms", 50);
  b.Mark("toon textures");
  for (int i = 0; i < 10; ++i) b.Field(i == 0 ? "TOON03.bmp" : i == 1 ? "own.bmp" : "", 100);

  b.Mark("rigid bodies").I32(2);
  for (int i = 0; i < 2; ++i) {
    b.Mark("rigid body " + std::to_string(i)).Field("body", 20).U16(i == 0 ? 1 : 0xffff);
    b.U8(static_cast<std::uint64_t>(i)).U16(0xfffe).U8(2).F({0.5f, 2, 0}).F({0.5f, -1, 0});
    b.F({0, 0, 1}).F({1, 0.5f, 0.25f, 0, 0.75f}).U8(1);
  }
  b.Mark("joints").I32(1).Mark("joint 0").Field("joint", 20).Mark("joint 0 bodies").I32(0).I32(1);
  b.Mark("joint 0 numbers").F({1, 2, 3}).F({0, 0, 0}).F({0, 0, 0}).F({1, 1, 1});
  b.F({0.5f, 0, 0}).F({-0.5f, 0, 0}).F({1, 2, 3}).F({4, 5, 6});
  return b.Mark("end");
}

MmdBytes FullVmd(bool old_signature) {
  MmdBytes b;
  b.Field(old_signature ? "Vocaloid Motion Data file" : "Vocaloid Motion Data 0002", 30);
  // Garbage after the NUL, as real files have it.
  const std::string name =
      std::string(kModelName) + '\0' + "\xfd\xfd\xfd\xfd\xfd\xfd\xfd\xfd\xfd\xfd\xfd";
  b.Field(name, old_signature ? 10 : 20);
  b.Mark("bone keys").I32(2);
  for (int i = 0; i < 2; ++i) {
    b.Mark("bone key " + std::to_string(i))
        .Field(i == 0 ? kCenter : kLeftKnee, 15)
        .I32(30 - 10 * i);
    b.F({1, 2, 3}).F({0, 0, 0, static_cast<float>(i)});
    // X 1 2 3 4, Y 5 6 7 8, Z 9 10 11 12, R 13 14 15 16 as x1 y1 x2 y2; the switch in row 0.
    const std::uint8_t list[16] = {1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 4, 8, 12, 16};
    for (int row = 0; row < 4; ++row) {
      for (int k = 0; k < 16; ++k) {
        std::uint8_t value = row + k < 16 ? list[row + k] : 0;
        if (row == 0 && k == 2) value = i == 0 ? 0x63 : 0;
        if (row == 0 && k == 3) value = i == 0 ? 0x0f : 0;
        b.U8(value);
      }
    }
  }
  b.Mark("morph keys").I32(2);
  b.Field("\x82\xa0", 15).I32(5).F({0.5f}).Field("\x82\xa0", 15).I32(5).F({1});
  b.Mark("camera keys").I32(2);
  for (int i = 0; i < 2; ++i) {
    b.I32(i).F({-45}).F({0, 10, 0}).F({0.1f, 0.2f, 0.3f});
    for (int k = 0; k < 24; ++k) b.U8(static_cast<std::uint64_t>(k + 1));
    b.I32(30 + i).U8(static_cast<std::uint64_t>(i));
  }
  b.Mark("light keys").I32(2);
  for (int i = 0; i < 2; ++i) b.I32(7 * i).F({0.6f, 0.5f, 0.4f}).F({-0.5f, -1, 0.5f});
  b.Mark("self shadow keys").I32(2);
  for (int i = 0; i < 2; ++i) b.I32(i).U8(static_cast<std::uint64_t>(i + 1)).F({0.01125f});
  b.Mark("property keys").I32(2);
  b.I32(0).U8(1).I32(2).Field(kLeftLegIk, 20).U8(1).Field("toe", 20).U8(0);
  b.I32(99).U8(0).Mark("property 1 iks").I32(0);
  return b.Mark("end");
}

}  // namespace flexor::test
