// Everything: files in and out, poses, rigid bodies, pictures, frames in a loop.
#include "flexor/bake/bake.h"

#include <cstdio>
#include <string>

#include "flexor/asset/sample.h"
#include "flexor/bake/portrait.h"
#include "flexor/flexor.h"

#include "engine_flags.h"

int main(int argc, char** argv) {
  using namespace flexor;
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const auto sample = asset::MakeSample("elbow");
  if (!sample.ok()) return 1;
  const auto glb = io::EncodeGlb(*sample);
  if (!glb.ok() || !WriteFile(folder + "/elbow.glb", *glb).ok()) return 1;
  const auto loaded = io::LoadCharacter(folder + "/elbow.glb");
  if (!loaded.ok() || loaded->character.source.generator != WriterName()) return 1;

  bake::BakeSettings settings{.times = {{}}, .path = folder + "/elbow.npz"};
  settings.performer.deform = {.method = asset::SkinningMethod::kDualQuaternion};
  const auto baked = bake::Bake(loaded->character, settings);
  if (!baked.ok() || baked->files.empty()) return 1;

  std::size_t pictures = 0;
  const auto keep = [&](std::size_t, std::span<const std::byte> png) -> Status {
    pictures += png.empty() ? 0 : 1;
    return {};
  };
  const auto drawn =
      bake::DrawPortraits(loaded->character, {.times = {{}}, .width = 64, .height = 64}, keep);
  if (!drawn.ok() || pictures != 1) return 1;
  std::printf("consumed flexor::bake: %s, %zu picture, rigid bodies %s\n", baked->files[0].c_str(),
              pictures, pose::HasMmdPhysics() ? "yes" : "no");
  return 0;
}
