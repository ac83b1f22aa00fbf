#include "flexor/render/draw.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "flexor/core/digest.h"

#include "render/shapes.h"

namespace flexor::render {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Result<Image> DrawScene(const Scene& scene, const DrawSettings& settings, int threads = 2) {
  const DrawMesh mesh = scene.Drawn();
  return Draw(scene.character, std::span(&mesh, 1), {}, settings, ThreadTeam(threads));
}

// The box of what is not background in a picture drawn with Bare settings.
struct Box {
  int left = 1 << 30, top = 1 << 30, right = -1, bottom = -1;
};
Box Covered(const Image& image) {
  Box box;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (At(image, x, y).a == 0) continue;
      box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x),
             std::max(box.bottom, y)};
    }
  }
  return box;
}

TEST(Draw, ARedTriangleFillsTheMiddle) {
  Scene scene = TriangleScene();
  scene.material().base_color = {0.8f, 0, 0, 1};
  const auto image = DrawScene(scene, Bare(128));
  ASSERT_TRUE(image.ok()) << image.error().ToString();
  const Rgba middle = At(*image, 64, 70);
  EXPECT_EQ(middle.a, 255);
  EXPECT_GT(middle.r, 120);
  EXPECT_LT(middle.g, middle.r / 2);
  EXPECT_LT(middle.b, middle.r / 2);
  EXPECT_EQ(At(*image, 1, 1).a, 0);
  EXPECT_EQ(At(*image, 126, 126).a, 0);
}

TEST(Draw, BackgroundIsLightAndOpaque) {
  const Scene scene = TriangleScene();
  DrawSettings settings;
  settings.width = settings.height = 64;
  const auto image = DrawScene(scene, settings);
  ASSERT_TRUE(image.ok());
  for (const auto& [x, y] : {std::pair{0, 0}, std::pair{63, 0}, std::pair{0, 63}}) {
    EXPECT_EQ(At(*image, x, y).a, 255);
    EXPECT_GT(At(*image, x, y).r, 190);
  }
}

TEST(Draw, SamePixelsForAnyTeam) {
  Scene scene = BallScene(24);
  std::vector<float> values;
  for (const Vec3f& p : scene.mesh().positions) values.push_back(p.y * p.y);
  for (const DrawMode mode :
       {DrawMode::kShaded, DrawMode::kWire, DrawMode::kWeights, DrawMode::kHeat}) {
    DrawSettings settings;
    settings.mode = mode;
    settings.width = 210;
    settings.height = 150;
    settings.label = "label";
    DrawMesh mesh = scene.Drawn();
    mesh.values = values;
    std::vector<std::uint64_t> digests;
    for (const int threads : {1, 2, 7, 1}) {
      const auto image =
          Draw(scene.character, std::span(&mesh, 1), {}, settings, ThreadTeam(threads));
      ASSERT_TRUE(image.ok());
      digests.push_back(DigestOf(std::span<const std::uint8_t>(image->rgba)));
    }
    EXPECT_EQ(digests[0], digests[1]) << DrawModeName(mode);
    EXPECT_EQ(digests[0], digests[2]) << DrawModeName(mode);
    EXPECT_EQ(digests[0], digests[3]) << DrawModeName(mode);
  }
}

TEST(Draw, AKilometreAwayLooksTheSame) {
  const auto near = DrawScene(BallScene(16), Bare(96));
  // Powers of two, so that the positions themselves are exact in float up to 2^-14.
  const auto far = DrawScene(BallScene(16, {1024, -512, 2048}), Bare(96));
  ASSERT_TRUE(near.ok() && far.ok());
  int worst = 0, differ = 0;
  for (std::size_t i = 0; i < near->rgba.size(); ++i) {
    const int d = std::abs(near->rgba[i] - far->rgba[i]);
    worst = std::max(worst, d);
    differ += d > 6;
  }
  EXPECT_LT(differ, 96 * 96 * 4 / 200) << "worst " << worst;
}

TEST(Draw, SizeDoesNotMatter) {
  for (const float scale : {1e-6f, 1e-3f, 1e6f}) {
    Scene scene = BallScene(12);
    for (Vec3f& p : scene.mesh().positions) p *= scale;
    const auto image = DrawScene(scene, Bare(64));
    ASSERT_TRUE(image.ok()) << scale;
    EXPECT_EQ(At(*image, 32, 32).a, 255) << scale;
    EXPECT_GT(At(*image, 28, 24).r, 150) << scale;
    EXPECT_EQ(At(*image, 0, 0).a, 0) << scale;
  }
}

TEST(Draw, LightComesFromTheUpperLeft) {
  const auto image = DrawScene(BallScene(32), Bare(128));
  ASSERT_TRUE(image.ok());
  EXPECT_GT(At(*image, 50, 46).r, At(*image, 84, 90).r + 30);
}

TEST(Draw, AShadowLiesOnTheGround) {
  const Scene scene = BallScene(24);
  DrawSettings settings;
  settings.width = settings.height = 160;
  DrawSettings without = settings;
  without.ground = false;
  const auto with_ground = DrawScene(scene, settings), bare = DrawScene(scene, without);
  ASSERT_TRUE(with_ground.ok() && bare.ok());
  int darker = 0, brighter = 0;
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 160; ++x) {
      darker += At(*with_ground, x, y).r < At(*bare, x, y).r - 25;
      brighter += At(*with_ground, x, y).r > At(*bare, x, y).r + 2;
    }
  }
  EXPECT_GT(darker, 500);
  EXPECT_EQ(brighter, 0);
  // On a transparent picture the shadow is translucent black.
  settings.transparent_background = true;
  const auto clear = DrawScene(scene, settings);
  ASSERT_TRUE(clear.ok());
  int translucent = 0;
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 160; ++x) {
      const Rgba p = At(*clear, x, y);
      if (p.a > 60 && p.a < 250 && p.r == 0) ++translucent;
    }
  }
  EXPECT_GT(translucent, 300);
}

TEST(Draw, GroundCanStayWhileTheCharacterJumps) {
  Scene scene = BallScene(16, {0, 3, 0});
  DrawSettings settings = Bare(96);
  settings.ground = true;
  settings.camera = FrameBox({{-1.5f, -1, -1.5f}, {1.5f, 4, 1.5f}}, 96, 96, 0, 20);
  settings.ground_height = -1;
  const auto low = DrawScene(scene, settings);
  settings.ground_height.reset();
  const auto touching = DrawScene(scene, settings);
  ASSERT_TRUE(low.ok() && touching.ok());
  // The contact shadow right below the ball is there only when the ground touches it.
  const auto darkest = [](const Image& image) {
    int alpha = 0;
    for (int y = 0; y < 96; ++y) {
      for (int x = 0; x < 96; ++x) {
        if (At(image, x, y).r == 0) alpha = std::max(alpha, At(image, x, y).a);
      }
    }
    return alpha;
  };
  EXPECT_GT(darkest(*touching), darkest(*low) + 20);
}

TEST(Draw, NothingIsAPictureOfTheBackground) {
  const Scene scene = TriangleScene();
  DrawSettings settings;
  settings.width = 40;
  settings.height = 30;
  for (const DrawMode mode : {DrawMode::kShaded, DrawMode::kWire, DrawMode::kHeat}) {
    settings.mode = mode;
    const auto empty = Draw(scene.character, {}, {}, settings, ThreadTeam(1));
    ASSERT_TRUE(empty.ok()) << empty.error().ToString();
    EXPECT_EQ(At(*empty, 20, 15).a, 255);
  }
  settings.mode = DrawMode::kShaded;
  Scene no_triangles = MakeScene({{0, 0, 0}, {1, 1, 1}}, {});
  EXPECT_TRUE(DrawScene(no_triangles, settings).ok());
  Scene no_vertices = MakeScene({}, {});
  EXPECT_TRUE(DrawScene(no_vertices, settings).ok());
}

TEST(Draw, DegenerateShapesAreNoFault) {
  // All vertices at one point; a triangle without area; one seen edge on.
  const std::vector<Scene> scenes{
      MakeScene({{5, 5, 5}, {5, 5, 5}, {5, 5, 5}}, {0, 1, 2}),
      MakeScene({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {0, 1, 2}),
      MakeScene({{0, 0, -1}, {0, 1, 0}, {0, 0, 1}}, {0, 1, 2}),
  };
  for (const Scene& scene : scenes) {
    for (const DrawMode mode : {DrawMode::kShaded, DrawMode::kWire}) {
      DrawSettings settings = Bare(32);
      settings.ground = true;
      settings.mode = mode;
      const auto image = DrawScene(scene, settings);
      ASSERT_TRUE(image.ok()) << image.error().ToString();
    }
  }
}

TEST(Draw, OnePixel) {
  for (const int samples : {1, 3, 16}) {
    DrawSettings settings = Bare(1);
    settings.samples_per_axis = samples;
    settings.label = "label";
    const auto image = DrawScene(BallScene(8), settings);
    ASSERT_TRUE(image.ok());
    ASSERT_EQ(image->rgba.size(), 4u);
    EXPECT_GT(image->rgba[3], 60);
  }
}

TEST(Draw, ManyInstances) {
  Scene scene = BallScene(4);
  std::vector<std::vector<Vec3f>> shapes;
  std::vector<DrawMesh> meshes;
  constexpr int kSide = 20;
  for (int i = 0; i < kSide * kSide; ++i) {
    asset::MeshInstance instance = scene.character.instances[0];
    instance.name += std::to_string(i);
    scene.character.instances.push_back(instance);
    std::vector<Vec3f> moved = scene.mesh().positions;
    for (Vec3f& p : moved) {
      p += Vec3f{static_cast<float>(i % kSide) * 3, static_cast<float>(i / kSide) * 3, 0};
    }
    shapes.push_back(std::move(moved));
  }
  for (int i = 0; i < kSide * kSide; ++i) {
    meshes.push_back({static_cast<std::uint32_t>(i + 1),
                      shapes[static_cast<std::size_t>(i)],
                      scene.mesh().normals,
                      {}});
  }
  DrawSettings settings = Bare(200);
  settings.camera = FrameBox(BoundsOf(meshes), 200, 200, 0, 0);
  const auto image = Draw(scene.character, meshes, {}, settings, ThreadTeam(2));
  ASSERT_TRUE(image.ok());
  // Each of the 400 stands apart: along the middle of a row of balls, alpha rises 20 times.
  int rises = 0;
  for (int y = 60; y < 140 && rises != kSide; ++y) {
    rises = 0;
    for (int x = 1; x < 200; ++x) {
      rises += At(*image, x - 1, y).a < 128 && At(*image, x, y).a >= 128;
    }
  }
  EXPECT_EQ(rises, kSide);
}

TEST(Draw, FlatWithoutNormalsSmoothWithThem) {
  Scene scene = BallScene(5);
  const auto smooth = DrawScene(scene, Bare(200));
  scene.mesh().normals.clear();
  const auto flat = DrawScene(scene, Bare(200));
  ASSERT_TRUE(smooth.ok() && flat.ok());
  // The largest step between neighbours inside the ball: a facet's edge against a gradient.
  const auto largest_step = [](const Image& image) {
    int step = 0;
    for (int y = 75; y < 125; ++y) {
      for (int x = 75; x < 125; ++x) {
        step = std::max(step, std::abs(At(image, x, y).r - At(image, x + 1, y).r));
      }
    }
    return step;
  };
  EXPECT_LT(largest_step(*smooth), 7);
  EXPECT_GT(largest_step(*flat), 12);
}

TEST(Draw, BothSidesAreSeenAndLit) {
  Scene scene = SquareScene();
  DrawSettings settings = Bare(64);
  settings.camera = FrontCamera();
  const auto front = DrawScene(scene, settings);
  std::swap(scene.mesh().triangles[1], scene.mesh().triangles[2]);
  std::swap(scene.mesh().triangles[4], scene.mesh().triangles[5]);
  const auto back = DrawScene(scene, settings);
  ASSERT_TRUE(front.ok() && back.ok());
  EXPECT_NEAR(At(*front, 40, 40).r, At(*back, 40, 40).r, 2);
  EXPECT_GT(At(*back, 40, 40).r, 120);
}

TEST(Draw, BrokenNormalsAreTakenAsFlat) {
  Scene scene = SquareScene();
  DrawSettings settings = Bare(32);
  settings.camera = FrontCamera();
  const auto flat = DrawScene(scene, settings);
  ASSERT_TRUE(flat.ok());
  for (const Vec3f bad : {Vec3f{}, Vec3f{kNan, 0, 0}, Vec3f{0, INFINITY, 0}}) {
    scene.mesh().normals.assign(4, bad);
    const auto image = DrawScene(scene, settings);
    ASSERT_TRUE(image.ok());
    EXPECT_NEAR(At(*image, 16, 16).r, At(*flat, 16, 16).r, 1);
  }
}

TEST(Draw, ErrorsSayWhatDoesNotFit) {
  Scene scene = TriangleScene();
  const ThreadTeam team(1);
  const auto code = [&](DrawMesh mesh, const DrawSettings& settings) {
    const auto image = Draw(scene.character, std::span(&mesh, 1), {}, settings, team);
    return image.ok() ? ErrorCode::kInternal : image.error().code;
  };
  const DrawMesh good = scene.Drawn();
  for (const auto& [width, height] : {std::pair{0, 10}, std::pair{10, 0}, std::pair{-1, 10},
                                      std::pair{16385, 10}, std::pair{10, 16385}}) {
    DrawSettings settings;
    settings.width = width;
    settings.height = height;
    EXPECT_EQ(code(good, settings), ErrorCode::kInvalidArgument) << width << " x " << height;
  }
  for (const int samples : {0, -1, 17}) {
    DrawSettings settings;
    settings.samples_per_axis = samples;
    EXPECT_EQ(code(good, settings), ErrorCode::kInvalidArgument);
  }
  DrawSettings odd;
  odd.heat_max_mm = -1;
  EXPECT_EQ(code(good, odd), ErrorCode::kInvalidArgument);
  odd = {};
  odd.camera = Camera{};
  odd.camera->target = odd.camera->eye;
  EXPECT_EQ(code(good, odd), ErrorCode::kInvalidArgument);
  odd.camera = Camera{};
  odd.camera->up = {0, 0, 1};  // along the view
  EXPECT_EQ(code(good, odd), ErrorCode::kInvalidArgument);
  odd.camera = Camera{};
  odd.camera->vertical_fov_degrees = 0;
  EXPECT_EQ(code(good, odd), ErrorCode::kInvalidArgument);
  odd.camera->vertical_fov_degrees = kNan;
  EXPECT_EQ(code(good, odd), ErrorCode::kInvalidArgument);

  DrawMesh bad = good;
  bad.instance = 1;
  EXPECT_EQ(code(bad, {}), ErrorCode::kIndexOutOfRange);
  bad = good;
  bad.positions = bad.positions.first(2);
  EXPECT_EQ(code(bad, {}), ErrorCode::kShapeMismatch);
  bad = good;
  bad.normals = good.positions.first(2);
  EXPECT_EQ(code(bad, {}), ErrorCode::kShapeMismatch);
  DrawSettings heat;
  heat.mode = DrawMode::kHeat;
  EXPECT_EQ(code(good, heat), ErrorCode::kShapeMismatch);
  const std::vector<float> two(2);
  bad = good;
  bad.values = two;
  EXPECT_EQ(code(bad, heat), ErrorCode::kShapeMismatch);
  scene.mesh().triangles[1] = 3;
  EXPECT_EQ(code(scene.Drawn(), {}), ErrorCode::kIndexOutOfRange);
}

TEST(Draw, PositionsThatAreNotFiniteAreRefusedByName) {
  for (const float bad : {kNan, INFINITY, -INFINITY}) {
    Scene scene = TriangleScene();
    scene.mesh().positions[2].y = bad;
    const auto image = DrawScene(scene, Bare(16));
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.error().code, ErrorCode::kInvalidValue);
    EXPECT_NE(image.error().message.find("vertex 2"), std::string::npos);
    EXPECT_NE(image.error().message.find("thing"), std::string::npos);
  }
}

TEST(Draw, ModesHaveNames) {
  for (const DrawMode mode : {DrawMode::kShaded, DrawMode::kWire, DrawMode::kWeights,
                              DrawMode::kSkeleton, DrawMode::kHeat}) {
    const auto parsed = ParseDrawMode(DrawModeName(mode));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, mode);
  }
  const auto wrong = ParseDrawMode("shiny");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(wrong.error().message.find("skeleton"), std::string::npos);
}

TEST(Frame, LeavesMarginsOnAllSides) {
  for (const auto& [width, height] :
       {std::pair{128, 128}, std::pair{200, 90}, std::pair{70, 160}}) {
    const auto scene = BallScene(16);
    DrawSettings settings = Bare(1);
    settings.width = width;
    settings.height = height;
    const auto image = DrawScene(scene, settings);
    ASSERT_TRUE(image.ok());
    const Box box = Covered(*image);
    EXPECT_GE(box.left, width / 25);
    EXPECT_GE(box.top, height / 25);
    EXPECT_LT(box.right, width - width / 25);
    EXPECT_LT(box.bottom, height - height / 25);
    // And fills most of the narrower way.
    const double filled = std::max(static_cast<double>(box.right - box.left) / width,
                                   static_cast<double>(box.bottom - box.top) / height);
    EXPECT_GT(filled, 0.5);
  }
}

TEST(Frame, EveryCornerOfTheBoxIsInside) {
  for (const Aabbf& box : {Aabbf{{-1, -2, -3}, {4, 5, 6}}, Aabbf{{0, 0, 0}, {0, 2, 0}},
                           Aabbf{{1000, 1000, 1000}, {1000.5f, 1002, 1000.25f}},
                           Aabbf{{-9, 0, -9}, {9, 0.01f, 9}}, Aabbf{{1, 1, 1}, {1, 1, 1}}}) {
    for (const double yaw : {0.0, 25.0, 135.0, -70.0}) {
      for (const double pitch : {-30.0, 0.0, 10.0, 80.0, 120.0}) {
        for (const double aspect : {0.4, 1.0, 2.5}) {
          const int height = 400, width = static_cast<int>(height * aspect);
          const Camera camera = FrameBox(box, width, height, yaw, pitch);
          const Vec3d forward = Normalized(camera.target - camera.eye);
          const Vec3d right = Normalized(Cross(forward, camera.up));
          const Vec3d up = Cross(right, forward);
          const double tan_y = std::tan(camera.vertical_fov_degrees * std::numbers::pi / 360);
          double nearest_edge = 1;
          for (int i = 0; i < 8; ++i) {
            const Vec3d p{i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y,
                          i & 4 ? box.max.z : box.min.z};
            const Vec3d d = p - camera.eye;
            const double z = Dot(d, forward);
            ASSERT_GT(z, 0);
            const double x = std::abs(Dot(d, right) / (z * tan_y * aspect));
            const double y = std::abs(Dot(d, up) / (z * tan_y));
            nearest_edge = std::min({nearest_edge, 1 - x, 1 - y});
          }
          EXPECT_GE(nearest_edge, 0.1299) << yaw << " " << pitch << " " << aspect;
          // Two opposite edges are both reached, or the box is a point.
          if (box.Extent() > 1e-3f && pitch < 80) {
            EXPECT_LE(nearest_edge, 0.1301) << yaw << " " << pitch << " " << aspect;
          }
        }
      }
    }
  }
}

TEST(Frame, TheScaleKeepsItsPlaceAtTheRight) {
  for (const Aabbf& box : {Aabbf{{-1, -2, -3}, {4, 5, 6}}, Aabbf{{-3, 0, 0}, {3, 1, 1}},
                           Aabbf{{0, 0, 0}, {0.5f, 4, 0.5f}}}) {
    for (const double yaw : {0.0, 25.0, -70.0}) {
      const Camera camera = FrameBox(box, 400, 300, yaw, 10, kScaleWidth);
      const Vec3d forward = Normalized(camera.target - camera.eye);
      const Vec3d right = Normalized(Cross(forward, camera.up));
      const double tan_x =
          std::tan(camera.vertical_fov_degrees * std::numbers::pi / 360) * 400 / 300;
      for (int i = 0; i < 8; ++i) {
        const Vec3d p{i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y,
                      i & 4 ? box.max.z : box.min.z};
        const double x = Dot(p - camera.eye, right) / (Dot(p - camera.eye, forward) * tan_x);
        EXPECT_LE(x, 1 - 2 * kScaleWidth + 1e-9);
        EXPECT_GE(x, -0.8701);
      }
    }
  }
  // What has room enough in the middle stays there.
  const Aabbf tall{{0, 0, 0}, {0.5f, 4, 0.5f}};
  const Camera plain = FrameBox(tall, 400, 300), kept = FrameBox(tall, 400, 300, 25, 10, 0.2);
  EXPECT_LT(Length(plain.eye - kept.eye), 1e-9);
}

TEST(Frame, AnEmptyOrBrokenBoxGivesAUsableCamera) {
  for (const Aabbf& box :
       {Aabbf{}, Aabbf{{kNan, 0, 0}, {1, 1, 1}}, Aabbf{{-INFINITY, 0, 0}, {INFINITY, 1, 1}}}) {
    const Camera camera = FrameBox(box, 100, 100);
    EXPECT_TRUE(IsFinite(camera.eye));
    EXPECT_GT(Length(camera.eye - camera.target), 1);
  }
  EXPECT_TRUE(BoundsOf({}).empty());
}

}  // namespace
}  // namespace flexor::render
