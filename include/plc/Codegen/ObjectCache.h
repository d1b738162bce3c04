//===- ObjectCache.h - objects of kernels that were compiled before -*- C++ -*-===//
#ifndef PLC_CODEGEN_OBJECTCACHE_H
#define PLC_CODEGEN_OBJECTCACHE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace plc::codegen {

/// Objects in a folder, by a hash of all that decides their bytes: the kernels as `writeKernels` writes them, the features of
/// the target, and the compiler. A pure cache: results do not depend on it, and it may be deleted at any time.
/// Processes may share the folder: a file appears whole, and one that is not what was written is not used.
class ObjectCache {
public:
  /// Kernels of `written` before they are lowered. An empty folder keeps nothing.
  ObjectCache(llvm::StringRef folder, mlir::ModuleOp written, llvm::ArrayRef<std::string> features);

  /// The object that was kept for these kernels; nullopt if there is none.
  std::optional<llvm::SmallVector<char>> find() const;
  /// Keeps their object for later compilations. Does nothing where the folder cannot be written. Deletes what has not been
  /// used for a week, and the oldest beyond 256 MiB, which are some 2,500 models.
  void keep(llvm::StringRef object) const;

private:
  std::string folder, file; // both empty: none
  std::string key;
};

} // namespace plc::codegen

#endif
