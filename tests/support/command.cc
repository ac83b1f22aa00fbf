#include "support/command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/paths.h"

namespace flexor::test {
namespace {

namespace fs = std::filesystem;

struct Watch {
  std::string needle;  // in stderr
  int signal = 0;
};

int CodeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

Outcome Spawn(std::vector<std::string> words, const std::string& folder, const std::string& input,
              const Watch& watch) {
  int out[2], err[2], in[2];
  if (pipe(out) != 0 || pipe(err) != 0 || pipe(in) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(126);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    for (const int end : {in[0], in[1], out[0], out[1], err[0], err[1]}) close(end);
    setenv("FLEXOR", FLEXOR_COMMAND, 1);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  for (const int end : {in[0], out[1], err[1]}) close(end);
  std::signal(SIGPIPE, SIG_IGN);
  // Inputs of these tests are smaller than a pipe's buffer or read at once.
  std::size_t sent = 0;
  Outcome outcome;
  std::array<pollfd, 3> polled = {{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}, {in[1], POLLOUT, 0}}};
  if (input.empty()) {
    close(in[1]);
    polled[2].fd = -1;
  }
  bool signalled = watch.signal == 0;
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (poll(polled.data(), polled.size(), -1) < 0) break;
    if (polled[2].fd >= 0 && polled[2].revents != 0) {
      const ssize_t wrote = write(in[1], input.data() + sent, input.size() - sent);
      if (wrote > 0) sent += static_cast<std::size_t>(wrote);
      if (wrote <= 0 || sent == input.size()) {
        close(in[1]);
        polled[2].fd = -1;
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      std::array<char, 65536> buffer;
      const ssize_t got = read(polled[i].fd, buffer.data(), buffer.size());
      if (got <= 0) {
        close(polled[i].fd);
        polled[i].fd = -1;
        continue;
      }
      (i == 0 ? outcome.out : outcome.err).append(buffer.data(), static_cast<std::size_t>(got));
      if (!signalled && outcome.err.find(watch.needle) != std::string::npos) {
        kill(child, watch.signal);
        signalled = true;
      }
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  outcome.exit_code = CodeOf(status);
  return outcome;
}

}  // namespace

Outcome Flexor(const std::vector<std::string>& arguments, const std::string& folder,
               const std::string& input) {
  std::vector<std::string> words = {FLEXOR_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return Spawn(std::move(words), folder, input, {});
}

Outcome RunShell(const std::string& script, const std::string& folder) {
  return Spawn({"/bin/sh", "-c", script}, folder, {}, {});
}

Outcome RunAndSignal(const std::vector<std::string>& arguments, const std::string& needle,
                     int signal, const std::string& folder) {
  std::vector<std::string> words = {FLEXOR_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return Spawn(std::move(words), folder, {}, {needle, signal});
}

Folder::Folder() {
  std::string pattern = (fs::temp_directory_path() / "flexor-cli-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> Folder::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace flexor::test
