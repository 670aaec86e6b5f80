#include "core/cpu/amx_permission.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace causcale::core {

bool processor_has_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned kBf16Tiles = 1u << 22, kTiles = 1u << 24;
  return (d & kBf16Tiles) != 0 && (d & kTiles) != 0;
}

bool may_use_amx() {
  static const bool permitted = [] {
    if (!processor_has_amx()) return false;
    constexpr long kAskForFeature = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, kAskForFeature, kTileData) == 0;
  }();
  return permitted;
}

}  // namespace causcale::core
#else

namespace causcale::core {

bool processor_has_amx() {
  return false;
}
bool may_use_amx() {
  return false;
}

}  // namespace causcale::core
#endif
