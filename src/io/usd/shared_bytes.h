/// @file io/usd/shared_bytes.h
/// Bytes of a file that values may look into long after it was read.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace flexor::io::usd {

/// A view that keeps what it views alive.
struct SharedBytes {
  std::span<const std::byte> data;
  std::shared_ptr<const void> owner;

  static SharedBytes Of(std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return {*owner, owner};
  }
  SharedBytes Part(std::size_t offset, std::size_t size) const {
    return {data.subspan(offset, size), owner};
  }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
  }
};

}  // namespace flexor::io::usd
