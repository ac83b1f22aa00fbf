#include "cli/shell.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace flexor::cli {
namespace {

constexpr std::size_t kMostOfOneCodeSaid = 3;

bool ColorIsWelcome() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

std::string Colored(bool on, std::string_view code, std::string_view text) {
  if (!on) return std::string(text);
  std::string out = "\x1b[";
  out.append(code).append("m").append(text).append("\x1b[0m");
  return out;
}

}  // namespace

Shell::Shell()
    : out_is_terminal_(isatty(STDOUT_FILENO) != 0), err_is_terminal_(isatty(STDERR_FILENO) != 0) {
  const bool welcome = ColorIsWelcome();
  color_out_ = out_is_terminal_ && welcome;
  color_err_ = err_is_terminal_ && welcome;
}

void Shell::Out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && write_error_ == 0) {
    write_error_ = errno != 0 ? errno : EIO;
  }
}

Status Shell::Flush() {
  if (std::fflush(stdout) != 0 && write_error_ == 0) write_error_ = errno != 0 ? errno : EIO;
  if (write_error_ == 0) return {};
  return Error{ErrorCode::kFileUnwritable,
               std::string("cannot write to standard output: ") + std::strerror(write_error_),
               {}};
}

void Shell::Line(std::string_view event, std::string_view label, std::string_view text,
                 std::string_view code) {
  std::string line;
  if (progress == ProgressMode::kJson) {
    nlohmann::ordered_json json;
    json["event"] = event;
    if (!code.empty()) json["code"] = code;
    json["message"] = text;
    line = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  } else {
    line = std::string(label) + std::string(text);
    if (!code.empty()) line += " [" + std::string(code) + "]";
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Shell::Note(std::string_view text) {
  if (!quiet) Line("note", "", text, {});
}

void Shell::Warn(std::string_view text) {
  if (!quiet) Line("warning", ErrColor("33", "warning:") + " ", text, {});
}

void Shell::Fail(std::string_view text) {
  Line("error", ErrColor("1;31", "error:") + " ", text, {});
}

void Shell::Fail(const Error& error) {
  std::string text = error.place.ToString();
  if (!text.empty()) text += ": ";
  Line("error", ErrColor("1;31", "error:") + " ", Printable(text + error.message),
       ErrorCodeName(error.code));
}

void Shell::End(int exit_code) {
  if (progress != ProgressMode::kJson) return;
  const std::string line = "{\"event\":\"end\",\"exit_code\":" + std::to_string(exit_code) + "}\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Shell::Say(const Diagnostics& diagnostics, const std::string& hint_path) {
  // So many of each code that a pile of one kind hides none of another.
  std::map<std::string_view, std::size_t> said;
  std::size_t more = 0;
  for (const Diagnostic& finding : diagnostics.entries()) {
    if (finding.severity == Severity::kInfo) continue;
    if (++said[finding.code] > kMostOfOneCodeSaid) {
      ++more;
      continue;
    }
    std::string text = finding.where.empty() ? "" : finding.where + ": ";
    text += finding.message;
    if (finding.count > 1) text += " (" + std::to_string(finding.count) + " times)";
    if (!finding.remedy.empty()) text += "; " + finding.remedy;
    Warn(Printable(text + " [" + finding.code + "]"));
  }
  if (more == 0) return;
  std::string text = std::to_string(more) + " more of these codes";
  if (!hint_path.empty()) text += "; all of them: flexor check --all " + Printable(hint_path);
  Warn(text);
}

std::string Shell::OutColor(std::string_view code, std::string_view text) const {
  return Colored(color_out_, code, text);
}
std::string Shell::ErrColor(std::string_view code, std::string_view text) const {
  return Colored(color_err_, code, text);
}

std::string Printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // C1 controls come in UTF-8 as C2 80 to C2 9F; some terminals obey them.
    const bool c1 = byte == 0xc2 && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                    static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f || c1) {
      out += '?';
      if (c1) ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace flexor::cli
