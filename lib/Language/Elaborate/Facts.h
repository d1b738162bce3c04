//===- Facts.h - what elaboration finds out, for editors --------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_FACTS_H
#define PLC_LIB_LANGUAGE_ELABORATE_FACTS_H

#include "Emit/Program.h"
#include "llvm/ADT/DenseMap.h"

namespace plc::language {

/// Of the first set of sizes for which a body is elaborated. Texts are made when they are asked for.
struct Facts {
  /// Of a tensor, by the place of the name that defines it; without an element of its own it is a number.
  struct Type {
    Element element;
    llvm::SmallVector<Axis, 4> axes;
  };
  llvm::DenseMap<const char *, Type> types;
  struct Rule {
    std::shared_ptr<std::vector<Index>> indices;
    llvm::SmallVector<std::pair<IndexId, StringRef>, 2> summed; // over which term
  };
  /// By the beginning of the right side.
  llvm::DenseMap<const char *, Rule> rules;
};

} // namespace plc::language

#endif
