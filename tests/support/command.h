/// @file tests/support/command.h
/// Runs the real command and keeps what it said.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include <sys/types.h>

namespace flexor::test {

struct Outcome {
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string out, err;
};

/// Runs FLEXOR_COMMAND with these arguments, in `folder` when given, with `input` as its standard
/// input.
Outcome Flexor(const std::vector<std::string>& arguments, const std::string& folder = {},
               const std::string& input = {});

/// The same under a shell, for pipes and redirections; "$FLEXOR" is the command.
Outcome RunShell(const std::string& script, const std::string& folder = {});

/// Starts the command, sends it `signal` once its stderr holds `needle`, and waits.
Outcome RunAndSignal(const std::vector<std::string>& arguments, const std::string& needle,
                     int signal, const std::string& folder);

/// A folder of its own that goes away with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// The names in it, sorted.
  std::vector<std::string> Names() const;

 private:
  std::string path_;
};

std::string ReadText(const std::string& path);

}  // namespace flexor::test
