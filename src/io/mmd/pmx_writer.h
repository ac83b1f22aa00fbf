/// @file io/mmd/pmx_writer.h
/// Writes a PMX file section by section. Everything that goes out passes a few small functions that
/// check it, so that what is written can be read back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/io/mmd/pmx.h"

#include "io/mmd/byte_reader.h"
#include "io/rules.h"

namespace flexor::io::mmd {

class PmxWriter {
 public:
  PmxWriter(const PmxModel& model, const PmxWriteOptions& options, Diagnostics* notes)
      : model_(model),
        version_(options.version.value_or(model.version)),
        encoding_(options.encoding.value_or(model.encoding)),
        wanted_(options.widths),
        notes_(notes) {}

  Result<std::vector<std::byte>> Write();

 private:
  enum class Kind : std::uint8_t { kTexture, kMaterial, kBone, kMorph, kBody };

  // pmx_write.cc
  void ChooseWidths();
  void WriteAll();
  /// Widens what turned out too narrow for its indices; whether there was any.
  bool Widen();
  void Header();
  void CheckShapes();
  std::size_t SizeOf(Kind kind) const;
  std::uint8_t& WidthOf(Kind kind);
  void Enter(Section section) {
    section_ = section;
    element_.reset();
  }
  void Begin(std::size_t element) { element_ = element; }
  std::string Element() const;
  void Fail(ErrorCode code, std::string message);
  void Needs21(std::string_view what);

  void U8(std::uint8_t value);
  void U16(std::uint16_t value);
  void U32(std::uint32_t value);
  void I32(std::int32_t value) { U32(static_cast<std::uint32_t>(value)); }
  void F(float value);
  void F(Vec2f v);
  void F(Vec3f v);
  void F(Vec4f v);
  void F(Quatf v) { F(Vec4f{v.x, v.y, v.z, v.w}); }
  void Text(std::string_view utf8);
  void Index(std::int32_t index, Kind kind);
  void VertexIndex(std::uint32_t index);
  void Integer(std::uint32_t value, std::uint8_t width);
  /// The number of elements.
  void Count(std::size_t count);

  void Vertices();
  void Weights(const PmxVertex& vertex);
  void Materials();
  // pmx_write_parts.cc
  void Bones();
  void Ik(const PmxIk& ik);
  void Morphs();
  void Entries(const PmxMorph& morph);
  void Frames();
  void Bodies();
  void Joints();
  void SoftBodies();

  const PmxModel& model_;
  PmxVersion version_;
  PmxEncoding encoding_;
  std::optional<PmxWidths> wanted_;
  Diagnostics* notes_;
  PmxWidths widths_;
  std::array<bool, 6> narrow_{};  // by Kind, vertices last
  std::vector<std::byte> out_;
  Section section_{"header", "header"};
  std::optional<std::size_t> element_;
  std::optional<Error> error_;
  Tally needs_21_, text_;
};

}  // namespace flexor::io::mmd
