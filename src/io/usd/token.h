/// @file io/usd/token.h
/// Texts of USD layers, each stored once for a load: names, strings and asset paths alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

namespace flexor::io::usd {

/// A text of a TokenTable, which it must not outlive: as small as a pointer, equal when the text
/// is. Default constructed it is the empty text. Tokens of different tables never compare.
class Token {
 public:
  constexpr Token() = default;

  std::string_view text() const { return text_ ? *text_ : std::string_view(); }
  std::string str() const { return std::string(text()); }
  bool empty() const { return text_ == nullptr; }

  friend bool operator==(Token a, Token b) { return a.text_ == b.text_; }
  friend bool operator==(Token a, std::string_view b) { return a.text() == b; }
  /// Alphabetical, by bytes.
  friend bool operator<(Token a, Token b) { return a.text_ != b.text_ && a.text() < b.text(); }

  std::size_t Hash() const { return std::hash<const void*>()(text_); }

 private:
  friend class TokenTable;
  explicit Token(const std::string_view* text) : text_(text) {}
  const std::string_view* text_ = nullptr;
};

/// Holds the texts of one load. Each new one is charged to the budget, which must outlive the
/// table. When it is refused the empty token comes back and status() says why from then on, so that
/// loops may look once at their end. Not thread safe.
class TokenTable {
 public:
  explicit TokenTable(MemoryBudget& budget);
  TokenTable(const TokenTable&) = delete;
  TokenTable& operator=(const TokenTable&) = delete;

  Token Intern(std::string_view text);
  /// The token of a text that is there already; empty when it is not.
  Token Find(std::string_view text) const;

  Status status() const { return status_; }
  MemoryBudget& budget() const { return budget_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::uint64_t seed;
    std::size_t operator()(std::string_view text) const;
    std::size_t operator()(const std::string_view* text) const { return (*this)(*text); }
  };
  struct Equal {
    using is_transparent = void;
    static std::string_view Text(std::string_view text) { return text; }
    static std::string_view Text(const std::string_view* text) { return *text; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return Text(a) == Text(b);
    }
  };

  std::string_view Store(std::string_view text);

  MemoryBudget& budget_;
  Status status_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_next_ = nullptr;
  std::deque<std::string_view> texts_;
  std::unordered_set<const std::string_view*, Hash, Equal> index_;
};

}  // namespace flexor::io::usd

template <>
struct std::hash<flexor::io::usd::Token> {
  std::size_t operator()(flexor::io::usd::Token token) const { return token.Hash(); }
};
