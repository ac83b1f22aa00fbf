// A SimulationState as bytes and back.
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "flexor/core/digest.h"

#include "core/guard.h"
#include "pose/fingerprint.h"
#include "pose/motion_digest.h"
#include "pose/simulation_parts.h"

namespace flexor::pose {
namespace {

constexpr std::string_view kMagic = "flexsim\n";
constexpr std::uint32_t kVersion = 1;

// magic, version, size of the payload, its digest | payload
constexpr std::size_t kHeadBytes = 8 + 4 + 8 + 8;

void Put(std::uint64_t value, std::size_t bytes, std::vector<std::byte>& out) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

// Numbers one after another; the caller has checked that there are enough bytes.
class Taker {
 public:
  explicit Taker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::size_t left() const { return bytes_.size(); }
  std::uint64_t Take(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= static_cast<std::uint64_t>(bytes_[i]) << (8 * i);
    }
    bytes_ = bytes_.subspan(bytes);
    return value;
  }
  std::int64_t TakeSigned() { return static_cast<std::int64_t>(Take(8)); }

 private:
  std::span<const std::byte> bytes_;
};

// What the payload holds.
struct Saved {
  std::uint64_t rig = 0, settings = 0, clip_digest = 0;
  bool begun = false;
  SimulationRun run;
  std::int64_t tick = 0;
  SimulationCheckpoint checkpoint;
};
constexpr std::size_t kPayloadBytes = 3 * 8 + 1 + 4 + 4 * 8 + 8;

std::uint64_t SettingsDigest(const SimulationSettings& settings) {
  return Fingerprint()
      .Add(settings.mmd.steps_per_second)
      .Add(settings.mmd.gravity)
      .Add(settings.mmd.solver_iterations)
      .Add(settings.mmd.ground)
      .Add(settings.warm_up_seconds)
      .Add(settings.teleport_speed)
      .Add(settings.checkpoint_ticks)
      .value();
}

std::vector<std::byte> Encode(const Saved& saved) {
  std::vector<std::byte> payload;
  payload.reserve(kPayloadBytes + 8 * saved.checkpoint.numbers.size());
  for (const std::uint64_t digest : {saved.rig, saved.settings, saved.clip_digest}) {
    Put(digest, 8, payload);
  }
  Put(saved.begun ? 1 : 0, 1, payload);
  Put(saved.run.clip, 4, payload);
  Put(saved.run.poser, 8, payload);
  for (const std::int64_t tick : {saved.run.start, saved.tick, saved.checkpoint.tick}) {
    Put(static_cast<std::uint64_t>(tick), 8, payload);
  }
  Put(saved.checkpoint.numbers.size(), 8, payload);
  for (const double number : saved.checkpoint.numbers) {
    Put(std::bit_cast<std::uint64_t>(number), 8, payload);
  }
  std::vector<std::byte> out;
  out.reserve(kHeadBytes + payload.size());
  for (const char c : kMagic) out.push_back(static_cast<std::byte>(c));
  Put(kVersion, 4, out);
  Put(payload.size(), 8, out);
  Put(Digest(payload), 8, out);
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

Error Truncated(std::uint64_t has, std::uint64_t needs) {
  return {ErrorCode::kTruncated,
          "the saved simulation has " + std::to_string(has) + " bytes where " +
              std::to_string(needs) + " are needed",
          {}};
}

Error Broken(std::string message) { return {ErrorCode::kParse, std::move(message), {}}; }

// Checks all that can be checked without a character.
Result<Saved> Decode(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeadBytes) return Truncated(bytes.size(), kHeadBytes);
  for (std::size_t i = 0; i < kMagic.size(); ++i) {
    if (bytes[i] != static_cast<std::byte>(kMagic[i])) {
      return Broken("the bytes are no saved simulation");
    }
  }
  Taker head(bytes.subspan(kMagic.size()));
  const std::uint64_t version = head.Take(4);
  if (version != kVersion) {
    return Error{ErrorCode::kUnsupportedFeature,
                 "the saved simulation is of version " + std::to_string(version) +
                     "; this build reads version " + std::to_string(kVersion),
                 {}};
  }
  const std::uint64_t size = head.Take(8), digest = head.Take(8);
  const std::span<const std::byte> payload = bytes.subspan(kHeadBytes);
  if (payload.size() < size || size < kPayloadBytes) {
    return Truncated(payload.size(), size < kPayloadBytes ? kPayloadBytes : size);
  }
  if (payload.size() > size) return Broken("bytes follow the saved simulation");
  if (Digest(payload) != digest) return Broken("the checksum of the saved simulation is wrong");
  Taker body(payload);
  Saved saved;
  for (std::uint64_t* one : {&saved.rig, &saved.settings, &saved.clip_digest}) *one = body.Take(8);
  saved.begun = body.Take(1) != 0;
  saved.run.clip = static_cast<std::uint32_t>(body.Take(4));
  saved.run.poser = body.Take(8);
  saved.run.start = body.TakeSigned();
  saved.tick = body.TakeSigned();
  saved.checkpoint.tick = body.TakeSigned();
  const std::uint64_t numbers = body.Take(8);
  if (numbers != body.left() / 8 || body.left() % 8 != 0) {
    return Broken("the saved simulation holds " + std::to_string(body.left()) +
                  " bytes of bodies where its count asks for " + std::to_string(numbers) +
                  " numbers");
  }
  for (std::uint64_t i = 0; i < numbers; ++i) {
    saved.checkpoint.numbers.push_back(std::bit_cast<double>(body.Take(8)));
    if (!std::isfinite(saved.checkpoint.numbers.back())) {
      return Broken("a number of the saved simulation is not finite");
    }
  }
  const std::int64_t first = saved.run.start;
  const bool after_start = numbers == 0 || saved.checkpoint.tick > first;
  if (first < 0 || saved.tick < first - 1 || !after_start ||
      (numbers != 0 && saved.checkpoint.tick >= saved.tick)) {
    return Broken("the ticks of the saved simulation contradict each other");
  }
  return saved;
}

Error Foreign(const char* what) {
  return {ErrorCode::kInvalidArgument,
          "the saved simulation is of " + std::string(what) + " than this one",
          {}};
}

}  // namespace

Result<std::vector<std::byte>> SimulationState::Save() const {
  return GuardAllocations("a simulation was saved", [&]() -> Result<std::vector<std::byte>> {
    if (parts_ == nullptr) return Encode({});
    const Parts& parts = *parts_;
    Saved saved;
    saved.rig = RigDigest(*parts.character);
    saved.settings = SettingsDigest(parts.settings);
    if (parts.asked_start || !parts.run) {
      // It has still to begin, at the start that was asked for.
      saved.run.start = parts.asked_start.value_or(0);
      saved.tick = saved.run.start - 1;
      return Encode(saved);
    }
    saved.begun = true;
    saved.run = *parts.run;
    saved.tick = parts.tick;
    saved.clip_digest = ClipDigest(parts.character->clips[saved.run.clip]);
    for (const SimulationCheckpoint* one : {&parts.older, &parts.newer}) {
      if (!one->numbers.empty() && one->tick < parts.tick) saved.checkpoint = *one;
    }
    return Encode(saved);
  });
}

Status SimulationState::Restore(std::span<const std::byte> bytes) {
  return GuardAllocations("a simulation was restored", [&]() -> Status {
    FLEXOR_ASSIGN(Saved saved, Decode(bytes));
    if (parts_ == nullptr) {
      if (saved.rig != 0) return Foreign("a character that simulates more");
      return {};
    }
    Parts& parts = *parts_;
    if (saved.rig != RigDigest(*parts.character)) return Foreign("another character");
    if (saved.settings != SettingsDigest(parts.settings)) return Foreign("other settings");
    if (saved.begun) {
      const auto& clips = parts.character->clips;
      if (saved.run.clip >= clips.size() ||
          saved.clip_digest != ClipDigest(clips[saved.run.clip])) {
        return Foreign("another clip");
      }
    }
    if (!saved.checkpoint.numbers.empty()) {
      FLEXOR_TRY(parts.physics.Restore(saved.checkpoint.numbers));
    }
    parts.has_frame = false;
    parts.asked_start.reset();
    parts.older.numbers.clear();
    parts.newer = std::move(saved.checkpoint);
    if (!saved.begun) {
      parts.run.reset();
      if (saved.run.start > 0) parts.asked_start = saved.run.start;
      return {};
    }
    parts.run = saved.run;
    parts.tick = parts.newer.numbers.empty() ? saved.run.start - 1 : parts.newer.tick;
    return {};
  });
}

}  // namespace flexor::pose
