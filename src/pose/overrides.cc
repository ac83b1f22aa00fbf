#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "flexor/pose/pose.h"

#include "core/guard.h"
#include "pose/fingerprint.h"
#include "pose/resolved_overrides.h"

namespace flexor::pose {
namespace {

struct KindWords {
  std::string_view form;  // what the text must look like
  std::size_t numbers;
};

KindWords WordsOf(Override::Kind kind) {
  switch (kind) {
    case Override::Kind::kRotate:
      return {"JOINT=x,y,z,DEGREES", 4};
    case Override::Kind::kTranslate:
    case Override::Kind::kScale:
      return {"JOINT=x,y,z", 3};
    case Override::Kind::kMorph:
      return {"MORPH=WEIGHT", 1};
  }
  return {"", 0};
}

Error BadOverride(Override::Kind kind, std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalidArgument,
          "expected " + std::string(WordsOf(kind).form) + ", but got '" + std::string(text) +
              "': " + std::string(why),
          {}};
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<double> ParseNumber(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  if (!std::isfinite(value)) return {};
  return value;
}

// The first MMD morph of that name.
std::optional<std::size_t> FindMmdMorph(const asset::Character& character,
                                        const std::string& name) {
  if (!character.mmd) return {};
  const std::vector<asset::MmdMorph>& morphs = character.mmd->morphs;
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    if (morphs[m].name == name) return m;
  }
  return {};
}

}  // namespace

Status ResolvedOverrides::ResolveMorph(const asset::Character& character, const std::string& target,
                                       Item& item) {
  // Where a slider of that name drives the morph of a mesh, setting both would count twice.
  item.mmd_morph = FindMmdMorph(character, target);
  if (item.mmd_morph) return {};
  std::vector<std::string> names;
  if (character.mmd) {
    for (const asset::MmdMorph& morph : character.mmd->morphs) names.push_back(morph.name);
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < character.instances.size(); ++i) {
    const std::vector<asset::Morph>& morphs = character.meshes[character.instances[i].mesh].morphs;
    most = std::max(most, morphs.size());
    for (std::size_t m = 0; m < morphs.size(); ++m) {
      // A slider and the morph that it drives have one name, which is to be suggested once.
      if (!FindMmdMorph(character, morphs[m].name)) names.push_back(morphs[m].name);
      if (morphs[m].name == target) {
        item.morphs.emplace_back(i, m);
        break;  // of several with one name the first is taken
      }
    }
  }
  if (!item.morphs.empty()) return {};
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), index);
  if (!target.empty() && error == std::errc() && end == target.data() + target.size()) {
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      if (index < character.meshes[character.instances[i].mesh].morphs.size()) {
        item.morphs.emplace_back(i, index);
      }
    }
    if (!item.morphs.empty()) return {};
    return Error{ErrorCode::kInvalidArgument,
                 "no morph has the number " + target + "; the most on one mesh are " +
                     std::to_string(most) + ", counted from 0",
                 {}};
  }
  std::string message = "no morph is named '" + target + "'";
  if (names.empty()) message += "; the character has no morphs";
  message += asset::DidYouMean(target, names);
  return Error{ErrorCode::kInvalidArgument, std::move(message), {}};
}

Result<ResolvedOverrides::Item> ResolvedOverrides::ResolveItem(const asset::Character& character,
                                                               const Override& item) {
  const Vec4d v = item.value;
  if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z) || !std::isfinite(v.w)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the override of '" + item.target + "' holds a number that is not finite",
                 {}};
  }
  Item resolved;
  resolved.kind = item.kind;
  resolved.value = v;
  if (item.kind == Override::Kind::kMorph) {
    FLEXOR_TRY(ResolveMorph(character, item.target, resolved));
    return resolved;
  }
  if (item.kind == Override::Kind::kRotate && v.x == 0 && v.y == 0 && v.z == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the rotation of '" + item.target + "' is about a zero axis",
                 {}};
  }
  FLEXOR_ASSIGN(resolved.node, asset::FindNode(character, item.target));
  return resolved;
}

Result<ResolvedOverrides> ResolvedOverrides::Resolve(const asset::Character& character,
                                                     std::span<const Override> overrides) {
  ResolvedOverrides out;
  out.items_.reserve(overrides.size());
  for (const Override& one : overrides) {
    FLEXOR_ASSIGN(Item item, ResolveItem(character, one));
    out.items_.push_back(std::move(item));
  }
  return out;
}

void ResolvedOverrides::Apply(Pose& pose) const {
  for (const Item& item : items_) {
    const Vec3d xyz{item.value.x, item.value.y, item.value.z};
    if (item.kind == Override::Kind::kMorph) {
      if (item.mmd_morph) pose.mmd_morphs[*item.mmd_morph] = static_cast<float>(item.value.x);
      for (const auto& [instance, morph] : item.morphs) {
        pose.morph_weights[instance][morph] = static_cast<float>(item.value.x);
      }
      continue;
    }
    Transform& local = pose.locals[item.node];
    pose.uses_matrix[item.node] = false;
    switch (item.kind) {
      case Override::Kind::kRotate:
        local.rotation = Normalized(local.rotation *
                                    FromAxisAngle(xyz, item.value.w * std::numbers::pi / 180.0));
        break;
      case Override::Kind::kTranslate:
        local.translation += xyz;
        break;
      case Override::Kind::kScale:
        local.scale = local.scale * xyz;
        break;
      case Override::Kind::kMorph:
        break;
    }
  }
}

std::uint64_t ResolvedOverrides::digest() const {
  Fingerprint out;
  out.Add(items_.size());
  for (const Item& item : items_) {
    out.Add(item.kind).Add(item.value.x).Add(item.value.y).Add(item.value.z).Add(item.value.w);
    out.Add(item.node).Add(item.mmd_morph.has_value()).Add(item.mmd_morph.value_or(0));
    for (const auto& [instance, morph] : item.morphs) out.Add(instance).Add(morph);
  }
  return out.value();
}

Result<Override> ParseOverride(Override::Kind kind, std::string_view text) {
  return GuardAllocations("an override was read", [&]() -> Result<Override> {
    const std::size_t split = text.rfind('=');
    if (split == std::string_view::npos) return BadOverride(kind, text, "there is no '='");
    Override result;
    result.kind = kind;
    result.target = text.substr(0, split);
    if (result.target.empty()) return BadOverride(kind, text, "there is no name before the '='");
    const std::size_t wanted = WordsOf(kind).numbers;
    double numbers[4] = {0, 0, 0, 0};
    std::size_t count = 0;
    std::string_view rest = text.substr(split + 1);
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view part = rest.substr(0, comma);
      const std::optional<double> number = ParseNumber(part);
      if (!number) {
        return BadOverride(kind, text, std::string("'").append(part) + "' is not a finite number");
      }
      if (count < wanted) numbers[count] = *number;
      ++count;
      if (comma == std::string_view::npos) break;
      rest = rest.substr(comma + 1);
    }
    if (count != wanted) {
      return BadOverride(kind, text,
                         std::to_string(count) + (count == 1 ? " number" : " numbers") + " where " +
                             std::to_string(wanted) + (wanted == 1 ? " is" : " are") + " needed");
    }
    if (kind == Override::Kind::kRotate && numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0) {
      return BadOverride(kind, text, "the axis is zero");
    }
    result.value = {numbers[0], numbers[1], numbers[2], numbers[3]};
    return result;
  });
}

Status ApplyOverrides(const asset::Character& character, std::span<const Override> overrides,
                      Pose& pose) {
  return GuardAllocations("overrides were applied", [&]() -> Status {
    FLEXOR_ASSIGN(const ResolvedOverrides found, ResolvedOverrides::Resolve(character, overrides));
    found.Apply(pose);
    return {};
  });
}

}  // namespace flexor::pose
