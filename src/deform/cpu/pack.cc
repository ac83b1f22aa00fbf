#include "deform/cpu/pack.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

namespace flexor::deform {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kQuad = 4;
// How many leftover groups are looked at for each place in a block: the best of many, or of few
// when almost every vertex has a set of its own and no search pays.
constexpr std::size_t kLook = 96;
constexpr std::size_t kLookAmongMany = 16;
// With this many groups to a window's vertices no search pays at all: nearly every vertex has a set
// of its own, and blocks will give each its own joints.
constexpr double kHopeless = 0.75;
constexpr std::uint32_t kGone = ~0u;

std::uint16_t LocalOf(std::uint64_t key) { return static_cast<std::uint16_t>(key & 0xffff); }
std::uint64_t SetKeyOf(std::uint64_t key) { return key >> 16; }

}  // namespace

void Packer::Emit(asset::SkinningMethod method, std::span<const std::uint16_t> locals) {
  Draft draft{method, static_cast<std::uint8_t>(locals.size()), {}};
  std::copy(locals.begin(), locals.end(), draft.local);
  drafts_.push_back(draft);
}

/// Takes full blocks off the front.
void Packer::EmitFull(asset::SkinningMethod method, std::vector<std::uint16_t>& locals) {
  const std::size_t full = locals.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < full; i += kLanes) {
    Emit(method, std::span(locals).subspan(i, kLanes));
  }
  locals.erase(locals.begin(), locals.begin() + static_cast<std::ptrdiff_t>(full));
}

/// One set's vertices, ascending: rows of 16 neighbours first, then rows of 4, then any 16.
void Packer::PackSet(std::uint32_t set, asset::SkinningMethod method,
                     std::span<const std::uint64_t> keys) {
  quads_.clear();
  singles_.clear();
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t end = i + 1;
    while (end < keys.size() && keys[end] == keys[end - 1] + 1) ++end;
    for (; end - i >= kLanes; i += kLanes) {
      std::uint16_t run[kLanes];
      for (std::size_t k = 0; k < kLanes; ++k) run[k] = LocalOf(keys[i + k]);
      Emit(method, run);
    }
    for (; end - i >= kQuad; i += kQuad) {
      for (std::size_t k = 0; k < kQuad; ++k) quads_.push_back(LocalOf(keys[i + k]));
    }
    for (; i < end; ++i) singles_.push_back(LocalOf(keys[i]));
  }
  EmitFull(method, quads_);
  quads_.insert(quads_.end(), singles_.begin(), singles_.end());
  EmitFull(method, quads_);
  if (quads_.empty()) return;
  if (sets_.Joints(set).size() == 1) {
    Emit(method, quads_);
    return;
  }
  const auto begin = static_cast<std::uint32_t>(pending_.size());
  pending_.insert(pending_.end(), quads_.begin(), quads_.end());
  groups_.push_back({sets_.Bits(set), begin, static_cast<std::uint32_t>(pending_.size()),
                     static_cast<std::uint32_t>(sets_.Joints(set).size())});
}

/// Greedy: the largest set left starts a block, and the group that adds fewest joints joins it.
void Packer::PackLeftovers(asset::SkinningMethod method, std::size_t window_vertices) {
  if (static_cast<double>(groups_.size()) > kHopeless * static_cast<double>(window_vertices)) {
    for (std::size_t i = 0; i < pending_.size(); i += kLanes) {
      Emit(method, std::span(pending_).subspan(i, std::min(kLanes, pending_.size() - i)));
    }
    return;
  }
  live_.resize(groups_.size());
  std::iota(live_.begin(), live_.end(), 0u);
  std::stable_sort(live_.begin(), live_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return groups_[a].joints > groups_[b].joints;
  });
  const std::size_t look = groups_.size() * 3 > window_vertices ? kLookAmongMany : kLook;
  std::size_t head = 0;
  while (true) {
    while (head < live_.size() && live_[head] == kGone) ++head;
    if (head == live_.size()) break;

    std::uint16_t lanes[kLanes];
    std::size_t count = 0;
    std::uint64_t bits = 0;
    std::size_t slot = head;
    while (true) {
      Group& group = groups_[live_[slot]];
      bits |= group.bits;
      while (count < kLanes && group.begin < group.end) lanes[count++] = pending_[group.begin++];
      if (group.begin == group.end) live_[slot] = kGone;
      if (count == kLanes) break;

      std::size_t best = live_.size();
      int best_cost = 0;
      std::size_t seen = 0;
      for (std::size_t s = head; s < live_.size() && seen < look; ++s) {
        if (live_[s] == kGone) continue;
        ++seen;
        const Group& other = groups_[live_[s]];
        const std::size_t taken = std::min<std::size_t>(other.end - other.begin, kLanes - count);
        const int added = std::popcount(other.bits & ~bits);
        const int shared = std::popcount(other.bits & bits);
        const int cost = 64 * added - static_cast<int>(taken) - shared;
        if (best == live_.size() || cost < best_cost) {
          best = s;
          best_cost = cost;
          if (added == 0 && taken == kLanes - count) break;
        }
      }
      if (best == live_.size()) break;
      slot = best;
    }
    Emit(method, std::span(lanes, count));
  }
}

std::span<const Packer::Draft> Packer::Pack(std::span<const PackVertex> vertices) {
  keys_.clear();
  drafts_.clear();
  for (const PackVertex& v : vertices) {
    keys_.push_back((static_cast<std::uint64_t>(v.method) << 56) | (std::uint64_t{v.set} << 16) |
                    v.local);
  }
  std::sort(keys_.begin(), keys_.end());
  for (std::size_t i = 0; i < keys_.size();) {
    const auto method = static_cast<asset::SkinningMethod>(keys_[i] >> 56);
    groups_.clear();
    pending_.clear();
    while (i < keys_.size() && static_cast<asset::SkinningMethod>(keys_[i] >> 56) == method) {
      std::size_t end = i + 1;
      while (end < keys_.size() && SetKeyOf(keys_[end]) == SetKeyOf(keys_[i])) ++end;
      const auto set = static_cast<std::uint32_t>(SetKeyOf(keys_[i]) & 0xffffffff);
      PackSet(set, method, std::span(keys_).subspan(i, end - i));
      i = end;
    }
    PackLeftovers(method, vertices.size());
  }
  return drafts_;
}

}  // namespace flexor::deform
