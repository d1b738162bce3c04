// A compiled module in memory: its manifest, checked, with every kernel resolved.
#ifndef PLC_RUNTIME_MODULE_H
#define PLC_RUNTIME_MODULE_H

#include "Manifest.h"

namespace plc::runtime {

/// A .plcm is native code, trusted like any program; loading still checks version, hash of the whole file, bounds and
/// CPU.
class Module {
public:
  explicit Module(const std::string &file);
  ~Module();
  Module(const Module &) = delete;

  const Manifest &manifest() const { return contents; }

private:
  void *symbol(const char *name) const;
  void readContents();
  void resolveKernels();

  std::string file;
  void *handle = nullptr;
  Manifest contents;
};

} // namespace plc::runtime

#endif
