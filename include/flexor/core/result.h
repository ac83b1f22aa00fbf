/// @file core/result.h
/// A value or an Error. Nothing in flexor throws across its public boundary.
#pragma once

#include <cstdlib>
#include <utility>
#include <variant>

#include "flexor/core/error.h"

namespace flexor {

/// Holds either a T or the Error that explains why there is none. Reading the side that is absent
/// is a programming fault and stops the program: check ok() first.
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that `return value;` and `return error;` read alike.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return Get(); }
  const T& value() const& { return const_cast<Result*>(this)->Get(); }
  T&& value() && { return std::move(Get()); }

  T& operator*() & { return Get(); }
  const T& operator*() const& { return const_cast<Result*>(this)->Get(); }
  T&& operator*() && { return std::move(Get()); }
  T* operator->() & { return &Get(); }
  const T* operator->() const& { return &const_cast<Result*>(this)->Get(); }

  const Error& error() const& {
    if (ok()) std::abort();
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    if (ok()) std::abort();
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  T& Get() {
    if (!ok()) std::abort();
    return *std::get_if<0>(&state_);
  }
  std::variant<T, Error> state_;
};

/// Success, or the Error that explains the failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const Error& error() const& {
    if (ok()) std::abort();
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    if (ok()) std::abort();
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<std::monostate, Error> state_;
};

/// What a function returns that only succeeds or fails.
using Status = Result<void>;

}  // namespace flexor

/// Returns the error of `expression` from the enclosing function; goes on when it is ok.
#define FLEXOR_TRY(expression)                                          \
  do {                                                                  \
    if (auto flexor_try_result = (expression); !flexor_try_result.ok()) \
      return std::move(flexor_try_result).error();                      \
  } while (false)

#define FLEXOR_CONCAT_INNER(a, b) a##b
#define FLEXOR_CONCAT(a, b) FLEXOR_CONCAT_INNER(a, b)

/// FLEXOR_ASSIGN(auto x, F()): x becomes the value of F(), or the enclosing function returns its
/// error.
#define FLEXOR_ASSIGN(declaration, expression)                         \
  auto FLEXOR_CONCAT(flexor_assign_, __LINE__) = (expression);         \
  if (!FLEXOR_CONCAT(flexor_assign_, __LINE__).ok())                   \
    return std::move(FLEXOR_CONCAT(flexor_assign_, __LINE__)).error(); \
  declaration = std::move(FLEXOR_CONCAT(flexor_assign_, __LINE__)).value()
