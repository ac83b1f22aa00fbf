#include "cli/write_character.h"

#include <utility>

#include "flexor/bake/plain_copy.h"
#include "flexor/bake/to_vmd.h"
#include "flexor/io/write_glb.h"

#include "cli/output.h"
#include "cli/signals.h"

namespace flexor::cli {
namespace {

Status Put(Shell& shell, const std::string& path, std::span<const std::byte> bytes,
           Written& written) {
  FLEXOR_TRY(CheckNotStopped());
  FLEXOR_TRY(WriteOutput(shell, path, bytes));
  written.files.push_back(path);
  written.bytes += bytes.size();
  return {};
}

// Work that takes long asks now and then whether it is still wanted.
const auto kUntilStopped = [](const Progress&) { return CheckNotStopped().ok(); };

/// The path without its extension, and its folder with the separator; bytes, so any script works.
std::string Stem(const std::string& path) { return path.substr(0, path.find_last_of('.')); }
std::string Folder(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace

Status WriteGlbFile(Shell& shell, const std::string& output, const asset::Character& character,
                    const bake::MotionSettings& motion, Written& written) {
  const Result<asset::Character> plain =
      bake::PlainCopy(character, motion, written.notes, kUntilStopped);
  FLEXOR_TRY(CheckNotStopped());
  if (!plain.ok()) return plain.error();
  FLEXOR_ASSIGN(const std::vector<std::byte> bytes, io::EncodeGlb(*plain, &written.notes));
  return Put(shell, output, bytes, written);
}

Status WritePmxModel(Shell& shell, const std::string& output, const io::mmd::PmxModel& model,
                     const io::mmd::PmxWriteOptions& how, Written& written) {
  FLEXOR_ASSIGN(const std::vector<std::byte> bytes, io::mmd::WritePmx(model, how, &written.notes));
  return Put(shell, output, bytes, written);
}

Status WritePmxFile(Shell& shell, const std::string& output, const asset::Character& character,
                    double metres_per_unit, const io::mmd::PmxWriteOptions& how,
                    const bake::MotionSettings& motion, Written& written) {
  FLEXOR_ASSIGN(bake::PmxExport made, bake::ToPmx(character, metres_per_unit, written.notes));
  // Named after the model, so that no picture of the source or of another model is overwritten.
  const std::string prefix = Stem(output).substr(Folder(output).size()) + "-";
  for (std::string& name : made.model.textures) name.insert(0, prefix);
  for (bake::PmxTexture& texture : made.textures) texture.name.insert(0, prefix);
  // All that can fail before anything is written.
  std::vector<std::pair<std::string, std::vector<std::byte>>> motions;
  for (std::uint32_t c = 0; c < character.clips.size(); ++c) {
    const Result<io::mmd::VmdMotion> keys =
        bake::ToVmd(character, c, metres_per_unit, motion, written.notes, kUntilStopped);
    FLEXOR_TRY(CheckNotStopped());
    if (!keys.ok()) return keys.error();
    FLEXOR_ASSIGN(std::vector<std::byte> bytes, io::mmd::WriteVmd(*keys));
    const std::string number = character.clips.size() == 1 ? "" : "-" + std::to_string(c);
    motions.emplace_back(Stem(output) + number + ".vmd", std::move(bytes));
  }
  FLEXOR_TRY(WritePmxModel(shell, output, made.model, how, written));
  for (const bake::PmxTexture& texture : made.textures) {
    FLEXOR_TRY(Put(shell, Folder(output) + texture.name, texture.bytes, written));
  }
  for (const auto& [path, bytes] : motions) FLEXOR_TRY(Put(shell, path, bytes, written));
  return {};
}

void SayWritten(Shell& shell, const Written& written) {
  if (written.files.empty() || written.files.front() == "-") return;
  const std::size_t beside = written.files.size() - 1;
  shell.Out("wrote " + Printable(written.files.front()) +
            (beside == 0   ? ""
             : beside == 1 ? " and " + Printable(written.files.back())
                           : " and " + std::to_string(beside) + " files beside it") +
            ", " + SizeText(written.bytes) + "\n");
}

}  // namespace flexor::cli
