#include "flexor/io/check.h"

#include <algorithm>
#include <vector>

#include "flexor/core/file.h"

#include "io/gltf/check.h"
#include "io/neighbours.h"
#include "io/rules.h"
#include "io/sniff.h"

namespace flexor::io {
namespace {

std::vector<CheckRule> PublicRules() {
  std::vector<CheckRule> rules;
  for (const std::span<const Rule> table : {gltf::Rules(), mmd::Rules()}) {
    for (const Rule& rule : table) rules.push_back({rule.code, rule.severity, rule.summary});
  }
  std::sort(rules.begin(), rules.end(),
            [](const CheckRule& a, const CheckRule& b) { return a.code < b.code; });
  return rules;
}

/// Whether the check has said already what the reader says: it speaks all of the Khronos
/// validator's codes itself, at the validator's places.
bool IsSaid(const Diagnostic& diagnostic, const Diagnostics& said) {
  const Rule* rule = FindRule(diagnostic.code);
  if (rule != nullptr && rule->origin == RuleOrigin::kKhronos) return true;
  if (diagnostic.code == "DUPLICATE_KEY") return true;
  // A picture that is missing is an IO_ERROR or an INVALID_URI at the same place.
  return diagnostic.code == "IMAGE_NOT_FOUND" &&
         std::any_of(said.entries().begin(), said.entries().end(), [&](const Diagnostic& other) {
           return other.where == diagnostic.where && other.severity == Severity::kError;
         });
}

/// Adds what the reader alone has to say of its load.
void AddLoad(const Result<Loaded>& loaded, CheckReport& report) {
  if (!loaded.ok()) {
    const Error& error = loaded.error();
    std::string where = error.place.element;
    if (where.empty() && error.place.byte_offset) {
      where = "byte " + std::to_string(*error.place.byte_offset);
    }
    Report(report.diagnostics, "LOAD_REFUSED", where,
           "flexor cannot load this file: " + error.message + " [" +
               std::string(ErrorCodeName(error.code)) + "]");
    return;
  }
  if (report.format.empty()) report.format = loaded->character.source.format;
  for (const Diagnostic& diagnostic : loaded->diagnostics.entries()) {
    if (!IsSaid(diagnostic, report.diagnostics)) report.diagnostics.Add(diagnostic);
  }
}

}  // namespace

std::span<const CheckRule> CheckRules() {
  static const std::vector<CheckRule> rules = PublicRules();
  return rules;
}

CheckReport CheckMemory(std::span<const std::byte> bytes, const std::string& path,
                        const ResourceFn& resources, const LoadOptions& options) {
  CheckReport report;
  const auto kind = SniffCharacter(bytes);
  if (!kind.ok()) {
    Report(report.diagnostics, "UNKNOWN_FORMAT", "", kind.error().message);
    return report;
  }
  AddLoad(*kind == FileKind::kGltf ? gltf::CheckAndLoad(bytes, path, resources, options, report)
                                   : LoadCharacterFromMemory(bytes, path, resources, options),
          report);
  return report;
}

Result<CheckReport> CheckFile(const std::string& path, const LoadOptions& options) {
  auto bytes = ReadFile(path, std::min(options.limits.file_bytes, options.limits.memory_bytes));
  if (bytes.ok()) {
    return CheckMemory(*bytes, path, NeighboursFor(*bytes, path, options), options);
  }
  if (bytes.error().code != ErrorCode::kLimitExceeded) return std::move(bytes).error();
  CheckReport report;
  Report(report.diagnostics, "LIMIT_EXCEEDED", "", bytes.error().message);
  return report;
}

}  // namespace flexor::io
