#include "io/usd/compression.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#include "io/usd/byte_cursor.h"

#ifdef FLEXOR_WITH_LZ4
#include <lz4.h>
#endif

namespace flexor::io::usd {
namespace {

Error Broken(std::string message) { return Error{ErrorCode::kParse, std::move(message), {}}; }

#ifdef FLEXOR_WITH_LZ4

Result<std::size_t> UnpackBlock(std::span<const std::byte> packed, std::span<std::byte> out) {
  constexpr std::size_t kMax = std::numeric_limits<int>::max();
  if (packed.size() > kMax) return Broken("a packed block is larger than LZ4 allows");
  const int room = static_cast<int>(std::min(out.size(), kMax));
  const int written = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()),
                                          reinterpret_cast<char*>(out.data()),
                                          static_cast<int>(packed.size()), room);
  if (written < 0) {
    return Broken("packed bytes are broken, or hold more than the " + std::to_string(out.size()) +
                  " bytes that they should");
  }
  return static_cast<std::size_t>(written);
}

#else

Result<std::size_t> UnpackBlock(std::span<const std::byte>, std::span<std::byte>) {
  return Error{ErrorCode::kUnsupportedFeature,
               "this build cannot unpack binary USD; build with FLEXOR_WITH_LZ4",
               {}};
}

#endif

template <class Integer>
Status UnpackAs(std::span<const std::byte> packed, std::span<Integer> out, MemoryBudget& budget) {
  using Signed = std::make_signed_t<Integer>;
  using Small = std::conditional_t<sizeof(Integer) == 4, std::int8_t, std::int16_t>;
  using Medium = std::conditional_t<sizeof(Integer) == 4, std::int16_t, std::int32_t>;
  if (out.empty()) return {};
  const std::uint64_t code_bytes = (out.size() + 3) / 4;
  const std::uint64_t least = sizeof(Integer) + code_bytes;
  const std::uint64_t most =
      std::min(least + out.size() * sizeof(Integer), MostUnpackedBytes(packed.size()));
  if (most < least) {
    return Broken(std::to_string(out.size()) + " numbers cannot come out of " +
                  std::to_string(packed.size()) + " packed bytes");
  }
  FLEXOR_TRY(budget.Charge(most, 1, "unpacking numbers"));
  const auto content = std::make_unique_for_overwrite<std::byte[]>(most);
  const auto unpacked = Unpack(packed, {content.get(), static_cast<std::size_t>(most)});
  budget.Release(most);
  if (!unpacked.ok()) return unpacked.error();
  if (*unpacked < least) {
    return Broken(std::to_string(out.size()) + " numbers need " + std::to_string(least) +
                  " bytes at least, and " + std::to_string(*unpacked) + " are there");
  }
  Integer common;
  std::memcpy(&common, content.get(), sizeof(common));
  const std::byte* codes = content.get() + sizeof(common);
  const std::byte* at = codes + code_bytes;
  const std::byte* end = content.get() + *unpacked;
  Integer previous = 0;
  const auto take = [&](auto delta) {
    if (end - at < static_cast<std::ptrdiff_t>(sizeof(delta))) {
      at = end + 1;
      return Integer{0};
    }
    std::memcpy(&delta, at, sizeof(delta));
    at += sizeof(delta);
    return static_cast<Integer>(static_cast<Signed>(delta));
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    const unsigned code = std::to_integer<unsigned>(codes[i / 4]) >> (2 * (i % 4)) & 3u;
    Integer delta = common;
    if (code == 1) delta = take(Small{});
    if (code == 2) delta = take(Medium{});
    if (code == 3) delta = take(Signed{});
    if (at > end) break;
    previous += delta;
    out[i] = previous;
  }
  if (at != end) {
    return Broken(std::to_string(out.size()) + " packed numbers " +
                  (at > end ? "need more bytes than are there"
                            : "leave " + std::to_string(end - at) + " bytes over"));
  }
  return {};
}

}  // namespace

bool HasLz4() {
#ifdef FLEXOR_WITH_LZ4
  return true;
#else
  return false;
#endif
}

std::uint64_t MostUnpackedBytes(std::uint64_t packed) { return packed * 255 + 64; }

std::uint64_t MostUnpackedIntegers(std::uint64_t packed) { return MostUnpackedBytes(packed) * 4; }

Result<std::size_t> Unpack(std::span<const std::byte> packed, std::span<std::byte> out) {
  ByteCursor cursor(packed);
  const auto chunks = cursor.Take<std::uint8_t>();
  if (!cursor.ok()) return Broken("no packed bytes where there must be some");
  if (chunks == 0) return UnpackBlock(packed.subspan(1), out);
  std::size_t written = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const auto size = cursor.Take<std::int32_t>();
    const auto block = cursor.TakeBytes(size > 0 ? static_cast<std::uint64_t>(size) : 0);
    if (!cursor.ok() || size <= 0) return Broken("a chunk of packed bytes has no proper size");
    FLEXOR_ASSIGN(const std::size_t more, UnpackBlock(block, out.subspan(written)));
    written += more;
  }
  return written;
}

Status UnpackIntegers(std::span<const std::byte> packed, std::span<std::uint32_t> out,
                      MemoryBudget& budget) {
  return UnpackAs(packed, out, budget);
}

Status UnpackIntegers(std::span<const std::byte> packed, std::span<std::uint64_t> out,
                      MemoryBudget& budget) {
  return UnpackAs(packed, out, budget);
}

}  // namespace flexor::io::usd
