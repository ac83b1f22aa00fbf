#include "io/gltf/draco.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#ifdef FLEXOR_WITH_DRACO
#include <draco/compression/config/compression_shared.h>
#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>
#include <draco/core/decoder_buffer.h>
#include <draco/core/varint_decoding.h>
#include <draco/mesh/mesh.h>
#endif

namespace flexor::io::gltf {
namespace {

Error Fault(ErrorCode code, const std::string& what) {
  return {code, std::string(kDracoExtension) + ": " + what, {}};
}

}  // namespace

#ifdef FLEXOR_WITH_DRACO

namespace {

/// What one decoding may hold, charged as its parts become known. The codec believes its own
/// counts, so they are looked at before it does.
struct Allowance {
  explicit Allowance(MemoryBudget& memory) : budget(&memory) {}
  Allowance(const Allowance&) = delete;
  Allowance& operator=(const Allowance&) = delete;
  ~Allowance() { budget->Release(taken); }

  bool Take(std::uint64_t count, std::uint64_t bytes, std::string_view what) {
    Status status = budget->Charge(count, bytes, what);
    if (!status.ok()) {
      refusal = std::move(status).error();
      return false;
    }
    taken += count * bytes;
    return true;
  }

  MemoryBudget* budget;
  std::uint64_t taken = 0;
  std::optional<Error> refusal;
};

// Corner table, traversal and point maps of the edgebreaker decoder, generously, per face and per
// vertex; the faces themselves included.
constexpr std::uint64_t kBytesPerFace = 120;
constexpr std::uint64_t kBytesPerVertex = 64;

template <class Base>
class BoundedDecoder final : public Base {
 public:
  explicit BoundedDecoder(Allowance& allowance) : allowance_(allowance) {}

 private:
  bool DecodeConnectivity() override {
    // A copy of the buffer reads ahead without moving the real one.
    draco::DecoderBuffer ahead = *this->buffer();
    std::uint32_t faces = 0, vertices = 0;
    if (!PeekCounts(ahead, faces, vertices)) return false;
    if (!allowance_.Take(faces, kBytesPerFace, "the faces of a Draco mesh") ||
        !allowance_.Take(vertices, kBytesPerVertex, "the vertices of a Draco mesh")) {
      return false;
    }
    return Base::DecodeConnectivity();
  }

  bool DecodeAllAttributes() override {
    const draco::PointCloud& cloud = *this->point_cloud();
    for (int i = 0; i < cloud.num_attributes(); ++i) {
      const draco::PointAttribute& attribute = *cloud.attribute(i);
      // The values, their portable form before dequantisation, coded symbols, and the point map.
      const auto bytes = 2 * static_cast<std::uint64_t>(attribute.byte_stride()) +
                         8 * static_cast<std::uint64_t>(attribute.num_components()) + 8;
      if (!allowance_.Take(cloud.num_points(), bytes, "an attribute of a Draco mesh")) return false;
    }
    return Base::DecodeAllAttributes();
  }

  static constexpr bool kEdgebreaker = std::is_same_v<Base, draco::MeshEdgebreakerDecoder>;

  bool PeekCounts(draco::DecoderBuffer& ahead, std::uint32_t& faces,
                  std::uint32_t& vertices) const {
    const auto number = [&](std::uint32_t& out, unsigned varint_since) {
      return this->bitstream_version() < varint_since ? ahead.Decode(&out)
                                                      : draco::DecodeVarint(&out, &ahead);
    };
    if constexpr (kEdgebreaker) {
      if (this->bitstream_version() < DRACO_BITSTREAM_VERSION(2, 2)) {
        // Old streams name the number of new vertices first.
        std::uint32_t fresh = 0;
        if (!number(fresh, DRACO_BITSTREAM_VERSION(2, 0))) return false;
      }
      return number(vertices, DRACO_BITSTREAM_VERSION(2, 0)) &&
             number(faces, DRACO_BITSTREAM_VERSION(2, 0));
    } else {
      return number(faces, DRACO_BITSTREAM_VERSION(2, 2)) &&
             number(vertices, DRACO_BITSTREAM_VERSION(2, 2));
    }
  }

  Allowance& allowance_;
};

template <class T>
float ToFloat(const std::uint8_t* from, bool fraction) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  if constexpr (std::is_integral_v<T>) {
    if (fraction) {
      constexpr auto kLargest = static_cast<float>(std::numeric_limits<T>::max());
      return std::max(static_cast<float>(value) / kLargest, -1.0f);
    }
  }
  return static_cast<float>(value);
}

float ReadFloat(draco::DataType type, const std::uint8_t* from, bool fraction) {
  switch (type) {
    case draco::DT_INT8:
      return ToFloat<std::int8_t>(from, fraction);
    case draco::DT_UINT8:
      return ToFloat<std::uint8_t>(from, fraction);
    case draco::DT_INT16:
      return ToFloat<std::int16_t>(from, fraction);
    case draco::DT_UINT16:
      return ToFloat<std::uint16_t>(from, fraction);
    case draco::DT_INT32:
      return ToFloat<std::int32_t>(from, fraction);
    case draco::DT_UINT32:
      return ToFloat<std::uint32_t>(from, fraction);
    case draco::DT_FLOAT32:
      return ToFloat<float>(from, fraction);
    case draco::DT_FLOAT64:
      return ToFloat<double>(from, fraction);
    default:
      return 0;
  }
}

std::uint32_t ReadUnsigned(draco::DataType type, const std::uint8_t* from) {
  std::uint32_t value = 0;
  std::memcpy(&value, from, static_cast<std::size_t>(draco::DataTypeLength(type)));
  return value;  // little-endian, as Draco itself demands
}

}  // namespace

struct DracoMesh::Impl {
  explicit Impl(MemoryBudget& budget) : allowance(budget) {}

  Allowance allowance;
  draco::Mesh mesh;

  /// Calls read(from, out index) for every component of every point.
  template <class Read>
  Status ForEach(std::uint32_t id, std::uint32_t components, Read read) const {
    const draco::PointAttribute* attribute = mesh.GetAttributeByUniqueId(id);
    if (attribute == nullptr) {
      return Fault(ErrorCode::kIndexOutOfRange,
                   "the data has no attribute with the id " + std::to_string(id));
    }
    if (attribute->num_components() != components) {
      return Fault(ErrorCode::kShapeMismatch, "attribute " + std::to_string(id) + " has " +
                                                  std::to_string(attribute->num_components()) +
                                                  " components, but its " + "accessor has " +
                                                  std::to_string(components));
    }
    const draco::DataBuffer* values = attribute->buffer();
    const int length = draco::DataTypeLength(attribute->data_type());
    if (values == nullptr || length <= 0) {
      return Fault(ErrorCode::kParse, "attribute " + std::to_string(id) + " has no values");
    }
    const auto bytes = static_cast<std::uint64_t>(components) * static_cast<std::uint64_t>(length);
    for (std::uint32_t p = 0; p < mesh.num_points(); ++p) {
      if (!attribute->is_mapping_identity() && p >= attribute->indices_map_size()) {
        return Fault(ErrorCode::kParse, "point " + std::to_string(p) + " has no value");
      }
      const draco::AttributeValueIndex index = attribute->mapped_index(draco::PointIndex(p));
      const std::int64_t at = attribute->GetBytePos(index);
      if (index.value() >= attribute->size() || at < 0 ||
          static_cast<std::uint64_t>(at) + bytes > values->data_size()) {
        return Fault(ErrorCode::kParse, "the value of point " + std::to_string(p) +
                                            " is outside attribute " + std::to_string(id));
      }
      const std::uint8_t* from = values->data() + at;
      for (std::uint32_t c = 0; c < components; ++c) {
        read(*attribute, from + c * static_cast<std::size_t>(length),
             std::size_t{p} * components + c);
      }
    }
    return {};
  }
};

DracoMesh::DracoMesh() = default;
DracoMesh::~DracoMesh() = default;
DracoMesh::DracoMesh(DracoMesh&&) noexcept = default;
DracoMesh& DracoMesh::operator=(DracoMesh&&) noexcept = default;

bool HasDraco() { return true; }

Result<DracoMesh> DracoMesh::Decode(std::span<const std::byte> bytes, MemoryBudget& budget) {
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  draco::DecoderBuffer head = buffer;
  draco::DracoHeader header{};
  if (!draco::PointCloudDecoder::DecodeHeader(&head, &header).ok()) {
    return Fault(ErrorCode::kParse, "the data does not start with a Draco header");
  }
  if (header.encoder_type != draco::TRIANGULAR_MESH) {
    return Fault(ErrorCode::kUnsupportedFeature, "the data is not a triangle mesh");
  }
  DracoMesh result;
  result.impl_ = std::make_unique<Impl>(budget);
  Impl& impl = *result.impl_;
  const draco::DecoderOptions options;
  draco::Status status;
  switch (header.encoder_method) {
    case draco::MESH_SEQUENTIAL_ENCODING:
      status = BoundedDecoder<draco::MeshSequentialDecoder>(impl.allowance)
                   .Decode(options, &buffer, &impl.mesh);
      break;
    case draco::MESH_EDGEBREAKER_ENCODING:
      status = BoundedDecoder<draco::MeshEdgebreakerDecoder>(impl.allowance)
                   .Decode(options, &buffer, &impl.mesh);
      break;
    default:
      return Fault(ErrorCode::kUnsupportedFeature,
                   "encoding method " + std::to_string(header.encoder_method));
  }
  if (impl.allowance.refusal) return std::move(*impl.allowance.refusal);
  if (!status.ok()) {
    const std::string& reason = status.error_msg_string();
    return Fault(ErrorCode::kParse, "the data is broken" + (reason.empty() ? "" : ": " + reason));
  }
  return result;
}

std::uint64_t DracoMesh::point_count() const { return impl_->mesh.num_points(); }
std::uint64_t DracoMesh::index_count() const { return std::uint64_t{impl_->mesh.num_faces()} * 3; }

Status DracoMesh::Indices(std::span<std::uint32_t> out) const {
  const draco::Mesh& mesh = impl_->mesh;
  for (std::uint32_t f = 0; f < mesh.num_faces(); ++f) {
    const draco::Mesh::Face& face = mesh.face(draco::FaceIndex(f));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t point = face[k].value();
      if (point >= mesh.num_points()) {
        return Fault(ErrorCode::kIndexOutOfRange, "face " + std::to_string(f) + " names point " +
                                                      std::to_string(point) + " of only " +
                                                      std::to_string(mesh.num_points()));
      }
      out[std::size_t{f} * 3 + k] = point;
    }
  }
  return {};
}

Status DracoMesh::Floats(std::uint32_t id, std::uint32_t components, bool fractions,
                         std::span<float> out) const {
  return impl_->ForEach(
      id, components,
      [&](const draco::PointAttribute& attribute, const std::uint8_t* from, std::size_t i) {
        out[i] = ReadFloat(attribute.data_type(), from, fractions);
      });
}

Status DracoMesh::Unsigned(std::uint32_t id, std::uint32_t components,
                           std::span<std::uint32_t> out) const {
  const draco::PointAttribute* attribute = impl_->mesh.GetAttributeByUniqueId(id);
  if (attribute != nullptr) {
    const draco::DataType type = attribute->data_type();
    if (type != draco::DT_UINT8 && type != draco::DT_UINT16 && type != draco::DT_UINT32) {
      return Fault(ErrorCode::kInvalidValue,
                   "attribute " + std::to_string(id) + " does not hold unsigned integers");
    }
  }
  return impl_->ForEach(
      id, components, [&](const draco::PointAttribute& a, const std::uint8_t* from, std::size_t i) {
        out[i] = ReadUnsigned(a.data_type(), from);
      });
}

#else

struct DracoMesh::Impl {};
DracoMesh::DracoMesh() = default;
DracoMesh::~DracoMesh() = default;
DracoMesh::DracoMesh(DracoMesh&&) noexcept = default;
DracoMesh& DracoMesh::operator=(DracoMesh&&) noexcept = default;

bool HasDraco() { return false; }

Result<DracoMesh> DracoMesh::Decode(std::span<const std::byte>, MemoryBudget&) {
  return Fault(ErrorCode::kUnsupportedFeature, "this build has no decoder for it");
}
std::uint64_t DracoMesh::point_count() const { return 0; }
std::uint64_t DracoMesh::index_count() const { return 0; }
Status DracoMesh::Indices(std::span<std::uint32_t>) const { return {}; }
Status DracoMesh::Floats(std::uint32_t, std::uint32_t, bool, std::span<float>) const { return {}; }
Status DracoMesh::Unsigned(std::uint32_t, std::uint32_t, std::span<std::uint32_t>) const {
  return {};
}

#endif

}  // namespace flexor::io::gltf
