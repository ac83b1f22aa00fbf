/// @file tests/support/corpus.h
/// Real files made by others, which not every checkout has beside it.
#pragma once

#include <string>

#include <gtest/gtest.h>

namespace flexor::test {

/// The path of a corpus file, UTF-8. Test bodies that need one start with FLEXOR_REQUIRE_CORPUS().
std::string CorpusPath(const std::string& relative);

/// Whether there is a corpus beside this checkout.
bool HasCorpus();

}  // namespace flexor::test

/// Skips the test, saying so, when the corpus is not there.
#define FLEXOR_REQUIRE_CORPUS()   \
  if (!flexor::test::HasCorpus()) \
  GTEST_SKIP() << "SKIPPED FOR WANT OF FILES: no corpus at " << flexor::test::CorpusPath("")
