/// @file io/cache/text.h
/// Numbers as text that reads back as the same number, whatever the locale.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "flexor/core/file.h"
#include "flexor/core/result.h"

namespace flexor::io {

/// Collects text and hands it to a file in large pieces.
class TextSink {
 public:
  explicit TextSink(AtomicFile& file) : file_(file) {}

  TextSink& Put(std::string_view text) {
    text_ += text;
    return *this;
  }
  /// The shortest digits that a reader turns into the same float.
  TextSink& Put(float value) {
    char digits[32];
    text_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
    return *this;
  }
  TextSink& Put(std::uint64_t value) {
    char digits[24];
    text_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
    return *this;
  }
  /// Ends a line.
  Status End() {
    text_ += '\n';
    return text_.size() < kFlushAt ? Status() : Flush();
  }
  Status Flush() {
    const Status status = file_.Write(text_);
    text_.clear();
    return status;
  }

 private:
  static constexpr std::size_t kFlushAt = 1 << 20;
  AtomicFile& file_;
  std::string text_;
};

}  // namespace flexor::io
