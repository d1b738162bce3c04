// A compiled module in memory: its checked manifest and its kernels.
#ifndef PLC_RUNTIME_BASE_MODULE_H
#define PLC_RUNTIME_BASE_MODULE_H

#include "plc/Runtime/Base/ManifestChecks.h"

namespace plc::runtime {

/// A .plcm that is loaded. It is native code, trusted like any program. Loading checks version, hash of the whole file,
/// bounds and CPU, so that a damaged or foreign file is an error and not a crash.
class Module {
public:
  /// Run: the CPU must have all features that the module was compiled for. Inspect: no kernel will be called.
  enum class Use : uint8_t { Run, Inspect };
  explicit Module(const std::string &file, Use use = Use::Run);
  ~Module();
  Module(const Module &) = delete;

  const Manifest &manifest() const { return contents; }
  /// Overrides the module's settings by those of a run (RunSettings.h).
  void setOptimizer(const OptimizerSettings &settings) { contents.optimizer = settings; }
  const std::string &fileName() const { return file; }
  /// The hash of the whole file, 16 hexadecimal digits.
  const std::string &hash() const { return sealed; }
  /// Bytes of a kernel's code; 0 if the symbol has no size.
  static int64_t codeBytesOf(const KernelInfo &kernel);

private:
  void *symbol(const char *name) const;
  void readContents();
  void checkCpu() const;
  void resolveKernels();

  std::string file, sealed;
  void *handle = nullptr;
  Manifest contents;
};

} // namespace plc::runtime

#endif
