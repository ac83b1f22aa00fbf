/// @file io/mmd/vmd.h
/// A VMD motion as its file holds it: keys in file order, 30 frames a second, names as bytes.
/// docs/formats/vmd.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"
#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

namespace flexor::io::mmd {

/// The time base of the format.
inline constexpr double kVmdFramesPerSecond = 30;

/// A name of fixed length: CP932 bytes up to the first NUL. What follows the NUL has no meaning but
/// is kept. Names are compared as bytes (io/mmd/text_cp932.h), never decoded for that.
template <std::size_t N>
struct VmdName {
  std::array<char, N> bytes{};

  /// The bytes before the first NUL, or all.
  std::string_view view() const {
    const std::string_view all(bytes.data(), N);
    return all.substr(0, all.find('\0'));
  }
  /// Takes as much of `name` as fits and fills the rest with NUL.
  void set(std::string_view name) {
    for (std::size_t i = 0; i < N; ++i) bytes[i] = i < name.size() ? name[i] : '\0';
  }
  friend bool operator==(const VmdName&, const VmdName&) = default;
};

/// A Bezier curve from (0, 0) to (127, 127) by its two control points.
struct VmdCurve {
  std::uint8_t x1 = 20, y1 = 20, x2 = 107, y2 = 107;
  friend bool operator==(const VmdCurve&, const VmdCurve&) = default;
};

/// What a bone key says about physics of its bone.
enum class VmdPhysics : std::uint8_t {
  kUnsaid,  ///< the two bytes hold curve values, as old programs wrote them
  kOn,
  kOff,
};

/// The curves of a bone key. They shape the way from the key before to this one.
struct VmdBoneCurves {
  VmdCurve x{}, y{}, z{}, rotation{};
  friend bool operator==(const VmdBoneCurves&, const VmdBoneCurves&) = default;
};

/// A key of a bone.
struct FLEXOR_API VmdBoneKey {
  VmdName<15> name{};
  std::uint32_t frame = 0;
  Vec3f translation{};  ///< from the rest position, in the axes of the parent
  Quatf rotation{};     ///< as stored; all zeros means none
  std::array<std::uint8_t, 64> interpolation{};

  /// The four curves, from the bytes that no program overwrites.
  VmdBoneCurves curves() const;
  VmdPhysics physics() const;
  /// Fills the 64 bytes as MikuMikuDance does; kUnsaid leaves the curve values in the two bytes.
  void set_curves(const VmdBoneCurves& curves, VmdPhysics physics = VmdPhysics::kOn);
  friend bool operator==(const VmdBoneKey&, const VmdBoneKey&) = default;
};

/// A key of a morph. Weights run straight between keys.
struct VmdMorphKey {
  VmdName<15> name{};
  std::uint32_t frame = 0;
  float weight = 0;
  friend bool operator==(const VmdMorphKey&, const VmdMorphKey&) = default;
};

/// The curves of a camera key.
struct VmdCameraCurves {
  VmdCurve x{}, y{}, z{}, rotation{}, distance{}, fov{};
  friend bool operator==(const VmdCameraCurves&, const VmdCameraCurves&) = default;
};

/// A key of the camera. Two keys one frame apart are a cut.
struct FLEXOR_API VmdCameraKey {
  std::uint32_t frame = 0;
  float distance = 0;  ///< negative in front of the centre
  Vec3f center{};
  Vec3f rotation{};  ///< radians, as stored
  std::array<std::uint8_t, 24> interpolation{};
  std::uint32_t fov = 30;            ///< degrees
  std::uint8_t not_perspective = 0;  ///< 0: perspective

  VmdCameraCurves curves() const;
  void set_curves(const VmdCameraCurves& curves);
  friend bool operator==(const VmdCameraKey&, const VmdCameraKey&) = default;
};

/// A key of the light.
struct VmdLightKey {
  std::uint32_t frame = 0;
  Vec3f color{}, direction{};
  friend bool operator==(const VmdLightKey&, const VmdLightKey&) = default;
};

/// A key of the self shadow.
struct VmdShadowKey {
  std::uint32_t frame = 0;
  std::uint8_t mode = 0;  ///< 0 off, 1, 2
  float distance = 0;     ///< as stored; programs show 10000 - 100000 * distance
  friend bool operator==(const VmdShadowKey&, const VmdShadowKey&) = default;
};

/// Whether one IK is on.
struct VmdIkState {
  VmdName<20> name{};
  std::uint8_t enabled = 1;
  friend bool operator==(const VmdIkState&, const VmdIkState&) = default;
};

/// A key of visibility and IK, both of which jump.
struct VmdPropertyKey {
  std::uint32_t frame = 0;
  std::uint8_t visible = 1;
  std::vector<VmdIkState> iks{};
  friend bool operator==(const VmdPropertyKey&, const VmdPropertyKey&) = default;
};

/// The lists of a file, in its order.
enum class VmdSection : std::uint8_t { kBones, kMorphs, kCamera, kLight, kShadow, kProperty };

/// A whole motion. Keys are in no promised order, and two may share a frame.
struct FLEXOR_API VmdMotion {
  VmdMotion();

  bool old_signature = false;      ///< "... Data file": the model name has 10 bytes, not 20
  std::array<char, 30> signature;  ///< NUL padded, mostly
  VmdName<20> model_name;          ///< CP932; the old format uses the first 10 bytes
  std::uint8_t section_count = 6;  ///< 2..6: old files end early
  std::vector<VmdBoneKey> bones;
  std::vector<VmdMorphKey> morphs;
  std::vector<VmdCameraKey> camera;
  std::vector<VmdLightKey> light;
  std::vector<VmdShadowKey> shadow;
  std::vector<VmdPropertyKey> properties;
  friend bool operator==(const VmdMotion&, const VmdMotion&) = default;
};

/// The greatest frame of any key; 0 without keys.
FLEXOR_API std::uint32_t LastFrame(const VmdMotion& motion);

/// Reads a VMD file of either signature. A key with a number that is not finite is dropped
/// (VMD_KEY_DROPPED); a file that ends after the morphs or a later list is whole
/// (VMD_SECTIONS_MISSING).
/// Errors  kUnknownFormat · kTruncated, with the byte offset, and the section and key in
/// `place.element` · kLimitExceeded (budget)
FLEXOR_API Result<VmdMotion> ParseVmd(std::span<const std::byte> bytes, MemoryBudget& budget,
                                      Diagnostics& diagnostics);

/// Writes a motion; what ParseVmd read without diagnostics gets the same bytes. Lists that are not
/// empty are written even when section_count would end before them.
/// Errors  kInvalidValue (not finite) · kLimitExceeded (2^32 keys)
FLEXOR_API Result<std::vector<std::byte>> WriteVmd(const VmdMotion& motion);

}  // namespace flexor::io::mmd
