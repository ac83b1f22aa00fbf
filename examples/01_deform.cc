// The shortest way from a file to deformed vertices. Usage: 01_deform [FILE]; without one, the
// built-in figure.
#include <cstdio>

#include "flexor/asset/sample.h"
#include "flexor/bake/performer.h"
#include "flexor/io/load.h"

int main(int argc, char** argv) {
  using namespace flexor;
  asset::Character character;
  if (argc > 1) {
    auto loaded = io::LoadCharacter(argv[1]);
    if (!loaded.ok()) {
      std::fprintf(stderr, "%s\n", loaded.error().ToString().c_str());
      return 1;
    }
    character = std::move(loaded->character);
  } else {
    character = asset::MakeSample("figure").value();
  }

  auto performer = bake::Performer::Create(character, {});
  if (!performer.ok()) return 1;
  const bool animated = !character.clips.empty();
  if (!performer->Evaluate(animated ? std::optional<std::uint32_t>(0) : std::nullopt, 0.5).ok())
    return 1;
  for (const deform::DeformedMesh& mesh : performer->results()) {
    const Vec3f p = mesh.positions.empty() ? Vec3f{} : mesh.positions[0];
    std::printf("%s: %zu vertices, the first at (%.3f, %.3f, %.3f)\n",
                character.instances[mesh.instance].name.c_str(), mesh.positions.size(), p.x, p.y,
                p.z);
  }
  return 0;
}
