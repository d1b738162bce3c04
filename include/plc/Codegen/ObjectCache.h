//===- ObjectCache.h - a cache of compiled kernels --------------*- C++ -*-===//
#ifndef PLC_CODEGEN_OBJECTCACHE_H
#define PLC_CODEGEN_OBJECTCACHE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace plc::codegen {

/// Objects in a folder, by a hash of all that decides their bytes: the kernels as `writeKernels` writes them, the
/// features of the target, and the compiler. A pure cache: results do not depend on it, and it may be deleted at any
/// time. Processes may share the folder: files are written atomically, and a damaged one is ignored.
class ObjectCache {
public:
  /// `written` holds the kernels before they are lowered. An empty folder disables the cache.
  ObjectCache(llvm::StringRef folder, mlir::ModuleOp written, llvm::ArrayRef<std::string> features);

  /// The object of these kernels; nullopt if the cache has none.
  std::optional<llvm::SmallVector<char>> find() const;
  /// Stores their object. Does nothing if the folder cannot be written. Deletes files unused for a week, and the oldest
  /// beyond 256 MiB, which are about 2,500 models.
  void keep(llvm::StringRef object) const;

private:
  std::string folder, file; // both empty: disabled
  std::string key;
};

} // namespace plc::codegen

#endif
