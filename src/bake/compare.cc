#include "flexor/bake/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "flexor/deform/method_name.h"
#include "flexor/math/aabb.h"

#include "bake/merged_shape.h"
#include "bake/one_method.h"

namespace flexor::bake {
namespace {

Error Usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

// The rest pose, and what every frame is measured against.
struct Rest {
  std::vector<Vec3d> positions;
  Aabbd box;
  double area = 0, volume = 0;
  std::vector<std::uint32_t> ring;
  double ring_radius = 0;
  Vec3d ring_axis;
  double ring_along = 0;
};

Status FindRing(const RingChoice& choice, Rest& rest) {
  const double length = Length(choice.axis);
  if (!(length > 0) || !std::isfinite(length)) return Usage("the ring's axis must not be zero");
  const Vec3d axis = choice.axis / length;
  double low = 0, high = 0;
  for (std::size_t i = 0; i < rest.positions.size(); ++i) {
    const double along = Dot(axis, rest.positions[i]);
    low = i == 0 ? along : std::min(low, along);
    high = i == 0 ? along : std::max(high, along);
  }
  double along = choice.along.value_or((low + high) / 2);
  double tolerance = choice.tolerance.value_or(0);
  if (!choice.tolerance) {
    // The ring of vertices nearest to the height that was asked for.
    double nearest = std::numeric_limits<double>::infinity();
    double found = along;
    for (const Vec3d& p : rest.positions) {
      const double at = Dot(axis, p);
      if (std::abs(at - along) < nearest) {
        nearest = std::abs(at - along);
        found = at;
      }
    }
    along = found;
    tolerance = 1e-6 * rest.box.Extent();
  }
  rest.ring = measure::RingVertices(rest.positions, axis, along, tolerance);
  const std::optional<double> radius = measure::RingRadiusOf(rest.positions, rest.ring, axis);
  if (!radius) {
    return Usage("no vertex lies on the ring at " + std::to_string(along) +
                 " m along its axis; the character reaches from " + std::to_string(low) + " to " +
                 std::to_string(high));
  }
  if (!(*radius > 0)) {
    return Usage("a vertex of the ring at " + std::to_string(along) +
                 " m lies on the axis at rest, so its radius has no ratio");
  }
  rest.ring_radius = *radius;
  rest.ring_axis = axis;
  rest.ring_along = along;
  return {};
}

Result<ShapeNumbers> MeasureShape(const Rest& rest, const MergedShape& shape,
                                  const std::vector<Vec3d>& positions) {
  ShapeNumbers numbers;
  FLEXOR_ASSIGN(numbers.edges, measure::EdgeRatios(rest.positions, positions, shape.triangles()));
  if (rest.area > 0) numbers.area_ratio = measure::Area(positions, shape.triangles()) / rest.area;
  // An open or flat surface encloses rounding noise only: a ratio of noise says nothing.
  const double size = rest.box.Extent();
  if (std::abs(rest.volume) > 1e-9 * size * size * size) {
    numbers.volume_ratio = measure::Volume(positions, shape.triangles()) / rest.volume;
  }
  if (!rest.ring.empty()) {
    numbers.ring_radius_ratio =
        *measure::RingRadiusOf(positions, rest.ring, rest.ring_axis) / rest.ring_radius;
    FLEXOR_ASSIGN(numbers.ring_pairs,
                  measure::PairDistanceRatios(rest.positions, positions, rest.ring));
  }
  return numbers;
}

void AddReport(const deform::FrameReport& from, deform::FrameReport& into) {
  into.non_rigid_joints += from.non_rigid_joints;
  into.degenerate_joints += from.degenerate_joints;
  into.flips += from.flips;
  into.singular_normal_matrices += from.singular_normal_matrices;
  into.joints_beyond_float += from.joints_beyond_float;
}

// What one method made of one frame, all meshes as one.
struct Shot {
  std::vector<Vec3d> positions;
  std::vector<Vec3f> normals;
};

void WidenRange(const measure::Range& from, measure::Range& into) {
  into.min = std::min(into.min, from.min);
  into.max = std::max(into.max, from.max);
  if (std::abs(from.mean - 1) > std::abs(into.mean - 1)) into.mean = from.mean;
}

void TakeFarther(const std::optional<double>& from, std::optional<double>& into) {
  if (from && into && std::abs(*from - 1) > std::abs(*into - 1)) into = from;
}

void TakeShape(const ShapeNumbers& from, ShapeNumbers& into) {
  if (from.ring_radius_ratio && into.ring_radius_ratio) {
    into.ring_radius_ratio = std::min(*into.ring_radius_ratio, *from.ring_radius_ratio);
  }
  if (from.ring_pairs && into.ring_pairs) WidenRange(*from.ring_pairs, *into.ring_pairs);
  WidenRange(from.edges, into.edges);
  TakeFarther(from.area_ratio, into.area_ratio);
  TakeFarther(from.volume_ratio, into.volume_ratio);
  into.report.non_rigid_joints =
      std::max(into.report.non_rigid_joints, from.report.non_rigid_joints);
  into.report.degenerate_joints =
      std::max(into.report.degenerate_joints, from.report.degenerate_joints);
  into.report.flips = std::max(into.report.flips, from.report.flips);
  into.report.singular_normal_matrices =
      std::max(into.report.singular_normal_matrices, from.report.singular_normal_matrices);
  into.report.joints_beyond_float =
      std::max(into.report.joints_beyond_float, from.report.joints_beyond_float);
}

void TakePair(const PairNumbers& from, PairNumbers& into) {
  measure::Distance& to = into.distance;
  if (from.distance.max_mm > to.max_mm) {
    to.max_mm = from.distance.max_mm;
    to.worst_vertex = from.distance.worst_vertex;
    into.worst_vertex = from.worst_vertex;
    into.worst_frame = from.worst_frame;
  }
  to.max_of_size = std::max(to.max_of_size, from.distance.max_of_size);
  to.p99_mm = std::max(to.p99_mm, from.distance.p99_mm);
  to.normals_max_deg = std::max(to.normals_max_deg, from.distance.normals_max_deg);
}

FrameNumbers Summarize(const std::vector<FrameNumbers>& frames) {
  FrameNumbers all = frames.front();
  for (std::size_t f = 1; f < frames.size(); ++f) {
    for (std::size_t m = 0; m < all.shapes.size(); ++m) {
      TakeShape(frames[f].shapes[m], all.shapes[m]);
    }
    for (std::size_t p = 0; p < all.pairs.size(); ++p) TakePair(frames[f].pairs[p], all.pairs[p]);
  }
  for (std::size_t p = 0; p < all.pairs.size(); ++p) {
    double squares = 0;
    for (const FrameNumbers& frame : frames) {
      squares += frame.pairs[p].distance.rms_mm * frame.pairs[p].distance.rms_mm;
    }
    all.pairs[p].distance.rms_mm = std::sqrt(squares / static_cast<double>(frames.size()));
  }
  return all;
}

Status CheckMethods(const std::vector<MethodChoice>& methods) {
  if (methods.empty()) return Usage("at least one method must be asked for");
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (methods[i].name == methods[j].name) {
        return Usage("method " + methods[i].name + " was asked for twice");
      }
    }
  }
  return {};
}

// Which frames are kept to be drawn: evenly spread, the worst one in place of its nearest. The
// worst is known only at the end, so the worst so far is kept beside the others.
class PoseKeeper {
 public:
  PoseKeeper(std::size_t frames, std::size_t rows) : rows_(std::min(frames, rows)) {
    for (std::size_t i = 0; i < rows_; ++i) {
      spread_.push_back(rows_ == 1 ? 0 : i * (frames - 1) / (rows_ - 1));
    }
  }

  void Take(std::size_t frame, double distance_mm, const asset::PosedCharacter& posed) {
    if (rows_ == 0) return;
    if (std::binary_search(spread_.begin(), spread_.end(), frame)) kept_.push_back({frame, posed});
    if (distance_mm <= largest_mm_) return;
    largest_mm_ = distance_mm;
    worst_ = {frame, posed};
  }

  void Finish(Comparison& out) {
    if (kept_.empty()) return;
    const std::size_t worst = worst_.frame;
    const auto nearest = std::min_element(kept_.begin(), kept_.end(), [&](auto& a, auto& b) {
      const auto from = [&](std::size_t f) { return f > worst ? f - worst : worst - f; };
      return from(a.frame) < from(b.frame);
    });
    out.worst_kept = static_cast<std::size_t>(nearest - kept_.begin());
    *nearest = std::move(worst_);
    out.kept = std::move(kept_);
  }

 private:
  std::size_t rows_;
  std::vector<std::size_t> spread_;
  std::vector<KeptPose> kept_;
  KeptPose worst_;
  double largest_mm_ = -1;
};

Result<Rest> EvaluateRest(const asset::Character& character, const CompareSettings& settings) {
  PerformerSettings plain = settings.performer;
  plain.pose.overrides.clear();
  plain.tangents = false;
  plain.near_origin = !settings.ring;
  plain.exact = true;
  plain.deform = settings.methods.front().settings;
  plain.deform.method = asset::SkinningMethod::kLinear;
  FLEXOR_ASSIGN(Performer performer, Performer::Create(character, plain));
  FLEXOR_TRY(CheckHasMesh(character, performer.results().size()));
  FLEXOR_TRY(performer.Evaluate(std::nullopt, 0));
  const MergedShape shape(character, performer.results());
  Rest rest;
  std::vector<Vec3f> normals;
  shape.Gather(performer.results(), rest.positions, normals);
  for (const Vec3d& p : rest.positions) rest.box.Add(p);
  rest.area = measure::Area(rest.positions, shape.triangles());
  rest.volume = measure::Volume(rest.positions, shape.triangles());
  if (settings.ring) FLEXOR_TRY(FindRing(*settings.ring, rest));
  return rest;
}

}  // namespace

Result<MethodChoice> ParseMethodChoice(std::string_view text, const deform::DeformSettings& base) {
  FLEXOR_ASSIGN(const deform::NamedMethod named, deform::ParseMethod(text));
  MethodChoice choice{std::string(text), base};
  choice.settings.material_methods.clear();
  choice.settings.method = named.method;
  deform::ApplyVariant(named, choice.settings);
  return choice;
}

Result<Comparison> CompareMethods(const asset::Character& character,
                                  const CompareSettings& settings, ProgressFn progress) {
  FLEXOR_TRY(CheckMethods(settings.methods));
  if (settings.times.empty()) return Usage("no frame was asked for");
  FLEXOR_ASSIGN(const Rest rest, EvaluateRest(character, settings));

  FLEXOR_ASSIGN(pose::Poser poser, pose::Poser::Create(character, settings.performer.pose));
  FLEXOR_ASSIGN(pose::SimulationState state, poser.MakeState());
  asset::PosedCharacter posed;
  std::vector<OneMethod> methods;
  for (const MethodChoice& method : settings.methods) {
    deform::DeformerSettings one = settings.performer;
    one.deform = method.settings;
    one.tangents = false;
    // A ring is measured about an axis through the true origin.
    one.near_origin = !settings.ring;
    one.exact = true;
    FLEXOR_ASSIGN(OneMethod made, OneMethod::Create(character, one));
    methods.push_back(std::move(made));
  }
  const MergedShape shape(character, methods.front().meshes());

  Comparison result;
  result.character = character.name;
  result.file = character.source.path;
  if (settings.clip && *settings.clip < character.clips.size()) {
    const std::string& name = character.clips[*settings.clip].name;
    result.clip = name.empty() ? std::to_string(*settings.clip) : name;
  }
  result.vertices = shape.vertex_count();
  result.triangles = shape.triangles().size() / 3;
  for (const asset::Skin& skin : character.skins) {
    result.joints = std::max(result.joints, skin.joints.size());
  }
  result.size = rest.box.Extent();
  result.backend = methods.front().deformer.backend().Info();
  result.ring_vertices = rest.ring.size();
  result.ring_along = rest.ring_along;
  result.ring_axis = rest.ring_axis;
  for (const MethodChoice& method : settings.methods) result.methods.push_back(method.name);

  PoseKeeper keeper(settings.times.size(), settings.rows);
  std::vector<Shot> shots(methods.size());
  const std::uint64_t total = settings.times.size();
  const auto go_on = [&](std::uint64_t done) {
    return !progress || progress({"compare", done, total});
  };
  const Error cancelled{ErrorCode::kCancelled, "stopped; nothing was written", {}};
  if (!go_on(0)) return cancelled;
  for (const TimeSample& time : settings.times) {
    FLEXOR_TRY(poser.Evaluate(settings.clip, time.seconds, &state, posed));
    FrameNumbers frame;
    frame.time = time;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      FLEXOR_TRY(methods[m].Deform(posed));
      shape.Gather(methods[m].meshes(), shots[m].positions, shots[m].normals);
      FLEXOR_ASSIGN(ShapeNumbers numbers, MeasureShape(rest, shape, shots[m].positions));
      for (const deform::DeformedMesh& one : methods[m].meshes()) {
        AddReport(one.report, numbers.report);
      }
      frame.shapes.push_back(numbers);
    }
    double largest_mm = 0;
    for (std::size_t a = 0; a < shots.size(); ++a) {
      for (std::size_t b = a + 1; b < shots.size(); ++b) {
        PairNumbers pair{a, b, {}, {}, time.frame};
        FLEXOR_ASSIGN(pair.distance, measure::Compare(shots[a].positions, shots[b].positions,
                                                      shots[a].normals, shots[b].normals));
        pair.worst_vertex = shape.NameVertex(pair.distance.worst_vertex);
        largest_mm = std::max(largest_mm, pair.distance.max_mm);
        frame.pairs.push_back(std::move(pair));
      }
    }
    keeper.Take(result.frames.size(), largest_mm, posed);
    result.frames.push_back(std::move(frame));
    if (!go_on(result.frames.size())) return cancelled;
  }
  result.edges = result.frames.front().shapes.front().edges.count;
  result.all = Summarize(result.frames);
  keeper.Finish(result);
  result.simulation = state.report();
  return result;
}

double LargestDistanceMm(const Comparison& comparison) {
  double largest = 0;
  for (const PairNumbers& pair : comparison.all.pairs) {
    largest = std::max(largest, pair.distance.max_mm);
  }
  return largest;
}

}  // namespace flexor::bake
