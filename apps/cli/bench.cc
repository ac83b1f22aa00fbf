// Built into the command where the benchmarks are: bench/CMakeLists.txt.
#ifdef FLEXOR_CLI_BENCH
#include "bench/bench.h"

#include <cstdio>
#include <memory>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/progress_view.h"
#include "cli/table.h"

namespace flexor::cli {
namespace {

struct Options {
  bench::BenchOptions bench;
  bool json = false;
  ShellOptions shell;
};

/// A number cut to the digits that mean something.
double Rounded(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return std::strtod(text, nullptr);
}

nlohmann::ordered_json JsonOf(const bench::Row& row) {
  const auto ratio = [](double value) {
    return value > 0 ? nlohmann::ordered_json(Rounded(value, 4)) : nlohmann::ordered_json();
  };
  return {{"kernel", row.kernel},
          {"mesh", row.mesh},
          {"vertices", row.vertices},
          {"joints", row.joints},
          {"influences", Rounded(row.influences, 4)},
          {"threads", row.threads},
          {"backend", row.backend},
          {"target", row.target},
          {"ns_per_vertex", Rounded(row.ns_per_vertex, 4)},
          {"ratio_plain", ratio(row.ratio_plain)},
          {"ratio_eigen", ratio(row.ratio_eigen)},
          {"ratio_ceiling", ratio(row.ratio_ceiling)},
          {"ratio_lbs", ratio(row.ratio_lbs)},
          {"ratio_one_thread", ratio(row.ratio_one_thread)},
          {"ratio_calls", ratio(row.ratio_calls)},
          {"bytes_per_vertex", ratio(row.bytes_per_vertex)},
          {"rounds", row.rounds}};
}

std::vector<std::string> CellsOf(const bench::Row& row) {
  const auto number = [](double value, const char* format) {
    char text[32] = "";
    if (value > 0) std::snprintf(text, sizeof(text), format, value);
    return std::string(text);
  };
  return {row.kernel,
          row.mesh,
          Grouped(row.vertices),
          Grouped(row.joints),
          number(row.influences, "%.2f"),
          std::to_string(row.threads),
          row.target,
          number(row.ns_per_vertex, "%.2f"),
          number(row.ratio_plain, "%.2f"),
          number(row.ratio_eigen, "%.2f"),
          number(row.ratio_ceiling, "%.2f"),
          number(row.ratio_lbs, "%.2f"),
          number(row.ratio_one_thread, "%.2f"),
          number(row.ratio_calls, "%.2f"),
          number(row.bytes_per_vertex, "%.1f")};
}

// Wide enough for every row, so that lines of rows to come line up with those already shown.
const std::vector<std::size_t> kWidths{27, 14, 9, 6, 10, 7, 6, 9, 7, 7, 10, 10, 10, 7, 12};

Result<int> Run(const Options& options, Shell& shell) {
  options.shell.Apply(shell);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  Table table({"kernel", "mesh", ">vertices", ">joints", ">influences", ">threads", "target",
               ">ns/vertex", ">x plain", ">x Eigen", ">of ceiling", ">of our LBS", ">x 1 thread",
               ">x calls", ">bytes/vertex"});
  table.Reserve(kWidths);
  Status written;
  {
    ProgressView progress(shell);
    const auto report = [&](const bench::Row& row) {
      rows.push_back(JsonOf(row));
      table.Add(CellsOf(row));
      if (options.json) return;
      progress.Clear();
      if (rows.size() == 1) shell.Out(table.HeadLine());
      shell.Out(table.LastLine());
      written = shell.Flush();
    };
    const Status measured = bench::RunBench(options.bench, report, [&](const Progress& state) {
      return progress(state) && written.ok();
    });
    FLEXOR_TRY(written);
    FLEXOR_TRY(measured);
  }
  if (rows.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "no benchmark has \"" + options.bench.filter +
                     "\" in its kernel/mesh, such as skin_lbs/grid-100k",
                 {}};
  }
  if (options.json) shell.Out(rows.dump(2) + "\n");
  return kDone;
}

}  // namespace

Command AddBench(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("bench", "Measure the kernels on this machine");
  app->add_option("--filter", options->bench.filter, "Only rows whose kernel/mesh contains this")
      ->option_text("TEXT")
      ->group("Choice");
  app->add_option("--threads", options->bench.threads, "Thread counts, a row for each (1,2)")
      ->option_text("N,...")
      ->delimiter(',')
      ->check(WholeNumber(1, 4096))
      ->group("Choice");
  app->add_option("--simd", options->bench.simd_target, "One SIMD target instead of the best")
      ->option_text("TARGET")
      ->group("Choice");
  app->add_flag("--all", options->bench.all, "Every SIMD target, and the candidates that lost")
      ->group("Choice");
  app->add_option("--seconds", options->bench.seconds, "Measured for each row, about (1)")
      ->option_text("S")
      ->check(PositiveNumber())
      ->group("Measurement");
  app->add_flag("--processor-time", options->bench.processor_time,
                "Count processor time, on a machine busy with other things; one thread only")
      ->group("Measurement");
  app->add_flag("--json", options->json, "Rows as JSON")->group("Output");
  options->shell.Add(*app, true);
  app->footer(
      R"(Ratios above 1 say how many times faster flexor is. Candidates take turns in one process; times
are medians. Examples:
  flexor bench --filter skin_lbs/grid-100k
  flexor bench --filter CesiumMan --threads 1 --json)");
  return {app, [options](Shell& shell) { return Run(*options, shell); }};
}

}  // namespace flexor::cli
#endif  // FLEXOR_CLI_BENCH
