#include "pose/ease.h"

#include <cmath>

namespace flexor::pose {
namespace {

// One coordinate of the curve: from 0 over a and b to 1.
double Cubic(double a, double b, double s) {
  const double r = 1 - s;
  return s * (3 * r * (r * a + s * b) + s * s);
}

double CubicSlope(double a, double b, double s) {
  const double r = 1 - s;
  return 3 * (r * r * a + 2 * r * s * (b - a) + s * s * (1 - b));
}

// The parameter at which x is t. x never falls, so the root stays bracketed; Newton's step is taken
// where it stays inside and is short, which it does everywhere but near an upright point.
double ParameterAt(double x1, double x2, double t) {
  double low = 0, high = 1, s = t;
  for (int step = 0; step < 64; ++step) {
    const double miss = Cubic(x1, x2, s) - t;
    if (miss == 0) return s;
    (miss > 0 ? high : low) = s;
    const double width = high - low;
    const double slope = CubicSlope(x1, x2, s);
    double next = s - miss / slope;  // not finite where the slope is 0: then no comparison holds
    if (!(next > low && next < high && std::abs(next - s) < width / 2)) next = low + width / 2;
    if (std::abs(next - s) < 1e-15) return next;
    s = next;
  }
  return s;
}

}  // namespace

double Ease(double x1, double y1, double x2, double y2, double t) {
  if (!(t > 0)) return 0;
  if (t >= 1) return 1;
  if (x1 == y1 && x2 == y2) return t;  // a straight line, by far the most common curve
  return Cubic(y1, y2, ParameterAt(x1, x2, t));
}

}  // namespace flexor::pose
