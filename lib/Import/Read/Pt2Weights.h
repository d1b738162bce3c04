//===- Pt2Weights.h - tensors in the members of a .pt2 ----------*- C++ -*-===//
#ifndef PLC_IMPORT_READ_PT2WEIGHTS_H
#define PLC_IMPORT_READ_PT2WEIGHTS_H

#include "Read/Pt2Tensor.h"
#include "Read/StoredZip.h"
#include "llvm/Support/MemoryBuffer.h"

namespace plc::import {

/// Tensors as views of storages, each the raw bytes of a member of the archive.
class Pt2Weights : public Weights {
public:
  explicit Pt2Weights(std::unique_ptr<llvm::MemoryBuffer> archive) : archive(std::move(archive)) {}

  /// Adds the tensors of a `PayloadConfig` that are inputs of the graph, unless they were added before. `folder` has
  /// their storages. Throws ReadError if one differs from its type in the graph, or does not lie within its storage, or
  /// is pickled.
  void add(const JsonNode &config, const Graph &graph, const StoredZip &zip, const std::string &folder);
  /// Throws ReadError if an input of the graph has not been added.
  void requireAll(const Graph &graph) const;

  std::vector<std::byte> read(const Input &input) const override;
  std::string storageOf(const Input &input) const override;

private:
  struct Stored {
    std::string member;
    std::string_view storage; // of `archive`; empty if the model was exported without values
    Pt2Tensor view;
  };
  void check(const Input &input, const TensorType &type, const Stored &stored) const;

  std::unique_ptr<llvm::MemoryBuffer> archive;
  std::map<std::string, Stored> byPath;
};

} // namespace plc::import

#endif
