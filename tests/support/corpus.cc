#include "support/corpus.h"

#include <filesystem>

#include "support/paths.h"

namespace flexor::test {

std::string CorpusPath(const std::string& relative) {
  return std::string(FLEXOR_CORPUS_DIR) + "/" + relative;
}

bool HasCorpus() { return std::filesystem::is_directory(FLEXOR_CORPUS_DIR); }

}  // namespace flexor::test
