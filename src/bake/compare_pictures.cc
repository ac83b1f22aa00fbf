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

// Which frames of the comparison are drawn: evenly spread, the worst one in place of its nearest.
std::vector<std::size_t> ChooseFrames(const Comparison& comparison, std::size_t rows,
                                      std::size_t& worst_row) {
  std::size_t worst = 0;
  double largest = -1;
  for (std::size_t f = 0; f < comparison.frames.size(); ++f) {
    for (const PairNumbers& pair : comparison.frames[f].pairs) {
      if (pair.distance.max_mm > largest) {
        largest = pair.distance.max_mm;
        worst = f;
      }
    }
  }
  const std::size_t count = comparison.frames.size();
  rows = std::min(rows, count);
  std::vector<std::size_t> chosen;
  chosen.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    chosen.push_back(rows == 1 ? worst : i * (count - 1) / (rows - 1));
  }
  if (chosen.empty()) return chosen;
  const auto nearest = std::min_element(chosen.begin(), chosen.end(), [&](auto a, auto b) {
    return (a > worst ? a - worst : worst - a) < (b > worst ? b - worst : worst - b);
  });
  *nearest = worst;
  worst_row = static_cast<std::size_t>(nearest - chosen.begin());
  return chosen;
}

// One method's shape at one frame, kept while the row is drawn.
struct Shape {
  std::uint32_t instance = 0;
  std::vector<Vec3f> positions, normals;
  std::vector<float> distance_mm;  // from the first method
};
struct MethodShapes {
  std::vector<Shape> meshes;
  std::vector<Mat34d> model_from_node;
};

Result<std::vector<MethodShapes>> ShapesAt(std::vector<Performer>& performers,
                                           std::optional<std::uint32_t> clip, double seconds) {
  std::vector<MethodShapes> methods;
  for (Performer& performer : performers) {
    FLEXOR_TRY(performer.Evaluate(clip, seconds));
    MethodShapes method;
    for (const InstanceResult& result : performer.results()) {
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
    method.model_from_node = performer.model_from_node();
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

Result<render::Image> DrawOne(const asset::Character& character, const MethodShapes& method,
                              const render::DrawSettings& settings, const ThreadTeam& team,
                              const render::TextureSet& textures) {
  std::vector<render::DrawMesh> meshes;
  for (const Shape& mesh : method.meshes) {
    meshes.push_back({mesh.instance, mesh.positions, mesh.normals, {}});
    if (settings.mode == render::DrawMode::kHeat) meshes.back().values = mesh.distance_mm;
  }
  return render::Draw(character, meshes, method.model_from_node, settings, team, &textures);
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
  const std::vector<std::size_t> frames = ChooseFrames(comparison, choice.rows, out.worst_row);

  std::vector<Performer> performers;
  for (const MethodChoice& method : settings.methods) {
    PerformerSettings one = settings.performer;
    one.deform = method.settings;
    one.tangents = false;
    FLEXOR_ASSIGN(Performer performer, Performer::Create(character, one));
    performers.push_back(std::move(performer));
  }

  // A first pass finds the largest box, so that every row shows the character at one scale.
  std::vector<Aabbf> boxes;
  Vec3f half{};
  for (const std::size_t f : frames) {
    FLEXOR_ASSIGN(const auto methods,
                  ShapesAt(performers, settings.clip, comparison.frames[f].time.seconds));
    boxes.push_back(BoxOf(methods));
    const Vec3f size = boxes.back().Size() * 0.5f;
    half = {std::max(half.x, size.x), std::max(half.y, size.y), std::max(half.z, size.z)};
  }

  const ThreadTeam team(choice.threads);
  const render::TextureSet textures = render::LoadTextures(character, team, findings);
  const std::size_t columns = settings.methods.size() * 2 - 1;
  const std::uint64_t total = frames.size() * columns;
  std::uint64_t done = 0;
  const auto go_on = [&] { return !progress || progress({"draw", done, total}); };
  const Error cancelled{ErrorCode::kCancelled, "stopped; nothing was written", {}};
  if (!go_on()) return cancelled;
  std::vector<render::Image> sheet;
  std::vector<std::string> sheet_labels;
  for (std::size_t row = 0; row < frames.size(); ++row) {
    const TimeSample time = comparison.frames[frames[row]].time;
    FLEXOR_ASSIGN(const auto methods, ShapesAt(performers, settings.clip, time.seconds));
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
      FLEXOR_ASSIGN(render::Image image, DrawOne(character, methods[m], draw, team, textures));
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
