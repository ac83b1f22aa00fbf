// USD packages: which archives are read, and which are refused.

#include <cstring>

#include "io/usd/package.h"
#include "io/usd_support.h"
#include "support/crate_builder.h"
#include "support/package_builder.h"

namespace flexor::io::usd {
namespace {

using test::PackageEntry;
using test::PackageOf;
using test::Raw;

constexpr const char* kLayer = "#usda 1.0\n";

struct Opened {
  Result<Package> package;
  Diagnostics diagnostics;
};

Opened Open(const std::vector<std::byte>& bytes) {
  MemoryBudget budget(1 << 20);
  Diagnostics diagnostics;
  auto package = Package::Open(SharedBytes::Of(bytes), "a.usdz", budget, diagnostics);
  return {std::move(package), std::move(diagnostics)};
}

void ExpectRefused(const std::vector<std::byte>& bytes, ErrorCode code) {
  const Opened opened = Open(bytes);
  ASSERT_FALSE(opened.package.ok());
  EXPECT_EQ(opened.package.error().code, code) << opened.package.error().ToString();
  EXPECT_EQ(opened.package.error().place.path, "a.usdz");
}

TEST(UsdPackage, GivesEntriesInTheOrderOfTheFile) {
  const auto bytes = PackageOf({{"root.usda", kLayer}, {"textures/a.png", "png"}, {"b.usdc", ""}});
  const Opened opened = Open(bytes);
  ASSERT_TRUE(opened.package.ok()) << opened.package.error().ToString();
  EXPECT_TRUE(Package::HasMagic(bytes));
  EXPECT_TRUE(opened.diagnostics.entries().empty());
  ASSERT_EQ(opened.package->entries().size(), 3u);
  EXPECT_EQ(opened.package->first(), "root.usda");
  EXPECT_EQ(opened.package->Find("textures/a.png")->text(), "png");
  EXPECT_EQ(opened.package->Find("textures"), nullptr);
  EXPECT_EQ(opened.package->Find("./root.usda"), nullptr);
}

TEST(UsdPackage, KeepsItsBytes) {
  SharedBytes entry;
  {
    const Opened opened = Open(PackageOf({{"root.usda", kLayer}}));
    entry = *opened.package->Find("root.usda");
  }
  EXPECT_EQ(entry.text(), kLayer);
}

TEST(UsdPackage, ACommentAndFoldersAreNoHarm) {
  const Opened opened =
      Open(PackageOf({{"root.usda", kLayer}, {"textures/", ""}}, "", "a comment PK\5\6"));
  ASSERT_TRUE(opened.package.ok()) << opened.package.error().ToString();
  EXPECT_EQ(opened.package->entries().size(), 1u);
}

TEST(UsdPackage, MisalignedEntriesAreReadAloud) {
  PackageEntry entry{"root.usda", kLayer};
  entry.aligned = false;
  const Opened opened = Open(PackageOf({entry}));
  ASSERT_TRUE(opened.package.ok());
  EXPECT_TRUE(opened.diagnostics.Contains("USD_PACKAGE_MISALIGNED"));
}

TEST(UsdPackage, ChecksumsOfLayersAreChecked) {
  PackageEntry entry{"root.usda", kLayer};
  entry.crc_error = 1;
  const Opened opened = Open(PackageOf({entry}));
  ASSERT_TRUE(opened.package.ok());
  EXPECT_TRUE(opened.diagnostics.Contains("USD_PACKAGE_CHECKSUM"));
}

TEST(UsdPackage, OnlyStoredEntriesAreRead) {
  const auto with = [](auto&& change) {
    PackageEntry entry{"root.usda", kLayer};
    change(entry);
    return PackageOf({entry});
  };
  ExpectRefused(with([](PackageEntry& e) { e.method = 8; }), ErrorCode::kUnsupportedFeature);
  ExpectRefused(with([](PackageEntry& e) { e.flags = 1; }), ErrorCode::kUnsupportedFeature);
  ExpectRefused(with([](PackageEntry& e) { e.flags = 8; }), ErrorCode::kUnsupportedFeature);
  EXPECT_TRUE(Open(with([](PackageEntry& e) { e.flags = 0x800; })).package.ok());
  ExpectRefused(with([](PackageEntry& e) { e.local_size_error = 1; }), ErrorCode::kParse);
  ExpectRefused(with([](PackageEntry& e) { e.local_name = "other.usda"; }), ErrorCode::kParse);
}

TEST(UsdPackage, NamesStayInside) {
  for (const char* name : {"../x.usd", "/x.usd", "a/../x.usd", "./x.usd", "a//x.usd", "a\\x.usd",
                           "C:/x.usd", "\xFF.usd", "a/.."}) {
    ExpectRefused(PackageOf({{"root.usda", kLayer}, {name, ""}}), ErrorCode::kInvalidValue);
  }
  ExpectRefused(PackageOf({{"root.usda", kLayer}, {std::string("a\0b", 3), ""}}),
                ErrorCode::kInvalidValue);
  ExpectRefused(PackageOf({{"root.usda", kLayer}, {"a.png", ""}, {"a.png", ""}}),
                ErrorCode::kInvalidValue);
}

TEST(UsdPackage, TheFirstEntryIsALayer) {
  ExpectRefused(PackageOf({{"a.png", "png"}, {"root.usda", kLayer}}),
                ErrorCode::kUnsupportedFeature);
  ExpectRefused(PackageOf({{"a.abc", ""}}), ErrorCode::kUnsupportedFeature);
  ExpectRefused(PackageOf({}), ErrorCode::kParse);
  ExpectRefused(PackageOf({{"root.usda", kLayer}}, "junk"), ErrorCode::kUnknownFormat);
  ExpectRefused(PackageOf({{"root.usda", kLayer}}, "PK\3\4junk"), ErrorCode::kParse);
}

TEST(UsdPackage, EntriesThatOverlapAreRefused) {
  auto bytes = PackageOf({{"root.usda", kLayer}, {"a.png", "png"}});
  // The directory's second entry points at a header inside the data of the first.
  const std::string inner =
      Raw(std::uint32_t{0x04034b50}, std::uint16_t{10}, std::uint64_t{0}, std::uint32_t{0},
          std::uint64_t{0}, std::uint16_t{1}, std::uint16_t{0}) +
      "b";
  bytes = PackageOf({{"root.usda", kLayer + inner}, {"b", ""}});
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto inner_at = static_cast<std::uint32_t>(text.find(inner));
  const std::size_t second = text.rfind("PK\1\2");
  std::memcpy(bytes.data() + second + 42, &inner_at, sizeof(inner_at));
  // Its checksum and date are what the directory says only where nobody looks.
  std::memset(bytes.data() + second + 12, 0, 8);
  ExpectRefused(bytes, ErrorCode::kInvalidValue);
}

TEST(UsdPackage, ZipsThatNeed64BitsAreRefused) {
  auto bytes = PackageOf({{"root.usda", kLayer}});
  std::memset(bytes.data() + bytes.size() - 22 + 8, 0xFF, 4);
  ExpectRefused(bytes, ErrorCode::kUnsupportedFeature);
}

TEST(UsdPackage, DamageNeverDoesHarm) {
  const auto good = PackageOf({{"root.usda", kLayer}, {"b/c.usda", kLayer}});
  ASSERT_TRUE(Open(good).package.ok());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(
        Open({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}).package.ok());
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const std::byte other : {std::byte{0}, std::byte{0xFF}, ~good[i]}) {
      auto bad = good;
      bad[i] = other;
      const Opened opened = Open(bad);
      if (!opened.package.ok()) {
        EXPECT_NE(opened.package.error().code, ErrorCode::kInternal);
      }
    }
  }
}

}  // namespace
}  // namespace flexor::io::usd
