# Install rules: find_package(flexor CONFIG) and pkg-config. Proved by tests/consume.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
