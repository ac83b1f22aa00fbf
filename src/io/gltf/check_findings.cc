#include "io/gltf/check_findings.h"

#include <utility>

#include "io/gltf/check_rules.h"

namespace flexor::io::gltf {

void Findings::Add(std::string_view code, std::string where, std::string message,
                   std::uint64_t count) {
  const Rule* rule = FindRule(code);
  diagnostics_->Add({.code = std::string(code),
                     .severity = rule != nullptr ? rule->severity : Severity::kError,
                     .where = std::move(where),
                     .message = std::move(message),
                     .remedy = std::string(rule != nullptr ? rule->remedy : std::string_view()),
                     .count = count});
}

}  // namespace flexor::io::gltf
