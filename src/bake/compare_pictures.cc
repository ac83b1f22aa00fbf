#include "flexor/bake/compare_pictures.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "bake/svg_plot.h"

#ifdef FLEXOR_WITH_RENDER
#include "flexor/core/parallel.h"
#include "flexor/math/aabb.h"
#include "flexor/render/draw.h"

#include "bake/one_method.h"
#endif

namespace flexor::bake {

#ifndef FLEXOR_WITH_RENDER

bool CanDraw() { return false; }

Result<ComparePictures> DrawComparison(const asset::Character&, const CompareSettings&,
                                       const Comparison&, const PictureChoice&, ProgressFn,
                                       Diagnostics*) {
  return Error{ErrorCode::kBackendMissing,
               "this build of flexor draws no pictures; build it with FLEXOR_WITH_RENDER=ON",
               {}};
}

#else

namespace {

// One method's shape at one frame, kept while the row is drawn.
struct Shape {
  std::uint32_t instance = 0;
  std::vector<Vec3f> positions, normals;
  std::vector<float> distance_mm;  // from the first method
};
struct MethodShapes {
  std::vector<Shape> meshes;
};

Result<std::vector<MethodShapes>> ShapesIn(const asset::PosedCharacter& posed,
                                           std::vector<OneMethod>& deformers) {
  std::vector<MethodShapes> methods;
  for (OneMethod& deformer : deformers) {
    FLEXOR_TRY(deformer.Deform(posed));
    MethodShapes method;
    for (const deform::DeformedMesh& result : deformer.meshes()) {
      Shape shape{result.instance,
                  {result.positions.begin(), result.positions.end()},
                  {result.normals.begin(), result.normals.end()},
                  {}};
      if (!methods.empty()) {
        const Shape& first = methods.front().meshes[method.meshes.size()];
        shape.distance_mm.resize(shape.positions.size());
        for (std::size_t v = 0; v < shape.positions.size(); ++v) {
          shape.distance_mm[v] = 1000 * Length(shape.positions[v] - first.positions[v]);
        }
      }
      method.meshes.push_back(std::move(shape));
    }
    methods.push_back(std::move(method));
  }
  return methods;
}

Aabbf BoxOf(const std::vector<MethodShapes>& methods) {
  Aabbf box;
  for (const MethodShapes& method : methods) {
    for (const Shape& mesh : method.meshes) {
      for (const Vec3f& p : mesh.positions) box.Add(p);
    }
  }
  return box;
}

Result<render::Image> DrawOne(const asset::Character& character, const asset::PosedCharacter& posed,
                              const MethodShapes& method, const render::DrawSettings& settings,
                              const ThreadTeam& team, const render::TextureSet& textures) {
  std::vector<render::DrawMesh> meshes;
  for (const Shape& mesh : method.meshes) {
    meshes.push_back({mesh.instance, mesh.positions, mesh.normals, {}});
    if (settings.mode == render::DrawMode::kHeat) meshes.back().values = mesh.distance_mm;
  }
  return render::Draw(character, meshes, posed.model_from_node, settings, team, &textures);
}

Result<Picture> Encoded(std::string label, const render::Image& image) {
  FLEXOR_ASSIGN(std::vector<std::byte> png, render::EncodePng(image));
  return Picture{std::move(label), std::move(png)};
}

}  // namespace

bool CanDraw() { return true; }

Result<ComparePictures> DrawComparison(const asset::Character& character,
                                       const CompareSettings& settings,
                                       const Comparison& comparison, const PictureChoice& choice,
                                       ProgressFn progress, Diagnostics* findings) {
  ComparePictures out;
  out.width = choice.width;
  out.height = choice.height;
  out.heat_max_mm = RoundUpScale(LargestDistanceMm(comparison));
  out.worst_row = comparison.worst_kept;

  std::vector<OneMethod> deformers;
  for (const MethodChoice& method : settings.methods) {
    deform::DeformerSettings one = settings.performer;
    one.deform = method.settings;
    one.tangents = false;
    FLEXOR_ASSIGN(OneMethod made, OneMethod::Create(character, one));
    deformers.push_back(std::move(made));
  }

  // A first pass finds the largest box, so that every row shows the character at one scale.
  std::vector<Aabbf> boxes;
  Vec3f half{};
  for (const KeptPose& kept : comparison.kept) {
    FLEXOR_ASSIGN(const auto methods, ShapesIn(kept.posed, deformers));
    boxes.push_back(BoxOf(methods));
    const Vec3f size = boxes.back().Size() * 0.5f;
    half = {std::max(half.x, size.x), std::max(half.y, size.y), std::max(half.z, size.z)};
  }

  const ThreadTeam team(choice.threads);
  const render::TextureSet textures = render::LoadTextures(character, team, findings);
  const std::size_t columns = settings.methods.size() * 2 - 1;
  const std::uint64_t total = comparison.kept.size() * columns;
  std::uint64_t done = 0;
  const auto go_on = [&] { return !progress || progress({"draw", done, total}); };
  const Error cancelled{ErrorCode::kCancelled, "stopped; nothing was written", {}};
  if (!go_on()) return cancelled;
  std::vector<render::Image> sheet;
  std::vector<std::string> sheet_labels;
  for (std::size_t row = 0; row < comparison.kept.size(); ++row) {
    const KeptPose& kept = comparison.kept[row];
    const TimeSample time = comparison.frames[kept.frame].time;
    FLEXOR_ASSIGN(const auto methods, ShapesIn(kept.posed, deformers));
    const Vec3f centre = boxes[row].Center();
    Aabbf view;
    // Feet stay on the ground of their own frame: the view grows upwards and sideways.
    view.Add(Vec3f{centre.x - half.x, boxes[row].min.y, centre.z - half.z});
    view.Add(Vec3f{centre.x + half.x, boxes[row].min.y + 2 * half.y, centre.z + half.z});

    render::DrawSettings draw;
    draw.width = choice.width;
    draw.height = choice.height;
    draw.camera = render::FrameBox(view, choice.width, choice.height, choice.yaw_degrees,
                                   choice.pitch_degrees, columns > 1 ? render::kScaleWidth : 0);
    draw.heat_max_mm = out.heat_max_mm;
    PictureRow pictures;
    pictures.time = time;
    const std::string at = ", frame " + ShortNumber(time.frame, 6);
    for (std::size_t column = 0; column < columns; ++column) {
      const bool heat = column >= methods.size();
      const std::size_t m = heat ? column - methods.size() + 1 : column;
      draw.mode = heat ? render::DrawMode::kHeat : render::DrawMode::kShaded;
      const std::string label = heat ? settings.methods[0].name + " - " + settings.methods[m].name
                                     : settings.methods[m].name;
      FLEXOR_ASSIGN(render::Image image,
                    DrawOne(character, kept.posed, methods[m], draw, team, textures));
      FLEXOR_ASSIGN(Picture picture, Encoded(label, image));
      (heat ? pictures.heat : pictures.methods).push_back(std::move(picture));
      sheet.push_back(std::move(image));
      sheet_labels.push_back(label + at);
      ++done;
      if (!go_on()) return cancelled;
    }
    out.rows.push_back(std::move(pictures));
  }
  std::string title = comparison.character;
  // A clip often has its character's name.
  if (comparison.clip && *comparison.clip != title) title += ", " + *comparison.clip;
  const std::vector<std::string_view> labels(sheet_labels.begin(), sheet_labels.end());
  FLEXOR_ASSIGN(const render::Image drawn,
                render::ContactSheet(sheet, labels, title, static_cast<int>(columns)));
  FLEXOR_ASSIGN(out.sheet, render::EncodePng(drawn));
  return out;
}

#endif  // FLEXOR_WITH_RENDER

}  // namespace flexor::bake
