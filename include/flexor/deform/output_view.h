/// @file deform/output_view.h
/// Where one stream of results goes: memory of the host, packed or inside the vertices of an
/// engine's interleaved buffer, or memory of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace flexor::deform {

/// Memory that a backend of a device knows by a number, such as a VkBuffer. No backend of this
/// version takes one: they say so by an error.
struct DeviceBuffer {
  std::uint64_t handle = 0;
  std::uint64_t byte_offset = 0;
};

/// A view; owns nothing. Converts from a span, vector or array of T, which is packed.
/// Limits  address and stride are multiples of alignof(T), the stride is at least sizeof(T);
///         Backend::Run says so where they are not
template <class T>
class OutputView {
 public:
  OutputView() = default;
  template <class Range>
    requires(std::is_convertible_v<Range&, std::span<T>> &&
             !std::is_same_v<std::remove_cvref_t<Range>, OutputView>)
  OutputView(Range&& packed)  // NOLINT(google-explicit-constructor)
      : OutputView(std::span<T>(packed).data(), std::span<T>(packed).size(), sizeof(T)) {}

  /// `count` entries, the first at `first` and each `stride` bytes after the one before it.
  static OutputView Strided(void* first, std::size_t count, std::size_t stride) {
    return OutputView(first, count, stride);
  }
  static OutputView OnDevice(const DeviceBuffer& buffer, std::size_t count, std::size_t stride) {
    OutputView view(nullptr, count, stride);
    view.device_ = buffer;
    view.on_device_ = true;
    return view;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t stride() const { return stride_; }  ///< bytes
  bool packed() const { return stride_ == sizeof(T); }
  void* data() const { return first_; }  ///< null on a device
  bool on_device() const { return on_device_; }
  const DeviceBuffer& device() const { return device_; }

  /// Entry i < size(), on the host.
  T& operator[](std::size_t i) const {
    return *reinterpret_cast<T*>(static_cast<std::byte*>(first_) + i * stride_);
  }

 private:
  OutputView(void* first, std::size_t count, std::size_t stride)
      : first_(first), size_(count), stride_(stride) {}

  void* first_ = nullptr;
  std::size_t size_ = 0;
  std::size_t stride_ = sizeof(T);
  DeviceBuffer device_;
  bool on_device_ = false;
};

}  // namespace flexor::deform
