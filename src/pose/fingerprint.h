/// @file pose/fingerprint.h
/// A digest of numbers, for telling whether two motions are the same: no padding, no pointers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "flexor/core/digest.h"
#include "flexor/math/mat.h"
#include "flexor/math/transform.h"

namespace flexor::pose {

/// Takes numbers in order. Equal sequences have equal values; on machines of one byte order.
class Fingerprint {
 public:
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  Fingerprint& Add(T number) {
    value_ = DigestOf(std::span<const T>(&number, 1), value_);
    return *this;
  }
  template <class T>
  Fingerprint& Add(std::span<const T> numbers) {
    value_ = DigestOf(numbers, Add(numbers.size()).value_);
    return *this;
  }
  Fingerprint& Add(std::string_view text) { return Add(std::span(text.data(), text.size())); }
  Fingerprint& Add(const Vec3d& v) { return Add(v.x).Add(v.y).Add(v.z); }
  Fingerprint& Add(const Quatd& q) { return Add(q.x).Add(q.y).Add(q.z).Add(q.w); }
  Fingerprint& Add(const Transform& t) { return Add(t.translation).Add(t.rotation).Add(t.scale); }
  Fingerprint& Add(const Mat34d& m) {
    return Add(m.linear.x).Add(m.linear.y).Add(m.linear.z).Add(m.translation);
  }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

}  // namespace flexor::pose
