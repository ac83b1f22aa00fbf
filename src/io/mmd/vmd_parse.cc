#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#include "flexor/io/mmd/vmd.h"

#include "io/mmd/byte_reader.h"
#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

constexpr std::size_t kSignatureBytes = 30;
constexpr std::size_t kOldModelNameBytes = 10, kModelNameBytes = 20;
constexpr std::string_view kNewSignature = "Vocaloid Motion Data 0002";
constexpr std::string_view kOldSignature = "Vocaloid Motion Data file";

class VmdParser {
 public:
  VmdParser(std::span<const std::byte> bytes, MemoryBudget& budget, Diagnostics& diagnostics)
      : reader_(bytes), budget_(budget), diagnostics_(diagnostics) {}

  Result<VmdMotion> Parse();

 private:
  Status Header();
  /// Whether the file has this list, with `before` others before it; false at its clean end. Bones
  /// and morphs are always there: a motion without them is cut short, one without the rest may be
  /// old.
  bool HasSection(Section section, std::uint8_t before);
  template <class Key, class Read>
  Status Keys(Section section, std::vector<Key>& out, std::uint64_t key_bytes, Read&& read);
  /// Bytes as they are; all of `out`, or its first `count`.
  template <class Array>
  void Raw(Array& out, std::size_t count = std::tuple_size_v<Array>) {
    const auto bytes = reader_.Take(count);
    if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  }

  ByteReader reader_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  VmdMotion motion_;
};

Status VmdParser::Header() {
  Raw(motion_.signature);
  FLEXOR_TRY(reader_.status());
  const std::string_view signature(motion_.signature.data(), kSignatureBytes);
  motion_.old_signature = signature.starts_with(kOldSignature);
  if (!motion_.old_signature && !signature.starts_with(kNewSignature)) {
    return ByteReader::At(ErrorCode::kUnknownFormat,
                          "the file does not start with 'Vocaloid Motion Data 0002' or '... file'",
                          "header", 0);
  }
  Raw(motion_.model_name.bytes, motion_.old_signature ? kOldModelNameBytes : kModelNameBytes);
  return reader_.status();
}

bool VmdParser::HasSection(Section section, std::uint8_t before) {
  if (motion_.section_count < before) return false;  // the file has ended earlier
  if (reader_.remaining() == 0) {
    motion_.section_count = before;
    Report(diagnostics_, "VMD_SECTIONS_MISSING", section.plural,
           "the file ends at byte " + std::to_string(reader_.offset()) + ", before the list of " +
               std::string(section.plural));
    return false;
  }
  return true;
}

/// Reads a list; `read` fills one key and says whether its numbers are finite.
template <class Key, class Read>
Status VmdParser::Keys(Section section, std::vector<Key>& out, std::uint64_t key_bytes,
                       Read&& read) {
  reader_.Enter(section);
  const std::uint32_t count = reader_.Count<std::uint32_t>(key_bytes, sizeof(Key), budget_);
  out.reserve(count);
  Tally dropped;
  for (std::uint32_t i = 0; i < count && reader_.ok(); ++i) {
    reader_.Begin(i);
    Key key;
    const bool whole = read(key);
    if (!reader_.ok()) break;
    if (whole) {
      out.push_back(std::move(key));
    } else {
      dropped.Add([&] {
        return reader_.Element() + " at frame " + std::to_string(key.frame) + ", byte " +
               std::to_string(reader_.element_offset()) + ", has a number that is not finite";
      });
    }
  }
  dropped.ReportTo(diagnostics_, "VMD_KEY_DROPPED", section.plural);
  return reader_.status();
}

Result<VmdMotion> VmdParser::Parse() {
  FLEXOR_TRY(Header());
  FLEXOR_TRY(Keys<VmdBoneKey>({"bone keys", "bone key"}, motion_.bones, 111, [&](VmdBoneKey& k) {
    Raw(k.name.bytes);
    k.frame = reader_.U32();
    k.translation = reader_.F3();
    k.rotation = reader_.Q4();
    Raw(k.interpolation);
    return IsFinite(k.translation, k.rotation);
  }));
  FLEXOR_TRY(
      Keys<VmdMorphKey>({"morph keys", "morph key"}, motion_.morphs, 23, [&](VmdMorphKey& k) {
        Raw(k.name.bytes);
        k.frame = reader_.U32();
        k.weight = reader_.F32();
        return IsFinite(k.weight);
      }));
  constexpr Section kCamera{"camera keys", "camera key"};
  if (HasSection(kCamera, 2)) {
    FLEXOR_TRY(Keys<VmdCameraKey>(kCamera, motion_.camera, 61, [&](VmdCameraKey& k) {
      k.frame = reader_.U32();
      k.distance = reader_.F32();
      k.center = reader_.F3();
      k.rotation = reader_.F3();
      Raw(k.interpolation);
      k.fov = reader_.U32();
      k.not_perspective = reader_.U8();
      return IsFinite(k.distance, k.center, k.rotation);
    }));
  }
  constexpr Section kLight{"light keys", "light key"};
  if (HasSection(kLight, 3)) {
    FLEXOR_TRY(Keys<VmdLightKey>(kLight, motion_.light, 28, [&](VmdLightKey& k) {
      k.frame = reader_.U32();
      k.color = reader_.F3();
      k.direction = reader_.F3();
      return IsFinite(k.color, k.direction);
    }));
  }
  constexpr Section kShadow{"self shadow keys", "self shadow key"};
  if (HasSection(kShadow, 4)) {
    FLEXOR_TRY(Keys<VmdShadowKey>(kShadow, motion_.shadow, 9, [&](VmdShadowKey& k) {
      k.frame = reader_.U32();
      k.mode = reader_.U8();
      k.distance = reader_.F32();
      return IsFinite(k.distance);
    }));
  }
  constexpr Section kProperty{"property keys", "property key"};
  if (HasSection(kProperty, 5)) {
    FLEXOR_TRY(Keys<VmdPropertyKey>(kProperty, motion_.properties, 9, [&](VmdPropertyKey& k) {
      k.frame = reader_.U32();
      k.visible = reader_.U8();
      const std::uint32_t iks = reader_.Count<std::uint32_t>(21, sizeof(VmdIkState), budget_);
      k.iks.resize(iks);
      for (VmdIkState& ik : k.iks) {
        Raw(ik.name.bytes);
        ik.enabled = reader_.U8();
      }
      return true;
    }));
  }
  if (reader_.remaining() != 0) {
    Report(diagnostics_, "VMD_TRAILING_BYTES", "end of file",
           std::to_string(reader_.remaining()) + " bytes after the last list, from byte " +
               std::to_string(reader_.offset()));
  }
  return std::move(motion_);
}

}  // namespace

Result<VmdMotion> ParseVmd(std::span<const std::byte> bytes, MemoryBudget& budget,
                           Diagnostics& diagnostics) {
  return VmdParser(bytes, budget, diagnostics).Parse();
}

}  // namespace flexor::io::mmd
