#include <array>
#include <utility>

#include "flexor/core/utf8.h"

#include "io/mmd/faces.h"
#include "io/mmd/pmx_parser.h"
#include "io/mmd/utf16.h"

namespace flexor::io::mmd {
namespace {

constexpr std::uint8_t kKnownGlobals = 8;
constexpr std::uint8_t kMostAdditionalUvs = 4;

bool IsWidth(std::uint8_t width) { return width == 1 || width == 2 || width == 4; }

}  // namespace

Status PmxParser::Header() {
  reader_.Enter({"header", "header"});
  const auto magic = reader_.Take(4, "the signature");
  constexpr std::array<char, 4> kMagic{'P', 'M', 'X', ' '};
  for (std::size_t i = 0; i < magic.size(); ++i) {
    if (std::to_integer<char>(magic[i]) != kMagic[i]) {
      return ByteReader::At(ErrorCode::kUnknownFormat, "the file does not start with 'PMX '",
                            "header", 0);
    }
  }
  const std::uint64_t version_at = reader_.offset();
  const float version = reader_.F32();
  FLEXOR_TRY(reader_.status());
  if (version != 2.0f && version != 2.1f) {
    return ByteReader::At(ErrorCode::kUnsupportedFeature,
                          "the file is PMX version " + std::to_string(version) +
                              ", but only 2.0 and 2.1 are supported; save it anew in a PMX editor",
                          "header", version_at);
  }
  model_.version = version == 2.0f ? PmxVersion::k20 : PmxVersion::k21;
  const std::uint8_t globals = reader_.U8();
  FLEXOR_TRY(reader_.status());
  if (globals < kKnownGlobals) {
    return ByteReader::At(
        ErrorCode::kInvalidValue,
        "the header has " + std::to_string(globals) + " settings, but it must have at least 8",
        "header", version_at + 4);
  }
  const std::uint64_t globals_at = reader_.offset();
  const std::uint8_t encoding = reader_.U8();
  model_.additional_uv_count = reader_.U8();
  PmxWidths& widths = model_.widths;
  for (std::uint8_t* width : {&widths.vertex, &widths.texture, &widths.material, &widths.bone,
                              &widths.morph, &widths.body}) {
    *width = reader_.U8();
  }
  for (int i = kKnownGlobals; i < globals; ++i) model_.extra_globals.push_back(reader_.U8());
  FLEXOR_TRY(reader_.status());
  if (encoding > 1) {
    return ByteReader::At(ErrorCode::kInvalidValue,
                          "the text encoding is " + std::to_string(encoding) +
                              ", but only 0 (UTF-16) and 1 (UTF-8) exist",
                          "header", globals_at);
  }
  model_.encoding = static_cast<PmxEncoding>(encoding);
  if (model_.additional_uv_count > kMostAdditionalUvs) {
    return ByteReader::At(ErrorCode::kInvalidValue,
                          "vertices have " + std::to_string(model_.additional_uv_count) +
                              " additional vectors, but at most 4 are allowed",
                          "header", globals_at + 1);
  }
  std::uint64_t at = globals_at + 2;
  for (const std::uint8_t width :
       {widths.vertex, widths.texture, widths.material, widths.bone, widths.morph, widths.body}) {
    if (!IsWidth(width)) {
      return ByteReader::At(
          ErrorCode::kInvalidValue,
          "an index takes " + std::to_string(width) + " bytes, but only 1, 2 and 4 are allowed",
          "header", at);
    }
    ++at;
  }
  if (!model_.extra_globals.empty()) {
    Report(diagnostics_, "MMD_EXTRA_GLOBALS", "header",
           "the header has " + std::to_string(globals) + " settings, of which 8 are known");
  }
  model_.name = Text();
  model_.name_en = Text();
  model_.comment = Text();
  model_.comment_en = Text();
  return reader_.status();
}

std::string PmxParser::Text() {
  const std::uint64_t at = reader_.offset();
  const std::int32_t length = reader_.I32();
  if (!reader_.ok()) return {};
  if (length < 0) {
    reader_.Fail(ErrorCode::kInvalidValue,
                 "a text has " + std::to_string(length) + " bytes, but it must not be negative",
                 at);
    return {};
  }
  const auto bytes = reader_.Take(static_cast<std::uint64_t>(length), "a text");
  if (!reader_.ok()) return {};
  // UTF-8 takes at most three bytes for each of one or two.
  if (const Status charged = budget_.Charge(bytes.size(), 2, "a text"); !charged.ok()) {
    reader_.Fail(charged.error().code, charged.error().message, at);
    return {};
  }
  std::size_t bad = 0;
  std::string text =
      model_.encoding == PmxEncoding::kUtf16
          ? Utf8FromUtf16(bytes, bad)
          : RepairedUtf8({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, &bad);
  if (bad != 0) {
    text_.Add([&] {
      return reader_.Element() + ": the text " + Quoted(text) + " at byte " + std::to_string(at) +
             " had " + std::to_string(bad) + " bad characters";
    });
  }
  return text;
}

bool PmxParser::Flag() {
  const std::uint8_t value = reader_.U8();
  Unknown(value > 1, [&] {
    return "a flag of " + reader_.Element() + " at byte " + std::to_string(reader_.offset() - 1) +
           " is " + std::to_string(value) + ", not 0 or 1";
  });
  return value != 0;
}

std::int32_t PmxParser::Index(std::uint8_t width) {
  if (width == 1) return reader_.I8();
  if (width == 2) return reader_.I16();
  return reader_.I32();
}

std::uint32_t PmxParser::VertexIndex() { return ReadVertexIndex(reader_, model_.widths.vertex); }

std::string PmxParser::Here(std::string_view name) const {
  return reader_.Element() + " " + Quoted(name);
}

void PmxParser::Require(std::int32_t index, const Table& table, std::string_view what) {
  if (!reader_.ok() || Names(index, table.size)) return;
  reader_.Fail(ErrorCode::kIndexOutOfRange,
               std::string(what) + " of " + reader_.Element() + " is " + std::to_string(index) +
                   ", but there are " + std::to_string(table.size) + " " + std::string(table.name));
}

Status PmxParser::Finish() {
  if (reader_.remaining() != 0) {
    FLEXOR_TRY(budget_.Charge(reader_.remaining(), 1, "bytes after the last section"));
    Report(diagnostics_, "MMD_TRAILING_BYTES", "end of file",
           std::to_string(reader_.remaining()) + " bytes after the last section, from byte " +
               std::to_string(reader_.offset()));
    const auto rest = reader_.Take(reader_.remaining());
    model_.trailing.assign(rest.begin(), rest.end());
  }
  text_.ReportTo(diagnostics_, "MMD_TEXT_REPAIRED", "texts");
  needs_21_.ReportTo(diagnostics_, "MMD_FEATURE_OF_21", "header");
  unknown_.ReportTo(diagnostics_, "MMD_UNKNOWN_VALUE", "values");
  return {};
}

Result<PmxModel> PmxParser::Parse() {
  FLEXOR_TRY(Header());
  FLEXOR_TRY(Vertices());
  FLEXOR_TRY(Faces());
  FLEXOR_TRY(Textures());
  FLEXOR_TRY(Materials());
  FLEXOR_TRY(Bones());
  FLEXOR_TRY(CheckVertexBones());
  FLEXOR_TRY(Morphs());
  FLEXOR_TRY(Frames());
  FLEXOR_ASSIGN(const BodyFate fate, Bodies());
  FLEXOR_TRY(Joints(fate));
  if (model_.version == PmxVersion::k21) FLEXOR_TRY(SoftBodies(fate));
  Impulses(fate);
  FLEXOR_TRY(Finish());
  return std::move(model_);
}

Result<PmxModel> ParsePmx(std::span<const std::byte> bytes, MemoryBudget& budget,
                          Diagnostics& diagnostics) {
  return PmxParser(bytes, budget, diagnostics).Parse();
}

}  // namespace flexor::io::mmd
