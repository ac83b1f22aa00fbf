#include "bake/mmd_layout.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "flexor/io/mmd/text_cp932.h"

namespace flexor::bake {
namespace {

/// Gives out names whose bytes in a motion are all different.
class NameGiver {
 public:
  explicit NameGiver(const char* what) : what_(what) {}

  /// Whether the name can stay as it is; then no other can have it.
  bool Keep(const std::string& name) {
    const io::mmd::Cp932Encoded encoded = io::mmd::EncodeCp932(name);
    if (encoded.bytes.empty() || encoded.lost != 0) return false;
    return taken_.insert(io::mmd::MatchBytes(name)).second;
  }

  /// A name for one that could not stay.
  std::string Make(const std::string& name, std::size_t index) {
    const bool usable = !name.empty() && io::mmd::EncodeCp932(name).lost == 0;
    if (!usable) {
      std::string made = what_ + std::to_string(index);
      if (Keep(made)) return made;
      return Numbered(what_);
    }
    return Numbered(name);
  }

 private:
  std::string Numbered(const std::string& name) {
    for (std::size_t number = 2;; ++number) {
      const std::string suffix = "~" + std::to_string(number);
      std::string made = Cut(name, io::mmd::kVmdNameBytes - suffix.size()) + suffix;
      if (Keep(made)) return made;
    }
  }

  // Whole characters of the name that take no more bytes than that in CP932.
  static std::string Cut(std::string name, std::size_t most) {
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    while (io::mmd::EncodeCp932(name).bytes.size() > most) {
      while (name.size() > 1 && continues(name.back())) name.pop_back();
      name.pop_back();
    }
    return name;
  }

  std::string what_;
  std::unordered_set<std::string> taken_;
};

// First all that may stay, so that none of them loses its name to one that is made.
std::size_t GiveNames(const char* what, const std::vector<const std::string*>& from,
                      const std::vector<std::string*>& to) {
  NameGiver giver(what);
  std::vector<bool> kept(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    kept[i] = giver.Keep(*from[i]);
    if (kept[i]) *to[i] = *from[i];
  }
  std::size_t made = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (kept[i]) continue;
    *to[i] = giver.Make(*from[i], i);
    ++made;
  }
  return made;
}

double Apart(const Mat34d& a, const Mat34d& b) {
  double most = 0;
  for (const Vec3d& d : {a.linear.x - b.linear.x, a.linear.y - b.linear.y, a.linear.z - b.linear.z,
                         a.translation - b.translation}) {
    most = std::max({most, std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  }
  return most;
}

bool IsUsable(const Mat34d& m) {
  const Mat34d inverse = Inverse(m);
  return std::isfinite(Apart(inverse, Mat34d{}));
}

}  // namespace

MmdNames NamesForMmd(const asset::Character& character) {
  MmdNames names;
  std::vector<const std::string*> from;
  std::vector<std::string*> to;
  names.bones.resize(character.nodes.size());
  for (std::size_t n = 0; n < character.nodes.size(); ++n) {
    from.push_back(&character.nodes[n].name);
    to.push_back(&names.bones[n]);
  }
  names.made = GiveNames("bone ", from, to);
  from.clear();
  to.clear();
  names.morphs.resize(character.instances.size());
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const asset::Mesh& mesh = character.meshes[character.instances[i].mesh];
    names.morphs[i].resize(mesh.morphs.size());
    for (std::size_t m = 0; m < mesh.morphs.size(); ++m) {
      from.push_back(&mesh.morphs[m].name);
      to.push_back(&names.morphs[i][m]);
    }
  }
  if (character.mmd) {
    for (std::size_t k = 0; k < from.size(); ++k) *to[k] = *from[k];
  } else {
    names.made += GiveNames("morph ", from, to);
  }
  return names;
}

std::vector<Mat34d> StoredPose(const asset::Character& character,
                               const std::vector<Mat34d>& model_from_node) {
  constexpr double kSame = 1e-6;
  std::vector<Mat34d> stored = model_from_node;
  if (character.mmd) return stored;
  std::vector<bool> bound(character.nodes.size(), false);
  std::vector<std::size_t> place(character.nodes.size(), 0);  // in the order of the hierarchy
  for (std::size_t k = 0; k < character.node_order.size(); ++k) place[character.node_order[k]] = k;
  for (const asset::Skin& skin : character.skins) {
    if (skin.joints.empty()) continue;
    std::size_t top = 0;
    for (std::size_t j = 1; j < skin.joints.size(); ++j) {
      if (place[skin.joints[j]] < place[skin.joints[top]]) top = j;
    }
    const Mat34d model_from_mesh = stored[skin.joints[top]] * skin.joint_from_mesh[top];
    if (!IsUsable(model_from_mesh)) continue;
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
      const std::uint32_t node = skin.joints[j];
      if (bound[node] || !IsUsable(skin.joint_from_mesh[j])) continue;
      const Mat34d at_bind = model_from_mesh * Inverse(skin.joint_from_mesh[j]);
      bound[node] = true;
      const double size = std::max(1.0, Length(at_bind.translation));
      if (Apart(at_bind, model_from_node[node]) > kSame * size) stored[node] = at_bind;
    }
  }
  for (const std::uint32_t node : character.node_order) {
    const std::int32_t parent = character.nodes[node].parent;
    if (bound[node] || parent == asset::kNone) continue;
    const auto up = static_cast<std::size_t>(parent);
    if (stored[up] == model_from_node[up] || !IsUsable(model_from_node[up])) continue;
    stored[node] = stored[up] * (Inverse(model_from_node[up]) * model_from_node[node]);
  }
  return stored;
}

}  // namespace flexor::bake
