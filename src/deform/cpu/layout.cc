#include "deform/cpu/layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "flexor/core/huge_pages.h"
#include "flexor/math/aabb.h"

#include "deform/cpu/joint_sets.h"
#include "deform/cpu/layout_rule.h"
#include "deform/cpu/pack.h"
#include "deform/method_table.h"
#include "deform/plan_data.h"

namespace flexor::deform {
namespace {

// Vertices of a window: many pack better, few keep the scattered stores of a window in the first
// cache. Small meshes fit the second cache whatever the order, so that theirs only have to be even
// in number for two threads.
constexpr std::size_t kSmallMesh = 32768;
constexpr std::size_t kWindowOfSmall = 4096;
constexpr std::size_t kWindowOfLarge = 512;

std::uint32_t WindowOf(std::size_t vertices) {
  if (vertices <= kWindowOfSmall) return kWindowOfSmall;
  if (vertices > kSmallMesh) return kWindowOfLarge;
  const std::size_t windows = 2 * ((vertices + kWindowOfSmall - 1) / kWindowOfSmall);
  const std::size_t each = (vertices + windows - 1) / windows;
  return static_cast<std::uint32_t>((each + kBlockLanes - 1) / kBlockLanes * kBlockLanes);
}

// Weights are kept in steps of this, so that any sum of a vertex's weights is exact in floats: a
// weight that is not stored is then the same whatever block its vertex is in, equal vertices move
// alike to the bit, and the bind pose gives back the rest shape.
constexpr double kWeightSteps = 1 << 24;

// From this many joints on a block is better off with joints for each vertex (bench:
// skin_lbs/random): a shared list costs by its length, single lists by influences and by turning
// rows into columns.
constexpr std::size_t kAnyFactor = 2;
constexpr std::size_t kAnyOffset = 6;

// A mesh this many times its own size away from its origin is laid out about its centre, so that
// floats keep the digits that matter.
constexpr double kFarFromOrigin = 8;

/// One joint of one vertex, as it is blended.
struct Influence {
  std::uint32_t joint;
  double weight;
};

const LayoutRule& RuleOf(asset::SkinningMethod method) { return RowOf(method).layout; }

Error Stopped(const PlanData& plan) {
  return {ErrorCode::kCancelled,
          "stopped while a mesh was laid out",
          {{}, "mesh '" + plan.mesh_name + "'", {}}};
}

class Builder {
 public:
  Builder(const PlanData& plan, CpuLayout& out, ProgressFn progress)
      : plan_(plan), out_(out), progress_(progress), packer_(sets_) {}

  Status Build() {
    const std::size_t vertices = plan_.vertex_count();
    out_.has_normals = !plan_.normals.empty();
    FindWeightRange();
    out_.window_vertices = WindowOf(vertices);
    out_.center = CenterOfLayout();

    const std::size_t rows = out_.geometry_rows();
    ReserveOnHugePages(out_.data, vertices * (rows + 3) + kBlockLanes * rows);
    out_.caller_from_plan.reserve(vertices);
    out_.blocks.reserve(vertices / 12 + 16);
    for (std::size_t v = 0; v < vertices; v += out_.window_vertices) {
      if (progress_ && !progress_({"lay out", v, vertices})) return Stopped(plan_);
      const std::size_t end = std::min<std::size_t>(v + out_.window_vertices, vertices);
      BuildWindow(static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(end));
    }
    std::sort(out_.alone_joints.begin(), out_.alone_joints.end());
    const auto distinct = std::unique(out_.alone_joints.begin(), out_.alone_joints.end());
    out_.alone_joints.erase(distinct, out_.alone_joints.end());
    out_.morphs = BuildMorphLayout(plan_.morphs, out_);
    FillFacts();
    return {};
  }

 private:
  /// A block before it has its place.
  struct Planned {
    const Packer::Draft* draft;
    CpuBlock block;
    std::uint32_t joints_begin, joints_count;  ///< of planned_joints_
  };

  Vec3d CenterOfLayout() const {
    Aabbd box;
    for (const Vec3f& p : plan_.positions) box.Add(Cast<double>(p));
    const bool far = Length(plan_.rest_center) > kFarFromOrigin * box.Extent();
    return far ? plan_.rest_center : Vec3d{};
  }

  void FindWeightRange() {
    out_.raw_weights = !plan_.settings.weights.normalize;
    double largest = 1;
    for (std::size_t v = 0; v < plan_.vertex_count(); ++v) {
      double sum = 0;
      for (const Influence& influence : InfluencesOf(static_cast<std::uint32_t>(v))) {
        sum += std::abs(influence.weight);
        if (influence.weight < 0) out_.raw_weights = true;
      }
      largest = std::max(largest, sum);
    }
    out_.max_weight_sum = largest;
  }

  /// The joints of a vertex with weights as the reference blends them; a vertex without weight
  /// follows the joint after the last one, which stands for the policy.
  std::span<Influence> InfluencesOf(std::uint32_t vertex) {
    influences_.clear();
    const std::size_t begin = plan_.influences.offsets[vertex];
    const std::size_t end = plan_.influences.offsets[vertex + 1];
    if (begin == end) {
      influences_.push_back({static_cast<std::uint32_t>(plan_.joint_count), 1.0});
      return influences_;
    }
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      influences_.push_back(
          {plan_.influences.joints[i], static_cast<double>(plan_.influences.weights[i])});
      sum += influences_.back().weight;
    }
    if (plan_.settings.weights.normalize) {
      for (Influence& influence : influences_) influence.weight /= sum;
    }
    return influences_;
  }

  std::uint32_t SetOf(std::uint32_t vertex) {
    set_.clear();
    RuleOf(plan_.methods.At(vertex)).joints(plan_, vertex, set_);
    return sets_.NumberOf(set_);
  }

  void BuildWindow(std::uint32_t begin, std::uint32_t end) {
    window_begin_ = begin;
    vertices_.clear();
    for (std::uint32_t v = begin; v < end; ++v) {
      vertices_.push_back({plan_.methods.At(v), SetOf(v), v - begin});
    }
    planned_.clear();
    planned_joints_.clear();
    for (const Packer::Draft& draft : packer_.Pack(vertices_)) Plan(draft);
    // Equal blocks in a row: the branches of the kernels then almost always go one way.
    std::stable_sort(planned_.begin(), planned_.end(), [](const Planned& a, const Planned& b) {
      if (a.draft->method != b.draft->method) return a.draft->method < b.draft->method;
      if (a.block.kind != b.block.kind) return a.block.kind < b.block.kind;
      if (a.block.k != b.block.k) return a.block.k < b.block.k;
      return a.block.store < b.block.store;
    });

    CpuWindow window{begin, end, {}};
    const auto start = static_cast<std::uint32_t>(out_.blocks.size());
    window.blocks.fill(start);
    for (const Planned& planned : planned_) {
      Emit(planned);
      for (std::size_t m = IndexOf(planned.draft->method) + 1; m < window.blocks.size(); ++m) {
        window.blocks[m] = static_cast<std::uint32_t>(out_.blocks.size());
      }
    }
    out_.windows.push_back(window);
  }

  /// The union of the sets of a draft's vertices, ascending.
  void CollectJoints(const Packer::Draft& draft) {
    list_.clear();
    std::uint32_t last = ~0u;
    for (std::size_t i = 0; i < draft.count; ++i) {
      const std::uint32_t set = vertices_[draft.local[i]].set;
      if (set == last) continue;
      last = set;
      const auto joints = sets_.Joints(set);
      if (list_.empty()) {
        list_.assign(joints.begin(), joints.end());
        continue;
      }
      for (const std::uint32_t joint : joints) {
        const auto at = std::lower_bound(list_.begin(), list_.end(), joint);
        if (at == list_.end() || *at != joint) list_.insert(at, joint);
      }
    }
  }

  void Plan(const Packer::Draft& draft) {
    Planned planned{&draft, {}, static_cast<std::uint32_t>(planned_joints_.size()), 0};
    CollectJoints(draft);
    CpuBlock& block = planned.block;
    block.count = draft.count;
    block.k = static_cast<std::uint32_t>(list_.size());
    block.kind = BlockKind::kShared;
    const LayoutRule& rule = RuleOf(draft.method);
    const std::size_t most = MostInfluences(draft);
    if (rule.names == BlockNames::kPayload) {
      block.k = 1;
      if (rule.joints_each && !HasOneSet(draft)) block.kind = BlockKind::kAny;
    } else if (list_.size() == 1 && rule.follows_one && !out_.raw_weights) {
      // All vertices of one joint of a plan or none: this rounds differently from a blend of one.
      block.kind = BlockKind::kOne;
    } else if (list_.size() > kAnyFactor * most + kAnyOffset && rule.joints_each &&
               !out_.raw_weights && most <= kMostAny) {
      block.kind = BlockKind::kAny;
      block.k = static_cast<std::uint32_t>(most);
    }
    planned_joints_.insert(planned_joints_.end(), list_.begin(), list_.end());
    planned.joints_count = static_cast<std::uint32_t>(list_.size());
    block.store = StoreOf(draft);
    planned_.push_back(planned);
  }

  bool HasOneSet(const Packer::Draft& draft) const {
    for (std::size_t i = 1; i < draft.count; ++i) {
      if (vertices_[draft.local[i]].set != vertices_[draft.local[0]].set) return false;
    }
    return true;
  }

  std::size_t MostInfluences(const Packer::Draft& draft) const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < draft.count; ++i) {
      most = std::max(most, sets_.Joints(vertices_[draft.local[i]].set).size());
    }
    return most;
  }

  BlockStore StoreOf(const Packer::Draft& draft) const {
    if (draft.count < kBlockLanes) return BlockStore::kScatter;
    if (out_.order == OutputOrder::kPrepared) return BlockStore::kRun;
    bool run = true, quads = true;
    for (std::size_t i = 1; i < kBlockLanes; ++i) {
      const bool next = draft.local[i] == draft.local[i - 1] + 1;
      run = run && next;
      quads = quads && (next || i % 4 == 0);
    }
    return run ? BlockStore::kRun : quads ? BlockStore::kQuads : BlockStore::kScatter;
  }

  std::uint32_t VertexOf(const Packer::Draft& draft, std::size_t lane) const {
    return window_begin_ + draft.local[std::min<std::size_t>(lane, draft.count - 1u)];
  }

  void Emit(const Planned& planned) {
    const Packer::Draft& draft = *planned.draft;
    CpuBlock block = planned.block;
    const LayoutRule& rule = RuleOf(draft.method);

    block.first = static_cast<std::uint32_t>(out_.caller_from_plan.size());
    block.data = static_cast<std::uint32_t>(out_.data.size() / kBlockLanes);
    for (std::size_t lane = 0; lane < draft.count; ++lane) {
      out_.caller_from_plan.push_back(VertexOf(draft, lane));
    }
    list_.assign(planned_joints_.begin() + planned.joints_begin,
                 planned_joints_.begin() + planned.joints_begin + planned.joints_count);
    distinct_joints_ += list_.size();
    out_.facts.worst_joints_per_block = std::max(out_.facts.worst_joints_per_block, list_.size());

    const std::size_t payload_at =
        out_.geometry_rows() +
        (rule.weights ? WeightRows(block, out_.raw_weights) : std::size_t{0});
    const std::size_t rows =
        payload_at + (rule.payload_rows != nullptr ? rule.payload_rows(block) : std::size_t{0});
    out_.data.resize(out_.data.size() + rows * kBlockLanes, 0.0f);
    EmitGeometry(draft, block);
    if (rule.weights && block.kind == BlockKind::kAny) {
      EmitAny(draft, block);
    } else if (rule.weights) {
      EmitWeights(draft, block);
      EmitJoints(block);
    } else {
      block.joints = static_cast<std::uint32_t>(out_.joints.size());
    }
    if (rule.payload != nullptr) EmitPayload(draft, rule, payload_at, block);
    if (block.kind == BlockKind::kOne) out_.alone_joints.push_back(list_.front());
    EmitDestinations(draft, block);
    if (plan_.Needs(kNeedsMotions)) EmitPivots(draft, block, rule.signs);
    out_.blocks.push_back(block);
  }

  void EmitGeometry(const Packer::Draft& draft, const CpuBlock& block) {
    float* const rows = out_.data.data() + std::size_t{block.data} * kBlockLanes;
    const std::size_t tangents = out_.tangents.size();
    if (!plan_.tangents.empty()) out_.tangents.resize(tangents + 4 * kBlockLanes);
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      const std::uint32_t v = VertexOf(draft, lane);
      const Vec3f p = Cast<float>(Cast<double>(plan_.positions[v]) - out_.center);
      for (std::size_t c = 0; c < 3; ++c) rows[c * kBlockLanes + lane] = p[c];
      if (out_.has_normals) {
        const Vec3f n = Cast<float>(Normalized(Cast<double>(plan_.normals[v])));
        for (std::size_t c = 0; c < 3; ++c) rows[(3 + c) * kBlockLanes + lane] = n[c];
      }
      if (!plan_.tangents.empty()) {
        const Vec4f t = plan_.tangents[v];
        const Vec3f unit = Cast<float>(Normalized(Cast<double>(Vec3f{t.x, t.y, t.z})));
        float* const out = out_.tangents.data() + tangents;
        for (std::size_t c = 0; c < 3; ++c) out[c * kBlockLanes + lane] = unit[c];
        out[3 * kBlockLanes + lane] = t.w;
      }
    }
  }

  /// Where a joint stands in list_.
  std::size_t SlotOf(std::uint32_t joint) const {
    return static_cast<std::size_t>(std::lower_bound(list_.begin(), list_.end(), joint) -
                                    list_.begin());
  }

  void EmitWeights(const Packer::Draft& draft, const CpuBlock& block) {
    if (block.kind != BlockKind::kShared) return;
    float* const rows =
        out_.data.data() + (std::size_t{block.data} + out_.geometry_rows()) * kBlockLanes;
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      const std::span<Influence> influences = InfluencesOf(VertexOf(draft, lane));
      if (out_.raw_weights) {
        FillRaw(influences, rows, lane);
      } else {
        RoundToSteps(influences);
        FillImplicit(influences, rows, lane);
      }
    }
  }

  void EmitPayload(const Packer::Draft& draft, const LayoutRule& rule, std::size_t first_row,
                   CpuBlock& block) {
    std::array<std::uint32_t, kBlockLanes> vertices;
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) vertices[lane] = VertexOf(draft, lane);
    float* const rows = out_.data.data() + (std::size_t{block.data} + first_row) * kBlockLanes;
    rule.payload({plan_, out_.center, vertices, block, rows, out_.joints});
  }

  /// Whole steps whose sum is 1; what rounding leaves goes to the largest.
  static void RoundToSteps(std::span<Influence> influences) {
    Influence* largest = &influences.front();
    double left = kWeightSteps;
    for (Influence& influence : influences) {
      influence.weight = std::round(influence.weight * kWeightSteps);
      left -= influence.weight;
      if (influence.weight > largest->weight ||
          (influence.weight == largest->weight && influence.joint < largest->joint)) {
        largest = &influence;
      }
    }
    largest->weight += left;
    for (Influence& influence : influences) influence.weight /= kWeightSteps;
  }

  void FillRaw(std::span<const Influence> influences, float* rows, std::size_t lane) const {
    double sum = 0;
    for (const Influence& influence : influences) {
      rows[SlotOf(influence.joint) * kBlockLanes + lane] = static_cast<float>(influence.weight);
      sum += influence.weight;
    }
    rows[list_.size() * kBlockLanes + lane] = static_cast<float>(sum - 1.0);
  }

  void FillImplicit(std::span<const Influence> influences, float* rows, std::size_t lane) const {
    for (const Influence& influence : influences) {
      const std::size_t slot = SlotOf(influence.joint);
      if (slot > 0) rows[(slot - 1) * kBlockLanes + lane] = static_cast<float>(influence.weight);
    }
  }

  /// Weights and joints of a kAny block, each vertex's ascending; what a vertex does not use weighs
  /// nothing on a joint of its own.
  void EmitAny(const Packer::Draft& draft, CpuBlock& block) {
    float* const rows =
        out_.data.data() + (std::size_t{block.data} + out_.geometry_rows()) * kBlockLanes;
    block.joints = static_cast<std::uint32_t>(out_.joints.size());
    out_.joints.resize(out_.joints.size() + block.joint_entries());
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      const std::span<Influence> influences = InfluencesOf(VertexOf(draft, lane));
      RoundToSteps(influences);
      std::sort(influences.begin(), influences.end(),
                [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
      for (std::size_t j = 0; j < block.k; ++j) {
        const bool used = j < influences.size();
        rows[j * kBlockLanes + lane] = used ? static_cast<float>(influences[j].weight) : 0.0f;
        out_.joints[block.joints + j * kBlockLanes + lane] = influences[used ? j : 0].joint;
      }
    }
  }

  void EmitJoints(CpuBlock& block) {
    if (!out_.blocks.empty()) {
      const CpuBlock& before = out_.blocks.back();
      const auto begin = out_.joints.begin() + static_cast<std::ptrdiff_t>(before.joints);
      if (before.kind != BlockKind::kAny && before.k == list_.size() &&
          std::equal(list_.begin(), list_.end(), begin)) {
        block.joints = before.joints;
        return;
      }
    }
    block.joints = static_cast<std::uint32_t>(out_.joints.size());
    out_.joints.insert(out_.joints.end(), list_.begin(), list_.end());
  }

  void EmitDestinations(const Packer::Draft& draft, CpuBlock& block) {
    block.dst = static_cast<std::uint32_t>(out_.dst.size());
    const std::size_t step = block.store == BlockStore::kRun     ? kBlockLanes
                             : block.store == BlockStore::kQuads ? 4
                                                                 : 1;
    for (std::size_t lane = 0; lane < kBlockLanes; lane += step) {
      const std::size_t real = std::min<std::size_t>(lane, block.count - 1u);
      const std::size_t at = out_.order == OutputOrder::kPrepared
                                 ? block.first - window_begin_ + real
                                 : draft.local[real];
      out_.dst.push_back(static_cast<std::uint16_t>(at * 3));
    }
  }

  void EmitPivots(const Packer::Draft& draft, CpuBlock& block, bool signs) {
    for (std::size_t lane = 0; lane < kBlockLanes; ++lane) {
      const std::uint32_t vertex = VertexOf(draft, lane);
      const std::span<const Influence> influences = InfluencesOf(vertex);
      std::uint32_t pivot = influences.front().joint;
      double best = 0;
      for (const Influence& influence : influences) {
        if (influence.weight > best ||
            (influence.weight == best && best > 0 && influence.joint < pivot)) {
          best = influence.weight;
          pivot = influence.joint;
        }
      }
      out_.pivots.push_back(pivot);
      if (lane >= block.count || !signs) continue;
      if (best > 0) {
        CountPairs(influences, pivot);
      } else {
        block.exact = static_cast<std::uint16_t>(block.exact | (1u << lane));
      }
    }
  }

  void CountPairs(std::span<const Influence> influences, std::uint32_t pivot) {
    for (const Influence& influence : influences) {
      if (influence.joint == pivot) continue;
      const std::uint64_t key = (std::uint64_t{pivot} << 32) | influence.joint;
      PivotPair& recent = recent_pairs_[(pivot * 31 + influence.joint) % recent_pairs_.size()];
      if (recent.count == 0 || recent.pivot != pivot || recent.joint != influence.joint) {
        FlushPair(recent);
        recent = {pivot, influence.joint, 0};
        if (pair_index_.emplace(key, out_.pairs.size()).second) {
          out_.pairs.push_back({pivot, influence.joint, 0});
        }
      }
      ++recent.count;
    }
  }

  void FlushPair(PivotPair& pair) {
    if (pair.count == 0) return;
    const std::uint64_t key = (std::uint64_t{pair.pivot} << 32) | pair.joint;
    out_.pairs[pair_index_.at(key)].count += pair.count;
    pair.count = 0;
  }

  void FillFacts() {
    for (PivotPair& pair : recent_pairs_) FlushPair(pair);
    out_.facts.blocks = out_.blocks.size();
    if (!out_.blocks.empty()) {
      out_.facts.mean_joints_per_block =
          static_cast<double>(distinct_joints_) / static_cast<double>(out_.blocks.size());
    }
    for (std::size_t v = 0; v < plan_.vertex_count(); ++v) {
      out_.max_influences = std::max<std::size_t>(
          out_.max_influences, plan_.influences.offsets[v + 1] - plan_.influences.offsets[v]);
    }
    out_.facts.bytes = BytesOf(out_);
  }

  const PlanData& plan_;
  CpuLayout& out_;
  ProgressFn progress_;
  JointSets sets_;
  Packer packer_;
  std::uint32_t window_begin_ = 0;
  std::size_t distinct_joints_ = 0;
  std::vector<Influence> influences_;
  std::vector<std::uint32_t> set_, list_;
  std::vector<PackVertex> vertices_;
  std::vector<Planned> planned_;
  std::vector<std::uint32_t> planned_joints_;
  std::unordered_map<std::uint64_t, std::size_t> pair_index_;
  std::array<PivotPair, 256> recent_pairs_{};  ///< counts not yet in `pairs`
};

}  // namespace

std::size_t WeightRows(const CpuBlock& block, bool raw_weights) {
  if (block.kind == BlockKind::kOne) return 0;
  if (block.kind == BlockKind::kAny) return block.k;
  return raw_weights ? block.k + 1u : block.k - 1u;
}

std::size_t BytesOf(const CpuLayout& layout) {
  return sizeof(CpuLayout) + layout.caller_from_plan.capacity() * sizeof(std::uint32_t) +
         layout.blocks.capacity() * sizeof(CpuBlock) +
         layout.windows.capacity() * sizeof(CpuWindow) +
         (layout.data.capacity() + layout.tangents.capacity()) * sizeof(float) +
         (layout.joints.capacity() + layout.pivots.capacity() + layout.alone_joints.capacity()) *
             sizeof(std::uint32_t) +
         layout.dst.capacity() * sizeof(std::uint16_t) +
         layout.pairs.capacity() * sizeof(PivotPair) + BytesOf(layout.morphs);
}

Result<CpuLayout> BuildCpuLayout(const PlanData& plan, OutputOrder order, ProgressFn progress) {
  CpuLayout layout;
  layout.order = order;
  FLEXOR_TRY(Builder(plan, layout, progress).Build());
  return layout;
}

}  // namespace flexor::deform
