#include "io/usd/token.h"

#include <cstring>
#include <random>

namespace flexor::io::usd {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
// What one text costs beside its characters: the view, and its node and bucket in the index.
constexpr std::size_t kTextOverhead = sizeof(std::string_view) + 4 * sizeof(void*);

std::uint64_t Mix(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0x9e3779b97f4a7c15ull;
  value ^= value >> 29;
  return value;
}

}  // namespace

// Seeded, so that no file can be made whose texts all fall into one bucket.
std::size_t TokenTable::Hash::operator()(std::string_view text) const {
  std::uint64_t hash = seed ^ text.size();
  while (text.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    hash = Mix(hash ^ word) * 0xd6e8feb86659fd93ull;
    text.remove_prefix(8);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), text.size());
  return static_cast<std::size_t>(Mix(Mix(hash ^ word) * 0xd6e8feb86659fd93ull));
}

TokenTable::TokenTable(MemoryBudget& budget)
    : budget_(budget), index_(0, Hash{std::random_device()()}, Equal{}) {}

std::string_view TokenTable::Store(std::string_view text) {
  if (text.size() > kBlockBytes / 4) {
    blocks_.push_back(std::make_unique<char[]>(text.size()));
    std::memcpy(blocks_.back().get(), text.data(), text.size());
    return {blocks_.back().get(), text.size()};
  }
  if (text.size() > block_left_) {
    blocks_.push_back(std::make_unique<char[]>(kBlockBytes));
    block_next_ = blocks_.back().get();
    block_left_ = kBlockBytes;
  }
  char* at = block_next_;
  std::memcpy(at, text.data(), text.size());
  block_next_ += text.size();
  block_left_ -= text.size();
  return {at, text.size()};
}

Token TokenTable::Intern(std::string_view text) {
  if (text.empty()) return {};
  if (const auto found = index_.find(text); found != index_.end()) return Token(*found);
  if (auto charged = budget_.Charge(1, text.size() + kTextOverhead, "texts of the USD layers");
      !charged.ok()) {
    if (status_.ok()) status_ = std::move(charged);
    return {};
  }
  texts_.push_back(Store(text));
  index_.insert(&texts_.back());
  return Token(&texts_.back());
}

Token TokenTable::Find(std::string_view text) const {
  if (text.empty()) return {};
  const auto found = index_.find(text);
  return found == index_.end() ? Token() : Token(*found);
}

}  // namespace flexor::io::usd
