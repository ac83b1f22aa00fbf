#include "asset/sample_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexor::asset::sample {
namespace {

double Distance(const Blob& blob, Vec3d p) {
  const Vec3d axis = blob.b - blob.a;
  const double length_squared = Dot(axis, axis);
  const double t =
      length_squared > 0 ? std::clamp(Dot(p - blob.a, axis) / length_squared, 0.0, 1.0) : 0.0;
  Vec3d off = p - (blob.a + axis * t);
  if (blob.flat != 1) {
    const double along = Dot(off, blob.flat_axis);
    off += blob.flat_axis * (along / blob.flat - along);
  }
  return Length(off) - (blob.radius_a + (blob.radius_b - blob.radius_a) * t);
}

// The lesser of two distances, rounded where they differ by less than `width`.
double Join(double a, double b, double width) {
  const double overlap = std::max(width - std::abs(a - b), 0.0);
  return std::min(a, b) - overlap * overlap / (4 * width);
}

double Carve(double a, double b, double width) { return -Join(-a, b, width); }

double BoxDistance(const Aabbd& box, Vec3d p) {
  const auto outside = [](double x, double low, double high) {
    return std::max({low - x, x - high, 0.0});
  };
  const Vec3d off{outside(p.x, box.min.x, box.max.x), outside(p.y, box.min.y, box.max.y),
                  outside(p.z, box.min.z, box.max.z)};
  return Length(off);
}

constexpr double kFar = 1e9;

}  // namespace

Field::Field(std::vector<Part> parts) : parts_(std::move(parts)) {
  for (const Part& part : parts_) {
    Aabbd box;
    for (const Blob& blob : part.blobs) {
      if (blob.carve) continue;
      const double a = blob.radius_a + blob.blend, b = blob.radius_b + blob.blend;
      box.Add(blob.a - Vec3d{a, a, a});
      box.Add(blob.a + Vec3d{a, a, a});
      box.Add(blob.b - Vec3d{b, b, b});
      box.Add(blob.b + Vec3d{b, b, b});
    }
    boxes_.push_back(box);
    widest_seam_ = std::max(widest_seam_, part.blend);
    bounds_.Add(box);
  }
}

double Field::Value(Vec3d p) const {
  double whole = kFar;
  double left_out = kFar;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    // Further than any seam reaches, a part cannot bend the skin of the others, and the distance to
    // its box stands in for it.
    const double box = BoxDistance(boxes_[i], p);
    if (box > widest_seam_) {
      left_out = std::min(left_out, box);
      continue;
    }
    double value = kFar;
    for (const Blob& blob : part.blobs) {
      const double distance = Distance(blob, p);
      value = blob.carve ? Carve(value, distance, blob.blend) : Join(value, distance, blob.blend);
    }
    whole = Join(whole, value, part.blend);
  }
  return std::min(whole, left_out);
}

std::uint32_t Field::Bone(Vec3d p) const {
  std::uint32_t bone = 0;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Part& part : parts_) {
    for (const Blob& blob : part.blobs) {
      if (blob.carve) continue;
      const double distance = Distance(blob, p);
      if (distance < nearest) {
        nearest = distance;
        bone = blob.bone;
      }
    }
  }
  return bone;
}

Field::Sample Field::At(Vec3d p) const {
  // Four corners of a tetrahedron: the cheapest stencil that sees all three directions.
  constexpr double kStep = 5e-4;
  const double a = Value(p + Vec3d{kStep, -kStep, -kStep});
  const double b = Value(p + Vec3d{-kStep, -kStep, kStep});
  const double c = Value(p + Vec3d{-kStep, kStep, -kStep});
  const double d = Value(p + Vec3d{kStep, kStep, kStep});
  return {(a + b + c + d) / 4, Vec3d{a - b - c + d, -a - b + c + d, -a + b - c + d} / (4 * kStep)};
}

Blob MakeBlob(Vec3d a, Vec3d b, double radius_a, double radius_b, double blend) {
  Blob blob;
  blob.a = a;
  blob.b = b;
  blob.radius_a = radius_a;
  blob.radius_b = radius_b;
  blob.blend = blend;
  return blob;
}

}  // namespace flexor::asset::sample
