/// @file asset/sample_build.h
/// What the built-in samples share. Everything here gives the same bits on every machine: only the
/// operations that IEEE 754 rounds correctly are used (+ - * / and square root).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "flexor/asset/character.h"

namespace flexor::asset::sample {

inline constexpr double kPi = 3.14159265358979323846;

/// Sine and cosine to about 1e-15, independent of the C library.
double Sin(double radians);
double Cos(double radians);

/// The rotation by degrees about an axis of any length. Exact at multiples of 90 degrees.
Quatd Turn(Vec3d axis, double degrees);

/// Rounds to a micrometre and narrows, so that the last bits of a computation cannot show.
Vec3f RoundedPoint(Vec3d p);
/// Rounds a unit vector to 1e-6 and narrows.
Vec3f RoundedDirection(Vec3d d);

/// 0 below `from`, 1 above `to`, smooth between; also with from > to.
double SmoothStep(double from, double to, double x);

/// Appends a node; returns its index.
std::uint32_t AddNode(Character& character, std::string name, std::int32_t parent,
                      Vec3d translation, Quatd rotation = {}, Vec3d scale = {1, 1, 1});

/// Model-space matrices of the rest pose; parents must be listed before their children.
std::vector<Mat34d> RestWorld(const Character& character);

/// A skin over the given nodes, bound at the rest pose.
Skin BindAtRest(const Character& character, std::string name, std::vector<std::uint32_t> joints);

/// Appends one vertex's run; zero weights are left out.
void AddRun(Influences& influences, const std::vector<std::pair<std::uint32_t, double>>& run);

/// A channel of rotations at evenly spaced times, linear.
Channel RotationChannel(std::uint32_t node, double step, const std::vector<Quatd>& keys);
/// A channel of vectors (translation or scale) at evenly spaced times, linear.
Channel VectorChannel(ChannelPath path, std::uint32_t node, double step,
                      const std::vector<Vec3d>& keys);

/// Normals that average the triangles around each vertex by their angle there.
/// Shapes  triangles (3T), result (V)
std::vector<Vec3d> AverageNormals(const std::vector<Vec3d>& positions,
                                  const std::vector<std::uint32_t>& triangles);

Material MakeMaterial(std::string name, float r, float g, float b);

Character MakeTwist();
Character MakeShear();
Character MakeElbow();
Character MakeFigure();
Character MakeSdef();

}  // namespace flexor::asset::sample
