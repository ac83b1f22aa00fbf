#include "io/mmd/faces.h"

#include <string>

namespace flexor::io::mmd {

std::uint32_t ReadVertexIndex(ByteReader& reader, std::uint8_t width) {
  if (width == 1) return reader.U8();
  return width == 2 ? reader.U16() : reader.U32();
}

Status ReadFaces(ByteReader& reader, std::uint32_t count, std::uint64_t at, std::uint8_t width,
                 std::size_t vertices, std::vector<std::uint32_t>& out) {
  FLEXOR_TRY(reader.status());
  if (count % 3 != 0) {
    return ByteReader::At(ErrorCode::kShapeMismatch,
                          "there are " + std::to_string(count) +
                              " face indices, but their number must be a multiple of 3",
                          "faces", at);
  }
  out.resize(count);
  for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
    out[i] = ReadVertexIndex(reader, width);
    if (out[i] < vertices) continue;
    reader.Begin(i);
    reader.Fail(ErrorCode::kIndexOutOfRange,
                "face index " + std::to_string(i) + " names vertex " + std::to_string(out[i]) +
                    ", but there are " + std::to_string(vertices) + " vertices",
                reader.offset() - width);
  }
  return reader.status();
}

Error NoSuchBone(std::size_t vertex, std::int32_t bone, std::size_t bones, std::uint64_t offset) {
  const std::string element = "vertex " + std::to_string(vertex);
  return ByteReader::At(ErrorCode::kIndexOutOfRange,
                        "a bone of " + element + " is " + std::to_string(bone) +
                            ", but there are " + std::to_string(bones) + " bones",
                        element, offset);
}

}  // namespace flexor::io::mmd
