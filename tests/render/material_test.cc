// Textures, masks and blending, seen in pictures.
#include <array>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "flexor/render/draw.h"

#include "render/color.h"
#include "render/shapes.h"
#include "render/texture.h"

namespace flexor::render {
namespace {

constexpr Rgba kRed{255, 0, 0, 255}, kGreen{0, 255, 0, 255}, kBlue{0, 0, 255, 255},
    kWhite{255, 255, 255, 255};

// Two by two: red green / blue white.
Image Quarters() {
  Image image = Filled(2, 2, kRed);
  const std::array<Rgba, 4> colors{kRed, kGreen, kBlue, kWhite};
  for (std::size_t i = 0; i < 4; ++i) {
    image.rgba[4 * i] = static_cast<std::uint8_t>(colors[i].r);
    image.rgba[4 * i + 1] = static_cast<std::uint8_t>(colors[i].g);
    image.rgba[4 * i + 2] = static_cast<std::uint8_t>(colors[i].b);
  }
  return image;
}

void Attach(Scene& scene, const Image& image) {
  asset::Image encoded;
  encoded.name = "texture";
  encoded.bytes = *EncodePng(image);
  scene.character.images.push_back(std::move(encoded));
  scene.material().base_image = static_cast<std::int32_t>(scene.character.images.size()) - 1;
}

Result<Image> DrawFront(const Scene& scene, const TextureSet* textures = nullptr,
                        DrawMode mode = DrawMode::kShaded) {
  DrawSettings settings = Bare(64);
  settings.camera = FrontCamera();
  settings.mode = mode;
  const DrawMesh mesh = scene.Drawn();
  return Draw(scene.character, std::span(&mesh, 1), {}, settings, ThreadTeam(2), textures);
}

// Which of red, green, blue is clearly the strongest; 'w' when none is.
char Hue(Rgba p) {
  if (p.r > p.g + 60 && p.r > p.b + 60) return 'r';
  if (p.g > p.r + 60 && p.g > p.b + 60) return 'g';
  if (p.b > p.r + 60 && p.b > p.g + 60) return 'b';
  return 'w';
}

// The hues of the four quarters of a picture, in reading order.
std::string Quarters(const Image& image) {
  return {Hue(At(image, 16, 16)), Hue(At(image, 48, 16)), Hue(At(image, 16, 48)),
          Hue(At(image, 48, 48))};
}

TEST(Texture, StandsUpright) {
  Scene scene = SquareScene();
  Attach(scene, Quarters());
  const auto image = DrawFront(scene);
  ASSERT_TRUE(image.ok()) << image.error().ToString();
  EXPECT_EQ(Quarters(*image), "rgbw");
}

TEST(Texture, TransformsAsKhrTextureTransformSays) {
  Scene scene = SquareScene();
  Attach(scene, Quarters());
  scene.material().uv_offset = {0.5f, 0};
  EXPECT_EQ(Quarters(*DrawFront(scene)), "grwb");
  scene.material().uv_offset = {0, 0.5f};
  EXPECT_EQ(Quarters(*DrawFront(scene)), "bwrg");
  scene.material().uv_offset = {0, 0};
  scene.material().uv_scale = {0.5f, 0.5f};
  EXPECT_EQ(Hue(At(*DrawFront(scene), 20, 20)), 'r');
  EXPECT_EQ(Hue(At(*DrawFront(scene), 30, 30)), 'r');
  // Turning the coordinates counter-clockwise turns the picture clockwise.
  scene.material().uv_scale = {1, 1};
  scene.material().uv_rotation = std::numbers::pi_v<float> / 2;
  EXPECT_EQ(Quarters(*DrawFront(scene)), "brwg");
}

TEST(Texture, IsMixedInLinearLight) {
  // Halfway between black and white in linear light is 188 in sRGB, not 128.
  Image pair = Filled(2, 1, {0, 0, 0, 255});
  for (std::size_t i = 4; i < 7; ++i) pair.rgba[i] = 255;
  const Texture texture(pair);
  const Vec4f middle = texture.Sample({0.5f, 0.5f}, 0);
  EXPECT_NEAR(middle.x, 0.5f, 1e-5f);
  EXPECT_EQ(Srgb8FromLinear(middle.x), 188);
  const Vec4f halved = texture.Sample({0.1f, 0.5f}, 1);
  EXPECT_NEAR(halved.x, 0.5f, 0.005f);
  EXPECT_NEAR(texture.Sample({0.25f, 0.5f}, 0).x, 0, 1e-6f);
  EXPECT_NEAR(texture.Sample({1.75f, -3.5f}, 0).x, 1, 1e-5f);  // repeats
  EXPECT_TRUE(std::isfinite(texture.Sample({INFINITY, std::nanf("")}, std::nanf("")).x));
}

TEST(Texture, InvisibleColourDoesNotBleedIntoSmallerCopies) {
  Image pair = Filled(2, 1, {255, 0, 0, 255});
  pair.rgba[4] = 0;
  pair.rgba[5] = 255;  // green, but not to be seen
  pair.rgba[7] = 0;
  const Vec4f halved = Texture(pair).Sample({0.5f, 0.5f}, 1);
  EXPECT_NEAR(halved.x, 1, 0.01f);
  EXPECT_NEAR(halved.y, 0, 0.01f);
  EXPECT_NEAR(halved.w, 0.5f, 0.01f);
}

TEST(Texture, FarAwayItFadesToItsMean) {
  // A chequerboard of single texels, hundreds across a picture of 64: grey, no pattern.
  Image chequer;
  chequer.width = chequer.height = 512;
  for (int i = 0; i < 512 * 512; ++i) {
    const auto value = static_cast<std::uint8_t>((i % 512 + i / 512) % 2 * 255);
    chequer.rgba.insert(chequer.rgba.end(), {value, value, value, 255});
  }
  Scene scene = SquareScene();
  Attach(scene, chequer);
  const auto image = DrawFront(scene);
  ASSERT_TRUE(image.ok());
  for (int x = 20; x < 44; ++x) {
    EXPECT_NEAR(At(*image, x, 32).r, At(*image, 32, 32).r, 4);
  }
}

TEST(Alpha, MaskCutsAwayAndLetsLightThrough) {
  Scene scene = SquareScene();
  Image holes = Filled(2, 1, {200, 200, 200, 255});
  holes.rgba[3] = 0;  // the left half
  Attach(scene, holes);
  scene.material().alpha_mode = asset::AlphaMode::kMask;
  for (const DrawMode mode : {DrawMode::kShaded, DrawMode::kWeights}) {
    const auto image = DrawFront(scene, nullptr, mode);
    ASSERT_TRUE(image.ok());
    EXPECT_EQ(At(*image, 10, 32).a, 0);
    EXPECT_EQ(At(*image, 50, 32).a, 255);
  }
  // The wire shows the whole mesh.
  EXPECT_EQ(At(*DrawFront(scene, nullptr, DrawMode::kWire), 10, 32).a, 255);
  scene.material().alpha_cutoff = 0;  // everything passes
  EXPECT_EQ(At(*DrawFront(scene), 10, 32).a, 255);
  scene.material().alpha_mode = asset::AlphaMode::kOpaque;
  EXPECT_EQ(At(*DrawFront(scene), 10, 32).a, 255);
}

TEST(Alpha, BlendingMixesWithWhatIsBehind) {
  // A green square behind a half-transparent red one, which covers the left half only.
  Scene scene = MakeScene({{-1, -1, 0},
                           {1, -1, 0},
                           {1, 1, 0},
                           {-1, 1, 0},
                           {-1, -1, 0.5f},
                           {0, -1, 0.5f},
                           {0, 1, 0.5f},
                           {-1, 1, 0.5f}},
                          {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7});
  scene.material().base_color = {0, 0.6f, 0, 1};
  asset::Material red;
  red.base_color = {0.6f, 0, 0, 0.5f};
  red.alpha_mode = asset::AlphaMode::kBlend;
  scene.character.materials.push_back(red);
  scene.mesh().subsets = {{0, 6, 0}, {6, 6, 1}};
  const auto image = DrawFront(scene);
  ASSERT_TRUE(image.ok());
  const Rgba mixed = At(*image, 12, 32), plain = At(*image, 54, 32);
  EXPECT_EQ(Hue(plain), 'g');
  EXPECT_GT(mixed.r, 90);
  EXPECT_GT(mixed.g, 70);
  EXPECT_LT(mixed.g, plain.g - 10);
  EXPECT_EQ(mixed.a, 255);
  // The other modes do not blend: what is at least half opaque stands, fainter things do not.
  EXPECT_EQ(At(*DrawFront(scene, nullptr, DrawMode::kWeights), 12, 32).a, 255);
  // Alone over nothing it stays translucent.
  scene.mesh().triangles = {4, 5, 6, 4, 6, 7};
  scene.mesh().subsets = {{0, 6, 1}};
  const auto alone = DrawFront(scene);
  ASSERT_TRUE(alone.ok());
  EXPECT_NEAR(At(*alone, 18, 32).a, 128, 2);
  EXPECT_EQ(At(*alone, 54, 32).a, 0);
  EXPECT_EQ(At(*DrawFront(scene, nullptr, DrawMode::kWeights), 18, 32).a, 255);
  scene.character.materials[1].base_color.w = 0.4f;
  EXPECT_EQ(At(*DrawFront(scene, nullptr, DrawMode::kWeights), 18, 32).a, 0);
  EXPECT_NEAR(At(*DrawFront(scene), 18, 32).a, 102, 2);
}

TEST(TextureSet, SaysWhatItCouldNotDecode) {
  Scene scene = SquareScene();
  Attach(scene, Quarters());
  asset::Image broken;
  broken.name = "broken";
  broken.bytes = {std::byte{1}, std::byte{2}};
  scene.character.images.push_back(broken);
  scene.character.images.emplace_back();     // its file was not found
  scene.character.images.push_back(broken);  // of no use to any material
  scene.character.materials.resize(3);
  scene.character.materials[1].base_image = 1;
  scene.character.materials[2].base_image = 2;
  Diagnostics diagnostics;
  const TextureSet textures = LoadTextures(scene.character, ThreadTeam(2), &diagnostics);
  ASSERT_EQ(diagnostics.entries().size(), 2u);
  EXPECT_EQ(diagnostics.entries()[0].code, "TEXTURE_NOT_DECODED");
  EXPECT_EQ(diagnostics.entries()[0].where, "/images/1");
  EXPECT_NE(diagnostics.entries()[0].message.find("broken"), std::string::npos);
  EXPECT_EQ(diagnostics.entries()[1].where, "/images/2");
  const auto kept = DrawFront(scene, &textures), fresh = DrawFront(scene);
  ASSERT_TRUE(kept.ok() && fresh.ok());
  EXPECT_EQ(kept->rgba, fresh->rgba);
  // An empty set is no fault: base colours.
  const TextureSet none;
  const auto plain = DrawFront(scene, &none);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(Quarters(*plain), "wwww");
}

TEST(TextureSet, StaysWithinItsMemory) {
  Scene scene = SquareScene();
  Attach(scene, Filled(100, 100, kRed));
  Attach(scene, Filled(100, 100, kGreen));
  scene.character.materials.resize(2);
  scene.character.materials[0].base_image = 0;
  scene.character.materials[1].base_image = 1;
  Diagnostics diagnostics;
  LoadTextures(scene.character, ThreadTeam(1), &diagnostics, 2 * 80000);
  EXPECT_TRUE(diagnostics.entries().empty());
  LoadTextures(scene.character, ThreadTeam(1), &diagnostics, 2 * 80000 - 1);
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  EXPECT_EQ(diagnostics.entries()[0].where, "/images/1");
}

}  // namespace
}  // namespace flexor::render
