/// @file tests/asset/finalize_faults.h
/// One thing broken in a character that Finalize must refuse, and what it must say.
#pragma once

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/asset/character.h"

namespace flexor::asset {

struct Fault {
  const char* name;
  std::function<void(Character&)> break_it;
  ErrorCode code;
  const char* place;
  const char* words;
};

inline constexpr ErrorCode kIndex = ErrorCode::kIndexOutOfRange;
inline constexpr ErrorCode kShape = ErrorCode::kShapeMismatch;
inline constexpr ErrorCode kValue = ErrorCode::kInvalidValue;

/// Breaks a good character and expects the fault's code, place and words.
inline void ExpectRefused(Character character, const Fault& fault) {
  fault.break_it(character);
  const Status status = Finalize(character);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, fault.code) << status.error().ToString();
  EXPECT_EQ(status.error().place.element, fault.place) << status.error().ToString();
  EXPECT_THAT(status.error().message, ::testing::HasSubstr(fault.words));
}

/// The name of a parameter in the list of tests.
inline std::string NameOf(const ::testing::TestParamInfo<Fault>& info) { return info.param.name; }

}  // namespace flexor::asset
