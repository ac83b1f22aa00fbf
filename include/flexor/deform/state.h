/// @file deform/state.h
/// What one instance carries from frame to frame. Skinning carries nothing: this holds scratch
/// memory only, and results never depend on what ran before.
#pragma once

#include <memory>

namespace flexor::deform {

/// Made by Backend::CreateState for one plan; one per instance in flight; not shared between
/// threads.
class DeformState {
 public:
  virtual ~DeformState() = default;
};

}  // namespace flexor::deform
