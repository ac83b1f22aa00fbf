// Results inside an engine's interleaved vertices against packed arrays, in turn: linear blending,
// positions and normals. The column of our own linear blending holds the ratio of the two.
#include "bench/subjects.h"

namespace flexor::bench {
namespace {

/// Where the streams lie in a vertex, in bytes.
struct VertexForm {
  const char* kernel;
  std::size_t stride, position, normal;
};
constexpr VertexForm kForms[] = {{"interleaved_24", 24, 0, 12},   // nothing but the two
                                 {"interleaved_32", 32, 0, 12},   // and texture coordinates
                                 {"interleaved_48", 48, 0, 16}};  // each in 16 bytes, and more

}  // namespace

Status BenchOutputViews(const BenchOptions& options, const BenchMesh& mesh, const Report& report) {
  const Meshes meshes(options);
  deform::DeformSettings settings;
  settings.method = asset::SkinningMethod::kLinear;
  for (const VertexForm& form : kForms) {
    if (!meshes.Wanted(form.kernel, mesh.name)) continue;
    for (const int threads : options.threads) {
      const std::string target = TargetsOf(options).front();
      FLEXOR_ASSIGN(const std::unique_ptr<Deformer> packed,
                    Deformer::Make(mesh.mesh, mesh.rigid.size(), settings, {threads, target}));
      FLEXOR_ASSIGN(const std::unique_ptr<Deformer> strided,
                    Deformer::Make(mesh.mesh, mesh.rigid.size(), settings, {threads, target}));
      const std::size_t vertices = mesh.mesh.vertex_count();
      AlignedBuffer<std::byte> buffer(vertices * form.stride);
      const deform::OutputViews out{
          deform::OutputView<Vec3f>::Strided(buffer.data() + form.position, vertices, form.stride),
          deform::OutputView<Vec3f>::Strided(buffer.data() + form.normal, vertices, form.stride)};
      const Timing timing = Measure({{"packed", [&] { packed->Run(mesh.rigid, {}); }},
                                     {"strided", [&] { strided->RunInto(mesh.rigid, out); }}},
                                    options);
      FLEXOR_TRY(packed->status());
      FLEXOR_TRY(strided->status());
      Row row = RowOf(form.kernel, mesh, threads, strided->info());
      row.ns_per_vertex = timing.nanoseconds[1] / static_cast<double>(vertices);
      row.ratio_lbs = timing.nanoseconds[1] / timing.nanoseconds[0];
      row.rounds = timing.rounds;
      report(row);
    }
  }
  return {};
}

}  // namespace flexor::bench
