/// @file cli/shell.h
/// Where the command speaks: results on stdout, words on stderr, colour only for people.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "flexor/core/diagnostic.h"
#include "flexor/core/error.h"
#include "flexor/core/result.h"

namespace flexor::cli {

enum class ProgressMode : std::uint8_t { kAuto, kBar, kJson, kNone };

/// Every command speaks through this, never through stdio itself.
class Shell {
 public:
  Shell();

  bool quiet = false;
  ProgressMode progress = ProgressMode::kAuto;

  bool out_is_terminal() const { return out_is_terminal_; }
  bool err_is_terminal() const { return err_is_terminal_; }

  /// A result, to stdout. A write that fails is remembered for Flush().
  void Out(std::string_view text);
  /// Flushes stdout. Errors  kFileUnwritable (disk full, device gone)
  Status Flush();
  /// Whether whoever read stdout went away: no mistake, and nothing to say to anybody.
  bool reader_gone() const { return write_error_ == EPIPE; }

  /// Words, to stderr, one line each; nothing with --quiet. With --progress json every line on
  /// stderr is a JSON object with an "event".
  void Note(std::string_view text);
  void Warn(std::string_view text);
  /// Always said.
  void Fail(const Error& error);
  void Fail(std::string_view text);
  /// The last event, with --progress json.
  void End(int exit_code);
  /// Findings, the first few of each code in full. `hint_path` names the file whose findings
  /// `flexor check` shows; empty where it would not show these.
  void Say(const Diagnostics& diagnostics, const std::string& hint_path = {});

  /// Text in colour when stdout (stderr) shows it to a person; `code` as in SGR, e.g. "1" or "31".
  std::string OutColor(std::string_view code, std::string_view text) const;
  std::string ErrColor(std::string_view code, std::string_view text) const;

 private:
  void Line(std::string_view event, std::string_view label, std::string_view text,
            std::string_view code);
  bool out_is_terminal_ = false, err_is_terminal_ = false;
  bool color_out_ = false, color_err_ = false;
  int write_error_ = 0;
};

/// Control characters made visible, so that names out of files cannot drive a terminal.
std::string Printable(std::string_view text);

}  // namespace flexor::cli
