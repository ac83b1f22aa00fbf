#include "deform/plan_check.h"

#include <cmath>
#include <span>
#include <string>
#include <string_view>

namespace flexor::deform {
namespace {

constexpr std::size_t kMaxVertices = std::size_t{1} << 31;

bool IsFinite4(const Vec4f& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z) && std::isfinite(v.w);
}

/// Speaks about one mesh: every error it makes names the mesh and an element of it.
class Checker {
 public:
  explicit Checker(const asset::Mesh& mesh) : mesh_(mesh), vertices_(mesh.vertex_count()) {}

  Error Fault(ErrorCode code, std::string message, const std::string& element) const {
    const std::string name = "mesh '" + mesh_.name + "'";
    return {code, std::move(message), {{}, element.empty() ? name : name + ", " + element, {}}};
  }

  /// An array that must be empty or have one entry per vertex.
  Status PerVertex(std::string_view what, std::size_t size) const {
    if (size == 0 || size == vertices_) return {};
    return Fault(ErrorCode::kShapeMismatch,
                 "there are " + std::to_string(size) + " " + std::string(what) + " for " +
                     std::to_string(vertices_) + " positions; give one per vertex or none",
                 std::string(what));
  }

  Status Finite(std::string_view what, std::span<const Vec3f> values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!IsFinite(values[i])) return NotFinite(what, "vertex " + std::to_string(i));
    }
    return {};
  }

  Error NotFinite(std::string_view what, const std::string& element) const {
    return Fault(ErrorCode::kInvalidValue,
                 "a value of the " + std::string(what) + " is not a finite number", element);
  }

  Status Arrays() const {
    if (vertices_ > kMaxVertices) {
      return Fault(ErrorCode::kLimitExceeded,
                   std::to_string(vertices_) + " vertices are more than the limit of " +
                       std::to_string(kMaxVertices),
                   {});
    }
    FLEXOR_TRY(PerVertex("normals", mesh_.normals.size()));
    FLEXOR_TRY(PerVertex("tangents", mesh_.tangents.size()));
    FLEXOR_TRY(PerVertex("dual-quaternion weights", mesh_.dqs_weights.size()));
    FLEXOR_TRY(Finite("positions", mesh_.positions));
    FLEXOR_TRY(Finite("normals", mesh_.normals));
    for (std::size_t v = 0; v < mesh_.tangents.size(); ++v) {
      if (!IsFinite4(mesh_.tangents[v]))
        return NotFinite("tangents", "vertex " + std::to_string(v));
    }
    for (std::size_t v = 0; v < mesh_.dqs_weights.size(); ++v) {
      const float weight = mesh_.dqs_weights[v];
      if (!(weight >= 0.0f && weight <= 1.0f)) {
        return Fault(ErrorCode::kInvalidValue,
                     "the dual-quaternion weight is " + std::to_string(weight) +
                         ", outside 0 (linear) to 1 (dual quaternion)",
                     "vertex " + std::to_string(v));
      }
    }
    return {};
  }

  Status Triangles() const {
    const std::size_t count = mesh_.triangles.size();
    if (count % 3 != 0) {
      return Fault(
          ErrorCode::kShapeMismatch,
          "there are " + std::to_string(count) + " triangle indices, which is no multiple of 3",
          "triangles");
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (mesh_.triangles[i] >= vertices_) {
        return Fault(ErrorCode::kIndexOutOfRange,
                     "the triangle names vertex " + std::to_string(mesh_.triangles[i]) +
                         ", but there are " + std::to_string(vertices_) + " vertices",
                     "triangle " + std::to_string(i / 3));
      }
    }
    return {};
  }

  Status Subsets() const {
    const std::size_t count = mesh_.triangles.size();
    for (std::size_t i = 0; i < mesh_.subsets.size(); ++i) {
      const asset::Subset& subset = mesh_.subsets[i];
      if (subset.first_index <= count && subset.index_count <= count - subset.first_index) continue;
      return Fault(ErrorCode::kIndexOutOfRange,
                   "the subset takes " + std::to_string(subset.index_count) + " indices from " +
                       std::to_string(subset.first_index) + " on, but there are " +
                       std::to_string(count),
                   "subset " + std::to_string(i));
    }
    return {};
  }

  Status Influences(std::size_t joint_count) const {
    const asset::Influences& in = mesh_.influences;
    if (in.empty()) {
      if (!in.joints.empty() || !in.weights.empty()) {
        return Fault(ErrorCode::kShapeMismatch,
                     "there are " + std::to_string(in.joints.size()) + " joints and " +
                         std::to_string(in.weights.size()) +
                         " weights of influences, but no offsets that give them to vertices",
                     "influences");
      }
      if (vertices_ > 0 && joint_count == 0) {
        return Fault(ErrorCode::kIndexOutOfRange,
                     "a mesh without influences follows joint 0, but there are 0 joints", {});
      }
      return {};
    }
    if (in.vertex_count() != vertices_) {
      return Fault(ErrorCode::kShapeMismatch,
                   "there are " + std::to_string(in.vertex_count()) + " runs of influences for " +
                       std::to_string(vertices_) + " positions",
                   "influences");
    }
    if (in.joints.size() != in.weights.size()) {
      return Fault(ErrorCode::kShapeMismatch,
                   "there are " + std::to_string(in.joints.size()) + " joints for " +
                       std::to_string(in.weights.size()) + " weights",
                   "influences");
    }
    if (in.offsets.front() != 0 || in.offsets.back() != in.joints.size()) {
      return Fault(ErrorCode::kShapeMismatch,
                   "the offsets run from " + std::to_string(in.offsets.front()) + " to " +
                       std::to_string(in.offsets.back()) + " over " +
                       std::to_string(in.joints.size()) + " influences",
                   "influences");
    }
    for (std::size_t v = 0; v < vertices_; ++v) {
      if (in.offsets[v] > in.offsets[v + 1] || in.offsets[v + 1] > in.joints.size()) {
        return Fault(ErrorCode::kInvalidValue,
                     "the run of influences starts at " + std::to_string(in.offsets[v]) +
                         " and ends at " + std::to_string(in.offsets[v + 1]),
                     "vertex " + std::to_string(v));
      }
      for (std::size_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
        if (in.joints[i] >= joint_count) {
          return Fault(ErrorCode::kIndexOutOfRange,
                       "an influence names joint " + std::to_string(in.joints[i]) +
                           ", but there are " + std::to_string(joint_count) + " joints",
                       "vertex " + std::to_string(v));
        }
        if (!std::isfinite(in.weights[i])) {
          return NotFinite("weights", "vertex " + std::to_string(v));
        }
      }
    }
    return {};
  }

  Status Sdef(std::size_t joint_count) const {
    const asset::SdefVertices& in = mesh_.sdef;
    const struct {
      std::string_view what;
      std::size_t size;
    } arrays[] = {{"pairs of joints", in.joints.size()},
                  {"weights", in.weights.size()},
                  {"centres", in.centers.size()},
                  {"reference points R0", in.r0.size()},
                  {"reference points R1", in.r1.size()}};
    for (const auto& [what, size] : arrays) {
      if (size == in.size()) continue;
      return Fault(ErrorCode::kShapeMismatch,
                   "there are " + std::to_string(size) + " " + std::string(what) + " for " +
                       std::to_string(in.size()) + " spherical vertices",
                   "spherical vertices");
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in.vertices[i] >= vertices_) {
        return Fault(ErrorCode::kIndexOutOfRange,
                     "entry " + std::to_string(i) + " names vertex " +
                         std::to_string(in.vertices[i]) + ", but there are " +
                         std::to_string(vertices_) + " vertices",
                     "spherical vertices");
      }
      const std::string vertex = "vertex " + std::to_string(in.vertices[i]);
      if (i > 0 && in.vertices[i] <= in.vertices[i - 1]) {
        return Fault(ErrorCode::kInvalidValue,
                     "entry " + std::to_string(i) + " names vertex " +
                         std::to_string(in.vertices[i]) + " after vertex " +
                         std::to_string(in.vertices[i - 1]) +
                         "; vertices must ascend without repeats",
                     "spherical vertices");
      }
      for (const std::uint32_t joint : in.joints[i]) {
        if (joint < joint_count) continue;
        return Fault(ErrorCode::kIndexOutOfRange,
                     "a spherical vertex names joint " + std::to_string(joint) +
                         ", but there are " + std::to_string(joint_count) + " joints",
                     vertex);
      }
      if (!std::isfinite(in.weights[i])) return NotFinite("spherical weights", vertex);
      if (!IsFinite(in.centers[i])) return NotFinite("spherical centres", vertex);
      if (!IsFinite(in.r0[i]) || !IsFinite(in.r1[i])) {
        return NotFinite("spherical reference points", vertex);
      }
    }
    return {};
  }

  Status Morphs() const {
    for (std::size_t m = 0; m < mesh_.morphs.size(); ++m) {
      const asset::Morph& morph = mesh_.morphs[m];
      const std::string where =
          "morph " + std::to_string(m) + (morph.name.empty() ? "" : " '" + morph.name + "'");
      const bool sparse = !morph.vertices.empty();
      const std::size_t entries = sparse ? morph.vertices.size() : vertices_;
      for (std::size_t i = 0; i < morph.vertices.size(); ++i) {
        if (morph.vertices[i] >= vertices_) {
          return Fault(ErrorCode::kIndexOutOfRange,
                       "entry " + std::to_string(i) + " names vertex " +
                           std::to_string(morph.vertices[i]) + ", but there are " +
                           std::to_string(vertices_) + " vertices",
                       where);
        }
        if (i > 0 && morph.vertices[i] <= morph.vertices[i - 1]) {
          return Fault(ErrorCode::kInvalidValue,
                       "entry " + std::to_string(i) + " names vertex " +
                           std::to_string(morph.vertices[i]) + " after vertex " +
                           std::to_string(morph.vertices[i - 1]) +
                           "; vertices must ascend without repeats",
                       where);
        }
      }
      const struct {
        std::string_view what;
        const std::vector<Vec3f>& values;
      } arrays[] = {{"position offsets", morph.positions},
                    {"normal offsets", morph.normals},
                    {"tangent offsets", morph.tangents}};
      for (const auto& [what, values] : arrays) {
        if (!values.empty() && values.size() != entries) {
          return Fault(ErrorCode::kShapeMismatch,
                       "there are " + std::to_string(values.size()) + " " + std::string(what) +
                           " for " + std::to_string(entries) + (sparse ? " entries" : " vertices"),
                       where);
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (IsFinite(values[i])) continue;
          return NotFinite(what,
                           where + ", vertex " + std::to_string(sparse ? morph.vertices[i] : i));
        }
      }
    }
    return {};
  }

 private:
  const asset::Mesh& mesh_;
  std::size_t vertices_;
};

}  // namespace

Status CheckMesh(const asset::Mesh& mesh, std::size_t joint_count) {
  const Checker checker(mesh);
  FLEXOR_TRY(checker.Arrays());
  FLEXOR_TRY(checker.Triangles());
  FLEXOR_TRY(checker.Subsets());
  FLEXOR_TRY(checker.Influences(joint_count));
  FLEXOR_TRY(checker.Sdef(joint_count));
  return checker.Morphs();
}

}  // namespace flexor::deform
