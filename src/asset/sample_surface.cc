#include "asset/sample_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "asset/sample_build.h"

namespace flexor::asset::sample {
namespace {

constexpr std::uint32_t kNoVertex = 0xffffffffu;

// A point of the grid's own space moved to where it samples the field.
Vec3d ThroughLenses(Vec3d u, const std::vector<Lens>& lenses) {
  for (const Lens& lens : lenses) {
    const Vec3d off = u - lens.center;
    const double r2 = Dot(off, off);
    if (r2 >= lens.radius * lens.radius) continue;
    const double near = 1 / lens.fineness;
    const double s = near + (1 - near) * SmoothStep(0, lens.radius, std::sqrt(r2));
    return lens.center + off * s;
  }
  return u;
}

// The corner of a cube: bit 0 is x, bit 1 y, bit 2 z. A set of inside corners is plain when one
// sheet of surface parts it from the rest: then one vertex in the cube can stand for that sheet.
bool IsPlain(unsigned inside) {
  // Two opposite corners of a face inside, the others out: two sheets pass the face.
  for (const auto& [a, b, c, d] :
       {std::array{0, 1, 2, 3}, std::array{4, 5, 6, 7}, std::array{0, 1, 4, 5},
        std::array{2, 3, 6, 7}, std::array{0, 2, 4, 6}, std::array{1, 3, 5, 7}}) {
    const auto in = [&](int corner) { return (inside >> corner & 1) != 0; };
    if (in(a) == in(d) && in(b) == in(c) && in(a) != in(b)) return false;
  }
  const auto connected = [](unsigned set) {
    if (set == 0) return true;
    unsigned reached = set & (~set + 1);
    for (int step = 0; step < 8; ++step) {
      unsigned next = reached;
      for (unsigned corner = 0; corner < 8; ++corner) {
        if ((reached >> corner & 1) == 0) continue;
        for (const unsigned axis : {1u, 2u, 4u}) next |= (1u << (corner ^ axis)) & set;
      }
      reached = next;
    }
    return reached == set;
  };
  return connected(inside) && connected(~inside & 0xffu);
}

// Surface nets: one vertex in every cube that the surface passes, one quad around every grid edge
// that it crosses.
class Nets {
 public:
  Nets(const Field& field, double cell, const std::vector<Lens>& lenses)
      : field_(field), cell_(cell), lenses_(lenses) {
    Aabbd box = field.bounds();
    // A lens draws the world in, so what it shows needs more room in the grid.
    for (const Lens& lens : lenses) {
      const Vec3d r{lens.radius, lens.radius, lens.radius};
      box.Add(lens.center - r);
      box.Add(lens.center + r);
    }
    origin_ = box.min - Vec3d{2 * cell, 2 * cell, 2 * cell};
    const Vec3d size = box.Size() + Vec3d{4 * cell, 4 * cell, 4 * cell};
    for (std::size_t k = 0; k < 3; ++k) {
      blocks_[k] = static_cast<std::size_t>(size[k] / (cell * kBlock)) + 1;
      count_[k] = blocks_[k] * kBlock + 1;
    }
  }

  void Build(Surface& out, std::vector<std::array<std::uint32_t, 4>>& quads) {
    SampleCorners();
    PartSheets();
    PlaceVertices(out);
    EmitQuads(quads);
  }

 private:
  static constexpr std::size_t kBlock = 8;

  std::size_t Index(std::size_t i, std::size_t j, std::size_t k) const {
    return (k * count_[1] + j) * count_[0] + i;
  }
  Vec3d GridPoint(std::size_t i, std::size_t j, std::size_t k) const {
    return origin_ +
           Vec3d{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)} * cell_;
  }
  double ValueAt(Vec3d u) const { return field_.Value(ThroughLenses(u, lenses_)); }

  // Values at all corners of blocks that the surface may pass; the rest stays far outside or
  // inside.
  void SampleCorners() {
    constexpr float kUnset = 1e30f;
    values_.assign(count_[0] * count_[1] * count_[2], kUnset);
    // Half the diagonal of a block, times how steep the field can be, lenses included.
    const double reach = 0.5 * kBlock * cell_ * std::sqrt(3.0) * Field::kSteepest * 1.4;
    for (std::size_t bk = 0; bk < blocks_[2]; ++bk) {
      for (std::size_t bj = 0; bj < blocks_[1]; ++bj) {
        for (std::size_t bi = 0; bi < blocks_[0]; ++bi) {
          const std::size_t i0 = bi * kBlock, j0 = bj * kBlock, k0 = bk * kBlock;
          const Vec3d middle =
              (GridPoint(i0, j0, k0) + GridPoint(i0 + kBlock, j0 + kBlock, k0 + kBlock)) * 0.5;
          const double value = ValueAt(middle);
          const bool skip = std::abs(value) > reach;
          for (std::size_t k = k0; k <= k0 + kBlock; ++k) {
            for (std::size_t j = j0; j <= j0 + kBlock; ++j) {
              for (std::size_t i = i0; i <= i0 + kBlock; ++i) {
                float& corner = values_[Index(i, j, k)];
                if (corner != kUnset) continue;
                // A corner shared with a block that is looked into gets its true value there.
                if (skip) {
                  if (i == i0 || j == j0 || k == k0 || i == i0 + kBlock || j == j0 + kBlock ||
                      k == k0 + kBlock) {
                    continue;
                  }
                  corner = static_cast<float>(value);
                } else {
                  corner = static_cast<float>(ValueAt(GridPoint(i, j, k)));
                }
              }
            }
          }
        }
      }
    }
    // What is left lies between skipped blocks only, all of one side.
    for (std::size_t k = 0; k < count_[2]; ++k) {
      for (std::size_t j = 0; j < count_[1]; ++j) {
        float side = 1;
        for (std::size_t i = 0; i < count_[0]; ++i) {
          float& corner = values_[Index(i, j, k)];
          if (corner == kUnset) corner = side;
          side = corner < 0 ? -1.0f : 1.0f;
        }
      }
    }
  }

  // Where two sheets would pass one cube, the corner nearest to the surface changes its side. The
  // vertices are put on the true surface afterwards, so only the connection is decided here.
  void PartSheets() {
    constexpr int kMostPasses = 16;
    std::array<bool, 256> plain;
    for (unsigned mask = 0; mask < 256; ++mask) plain[mask] = IsPlain(mask);
    for (int pass = 0; pass < kMostPasses; ++pass) {
      bool changed = false;
      for (std::size_t k = 0; k + 1 < count_[2]; ++k) {
        for (std::size_t j = 0; j + 1 < count_[1]; ++j) {
          for (std::size_t i = 0; i + 1 < count_[0]; ++i) {
            const unsigned mask = InsideMask(i, j, k);
            if (plain[mask]) continue;
            std::array<unsigned, 8> order{0, 1, 2, 3, 4, 5, 6, 7};
            std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
              const float x = std::abs(Corner(i, j, k, a)), y = std::abs(Corner(i, j, k, b));
              return x != y ? x < y : a < b;
            });
            for (const unsigned corner : order) {
              if (!plain[mask ^ 1u << corner]) continue;
              float& value = Corner(i, j, k, corner);
              value = value < 0 ? 1e-6f : -1e-6f;
              changed = true;
              break;
            }
          }
        }
      }
      if (!changed) return;
    }
  }

  float& Corner(std::size_t i, std::size_t j, std::size_t k, unsigned corner) {
    return values_[Index(i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2))];
  }
  unsigned InsideMask(std::size_t i, std::size_t j, std::size_t k) {
    unsigned mask = 0;
    for (unsigned c = 0; c < 8; ++c) mask |= static_cast<unsigned>(Corner(i, j, k, c) < 0) << c;
    return mask;
  }

  void PlaceVertices(Surface& out) {
    vertex_.assign(values_.size(), kNoVertex);
    for (std::size_t k = 0; k + 1 < count_[2]; ++k) {
      for (std::size_t j = 0; j + 1 < count_[1]; ++j) {
        for (std::size_t i = 0; i + 1 < count_[0]; ++i) {
          const unsigned mask = InsideMask(i, j, k);
          if (mask == 0 || mask == 0xff) continue;
          std::array<double, 8> corner;
          for (unsigned c = 0; c < 8; ++c) corner[c] = static_cast<double>(Corner(i, j, k, c));
          Vec3d sum{};
          double crossings = 0;
          for (std::size_t a = 0; a < 8; ++a) {
            for (std::size_t axis = 1; axis <= 4; axis <<= 1) {
              const std::size_t b = a | axis;
              if (b == a || (corner[a] < 0) == (corner[b] < 0)) continue;
              const double t = corner[a] / (corner[a] - corner[b]);
              Vec3d p{static_cast<double>(a & 1), static_cast<double>(a >> 1 & 1),
                      static_cast<double>(a >> 2)};
              p[axis == 1 ? 0 : axis == 2 ? 1 : 2] = t;
              sum += p;
              crossings += 1;
            }
          }
          vertex_[Index(i, j, k)] = static_cast<std::uint32_t>(out.positions.size());
          out.positions.push_back(
              ThroughLenses(GridPoint(i, j, k) + sum * (cell_ / crossings), lenses_));
        }
      }
    }
  }

  void EmitQuads(std::vector<std::array<std::uint32_t, 4>>& quads) const {
    for (std::size_t k = 1; k + 1 < count_[2]; ++k) {
      for (std::size_t j = 1; j + 1 < count_[1]; ++j) {
        for (std::size_t i = 1; i + 1 < count_[0]; ++i) {
          const bool here = values_[Index(i, j, k)] < 0;
          const auto emit = [&](bool there, std::size_t a, std::size_t b) {
            if (here == there) return;
            // The four cubes around the edge, counter-clockwise seen along its direction.
            const std::array<std::uint32_t, 4> around{
                vertex_[Index(i, j, k) - a - b], vertex_[Index(i, j, k) - b],
                vertex_[Index(i, j, k)], vertex_[Index(i, j, k) - a]};
            if (here) {
              quads.push_back(around);
            } else {
              quads.push_back({around[3], around[2], around[1], around[0]});
            }
          };
          const std::size_t x = 1, y = count_[0], z = count_[0] * count_[1];
          emit(values_[Index(i + 1, j, k)] < 0, y, z);
          emit(values_[Index(i, j + 1, k)] < 0, z, x);
          emit(values_[Index(i, j, k + 1)] < 0, x, y);
        }
      }
    }
  }

  const Field& field_;
  double cell_;
  const std::vector<Lens>& lenses_;
  Vec3d origin_;
  std::array<std::size_t, 3> blocks_{}, count_{};
  std::vector<float> values_;
  std::vector<std::uint32_t> vertex_;  // of the cube whose lowest corner this is
};

// The point of the zero set near p: two steps down the slope.
Vec3d Onto(const Field& field, Vec3d p, Vec3d* normal) {
  for (int step = 0; step < 2; ++step) {
    const Field::Sample sample = field.At(p);
    const double slope = Dot(sample.gradient, sample.gradient);
    if (slope < 1e-6) break;
    p -= sample.gradient * (sample.value / slope);
    if (normal != nullptr) *normal = Normalized(sample.gradient, *normal);
  }
  return p;
}

// Moves every vertex toward the middle of its neighbours, within the surface.
void Spread(const Field& field, const std::vector<std::array<std::uint32_t, 4>>& quads,
            Surface& surface) {
  constexpr int kRounds = 3;
  std::vector<Vec3d> sum(surface.positions.size());
  std::vector<double> count(surface.positions.size());
  for (int round = 0; round < kRounds; ++round) {
    std::fill(sum.begin(), sum.end(), Vec3d{});
    std::fill(count.begin(), count.end(), 0.0);
    for (const auto& quad : quads) {
      for (std::size_t k = 0; k < 4; ++k) {
        sum[quad[k]] += surface.positions[quad[(k + 1) % 4]];
        count[quad[k]] += 1;
      }
    }
    for (std::size_t v = 0; v < sum.size(); ++v) {
      if (count[v] == 0) continue;
      Vec3d& p = surface.positions[v];
      p = Onto(field, p + (sum[v] / count[v] - p) * 0.7, &surface.normals[v]);
    }
  }
}

}  // namespace

Surface Polygonize(const Field& field, double cell, const std::vector<Lens>& lenses) {
  Surface surface;
  std::vector<std::array<std::uint32_t, 4>> quads;
  Nets(field, cell, lenses).Build(surface, quads);
  surface.normals.assign(surface.positions.size(), {0, 1, 0});
  Spread(field, quads, surface);
  for (const auto& [a, b, c, d] : quads) {
    const std::vector<Vec3d>& p = surface.positions;
    const Vec3d ac = p[c] - p[a], bd = p[d] - p[b];
    if (Dot(ac, ac) <= Dot(bd, bd)) {
      surface.triangles.insert(surface.triangles.end(), {a, b, c, a, c, d});
    } else {
      surface.triangles.insert(surface.triangles.end(), {b, c, d, b, d, a});
    }
  }
  return surface;
}

void CutAlong(Surface& surface, const std::function<double(Vec3d)>& line) {
  // A vertex nearer to the line than this part of an edge is moved onto it.
  constexpr double kNear = 0.3;
  std::vector<double> side(surface.positions.size());
  for (std::size_t v = 0; v < side.size(); ++v) side[v] = line(surface.positions[v]);
  const auto crosses = [&](std::uint32_t a, std::uint32_t b) {
    return (side[a] < 0 && side[b] > 0) || (side[a] > 0 && side[b] < 0);
  };
  std::vector<Vec3d> moved = surface.positions;
  std::vector<double> nearest(side.size(), kNear);
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = surface.triangles[t + k], b = surface.triangles[t + (k + 1) % 3];
      if (!crosses(a, b)) continue;
      const double part = side[a] / (side[a] - side[b]);
      const Vec3d at = surface.positions[a] + (surface.positions[b] - surface.positions[a]) * part;
      // Both triangles of the edge come by, in opposite directions; the first to be nearer stays.
      if (part < nearest[a]) nearest[a] = part, moved[a] = at;
      if (1 - part < nearest[b]) nearest[b] = 1 - part, moved[b] = at;
    }
  }
  for (std::size_t v = 0; v < side.size(); ++v) {
    if (nearest[v] < kNear) {
      surface.positions[v] = moved[v];
      side[v] = 0;
    }
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const auto [found, is_new] = middles.try_emplace(
        std::minmax(a, b), static_cast<std::uint32_t>(surface.positions.size()));
    if (is_new) {
      const auto [low, high] = std::minmax(a, b);
      const double part = side[low] / (side[low] - side[high]);
      surface.positions.push_back(surface.positions[low] +
                                  (surface.positions[high] - surface.positions[low]) * part);
      surface.normals.push_back(
          Normalized(surface.normals[low] + (surface.normals[high] - surface.normals[low]) * part,
                     surface.normals[low]));
    }
    return found->second;
  };
  std::vector<std::uint32_t> triangles;
  triangles.reserve(surface.triangles.size());
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
    // Turned so that the corner alone on its side comes first, or the one on the line does.
    std::array<std::uint32_t, 3> corner{surface.triangles[t], surface.triangles[t + 1],
                                        surface.triangles[t + 2]};
    int crossed = 0;
    for (std::size_t k = 0; k < 3; ++k) crossed += crosses(corner[k], corner[(k + 1) % 3]);
    if (crossed == 0) {
      triangles.insert(triangles.end(), corner.begin(), corner.end());
      continue;
    }
    const auto turn = [&] { std::rotate(corner.begin(), corner.begin() + 1, corner.end()); };
    if (crossed == 1) {
      while (side[corner[0]] != 0) turn();
      const auto [a, b, c] = corner;
      const std::uint32_t m = middle(b, c);
      triangles.insert(triangles.end(), {a, b, m, a, m, c});
      continue;
    }
    while (crosses(corner[1], corner[2])) turn();
    const auto [a, b, c] = corner;
    const std::uint32_t ab = middle(a, b), ca = middle(c, a);
    triangles.insert(triangles.end(), {a, ab, ca});
    const Vec3d bca = surface.positions[ca] - surface.positions[b];
    const Vec3d cab = surface.positions[ab] - surface.positions[c];
    if (Dot(bca, bca) <= Dot(cab, cab)) {
      triangles.insert(triangles.end(), {b, c, ca, b, ca, ab});
    } else {
      triangles.insert(triangles.end(), {ab, b, c, ab, c, ca});
    }
  }
  surface.triangles = std::move(triangles);
}

}  // namespace flexor::asset::sample
