#include "io/sniff.h"

#include <string>
#include <string_view>

#include "io/gltf/container.h"

namespace flexor::io {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view name;
};

constexpr Magic kMagics[] = {
    {"PXR-USDC", "a binary USD layer (usdc)"},
    {"#usda", "a text USD layer (usda)"},
    {"PK\x03\x04", "a zip archive, such as usdz"},
    {"Kaydara FBX Binary", "a binary FBX file"},
    {"; FBX", "a text FBX file"},
    {"ply\n", "a PLY mesh"},
    {"ply\r", "a PLY mesh"},
    {"solid ", "an STL mesh"},
    {"BLENDER", "a Blender file"},
    {"<?xml", "an XML file, such as COLLADA"},
    {"\x89PNG", "a PNG picture"},
    {"\xff\xd8\xff", "a JPEG picture"},
    {"\x1f\x8b", "gzip data; unpack it first"},
};

/// Wavefront OBJ has no magic: its first word that is no comment is one of a few.
bool LooksLikeObj(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line[0] == '#' || line == "\r") continue;
    for (const std::string_view word : {"v ", "vn ", "vt ", "o ", "g ", "mtllib ", "usemtl "}) {
      if (line.substr(0, word.size()) == word) return true;
    }
    return false;
  }
  return false;
}

}  // namespace

Result<FileKind> Sniff(std::span<const std::byte> bytes) {
  const auto unknown = [](std::string message) {
    return Error{ErrorCode::kUnknownFormat, std::move(message), {}};
  };
  if (bytes.empty()) return unknown("the file is empty");
  if (gltf::HasGlbMagic(bytes)) return FileKind::kGltf;
  constexpr std::size_t kLooked = 4096;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min(bytes.size(), kLooked));
  const auto starts = [&](std::string_view magic) { return text.substr(0, magic.size()) == magic; };
  // Some programs write "Pmx" or leave the fourth byte 0.
  if (starts("PMX") || starts("Pmx")) return FileKind::kPmx;
  if (starts("Pmd")) return FileKind::kPmd;
  if (starts("Vocaloid Motion Data")) return FileKind::kVmd;
  std::string_view start = text;
  if (start.substr(0, 3) == "\xef\xbb\xbf") start.remove_prefix(3);
  if (start.substr(0, 18) == "Vocaloid Pose Data") return FileKind::kVpd;
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  if (!start.empty() && start[0] == '{') return FileKind::kGltf;
  constexpr std::string_view kReads =
      "; flexor reads glTF 2.0, GLB, VRM, PMX and PMD, with motions in VMD and poses in VPD";
  if (!start.empty() && start[0] == '[') {
    return unknown("this looks like JSON whose outermost value is an array, which glTF's is not" +
                   std::string(kReads));
  }
  for (const Magic& magic : kMagics) {
    if (starts(magic.bytes)) {
      return unknown("this looks like " + std::string(magic.name) + std::string(kReads));
    }
  }
  if (LooksLikeObj(text)) return unknown("this looks like an OBJ mesh" + std::string(kReads));
  return unknown("this is no format that is known" + std::string(kReads));
}

Result<FileKind> SniffCharacter(std::span<const std::byte> bytes) {
  FLEXOR_ASSIGN(const FileKind kind, Sniff(bytes));
  if (kind == FileKind::kVmd || kind == FileKind::kVpd) {
    return Error{ErrorCode::kUnknownFormat,
                 std::string("this is a ") + (kind == FileKind::kVmd ? "VMD motion" : "VPD pose") +
                     ", no character; it moves a PMX or PMD model given with it",
                 {}};
  }
  return kind;
}

}  // namespace flexor::io
