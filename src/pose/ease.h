/// @file pose/ease.h
/// The easing curve of one segment of a BEZIER channel.
#pragma once

namespace flexor::pose {

/// The height of the cubic from (0,0) over (x1,y1) and (x2,y2) to (1,1) where it stands at x = t.
/// All controls in 0..1, so that x never falls along the curve and stands still at single points at
/// most (upright curves). 0 for t <= 0, 1 for t >= 1. Accuracy: 1e-9, at upright points 1e-6.
double Ease(double x1, double y1, double x2, double y2, double t);

}  // namespace flexor::pose
