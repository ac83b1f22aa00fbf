/// @file tests/io/usd_support.h
/// Layers from texts and bytes, with what the reader said about them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"

#include "io/usd/layer.h"
#include "io/usd/read_layer.h"

namespace flexor::test {

/// A layer that was read, or the error, and what both need to live.
struct ReadUsd {
  explicit ReadUsd(std::uint64_t budget_bytes = 64u << 20)
      : budget(std::make_unique<MemoryBudget>(budget_bytes)),
        paths(std::make_shared<io::usd::PathTable>(*budget)) {}

  std::unique_ptr<MemoryBudget> budget;
  std::shared_ptr<io::usd::PathTable> paths;
  Diagnostics diagnostics;
  std::shared_ptr<const io::usd::Layer> layer;  ///< null after an error
  Error error;

  bool ok() const { return layer != nullptr; }
  io::usd::Path At(std::string_view path) { return paths->Parse(path, {}).value(); }
  const io::usd::PrimSpec& Prim(std::string_view path) {
    const io::usd::PrimSpec* prim = layer->FindPrim(At(path));
    if (prim == nullptr) throw std::runtime_error("no prim " + std::string(path));
    return *prim;
  }
  const io::usd::PropertySpec& Property(std::string_view path) {
    const io::usd::PropertySpec* property = layer->FindProperty(At(path));
    if (property == nullptr) throw std::runtime_error("no property " + std::string(path));
    return *property;
  }
  /// The default value of an attribute.
  io::usd::Value Default(std::string_view path) {
    return Property(path).default_value.Load(*budget).value();
  }
};

inline ReadUsd ReadUsdBytes(std::vector<std::byte> bytes, const std::string& identifier = "a.usd",
                            std::uint64_t budget_bytes = 64u << 20) {
  ReadUsd read(budget_bytes);
  auto layer = io::usd::ReadLayer(io::usd::SharedBytes::Of(std::move(bytes)), identifier,
                                  read.paths, read.diagnostics);
  if (layer.ok()) {
    read.layer = *layer;
  } else {
    read.error = layer.error();
  }
  return read;
}

inline std::vector<std::byte> AsBytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// The whole text of a layer.
inline ReadUsd ReadUsdText(std::string_view text, std::uint64_t budget_bytes = 64u << 20) {
  return ReadUsdBytes(AsBytes(text), "a.usda", budget_bytes);
}

/// What stands behind the first line.
inline ReadUsd ReadUsda(std::string_view body) {
  return ReadUsdText("#usda 1.0\n" + std::string(body));
}

/// What stands in the braces of a prim /A.
inline ReadUsd ReadInPrim(std::string_view contents) {
  return ReadUsda("def \"A\" {\n" + std::string(contents) + "\n}\n");
}

}  // namespace flexor::test
