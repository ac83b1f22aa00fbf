// An engine's own flags stay what they were: Bullet in single precision, Highway as it likes.
#if defined(BT_USE_DOUBLE_PRECISION) || defined(HWY_SHARED_DEFINE)
#error "the flags of flexor bring in those of a library that it stands on"
#endif
