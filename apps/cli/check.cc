#include "flexor/io/check.h"

#include <algorithm>
#include <map>
#include <memory>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/table.h"

namespace flexor::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> files;
  InputOptions input;
  ShellOptions shell;
  bool json = false, list_rules = false, all = false;
};

std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void ListRules(const Options& options, Shell& shell) {
  if (options.json) {
    Json rules = Json::array();
    for (const io::CheckRule& rule : io::CheckRules()) {
      rules.push_back({{"code", rule.code},
                       {"severity", SeverityName(rule.severity)},
                       {"summary", rule.summary}});
    }
    shell.Out(Dump(rules));
    return;
  }
  Table table({"code", "severity", "meaning"});
  for (const io::CheckRule& rule : io::CheckRules()) {
    table.Add({std::string(rule.code), std::string(SeverityName(rule.severity)),
               std::string(rule.summary)});
  }
  shell.Out(table.Text());
}

Json ReportJson(const std::string& file, const io::CheckReport& report) {
  Json json;
  json["file"] = file;
  json["format"] = report.format;
  Json findings = Json::array();
  for (const Diagnostic& finding : report.diagnostics.entries()) {
    Json entry;
    entry["code"] = finding.code;
    entry["severity"] = SeverityName(finding.severity);
    entry["where"] = finding.where;
    entry["message"] = finding.message;
    entry["count"] = finding.count;
    if (!finding.remedy.empty()) entry["remedy"] = finding.remedy;
    findings.push_back(std::move(entry));
  }
  json["diagnostics"] = std::move(findings);
  json["errors"] = report.diagnostics.Count(Severity::kError);
  json["warnings"] = report.diagnostics.Count(Severity::kWarning);
  return json;
}

std::string Plural(std::size_t count, std::string_view word) {
  return std::to_string(count) + " " + std::string(word) + (count == 1 ? "" : "s");
}

// Findings of one code beyond this many are counted, so that one fault repeated all over a file
// does not hide the others.
constexpr std::size_t kMostOfOneCode = 3;

void PrintFinding(Shell& shell, const Diagnostic& finding) {
  const std::string_view color = finding.severity == Severity::kError     ? "31"
                                 : finding.severity == Severity::kWarning ? "33"
                                                                          : "2";
  std::string text =
      "  " + shell.OutColor(color, SeverityName(finding.severity)) + " " + finding.code;
  if (!finding.where.empty()) text += " " + Printable(finding.where);
  text += ": " + Printable(finding.message);
  if (finding.count > 1) text += " (" + std::to_string(finding.count) + " times)";
  shell.Out(text + "\n");
}

void PrintReport(Shell& shell, const std::string& file, const io::CheckReport& report, bool all) {
  const std::size_t errors = report.diagnostics.Count(Severity::kError);
  const std::size_t warnings = report.diagnostics.Count(Severity::kWarning);
  std::string line = shell.OutColor("1", Printable(file)) + ": ";
  if (errors + warnings == 0) {
    line += shell.OutColor("32", "ok");
  } else {
    line += Plural(errors, "error") + ", " + Plural(warnings, "warning");
  }
  if (!report.format.empty()) line += " (" + report.format + ")";
  shell.Out(line + "\n");
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kInfo}) {
    // Codes in the order in which they were first found.
    std::vector<std::string> codes;
    std::map<std::string, std::vector<const Diagnostic*>> by_code;
    for (const Diagnostic& finding : report.diagnostics.entries()) {
      if (finding.severity != severity) continue;
      auto& list = by_code[finding.code];
      if (list.empty()) codes.push_back(finding.code);
      list.push_back(&finding);
    }
    for (const std::string& code : codes) {
      const auto& list = by_code[code];
      const std::size_t shown = all ? list.size() : std::min(list.size(), kMostOfOneCode);
      for (std::size_t i = 0; i < shown; ++i) PrintFinding(shell, *list[i]);
      if (shown < list.size()) {
        shell.Out("    and " + Plural(list.size() - shown, "more place") + " (--all)\n");
      }
      if (!list[0]->remedy.empty()) shell.Out("    " + Printable(list[0]->remedy) + "\n");
    }
  }
}

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  if (options.list_rules) {
    ListRules(options, shell);
    return kDone;
  }
  if (options.files.empty()) {
    return Error{ErrorCode::kInvalidArgument, "give at least one FILE", {}};
  }
  FLEXOR_ASSIGN(const io::LoadOptions load, options.input.Limits());
  ReleaseStopSignals();
  Json reports = Json::array();
  int code = kDone;
  for (const std::string& file : options.files) {
    const Result<io::CheckReport> report = io::CheckFile(file, load);
    if (!report.ok()) {
      // A missing file does not keep the others from being checked; it decides the exit code.
      shell.Fail(report.error());
      code = ExitCodeOf(report.error());
      reports.push_back({{"file", file},
                         {"format", ""},
                         {"diagnostics",
                          {{{"code", ErrorCodeName(report.error().code)},
                            {"severity", "error"},
                            {"where", ""},
                            {"message", report.error().message},
                            {"count", 1}}}},
                         {"errors", 1},
                         {"warnings", 0}});
      continue;
    }
    const std::size_t bad =
        report->diagnostics.Count(Severity::kError) +
        (options.input.strict ? report->diagnostics.Count(Severity::kWarning) : 0);
    if (bad > 0 && code == kDone) code = kInputInvalid;
    if (options.json) {
      reports.push_back(ReportJson(file, *report));
    } else {
      PrintReport(shell, file, *report, options.all);
    }
  }
  if (options.json) shell.Out(Dump(options.files.size() == 1 ? reports[0] : reports));
  return code;
}

}  // namespace

Command AddCheck(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("check", "Say what is wrong with files, by code and place");
  app->add_option("FILE", options->files, "glTF, GLB, VRM, PMX or PMD files");
  app->add_flag("--json", options->json, "The report as JSON; an array for several files")
      ->group("Output");
  app->add_flag("--all", options->all, "Every finding, also the many of one code")->group("Output");
  app->add_flag("--strict", options->input.strict, "Warnings fail too")->group("Input");
  app->add_flag("--list-rules", options->list_rules,
                "Every code with its meaning, and nothing else")
      ->group("Output");
  options->input.AddLimits(*app);
  options->shell.Add(*app, false);
  app->footer(R"(Exit code 4 when a file has errors, 3 when one cannot be read.

Examples:
  flexor check character.glb
  flexor check --strict --json models/*.glb > report.json
  flexor check --list-rules)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
