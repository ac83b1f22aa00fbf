#include "deform/cpu/joint_sets.h"

#include <algorithm>

namespace flexor::deform {
namespace {

std::uint64_t HashOf(std::span<const std::uint32_t> joints) {
  std::uint64_t hash = joints.size();
  for (const std::uint32_t joint : joints) {
    hash = (hash ^ joint) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

JointSets::JointSets() : table_(1024, 0) {}

std::uint32_t JointSets::NumberOf(std::span<const std::uint32_t> joints) {
  if (last_ < size() && std::ranges::equal(Joints(last_), joints)) return last_;
  const std::uint64_t hash = HashOf(joints);
  std::size_t slot = hash & (table_.size() - 1);
  while (table_[slot] != 0) {
    const std::uint32_t set = table_[slot] - 1;
    if (hashes_[set] == hash && std::ranges::equal(Joints(set), joints)) return last_ = set;
    slot = (slot + 1) & (table_.size() - 1);
  }
  const auto set = static_cast<std::uint32_t>(size());
  table_[slot] = set + 1;
  joints_.insert(joints_.end(), joints.begin(), joints.end());
  offsets_.push_back(static_cast<std::uint32_t>(joints_.size()));
  hashes_.push_back(hash);
  std::uint64_t bits = 0;
  for (const std::uint32_t joint : joints) bits |= std::uint64_t{1} << (joint & 63u);
  bits_.push_back(bits);
  if (size() * 2 > table_.size()) Grow();
  return last_ = set;
}

void JointSets::Grow() {
  table_.assign(table_.size() * 4, 0);
  for (std::uint32_t set = 0; set < size(); ++set) {
    std::size_t slot = hashes_[set] & (table_.size() - 1);
    while (table_[slot] != 0) slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = set + 1;
  }
}

}  // namespace flexor::deform
