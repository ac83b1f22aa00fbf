#include "support/mmd_builder.h"

namespace flexor::test {

using namespace io::mmd;

void MmdBytes::Patch(const std::string& name, std::uint64_t value, int width, std::size_t skip) {
  const std::size_t place = at.at(name) + skip;
  for (int i = 0; i < width; ++i) {
    bytes.at(place + static_cast<std::size_t>(i)) = static_cast<std::byte>(value >> (8 * i) & 0xff);
  }
}

namespace {

/// Adds texts and indices as a PMX stores them.
class PmxBytes {
 public:
  explicit PmxBytes(const PmxStorage& storage) : s_(storage) {}

  PmxBytes& Text(std::u16string_view text) {
    if (s_.encoding == PmxEncoding::kUtf16) {
      b_.I32(static_cast<std::int64_t>(2 * text.size()));
      for (const char16_t unit : text) b_.U16(unit);
      return *this;
    }
    std::string utf8;  // the texts of the fixture stay below U+10000
    for (const char16_t unit : text) {
      if (unit < 0x80) {
        utf8 += static_cast<char>(unit);
      } else if (unit < 0x800) {
        utf8 += static_cast<char>(0xc0 | unit >> 6);
        utf8 += static_cast<char>(0x80 | (unit & 0x3f));
      } else {
        utf8 += static_cast<char>(0xe0 | unit >> 12);
        utf8 += static_cast<char>(0x80 | (unit >> 6 & 0x3f));
        utf8 += static_cast<char>(0x80 | (unit & 0x3f));
      }
    }
    b_.I32(static_cast<std::int64_t>(utf8.size())).Raw(utf8);
    return *this;
  }
  PmxBytes& Names(std::u16string_view name, std::u16string_view english) {
    return Text(name).Text(english);
  }
  PmxBytes& Index(int value, std::uint8_t width) {
    b_.Int(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), width);
    return *this;
  }
  PmxBytes& V(int value) { return Index(value, s_.widths.vertex); }
  PmxBytes& T(int value) { return Index(value, s_.widths.texture); }
  PmxBytes& M(int value) { return Index(value, s_.widths.material); }
  PmxBytes& B(int value) { return Index(value, s_.widths.bone); }
  PmxBytes& Morph(int value) { return Index(value, s_.widths.morph); }
  PmxBytes& Body(int value) { return Index(value, s_.widths.body); }
  PmxBytes& F(std::initializer_list<float> values) {
    b_.F(values);
    return *this;
  }
  PmxBytes& U8(int value) {
    b_.U8(static_cast<std::uint64_t>(value));
    return *this;
  }
  PmxBytes& U16(int value) {
    b_.U16(static_cast<std::uint64_t>(value));
    return *this;
  }
  PmxBytes& I32(std::int64_t value) {
    b_.I32(value);
    return *this;
  }
  PmxBytes& Mark(const std::string& name) {
    b_.Mark(name);
    return *this;
  }

  void Header();
  void Mesh();
  void Bones();
  void Morphs();
  void FramesAndPhysics();
  MmdBytes Take() { return std::move(b_); }

 private:
  void Vertex(int number, float x);

  PmxStorage s_;
  MmdBytes b_;
};

void PmxBytes::Header() {
  b_.Raw("PMX ").Mark("version").F({s_.version == PmxVersion::k20 ? 2.0f : 2.1f});
  Mark("globals").U8(8).U8(static_cast<int>(s_.encoding)).U8(s_.uvs);
  U8(s_.widths.vertex).U8(s_.widths.texture).U8(s_.widths.material);
  U8(s_.widths.bone).U8(s_.widths.morph).U8(s_.widths.body);
  Mark("name").Names(u"全部", u"Full").Names(u"コメント\r\n二行", u"Comment");
}

/// What all vertices begin with.
void PmxBytes::Vertex(int number, float x) {
  Mark("vertex " + std::to_string(number)).F({x, 1, 2});
  Mark("vertex " + std::to_string(number) + " normal").F({0, 1, 0}).F({0.25f, 0.75f});
  for (int uv = 0; uv < s_.uvs; ++uv) F({x, static_cast<float>(uv), 0.5f, -1});
  Mark("vertex " + std::to_string(number) + " type");
}

void PmxBytes::Mesh() {
  Mark("vertices").I32(5);
  Vertex(0, 0);
  U8(0).Mark("vertex 0 bone").B(0).F({1});
  Vertex(1, 1);
  U8(1).B(1).B(0).Mark("vertex 1 weight").F({0.75f}).F({0.5f});
  Vertex(2, 2);
  U8(2).B(0).B(1).B(2).B(-1).F({0.5f, 0.25f, 0.125f, 0.5f}).F({0});
  Vertex(3, 3);
  U8(3)
      .B(2)
      .B(3)
      .F({0.625f})
      .Mark("vertex 3 sdef")
      .F({0, 1, 0})
      .F({0, 0.5f, 0})
      .F({0, 1.5f, 0})
      .F({1});
  Vertex(4, 4);
  U8(4).B(0).B(1).B(2).B(3).F({0.1f, 0.2f, 0.3f, 0.4f}).F({1});

  Mark("faces").I32(6).Mark("face index 0").V(0).V(1).V(2).V(2).V(1).V(4);
  Mark("textures").I32(2).Text(u"tex\\顔.png").Text(u"sphere.SPA");

  Mark("materials").I32(2);
  Mark("material 0").Names(u"肌", u"Skin").Mark("material 0 diffuse").F({1, 0.5f, 0.25f, 1});
  F({0.1f, 0.2f, 0.3f}).F({5}).F({0.4f, 0.5f, 0.6f}).U8(0x1f).F({0, 0, 0, 0.5f}).F({1.5f});
  Mark("material 0 texture").T(0).T(1).Mark("material 0 sphere mode").U8(2);
  Mark("material 0 toon kind").U8(0).Mark("material 0 toon").T(1).Text(u"メモ");
  Mark("material 0 count").I32(3);
  Mark("material 1").Names(u"服", u"").F({0, 0, 0, 0.98f}).F({0, 0, 0}).F({0}).F({0, 0, 0});
  U8(0xe1).F({1, 1, 1, 1}).F({0}).T(-1).T(-1).U8(0).U8(1).Mark("material 1 toon").U8(9);
  Text(u"").Mark("material 1 count").I32(3);
}

void PmxBytes::Bones() {
  Mark("bones").I32(4);
  Mark("bone 0").Names(u"センター", u"Center").F({0, 0, 0}).Mark("bone 0 parent").B(-1).I32(0);
  U16(0x001e).Mark("bone 0 tail").F({0, 1, 0});
  Mark("bone 1")
      .Names(u"腕", u"Arm")
      .Mark("bone 1 position")
      .F({1, 2, 3})
      .Mark("bone 1 parent")
      .B(0);
  I32(-2).Mark("bone 1 flags").U16(0x3f83).Mark("bone 1 tail").B(2);
  Mark("bone 1 append").B(2).Mark("bone 1 ratio").F({-0.5f}).Mark("bone 1 axis").F({0, 1, 0});
  F({1, 0, 0}).F({0, 0, 1}).I32(77);
  Mark("bone 2").Names(u"ひじ", u"Elbow").F({2, 2, 3}).B(1).I32(0).U16(0x0200).F({0, 0, 0});
  Mark("bone 2 append").B(0).F({2});
  Mark("bone 3").Names(u"腕ＩＫ", u"ArmIK").F({3, 2, 3}).B(0).I32(1).U16(0x003f).B(-1);
  Mark("bone 3 effector").B(2).I32(40).Mark("bone 3 angle").F({2}).Mark("bone 3 links").I32(2);
  Mark("bone 3 link").B(1).U8(1).Mark("bone 3 limit").F({-3, 0, 0}).F({-0.01f, 0, 0}).B(0).U8(0);
}

void PmxBytes::Morphs() {
  Mark("morphs").I32(11);
  Mark("morph 0").Names(u"組", u"Group").Mark("morph 0 panel").U8(4).Mark("morph 0 type").U8(0);
  Mark("morph 0 count").I32(2).Mark("morph 0 entry").Morph(1).F({0.5f}).Morph(2).F({1});
  Mark("morph 1").Names(u"あ", u"A").U8(3).U8(1).Mark("morph 1 count").I32(2);
  Mark("morph 1 entry").V(4).F({0, 0.5f, 0}).V(0).F({1, 0, 0});
  Mark("morph 2").Names(u"骨", u"Bone").U8(4).U8(2).I32(1);
  Mark("morph 2 entry").B(1).F({0, 1, 0}).F({0, 0, 0, 1});
  for (int i = 3; i < 8; ++i) {
    Mark("morph " + std::to_string(i)).Names(u"ＵＶ", u"UV").U8(1).U8(i).I32(1);
    Mark("morph " + std::to_string(i) + " entry").V(i - 3).F({0.5f, 0, 0, static_cast<float>(i)});
  }
  Mark("morph 8").Names(u"色", u"Color").U8(2).U8(8).I32(1).Mark("morph 8 entry").M(-1).U8(1);
  Mark("morph 8 numbers").F({1, 2, 3, 4}).F({5, 6, 7}).F({8}).F({9, 10, 11}).F({12, 13, 14, 15});
  F({16}).F({17, 18, 19, 20}).F({21, 22, 23, 24}).F({25, 26, 27, 28});
  Mark("morph 9").Names(u"反転", u"Flip").U8(4).U8(9).I32(1).Mark("morph 9 entry").Morph(0).F({1});
  Mark("morph 10").Names(u"力", u"Impulse").U8(0).U8(10).I32(1);
  Mark("morph 10 entry").Body(1).U8(1).F({0, 10, 0}).F({1, 0, 0});
}

void PmxBytes::FramesAndPhysics() {
  Mark("display frames").I32(2);
  Mark("display frame 0").Names(u"Root", u"Root").U8(1).I32(1).Mark("display frame 0 kind").U8(0);
  Mark("display frame 0 entry").B(0);
  Mark("display frame 1").Names(u"表情", u"Exp").U8(0).I32(2).U8(1).Morph(1).U8(0).B(3);

  Mark("rigid bodies").I32(3);
  Mark("rigid body 0").Names(u"箱", u"Box").Mark("rigid body 0 bone").B(1);
  Mark("rigid body 0 group").U8(15).U16(0x7fff).Mark("rigid body 0 shape").U8(1);
  F({1, 2, 3}).F({4, 5, 6}).F({0.1f, 0.2f, 0.3f}).Mark("rigid body 0 mass").F({1, 2, 3, 4, 5});
  Mark("rigid body 0 mode").U8(2);
  Mark("rigid body 1").Names(u"筒", u"Capsule").B(-1).U8(0).U16(0xffff).U8(2).F({1, 2, 0});
  F({0, 0, 0}).F({0, 0, 0}).F({0, 0, 0, 0, 0}).U8(0);
  Mark("rigid body 2").Names(u"球", u"Sphere").B(2).U8(1).U16(0).U8(0).F({1, 0, 0}).F({0, 0, 0});
  F({0, 0, 0}).F({1, 0.5f, 0.5f, 0, 0.5f}).U8(1);

  Mark("joints").I32(6);
  for (int i = 0; i < 6; ++i) {
    const std::string joint = "joint " + std::to_string(i);
    Mark(joint).Names(u"継", u"Joint").Mark(joint + " type").U8(i).Mark(joint + " bodies").Body(0);
    Body(i == 5 ? -1 : 1).Mark(joint + " numbers").F({1, 2, 3}).F({0, 0, 0.5f}).F({-1, -1, -1});
    F({1, 1, 1})
        .F({-0.5f, 0, 0})
        .F({0.5f, 0, 0})
        .F({10, 20, 30})
        .F({40, 50, static_cast<float>(i)});
  }
  if (s_.version == PmxVersion::k20) {
    Mark("end");
    return;
  }
  Mark("soft bodies").I32(1);
  Mark("soft body 0").Names(u"布", u"Cloth").Mark("soft body 0 shape").U8(1);
  Mark("soft body 0 material").M(1).U8(3).U16(0x1234).U8(5).I32(-1).I32(7);
  Mark("soft body 0 mass").F({2.5f, 0.5f}).I32(4);
  for (int i = 0; i < 12; ++i) F({static_cast<float>(i)});
  for (int i = 0; i < 6; ++i) F({static_cast<float>(i) * 0.5f});
  for (int i = 0; i < 4; ++i) I32(i + 1);
  for (int i = 0; i < 3; ++i) I32(i + 100);
  Mark("soft body 0 anchors").I32(1).Mark("soft body 0 anchor").Body(0).V(3).U8(1);
  Mark("soft body 0 pins").I32(2).V(0).V(4).Mark("end");
}

}  // namespace

MmdBytes FullPmx(const PmxStorage& storage) {
  PmxBytes out(storage);
  out.Header();
  out.Mesh();
  out.Bones();
  out.Morphs();
  out.FramesAndPhysics();
  return out.Take();
}

namespace {

void AddMesh(PmxModel& m, int uvs) {
  for (int i = 0; i < 5; ++i) {
    PmxVertex v;
    const auto x = static_cast<float>(i);
    v.position = {x, 1, 2};
    v.normal = {0, 1, 0};
    v.uv = {0.25f, 0.75f};
    for (int uv = 0; uv < uvs; ++uv) {
      m.additional_uvs.push_back({x, static_cast<float>(uv), 0.5f, -1});
    }
    m.vertices.push_back(v);
  }
  auto& v = m.vertices;
  v[0].bones[0] = 0;
  v[0].weights[0] = 1;
  v[1].type = PmxWeightType::kBdef2;
  v[1].bones = {1, 0, -1, -1};
  v[1].weights = {0.75f, 0.25f, 0, 0};
  v[1].edge_scale = 0.5f;
  v[2].type = PmxWeightType::kBdef4;
  v[2].bones = {0, 1, 2, -1};
  v[2].weights = {0.5f, 0.25f, 0.125f, 0.5f};
  v[2].edge_scale = 0;
  v[3].type = PmxWeightType::kSdef;
  v[3].bones = {2, 3, -1, -1};
  v[3].weights = {0.625f, 0.375f, 0, 0};
  v[3].c = {0, 1, 0};
  v[3].r0 = {0, 0.5f, 0};
  v[3].r1 = {0, 1.5f, 0};
  v[4].type = PmxWeightType::kQdef;
  v[4].bones = {0, 1, 2, 3};
  v[4].weights = {0.1f, 0.2f, 0.3f, 0.4f};
  m.indices = {0, 1, 2, 2, 1, 4};
  m.textures = {"tex\\顔.png", "sphere.SPA"};
  m.materials.resize(2);
  PmxMaterial& skin = m.materials[0];
  skin.name = "肌";
  skin.name_en = "Skin";
  skin.diffuse = {1, 0.5f, 0.25f, 1};
  skin.specular = {0.1f, 0.2f, 0.3f};
  skin.shininess = 5;
  skin.ambient = {0.4f, 0.5f, 0.6f};
  skin.flags = 0x1f;
  skin.edge_color = {0, 0, 0, 0.5f};
  skin.edge_size = 1.5f;
  skin.texture = 0;
  skin.sphere = 1;
  skin.sphere_mode = kSphereAdd;
  skin.toon = 1;
  skin.memo = "メモ";
  skin.index_count = 3;
  PmxMaterial& cloth = m.materials[1];
  cloth.name = "服";
  cloth.diffuse = {0, 0, 0, 0.98f};
  cloth.flags = 0xe1;
  cloth.edge_color = {1, 1, 1, 1};
  cloth.shared_toon = true;
  cloth.toon = 9;
  cloth.index_count = 3;
}

void AddBones(PmxModel& m) {
  m.bones.resize(4);
  auto& b = m.bones;
  b[0].name = "センター";
  b[0].name_en = "Center";
  b[0].flags = kBoneRotatable | kBoneMovable | kBoneVisible | kBoneOperable;
  b[0].tail_offset = {0, 1, 0};
  b[1].name = "腕";
  b[1].name_en = "Arm";
  b[1].position = {1, 2, 3};
  b[1].parent = 0;
  b[1].layer = -2;
  b[1].flags = kBoneTailIsBone | kBoneRotatable | kBoneAppendLocal | kBoneAppendRotation |
               kBoneAppendTranslation | kBoneFixedAxis | kBoneLocalAxes | kBoneAfterPhysics |
               kBoneExternalParent;
  b[1].tail_bone = 2;
  b[1].append_source = 2;
  b[1].append_ratio = -0.5f;
  b[1].fixed_axis = {0, 1, 0};
  b[1].local_x = {1, 0, 0};
  b[1].local_z = {0, 0, 1};
  b[1].external_key = 77;
  b[2].name = "ひじ";
  b[2].name_en = "Elbow";
  b[2].position = {2, 2, 3};
  b[2].parent = 1;
  b[2].flags = kBoneAppendTranslation;
  b[2].append_source = 0;
  b[2].append_ratio = 2;
  b[3].name = "腕ＩＫ";
  b[3].name_en = "ArmIK";
  b[3].position = {3, 2, 3};
  b[3].parent = 0;
  b[3].layer = 1;
  b[3].flags = 0x3f;
  b[3].ik = {2, 40, 2, {{1, true, {-3, 0, 0}, {-0.01f, 0, 0}}, {0, false, {}, {}}}};
}

void AddMorphs(PmxModel& m) {
  m.morphs.resize(11);
  const auto set = [&](std::size_t i, const char* name, const char* english, std::uint8_t panel) {
    m.morphs[i].name = name;
    m.morphs[i].name_en = english;
    m.morphs[i].panel = panel;
    m.morphs[i].type = static_cast<PmxMorphType>(i);
  };
  set(0, "組", "Group", 4);
  m.morphs[0].group = {{1, 0.5f}, {2, 1}};
  set(1, "あ", "A", 3);
  m.morphs[1].vertex = {{4, {0, 0.5f, 0}}, {0, {1, 0, 0}}};
  set(2, "骨", "Bone", 4);
  m.morphs[2].bone = {{1, {0, 1, 0}, {0, 0, 0, 1}}};
  for (std::size_t i = 3; i < 8; ++i) {
    set(i, "ＵＶ", "UV", 1);
    m.morphs[i].uv = {{static_cast<std::uint32_t>(i - 3), {0.5f, 0, 0, static_cast<float>(i)}}};
  }
  set(8, "色", "Color", 2);
  m.morphs[8].material = {{-1,
                           1,
                           {1, 2, 3, 4},
                           {5, 6, 7},
                           8,
                           {9, 10, 11},
                           {12, 13, 14, 15},
                           16,
                           {17, 18, 19, 20},
                           {21, 22, 23, 24},
                           {25, 26, 27, 28}}};
  set(9, "反転", "Flip", 4);
  m.morphs[9].group = {{0, 1}};
  set(10, "力", "Impulse", 0);
  m.morphs[10].impulse = {{1, true, {0, 10, 0}, {1, 0, 0}}};
}

void AddPhysics(PmxModel& m) {
  m.frames = {{"Root", "Root", true, {{false, 0}}},
              {"表情", "Exp", false, {{true, 1}, {false, 3}}}};
  m.bodies.resize(3);
  m.bodies[0] = {"箱",      "Box",     1,
                 15,        0x7fff,    PmxShape::kBox,
                 {1, 2, 3}, {4, 5, 6}, {0.1f, 0.2f, 0.3f},
                 1,         2,         3,
                 4,         5,         PmxBodyMode::kPhysicsAtBone};
  m.bodies[1] = {"筒", "Capsule", -1, 0, 0xffff, PmxShape::kCapsule,       {1, 2, 0}, {}, {},
                 0,    0,         0,  0, 0,      PmxBodyMode::kFollowsBone};
  m.bodies[2] = {"球", "Sphere", 2,    1, 0,    PmxShape::kSphere,    {1, 0, 0}, {}, {},
                 1,    0.5f,     0.5f, 0, 0.5f, PmxBodyMode::kPhysics};
  for (int i = 0; i < 6; ++i) {
    m.joints.push_back({"継",
                        "Joint",
                        static_cast<PmxJointType>(i),
                        0,
                        i == 5 ? -1 : 1,
                        {1, 2, 3},
                        {0, 0, 0.5f},
                        {-1, -1, -1},
                        {1, 1, 1},
                        {-0.5f, 0, 0},
                        {0.5f, 0, 0},
                        {10, 20, 30},
                        {40, 50, static_cast<float>(i)}});
  }
  if (m.version == PmxVersion::k20) return;
  PmxSoftBody soft;
  soft.name = "布";
  soft.name_en = "Cloth";
  soft.shape = 1;
  soft.material = 1;
  soft.group = 3;
  soft.collides_with = 0x1234;
  soft.flags = 5;
  soft.b_link_distance = -1;
  soft.cluster_count = 7;
  soft.total_mass = 2.5f;
  soft.collision_margin = 0.5f;
  soft.aero_model = 4;
  for (std::size_t i = 0; i < 12; ++i) soft.config[i] = static_cast<float>(i);
  for (std::size_t i = 0; i < 6; ++i) soft.cluster[i] = static_cast<float>(i) * 0.5f;
  soft.iterations = {1, 2, 3, 4};
  soft.stiffness = {100, 101, 102};
  soft.anchors = {{0, 3, 1}};
  soft.pins = {0, 4};
  m.soft_bodies.push_back(soft);
}

}  // namespace

PmxModel FullModel(const PmxStorage& storage) {
  PmxModel m;
  m.version = storage.version;
  m.encoding = storage.encoding;
  m.widths = storage.widths;
  m.additional_uv_count = storage.uvs;
  m.name = "全部";
  m.name_en = "Full";
  m.comment = "コメント\r\n二行";
  m.comment_en = "Comment";
  AddMesh(m, storage.uvs);
  AddBones(m);
  AddMorphs(m);
  AddPhysics(m);
  return m;
}

}  // namespace flexor::test
