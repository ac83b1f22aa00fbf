#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "flexor/io/mmd/vmd.h"

#include "io/encode.h"
#include "io/mmd/byte_reader.h"

namespace flexor::io::mmd {
namespace {

constexpr std::endian kLittle = std::endian::little;
constexpr std::size_t kOldModelNameBytes = 10;

class VmdWriter {
 public:
  explicit VmdWriter(const VmdMotion& motion) : motion_(motion) {}

  Result<std::vector<std::byte>> Write();

 private:
  template <class T>
  void Put(T value) {
    AppendScalar<kLittle>(out_, value);
  }
  void F(float value) {
    if (!IsFinite(value)) {
      Fail(ErrorCode::kInvalidValue, "a number of " + Element() + " is not finite");
    }
    Put(value);
  }
  void F(Vec3f v) {
    F(v.x);
    F(v.y);
    F(v.z);
  }
  template <class Bytes>
  void Raw(const Bytes& bytes) {
    for (const auto byte : bytes) out_.push_back(static_cast<std::byte>(byte));
  }
  std::string Element() const { return std::string(what_) + " " + std::to_string(key_); }
  void Fail(ErrorCode code, std::string message) {
    if (!error_) error_ = Error{code, std::move(message), {{}, Element(), std::nullopt}};
  }
  /// Writes a list, unless it and all after it are absent from the file.
  template <class Key, class Write>
  void Keys(int number, std::string_view what, const std::vector<Key>& keys, Write&& write) {
    if (number > last_) return;
    what_ = what;
    key_ = 0;
    if (keys.size() > std::numeric_limits<std::uint32_t>::max()) {
      Fail(ErrorCode::kLimitExceeded,
           "there are " + std::to_string(keys.size()) + " keys, but at most 4294967295 fit");
    }
    Put(static_cast<std::uint32_t>(keys.size()));
    for (const Key& key : keys) {
      write(key);
      ++key_;
    }
  }
  int LastSection() const;

  const VmdMotion& motion_;
  std::vector<std::byte> out_;
  std::optional<Error> error_;
  std::string_view what_;
  std::size_t key_ = 0;
  int last_ = 0;
};

int VmdWriter::LastSection() const {
  int last = std::clamp<int>(motion_.section_count, 2, 6);
  if (!motion_.camera.empty()) last = std::max(last, 3);
  if (!motion_.light.empty()) last = std::max(last, 4);
  if (!motion_.shadow.empty()) last = std::max(last, 5);
  if (!motion_.properties.empty()) last = 6;
  return last;
}

Result<std::vector<std::byte>> VmdWriter::Write() {
  last_ = LastSection();
  out_.reserve(128 + motion_.bones.size() * 111 + motion_.morphs.size() * 23 +
               motion_.camera.size() * 61 + motion_.light.size() * 28 + motion_.shadow.size() * 9);
  Raw(motion_.signature);
  const auto& name = motion_.model_name.bytes;
  Raw(std::span(name).first(motion_.old_signature ? kOldModelNameBytes : name.size()));
  Keys(1, "bone key", motion_.bones, [&](const VmdBoneKey& k) {
    Raw(k.name.bytes);
    Put(k.frame);
    F(k.translation);
    F(k.rotation.x);
    F(k.rotation.y);
    F(k.rotation.z);
    F(k.rotation.w);
    Raw(k.interpolation);
  });
  Keys(2, "morph key", motion_.morphs, [&](const VmdMorphKey& k) {
    Raw(k.name.bytes);
    Put(k.frame);
    F(k.weight);
  });
  Keys(3, "camera key", motion_.camera, [&](const VmdCameraKey& k) {
    Put(k.frame);
    F(k.distance);
    F(k.center);
    F(k.rotation);
    Raw(k.interpolation);
    Put(k.fov);
    Put(k.not_perspective);
  });
  Keys(4, "light key", motion_.light, [&](const VmdLightKey& k) {
    Put(k.frame);
    F(k.color);
    F(k.direction);
  });
  Keys(5, "self shadow key", motion_.shadow, [&](const VmdShadowKey& k) {
    Put(k.frame);
    Put(k.mode);
    F(k.distance);
  });
  Keys(6, "property key", motion_.properties, [&](const VmdPropertyKey& k) {
    Put(k.frame);
    Put(k.visible);
    Put(static_cast<std::uint32_t>(k.iks.size()));
    for (const VmdIkState& ik : k.iks) {
      Raw(ik.name.bytes);
      Put(ik.enabled);
    }
  });
  if (error_) return *std::move(error_);
  return std::move(out_);
}

}  // namespace

Result<std::vector<std::byte>> WriteVmd(const VmdMotion& motion) {
  return VmdWriter(motion).Write();
}

}  // namespace flexor::io::mmd
