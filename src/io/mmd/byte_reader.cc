#include "io/mmd/byte_reader.h"

#include <utility>

#include "flexor/core/utf8.h"

namespace flexor::io::mmd {

std::string ByteReader::Element() const {
  if (!element_) return std::string(section_.plural);
  return std::string(section_.singular) + ' ' + std::to_string(*element_);
}

Error ByteReader::At(ErrorCode code, std::string message, std::string element,
                     std::uint64_t offset) {
  return {code, std::move(message), {{}, std::move(element), offset}};
}

void ByteReader::Fail(ErrorCode code, std::string message, std::optional<std::uint64_t> offset) {
  if (error_) return;
  error_ = At(code, std::move(message), Element(), offset.value_or(element_offset_));
  offset_ = bytes_.size();  // nothing more is read: loops over claimed counts see ok() fail
}

void ByteReader::Short(std::uint64_t wanted, std::string_view what) {
  if (error_) return;
  Fail(ErrorCode::kTruncated,
       "the file ends in the " + std::string(section_.plural) + ": " + std::string(what) +
           " takes " + std::to_string(wanted) + " bytes at byte " + std::to_string(offset_) +
           ", but only " + std::to_string(remaining()) + " are left",
       offset_);
}

std::uint32_t ByteReader::Checked(std::int64_t count, std::uint64_t at, std::uint64_t least_bytes,
                                  std::uint64_t element_bytes, MemoryBudget& budget) {
  if (!ok()) return 0;
  const std::string of =
      " of the " + std::string(section_.plural) + " at byte " + std::to_string(at);
  if (count < 0) {
    Fail(ErrorCode::kInvalidValue,
         "the count" + of + " is " + std::to_string(count) + ", but it must not be negative", at);
    return 0;
  }
  const auto elements = static_cast<std::uint64_t>(count);
  if (elements * least_bytes > remaining()) {  // below 2^32 times a few hundred: no overflow
    Fail(ErrorCode::kTruncated,
         "the count" + of + " is " + std::to_string(count) + ", each of at least " +
             std::to_string(least_bytes) + " bytes, but only " + std::to_string(remaining()) +
             " bytes are left",
         at);
    return 0;
  }
  if (const Status charged = budget.Charge(elements, element_bytes, section_.plural);
      !charged.ok()) {
    Fail(charged.error().code, charged.error().message, at);
    return 0;
  }
  return static_cast<std::uint32_t>(elements);
}

std::string Quoted(std::string_view utf8) {
  constexpr std::size_t kLongest = 60;
  const std::string_view shown = Utf8Prefix(utf8, kLongest);
  return "'" + std::string(shown) + (shown.size() < utf8.size() ? "...'" : "'");
}

}  // namespace flexor::io::mmd
