//===- Facts.h - facts for editors ------------------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_FACTS_H
#define PLC_LIB_LANGUAGE_ELABORATE_FACTS_H

#include "Emit/Program.h"
#include "llvm/ADT/DenseMap.h"

namespace plc::language {

/// What elaboration finds out about names, for editors. A body that is elaborated for several sizes contributes the
/// first of them. Texts are made on request.
struct Facts {
  /// The type of a tensor, by the location of the name that defines it. A number has no element type.
  struct Type {
    Element element;
    llvm::SmallVector<Axis, 4> axes;
  };
  llvm::DenseMap<const char *, Type> types;
  struct Rule {
    std::shared_ptr<std::vector<Index>> indices;
    llvm::SmallVector<std::pair<IndexId, StringRef>, 2> summed; // index, and the term it is summed over
  };
  /// Rules, by the beginning of the right side.
  llvm::DenseMap<const char *, Rule> rules;
};

} // namespace plc::language

#endif
