/* A plug-in without passes, and a library under the name of another version of the compiler's, which it needs. */
#include <stdint.h>

#ifdef COMPILER
void plc_other_version(void) {}
#else
void plc_other_version(void);

struct plugin { /* mlir::PassPluginLibraryInfo */
  uint32_t api;
  const char *name, *version;
  void (*register_passes)(void);
};

struct plugin mlirGetPassPluginInfo(void) {
  struct plugin info = {1, "other", "9.9", plc_other_version};
  return info;
}
#endif
