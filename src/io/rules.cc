#include "io/rules.h"

#include <algorithm>

namespace flexor::io {

const Rule* FindRule(std::string_view code) {
  for (const std::span<const Rule> rules : {gltf::Rules(), mmd::Rules()}) {
    const auto found = std::lower_bound(
        rules.begin(), rules.end(), code,
        [](const Rule& rule, std::string_view sought) { return rule.code < sought; });
    if (found != rules.end() && found->code == code) return &*found;
  }
  return nullptr;
}

void Report(Diagnostics& diagnostics, std::string_view code, std::string_view where,
            std::string message, std::uint64_t count) {
  const Rule* rule = FindRule(code);
  diagnostics.Add({.code = std::string(code),
                   .severity = rule != nullptr ? rule->severity : Severity::kError,
                   .where = std::string(where),
                   .message = std::move(message),
                   .remedy = std::string(rule != nullptr ? rule->remedy : std::string_view()),
                   .count = count});
}

}  // namespace flexor::io
