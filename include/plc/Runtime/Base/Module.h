// A compiled module in memory: its manifest, checked, with every kernel resolved.
#ifndef PLC_RUNTIME_BASE_MODULE_H
#define PLC_RUNTIME_BASE_MODULE_H

#include "plc/Runtime/Base/ManifestChecks.h"

namespace plc::runtime {

/// A .plcm is native code, trusted like any program; loading still checks version, hash of the whole file, bounds and
/// CPU.
class Module {
public:
  /// To run it, the CPU must have all that it was compiled for; to inspect it, no kernel is called.
  enum class Use : uint8_t { Run, Inspect };
  explicit Module(const std::string &file, Use use = Use::Run);
  ~Module();
  Module(const Module &) = delete;

  const Manifest &manifest() const { return contents; }
  /// Instead of what it was compiled to do.
  void treatNonFinite(NonFiniteStep treatment) { contents.optimizer.nonFinite = treatment; }
  const std::string &fileName() const { return file; }
  /// Of the whole file, 16 hexadecimal digits.
  const std::string &hash() const { return sealed; }
  /// Bytes of a kernel's code; 0 if the file does not say.
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
