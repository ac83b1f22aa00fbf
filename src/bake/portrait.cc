#include "flexor/bake/portrait.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bake/svg_plot.h"

#ifdef FLEXOR_WITH_RENDER
#include "flexor/core/parallel.h"
#include "flexor/deform/method_name.h"
#include "flexor/math/aabb.h"
#include "flexor/render/draw.h"
#include "flexor/render/texture_set.h"

#include "bake/one_method.h"
#endif

namespace flexor::bake {

#ifndef FLEXOR_WITH_RENDER

Status DrawPortraits(const asset::Character&, const PortraitSettings&,
                     FunctionRef<Status(std::size_t, std::span<const std::byte>)>, ProgressFn,
                     Diagnostics*) {
  return Error{ErrorCode::kBackendMissing,
               "this build of flexor draws no pictures; build it with FLEXOR_WITH_RENDER=ON",
               {}};
}

#else

namespace {

Error Usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

// A setting that the chosen mode cannot do without.
Error Unset(std::string message, std::string setting) {
  return {ErrorCode::kInvalidArgument, std::move(message), {{}, std::move(setting), {}}};
}

Error Stopped() { return {ErrorCode::kCancelled, "stopped; nothing was written", {}}; }

// Per mesh one value per vertex: a joint's weight, or millimetres.
using Values = std::vector<std::vector<float>>;

Result<Values> WeightsOfJoint(const asset::Character& character, const OneMethod& method,
                              std::uint32_t node) {
  Values values;
  bool any = false;
  for (std::size_t i = 0; i < method.meshes().size(); ++i) {
    const asset::MeshInstance& instance = character.instances[method.meshes()[i].instance];
    values.emplace_back(method.meshes()[i].positions.size(), 0.0f);
    if (instance.skin == asset::kNone) continue;
    const asset::Skin& skin = character.skins[static_cast<std::size_t>(instance.skin)];
    const auto found = std::find(skin.joints.begin(), skin.joints.end(), node);
    if (found == skin.joints.end()) continue;
    any = true;
    const auto joint = static_cast<std::uint32_t>(found - skin.joints.begin());
    const asset::Influences& influences = method.deformer.prepared(i).plan().influences();
    for (std::size_t v = 0; v < values.back().size(); ++v) {
      for (std::uint32_t k = influences.offsets[v]; k < influences.offsets[v + 1]; ++k) {
        if (influences.joints[k] == joint) values.back()[v] += influences.weights[k];
      }
    }
  }
  if (any) return values;
  return Usage("no mesh is skinned to the node \"" + character.nodes[node].name +
               "\", so it has no weights to draw");
}

void DistancesMm(const OneMethod& a, const OneMethod& b, Values& values) {
  values.resize(a.meshes().size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::span<const Vec3f> pa = a.meshes()[i].positions, pb = b.meshes()[i].positions;
    values[i].resize(pa.size());
    for (std::size_t v = 0; v < pa.size(); ++v) values[i][v] = 1000 * Length(pa[v] - pb[v]);
  }
}

float LargestOf(const Values& values) {
  float largest = 0;
  for (const std::vector<float>& mesh : values) {
    for (const float value : mesh) largest = std::max(largest, value);
  }
  return largest;
}

// What must be in view: the meshes, and the joints where they are drawn.
Aabbf BoxOf(const asset::PosedCharacter& posed, const OneMethod& method, render::DrawMode mode) {
  Aabbf box;
  if (mode == render::DrawMode::kSkeleton) {
    for (const Mat34d& node : posed.model_from_node) box.Add(Cast<float>(node.translation));
  }
  for (const deform::DeformedMesh& result : method.meshes()) {
    for (const Vec3f& p : result.positions) box.Add(p);
  }
  return box;
}

// So many poses are kept from the first pass to the second, so that few frames are posed once.
constexpr std::size_t kKeptPoses = 64;

// Evaluates frames and knows the views and values that their pictures need.
class Studio {
 public:
  Studio(const asset::Character& character, const PortraitSettings& settings, render::DrawMode mode,
         pose::Poser poser, pose::SimulationState state, OneMethod method,
         std::optional<OneMethod> other)
      : character_(character),
        settings_(settings),
        mode_(mode),
        poser_(std::move(poser)),
        state_(std::move(state)),
        method_(std::move(method)),
        other_(std::move(other)),
        team_(settings.performer.backend_options.threads) {
    if (settings.times.size() <= kKeptPoses) poses_.resize(settings.times.size());
  }

  /// Decodes the textures, once for all pictures.
  void LoadTextures(Diagnostics* findings) {
    if (mode_ == render::DrawMode::kWire) return;
    textures_ = render::LoadTextures(character_, team_, findings);
  }

  // A first pass over all frames: the view that holds them, and the top of the scale of distances.
  Status Survey(ProgressFn progress) {
    if (mode_ == render::DrawMode::kWeights) {
      FLEXOR_ASSIGN(values_, WeightsOfJoint(character_, method_, *settings_.joint));
    }
    const std::uint64_t total = settings_.times.size();
    for (std::uint64_t i = 0; i < total; ++i) {
      if (progress && !progress({"survey", i, total})) return Stopped();
      FLEXOR_TRY(Pose(i));
      if (!poses_.empty()) poses_[i] = posed_;
      FLEXOR_TRY(Deform());
      const Aabbf box = BoxOf(posed_, method_, mode_);
      all_.Add(box);
      const Vec3f half = box.Size() * 0.5f;
      half_ = {std::max(half_.x, half.x), std::max(half_.y, half.y), std::max(half_.z, half.z)};
      if (other_) largest_mm_ = std::max(largest_mm_, LargestOf(values_));
    }
    return {};
  }

  Result<render::Image> Draw(std::size_t index) {
    const TimeSample& time = settings_.times[index];
    if (poses_.empty()) {
      FLEXOR_TRY(Pose(index));
    } else {
      posed_ = poses_[index];
    }
    FLEXOR_TRY(Deform());
    std::vector<render::DrawMesh> meshes;
    for (std::size_t i = 0; i < method_.meshes().size(); ++i) {
      const deform::DeformedMesh& result = method_.meshes()[i];
      meshes.push_back({result.instance, result.positions, result.normals, {}});
      if (!values_.empty()) meshes.back().values = values_[i];
    }
    render::DrawSettings draw;
    draw.mode = mode_;
    draw.width = settings_.width;
    draw.height = settings_.height;
    draw.camera = render::FrameBox(View(), settings_.width, settings_.height, settings_.yaw_degrees,
                                   settings_.pitch_degrees, HasScale() ? render::kScaleWidth : 0);
    draw.heat_max_mm =
        settings_.heat_max_mm > 0 ? settings_.heat_max_mm : RoundUpScale(double{largest_mm_});
    draw.ground = settings_.ground;
    draw.transparent_background = settings_.transparent;
    draw.samples_per_axis = settings_.samples_per_axis;
    if (settings_.labels && !settings_.sheet) draw.label = Label(time);
    return render::Draw(character_, meshes, posed_.model_from_node, draw, team_, &textures_);
  }

  std::string Label(const TimeSample& time) const {
    std::string label = "frame " + ShortNumber(time.frame, 6);
    const std::string_view method = deform::MethodName(settings_.performer.deform.method);
    if (settings_.performer.deform.method) label.append(", ").append(method);
    if (!settings_.performer.deform.material_methods.empty()) label += ", by material";
    if (other_) label.append(" - ").append(settings_.against->name);
    if (mode_ == render::DrawMode::kWeights) {
      label += ", " + character_.nodes[*settings_.joint].name;
    }
    return label;
  }

 private:
  Status Pose(std::size_t index) {
    return poser_.Evaluate(settings_.clip, settings_.times[index].seconds, &state_, posed_);
  }

  // Every method in the same pose.
  Status Deform() {
    FLEXOR_TRY(method_.Deform(posed_));
    if (!other_) return {};
    FLEXOR_TRY(other_->Deform(posed_));
    DistancesMm(method_, *other_, values_);
    return {};
  }

  bool HasScale() const {
    return mode_ == render::DrawMode::kHeat || mode_ == render::DrawMode::kWeights;
  }

  Aabbf View() const {
    if (!settings_.follow) return all_;
    const Aabbf box = BoxOf(posed_, method_, mode_);
    const Vec3f centre = box.Center();
    Aabbf view;
    view.Add(Vec3f{centre.x - half_.x, box.min.y, centre.z - half_.z});
    view.Add(Vec3f{centre.x + half_.x, box.min.y + 2 * half_.y, centre.z + half_.z});
    return view;
  }

  const asset::Character& character_;
  const PortraitSettings& settings_;
  render::DrawMode mode_;
  pose::Poser poser_;
  pose::SimulationState state_;
  asset::PosedCharacter posed_;
  std::vector<asset::PosedCharacter> poses_;  // of all frames where they are few; else empty
  OneMethod method_;
  std::optional<OneMethod> other_;
  ThreadTeam team_;
  render::TextureSet textures_;
  Values values_;
  Aabbf all_;
  Vec3f half_{};
  float largest_mm_ = 0;
};

Result<OneMethod> MakeMethod(const asset::Character& character, const PerformerSettings& settings,
                             const deform::DeformSettings& deform) {
  deform::DeformerSettings one = settings;
  one.deform = deform;
  one.tangents = false;
  return OneMethod::Create(character, one);
}

}  // namespace

Status DrawPortraits(const asset::Character& character, const PortraitSettings& settings,
                     FunctionRef<Status(std::size_t, std::span<const std::byte>)> sink,
                     ProgressFn progress, Diagnostics* findings) {
  FLEXOR_ASSIGN(const render::DrawMode mode, render::ParseDrawMode(settings.mode));
  if (settings.times.empty()) return Usage("no frame was asked for");
  if (mode == render::DrawMode::kWeights && !settings.joint) {
    return Unset("drawing weights needs a joint", "PortraitSettings::joint");
  }
  if (mode == render::DrawMode::kHeat && !settings.against) {
    return Unset("drawing distances needs a method to measure against",
                 "PortraitSettings::against");
  }
  FLEXOR_ASSIGN(OneMethod method,
                MakeMethod(character, settings.performer, settings.performer.deform));
  // Bones can be drawn without a mesh.
  if (mode != render::DrawMode::kSkeleton)
    FLEXOR_TRY(CheckHasMesh(character, method.meshes().size()));
  std::optional<OneMethod> other;
  if (mode == render::DrawMode::kHeat) {
    FLEXOR_ASSIGN(other, MakeMethod(character, settings.performer, settings.against->settings));
  }
  FLEXOR_ASSIGN(pose::Poser poser, pose::Poser::Create(character, settings.performer.pose));
  FLEXOR_ASSIGN(pose::SimulationState state, poser.MakeState());
  Studio studio(character, settings, mode, std::move(poser), std::move(state), std::move(method),
                std::move(other));
  FLEXOR_TRY(studio.Survey(progress));
  studio.LoadTextures(findings);

  const std::uint64_t total = settings.times.size();
  if (progress && !progress({"draw", 0, total})) return Stopped();
  std::vector<render::Image> pictures;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < settings.times.size(); ++i) {
    FLEXOR_ASSIGN(render::Image image, studio.Draw(i));
    if (settings.sheet) {
      pictures.push_back(std::move(image));
      labels.push_back(studio.Label(settings.times[i]));
    } else {
      FLEXOR_ASSIGN(const std::vector<std::byte> png, render::EncodePng(image));
      FLEXOR_TRY(sink(i, png));
    }
    if (progress && !progress({"draw", i + 1, total})) return Stopped();
  }
  if (!settings.sheet) return {};
  const double root = std::sqrt(static_cast<double>(pictures.size()));
  const int columns = settings.columns > 0 ? settings.columns : static_cast<int>(std::ceil(root));
  std::string title = character.name;
  if (settings.clip && character.clips[*settings.clip].name != title) {
    const std::string& clip = character.clips[*settings.clip].name;
    title += (title.empty() || clip.empty() ? "" : ", ") + clip;
  }
  const std::vector<std::string_view> views(labels.begin(), labels.end());
  FLEXOR_ASSIGN(const render::Image drawn, render::ContactSheet(pictures, views, title, columns));
  FLEXOR_ASSIGN(const std::vector<std::byte> png, render::EncodePng(drawn));
  return sink(0, png);
}

#endif  // FLEXOR_WITH_RENDER

}  // namespace flexor::bake
