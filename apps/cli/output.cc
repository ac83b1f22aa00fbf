#include "cli/output.h"

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "flexor/bake/output_name.h"
#include "flexor/core/file.h"

namespace flexor::cli {
namespace {

namespace fs = std::filesystem;

fs::path PathFromUtf8(const std::string& path) {
  return {std::u8string(reinterpret_cast<const char8_t*>(path.data()), path.size())};
}

Error Refused(const std::string& path, std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), {path, {}, {}}};
}

}  // namespace

Status CheckOutput(const std::string& path, std::initializer_list<std::string> inputs,
                   std::initializer_list<std::string_view> known, bool json) {
  if (path == "-") {
    if (!json) return {};
    return Refused({},
                   "standard output holds the file with -o -, so the report of --json has no "
                   "place; leave --json out or name a file");
  }
  if (path.empty()) return Refused(path, "the output needs a name: -o FILE");
  FLEXOR_TRY(bake::CheckPlaceholders(path, known));
  std::error_code ignored;
  const fs::path native = PathFromUtf8(path);
  if (fs::is_directory(native, ignored)) {
    return Refused(path, "is a folder; name a file in it");
  }
  const fs::path folder = native.parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    const std::u8string name = folder.u8string();
    return Refused(path, "its folder \"" +
                             std::string(reinterpret_cast<const char*>(name.data()), name.size()) +
                             "\" does not exist; make it first");
  }
  for (const std::string& input : inputs) {
    if (input.empty() || input == "-") continue;
    std::error_code error;
    if (fs::equivalent(native, PathFromUtf8(input), error) && !error) {
      return Refused(path, "is the input; flexor does not overwrite what it reads");
    }
  }
  return {};
}

Status WriteOutput(Shell& shell, const std::string& path, std::span<const std::byte> bytes) {
  if (path != "-") return WriteFile(path, bytes);
  if (shell.out_is_terminal()) {
    return Error{ErrorCode::kInvalidArgument,
                 "binary data does not go to a terminal; redirect it, or name a file with -o",
                 {}};
  }
  shell.Out({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return shell.Flush();
}

Status WriteOutput(Shell& shell, const std::string& path, std::string_view text) {
  if (path != "-") return WriteFile(path, std::as_bytes(std::span(text)));
  shell.Out(text);
  return shell.Flush();
}

std::string ExtensionOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.rfind('.');
  if (dot == path.npos || (slash != path.npos && dot < slash)) return {};
  std::string extension = path.substr(dot + 1);
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

std::string SizeText(std::uint64_t bytes) {
  char text[48];
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes);
  const char* unit = "kB";
  value /= 1000;
  for (const char* next : {"MB", "GB", "TB"}) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  std::snprintf(text, sizeof(text), "%.*f %s", value < 10 ? 1 : 0, value, unit);
  return text;
}

std::uint64_t FileBytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(PathFromUtf8(path), error);
  return error ? 0 : size;
}

}  // namespace flexor::cli
