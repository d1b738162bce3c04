//===- ReadPt2.h - reads PyTorch's .pt2 archives ----------------*- C++ -*-===//
#ifndef PLC_IMPORT_READPT2_H
#define PLC_IMPORT_READPT2_H

#include "plc/Import/Graph.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace plc::import {

/// Reads an archive that `torch.export.save` wrote: a ZIP of stored members, with a graph of schema 8 as JSON and the
/// raw bytes of tensors. Never unpickles. Sizes that are symbols are read as the values at export, so nodes that only
/// compute sizes are left out, and so are assertions. Whatever the file holds, each value of the result is defined
/// once, before its first use, and has a type.
/// Returns nullopt and sets `error`, without the file's name, if the file is not such an archive.
std::optional<ImportedModel> readPt2(llvm::StringRef path, std::string &error);

/// The same for an archive in memory, which the weights of the result keep.
std::optional<ImportedModel> readPt2(std::unique_ptr<llvm::MemoryBuffer> archive, std::string &error);

} // namespace plc::import

#endif
