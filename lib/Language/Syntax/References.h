//===- References.h - the names in a file's text ----------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SYNTAX_REFERENCES_H
#define PLC_LIB_LANGUAGE_SYNTAX_REFERENCES_H

#include "Syntax.h"

namespace plc::language {

/// A name in the text, and what it stands for as far as the text alone shows.
struct Reference {
  enum Kind {
    Tensor,
    Index,
    Size,
    Turn, // the index of a `repeat`
    Axis, // a lower-case axis of an fn's header, also in `size(d)`
    Callee
  };
  Kind kind;
  StringRef name; // the bytes in the text
  bool defines = false;
  const Function *function = nullptr;
  const Statement *statement = nullptr;
};

/// All names of a file, in no particular order. Needs no elaboration, so it works for files with errors.
std::vector<Reference> referencesOf(const File &file);

/// Whether a name occurs in an expression.
bool mentions(const Expr &expr, StringRef name);

} // namespace plc::language

#endif
