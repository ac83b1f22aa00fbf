#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "flexor/core/utf8.h"

#include "io/encode.h"
#include "io/mmd/pmx_writer.h"
#include "io/mmd/utf16.h"

namespace flexor::io::mmd {
namespace {

constexpr std::endian kLittle = std::endian::little;

/// Elements that an index of one or two bytes can name. A vertex index of all ones is left unused
/// where the width is ours to choose, because some programs take it for none.
struct Capacity {
  std::size_t one, two;
};
constexpr Capacity kVertexCapacity{256, 65536};
constexpr Capacity kCarefulVertexCapacity{255, 65535};
constexpr Capacity kSignedCapacity{128, 32768};

std::uint8_t Smallest(std::size_t count, Capacity capacity) {
  return count <= capacity.one ? 1 : count <= capacity.two ? 2 : 4;
}

bool Holds(std::uint8_t width, std::size_t count, Capacity capacity) {
  return width == 4 || (width == 1 && count <= capacity.one) ||
         (width == 2 && count <= capacity.two);
}

}  // namespace

std::string PmxWriter::Element() const {
  if (!element_) return std::string(section_.plural);
  return std::string(section_.singular) + ' ' + std::to_string(*element_);
}

void PmxWriter::Fail(ErrorCode code, std::string message) {
  if (!error_) error_ = Error{code, std::move(message), {{}, Element(), std::nullopt}};
}

void PmxWriter::Needs21(std::string_view what) {
  if (version_ == PmxVersion::k21) return;
  needs_21_.Add([&] { return Element() + " has " + std::string(what); });
}

std::size_t PmxWriter::SizeOf(Kind kind) const {
  switch (kind) {
    case Kind::kTexture:
      return model_.textures.size();
    case Kind::kMaterial:
      return model_.materials.size();
    case Kind::kBone:
      return model_.bones.size();
    case Kind::kMorph:
      return model_.morphs.size();
    case Kind::kBody:
      return model_.bodies.size();
  }
  return 0;
}

std::uint8_t& PmxWriter::WidthOf(Kind kind) {
  switch (kind) {
    case Kind::kTexture:
      return widths_.texture;
    case Kind::kMaterial:
      return widths_.material;
    case Kind::kBone:
      return widths_.bone;
    case Kind::kMorph:
      return widths_.morph;
    case Kind::kBody:
      break;
  }
  return widths_.body;
}

void PmxWriter::ChooseWidths() {
  const PmxWidths from = wanted_.value_or(model_.widths);
  const auto choose = [&](std::uint8_t width, std::size_t count, bool vertex,
                          std::string_view what) -> std::uint8_t {
    const bool known = width == 1 || width == 2 || width == 4;
    // The model's own width stays while it holds the indices that occur: Widen() sees to that.
    if (!wanted_ && known) return width;
    if (known && Holds(width, count, vertex ? kVertexCapacity : kSignedCapacity)) return width;
    if (wanted_ && width != 0) {
      Fail(ErrorCode::kLimitExceeded,
           known ? "indices of " + std::to_string(width) + " bytes cannot name " +
                       std::to_string(count) + " " + std::string(what)
                 : "an index of " + std::string(what) + " cannot take " + std::to_string(width) +
                       " bytes, but only 1, 2 or 4");
    }
    return Smallest(count, vertex ? kCarefulVertexCapacity : kSignedCapacity);
  };
  widths_.vertex = choose(from.vertex, model_.vertices.size(), true, "vertices");
  widths_.texture = choose(from.texture, model_.textures.size(), false, "textures");
  widths_.material = choose(from.material, model_.materials.size(), false, "materials");
  widths_.bone = choose(from.bone, model_.bones.size(), false, "bones");
  widths_.morph = choose(from.morph, model_.morphs.size(), false, "morphs");
  widths_.body = choose(from.body, model_.bodies.size(), false, "rigid bodies");
}

bool PmxWriter::Widen() {
  bool any = false;
  for (const Kind kind :
       {Kind::kTexture, Kind::kMaterial, Kind::kBone, Kind::kMorph, Kind::kBody}) {
    if (!narrow_[static_cast<std::size_t>(kind)]) continue;
    WidthOf(kind) = Smallest(SizeOf(kind), kSignedCapacity);
    any = true;
  }
  if (narrow_.back()) {
    widths_.vertex = Smallest(model_.vertices.size(), kCarefulVertexCapacity);
    any = true;
  }
  narrow_ = {};
  return any;
}

void PmxWriter::CheckShapes() {
  const std::size_t uvs = model_.additional_uv_count;
  if (uvs > 4) {
    Fail(ErrorCode::kInvalidValue,
         "vertices have " + std::to_string(uvs) + " additional vectors, but at most 4 are allowed");
  }
  if (model_.additional_uvs.size() != model_.vertices.size() * uvs) {
    Fail(ErrorCode::kShapeMismatch,
         "there are " + std::to_string(model_.additional_uvs.size()) + " additional vectors, but " +
             std::to_string(model_.vertices.size()) + " vertices with " + std::to_string(uvs) +
             " each need " + std::to_string(model_.vertices.size() * uvs));
  }
  if (model_.indices.size() % 3 != 0) {
    Fail(ErrorCode::kShapeMismatch, "there are " + std::to_string(model_.indices.size()) +
                                        " face indices, but their number must be a multiple of 3");
  }
  constexpr std::size_t kMostExtra = 255 - 8;
  if (model_.extra_globals.size() > kMostExtra) {
    Fail(ErrorCode::kLimitExceeded, "there are " + std::to_string(model_.extra_globals.size()) +
                                        " extra settings, but at most 247 fit");
  }
}

void PmxWriter::U8(std::uint8_t value) { AppendScalar<kLittle>(out_, value); }
void PmxWriter::U16(std::uint16_t value) { AppendScalar<kLittle>(out_, value); }
void PmxWriter::U32(std::uint32_t value) { AppendScalar<kLittle>(out_, value); }

void PmxWriter::F(float value) {
  if (!IsFinite(value))
    Fail(ErrorCode::kInvalidValue, "a number of " + Element() + " is not finite");
  AppendScalar<kLittle>(out_, value);
}
void PmxWriter::F(Vec2f v) {
  F(v.x);
  F(v.y);
}
void PmxWriter::F(Vec3f v) {
  F(v.x);
  F(v.y);
  F(v.z);
}
void PmxWriter::F(Vec4f v) {
  F(v.x);
  F(v.y);
  F(v.z);
  F(v.w);
}

void PmxWriter::Integer(std::uint32_t value, std::uint8_t width) {
  if (width == 1) {
    U8(static_cast<std::uint8_t>(value));
  } else if (width == 2) {
    U16(static_cast<std::uint16_t>(value));
  } else {
    U32(value);
  }
}

void PmxWriter::Count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    Fail(ErrorCode::kLimitExceeded,
         Element() + ": " + std::to_string(count) + " elements, but at most 2147483647 fit");
  }
  U32(static_cast<std::uint32_t>(count));
}

void PmxWriter::Text(std::string_view utf8) {
  std::string repaired;
  if (!IsUtf8(utf8)) {
    std::size_t bad = 0;
    repaired = RepairedUtf8(utf8, &bad);
    utf8 = repaired;
    text_.Add(
        [&] { return "a text of " + Element() + " has " + std::to_string(bad) + " bad bytes"; });
  }
  const std::size_t at = out_.size();
  U32(0);
  if (encoding_ == PmxEncoding::kUtf16) {
    AppendUtf16(out_, utf8);
  } else {
    const auto bytes = std::as_bytes(std::span(utf8));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  const std::size_t length = out_.size() - at - 4;
  if (length > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    Fail(ErrorCode::kInvalidValue, "a text of " + Element() + " has " + std::to_string(length) +
                                       " bytes, but at most 2147483647 fit");
  }
  const auto bytes = ToBytes<kLittle>(static_cast<std::uint32_t>(length));
  std::copy(bytes.begin(), bytes.end(), out_.begin() + static_cast<std::ptrdiff_t>(at));
}

void PmxWriter::Index(std::int32_t index, Kind kind) {
  const std::size_t size = SizeOf(kind);
  if (index < kNoIndex || (index >= 0 && static_cast<std::size_t>(index) >= size)) {
    Fail(ErrorCode::kIndexOutOfRange, "an index of " + Element() + " is " + std::to_string(index) +
                                          ", but there are " + std::to_string(size));
  }
  const std::uint8_t width = WidthOf(kind);
  narrow_[static_cast<std::size_t>(kind)] |=
      index >= 0 && !Holds(width, static_cast<std::size_t>(index) + 1, kSignedCapacity);
  Integer(static_cast<std::uint32_t>(index), width);
}

void PmxWriter::VertexIndex(std::uint32_t index) {
  if (index >= model_.vertices.size()) {
    Fail(ErrorCode::kIndexOutOfRange, "a vertex index of " + Element() + " is " +
                                          std::to_string(index) + ", but there are " +
                                          std::to_string(model_.vertices.size()) + " vertices");
  }
  narrow_.back() |= !Holds(widths_.vertex, std::size_t{index} + 1, kVertexCapacity);
  Integer(index, widths_.vertex);
}

void PmxWriter::Header() {
  for (const char c : {'P', 'M', 'X', ' '}) U8(static_cast<std::uint8_t>(c));
  F(version_ == PmxVersion::k20 ? 2.0f : 2.1f);
  U8(static_cast<std::uint8_t>(8 + model_.extra_globals.size()));
  U8(static_cast<std::uint8_t>(encoding_));
  U8(model_.additional_uv_count);
  for (const std::uint8_t width : {widths_.vertex, widths_.texture, widths_.material, widths_.bone,
                                   widths_.morph, widths_.body}) {
    U8(width);
  }
  for (const std::uint8_t extra : model_.extra_globals) U8(extra);
  Text(model_.name);
  Text(model_.name_en);
  Text(model_.comment);
  Text(model_.comment_en);
}

void PmxWriter::Weights(const PmxVertex& vertex) {
  const auto bones = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) Index(vertex.bones[i], Kind::kBone);
  };
  U8(static_cast<std::uint8_t>(vertex.type));
  switch (vertex.type) {
    case PmxWeightType::kBdef1:
      bones(1);
      return;
    case PmxWeightType::kBdef2:
      bones(2);
      F(vertex.weights[0]);
      return;
    case PmxWeightType::kSdef:
      bones(2);
      F(vertex.weights[0]);
      F(vertex.c);
      F(vertex.r0);
      F(vertex.r1);
      return;
    case PmxWeightType::kQdef:
      Needs21("QDEF weights");
      [[fallthrough]];
    case PmxWeightType::kBdef4:
      bones(4);
      for (const float weight : vertex.weights) F(weight);
      return;
  }
  Fail(ErrorCode::kInvalidValue, "the weight type of " + Element() + " is not one of the five");
}

void PmxWriter::Vertices() {
  Enter({"vertices", "vertex"});
  Count(model_.vertices.size());
  const std::size_t uvs = model_.additional_uv_count;
  for (std::size_t i = 0; i < model_.vertices.size() && !error_; ++i) {
    Begin(i);
    const PmxVertex& vertex = model_.vertices[i];
    F(vertex.position);
    F(vertex.normal);
    F(vertex.uv);
    for (std::size_t k = 0; k < uvs; ++k) F(model_.additional_uvs[i * uvs + k]);
    Weights(vertex);
    F(vertex.edge_scale);
  }
  Enter({"faces", "face index"});
  Count(model_.indices.size());
  for (std::size_t i = 0; i < model_.indices.size(); ++i) {
    Begin(i);
    VertexIndex(model_.indices[i]);
  }
  Enter({"textures", "texture"});
  Count(model_.textures.size());
  for (std::size_t i = 0; i < model_.textures.size(); ++i) {
    Begin(i);
    Text(model_.textures[i]);
  }
}

void PmxWriter::Materials() {
  Enter({"materials", "material"});
  Count(model_.materials.size());
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < model_.materials.size(); ++i) {
    Begin(i);
    const PmxMaterial& m = model_.materials[i];
    Text(m.name);
    Text(m.name_en);
    F(m.diffuse);
    F(m.specular);
    F(m.shininess);
    F(m.ambient);
    constexpr std::uint8_t kOf21 = kMaterialVertexColor | kMaterialPoints | kMaterialLines;
    if ((m.flags & kOf21) != 0) Needs21("flags of 2.1");
    U8(m.flags);
    F(m.edge_color);
    F(m.edge_size);
    Index(m.texture, Kind::kTexture);
    Index(m.sphere, Kind::kTexture);
    U8(m.sphere_mode);
    U8(m.shared_toon ? 1 : 0);
    if (!m.shared_toon) {
      Index(m.toon, Kind::kTexture);
    } else if (m.toon < kNoIndex || m.toon > 9) {
      Fail(ErrorCode::kIndexOutOfRange, "the shared toon of " + Element() + " is " +
                                            std::to_string(m.toon) + ", but there are 10");
    } else {
      U8(static_cast<std::uint8_t>(m.toon));
    }
    Text(m.memo);
    used += m.index_count;
    if (m.index_count % 3 != 0 || used > model_.indices.size()) {
      Fail(ErrorCode::kShapeMismatch,
           Element() + " takes " + std::to_string(m.index_count) +
               " face indices and all up to it " + std::to_string(used) + ", but there are " +
               std::to_string(model_.indices.size()) + " and each must take a multiple of 3");
    }
    Count(m.index_count);
  }
}

void PmxWriter::WriteAll() {
  out_.clear();
  needs_21_ = {};
  text_ = {};
  Enter({"header", "header"});
  Header();
  Vertices();
  Materials();
  Bones();
  Morphs();
  Frames();
  Bodies();
  Joints();
  SoftBodies();
  // In another version they would stand where something else is looked for.
  if (version_ == model_.version) {
    out_.insert(out_.end(), model_.trailing.begin(), model_.trailing.end());
  }
}

Result<std::vector<std::byte>> PmxWriter::Write() {
  ChooseWidths();
  CheckShapes();
  if (error_) return *std::move(error_);
  // Close to what it will be; texts aside.
  out_.reserve(256 + model_.vertices.size() * (37 + 16u * model_.additional_uv_count + 32) +
               model_.indices.size() * widths_.vertex + model_.bones.size() * 96);
  WriteAll();
  if (!error_ && Widen()) WriteAll();
  if (error_) return *std::move(error_);
  if (notes_ != nullptr) {
    needs_21_.ReportTo(*notes_, "MMD_WRITE_NEEDS_21", "model");
    text_.ReportTo(*notes_, "MMD_WRITE_TEXT_REPAIRED", "model");
    if (version_ == PmxVersion::k20 && !model_.soft_bodies.empty()) {
      Report(*notes_, "MMD_WRITE_SOFT_BODIES_LEFT_OUT", "soft bodies",
             std::to_string(model_.soft_bodies.size()) + " soft bodies");
    }
  }
  return std::move(out_);
}

Result<std::vector<std::byte>> WritePmx(const PmxModel& model, const PmxWriteOptions& options,
                                        Diagnostics* notes) {
  return PmxWriter(model, options, notes).Write();
}

}  // namespace flexor::io::mmd
