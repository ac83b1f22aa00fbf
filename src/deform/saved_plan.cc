#include "flexor/deform/saved_plan.h"

#include <array>
#include <string>
#include <utility>

#include "core/byte_stream.h"
#include "core/guard.h"
#include "deform/plan_bytes.h"

namespace flexor::deform {
namespace {

constexpr std::array<char, 8> kMagic{'f', 'l', 'e', 'x', 'p', 'l', 'a', 'n'};

/// What follows the plan.
enum class Layout : std::uint32_t { kNone, kReference, kCpu };

Layout LayoutOf(BackendKind kind) {
  return kind == BackendKind::kCpu ? Layout::kCpu : Layout::kReference;
}

struct Head {
  Layout layout = Layout::kNone;
  std::uint64_t key = 0;
  std::uint64_t size = 0;      ///< of what follows the head
  std::uint64_t checksum = 0;  ///< of it
};
constexpr std::size_t kHeadBytes = kMagic.size() + 2 * 4 + 3 * 8;

std::vector<std::byte> WithHead(Layout layout, std::uint64_t key, std::span<const std::byte> body) {
  ByteWriter out;
  for (const char c : kMagic) out.Number(c);
  out.Number(kSavedPlanVersion);
  out.Number(layout);
  out.Number(key);
  out.Number(std::uint64_t{body.size()});
  out.Number(Checksum(body));
  out.Append(body);
  return out.Take();
}

Error Truncated(std::uint64_t has, std::uint64_t needs) {
  return {ErrorCode::kTruncated,
          "the saved plan has " + std::to_string(has) + " bytes where " + std::to_string(needs) +
              " are needed",
          {}};
}

Error Broken(std::string message) { return {ErrorCode::kParse, std::move(message), {}}; }

Result<Head> ReadHead(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeadBytes) return Truncated(bytes.size(), kHeadBytes);
  ByteReader in(bytes);
  for (const char c : kMagic) {
    if (in.Number<char>() != c) return Broken("the bytes are no saved plan");
  }
  const auto version = in.Number<std::uint32_t>();
  if (version != kSavedPlanVersion) {
    return Error{ErrorCode::kUnsupportedFeature,
                 "the saved plan is of version " + std::to_string(version) +
                     "; this build reads version " + std::to_string(kSavedPlanVersion),
                 {}};
  }
  Head head;
  head.layout = in.Enumerator(Layout::kCpu);
  if (!in.ok()) return Broken("the saved plan is of an unknown backend");
  head.key = in.Number<std::uint64_t>();
  head.size = in.Number<std::uint64_t>();
  head.checksum = in.Number<std::uint64_t>();
  return head;
}

/// The part after the head, as it was written.
Result<std::span<const std::byte>> BodyOf(std::span<const std::byte> bytes, const Head& head) {
  const std::span<const std::byte> body = bytes.subspan(kHeadBytes);
  if (body.size() < head.size) return Truncated(bytes.size(), head.size + kHeadBytes);
  if (body.size() > head.size) return Broken("bytes follow the saved plan");
  if (Checksum(body) != head.checksum) return Broken("the checksum of the saved plan is wrong");
  return body;
}

Status CheckJointCount(const DeformPlan& plan) {
  if (plan.joint_count() <= kMostSavedJoints) return {};
  return Error{ErrorCode::kLimitExceeded,
               "plans of up to " + std::to_string(kMostSavedJoints) +
                   " joints can be saved; this one has " + std::to_string(plan.joint_count()),
               {{}, "mesh '" + plan.data().mesh_name + "'", {}}};
}

}  // namespace

Result<std::vector<std::byte>> SavePlan(const DeformPlan& plan, std::uint64_t key) {
  return GuardAllocations("a plan was saved", [&]() -> Result<std::vector<std::byte>> {
    FLEXOR_TRY(CheckJointCount(plan));
    ByteWriter body;
    WritePlanData(plan.data(), body);
    return WithHead(Layout::kNone, key, body.bytes());
  });
}

Result<std::vector<std::byte>> SavePrepared(const Backend& backend, const PreparedPlan& prepared,
                                            std::uint64_t key) {
  return GuardAllocations("a plan was saved", [&]() -> Result<std::vector<std::byte>> {
    FLEXOR_TRY(CheckJointCount(prepared.plan()));
    ByteWriter body;
    WritePlanData(prepared.plan().data(), body);
    FLEXOR_TRY(backend.DoSave(prepared, body));
    return WithHead(LayoutOf(backend.Info().kind), key, body.bytes());
  });
}

Result<DeformPlan> LoadPlan(std::span<const std::byte> bytes) {
  return GuardAllocations("a plan was loaded", [&]() -> Result<DeformPlan> {
    FLEXOR_ASSIGN(const Head head, ReadHead(bytes));
    FLEXOR_ASSIGN(const std::span<const std::byte> body, BodyOf(bytes, head));
    ByteReader in(body);
    FLEXOR_ASSIGN(auto data, ReadPlanData(in));
    if (head.layout == Layout::kNone && !in.left().empty()) {
      return Broken("bytes follow the saved plan");
    }
    return PlanOf(std::move(data));
  });
}

Result<std::shared_ptr<const PreparedPlan>> LoadPrepared(const Backend& backend,
                                                         std::span<const std::byte> bytes) {
  using Prepared = std::shared_ptr<const PreparedPlan>;
  return GuardAllocations("a plan was loaded", [&]() -> Result<Prepared> {
    FLEXOR_ASSIGN(const Head head, ReadHead(bytes));
    const BackendKind kind = backend.Info().kind;
    if (head.layout != LayoutOf(kind)) {
      return Error{ErrorCode::kInvalidArgument,
                   "the saved plan is not prepared for the backend '" +
                       std::string(BackendName(kind)) + "'; prepare the plan of LoadPlan",
                   {}};
    }
    FLEXOR_ASSIGN(const std::span<const std::byte> body, BodyOf(bytes, head));
    ByteReader in(body);
    FLEXOR_ASSIGN(auto data, ReadPlanData(in));
    FLEXOR_ASSIGN(Prepared prepared, backend.DoLoad(PlanOf(std::move(data)), in));
    if (!in.left().empty()) return Broken("bytes follow the saved plan");
    return prepared;
  });
}

Result<std::uint64_t> SavedPlanKey(std::span<const std::byte> bytes) {
  return GuardAllocations("a plan was looked at", [&]() -> Result<std::uint64_t> {
    FLEXOR_ASSIGN(const Head head, ReadHead(bytes));
    return head.key;
  });
}

}  // namespace flexor::deform
