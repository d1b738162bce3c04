//===- Scope.h - what the names of a body stand for -------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_SCOPE_H
#define PLC_LIB_LANGUAGE_ELABORATE_SCOPE_H

#include "Emit/Program.h"
#include "Syntax/Sizes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {
class Elaborator;

/// Names of one body, or of one inlined fn, while it is elaborated.
struct Scope {
  Scope(const Function &function, Diagnostics &diagnostics, const Sizes &outer)
      : function(function), sizes(diagnostics, &outer) {}

  const Function &function;
  llvm::StringMap<Binding> names;
  Sizes sizes;
  /// Names that rules of this body define, and where each was first used: clauses come before.
  llvm::StringSet<> defined;
  llvm::StringMap<SMLoc> uses;
  /// What lines like `y: [N, C]` state about the names that the rules after them define. An entry without axes had an
  /// error, which was reported.
  struct Declared {
    const Declarator *declarator = nullptr;
    std::optional<llvm::SmallVector<Axis, 4>> axes;
  };
  llvm::StringMap<Declared> declared;
  /// The axes that `...` stands for; none if the header has no `...`.
  std::optional<llvm::SmallVector<Axis, 4>> ellipsis;
  /// Extents of the header's lower-case axis names.
  llvm::StringMap<Axis> header;
  /// Names to which each turn of a `repeat` gives one position of an axis; they are whole behind it. See Collect.cpp.
  struct Collected {
    const Declarator *left; // of the first turn
    StringRef turn;         // names the `repeat`
    unsigned axis;
    Axis whole; // extent 0: there was an error
    std::map<int64_t, Binding> slices;
    std::optional<Binding> rolled; // by a loop, as a whole
  };
  std::map<StringRef, Collected> collected;
  /// How many turns the enclosing `repeat`s have, by the names of their turns.
  llvm::StringMap<int64_t> turnCounts;
  /// Turns that become those of a loop: as numbers they are not known.
  llvm::StringSet<> rolled;
  const Frame *frame = nullptr;
  /// Layers: what `pop` gives.
  llvm::DenseMap<const Statement *, Binding> popped;
  /// The turns of the enclosing `repeat`s, as they stand behind a layer's name in a path: ".3".
  std::string turns;
  /// For a layer that a layer calls: the prefix of its parameters' names ("attention.3."), and its caller with the
  /// namespace of the call.
  std::string path;
  const Scope *caller = nullptr;
  const Namespace *space = nullptr;
  std::string spaceName;
  int64_t turn = -1; // see Step

  const Binding *find(StringRef name) const {
    auto it = names.find(name);
    return it == names.end() ? nullptr : &it->second;
  }
};

/// An argument of a call, evaluated. With `bracketed`, `dims` are the caller's indices of the view's axes.
struct CallArgument {
  Binding binding;
  bool bracketed = false;
  llvm::SmallVector<IndexId, 4> dims;
  SMLoc place;
};

/// Elaborates one rule of `scope`: resolves names, finds extents, applies the sum rule, inlines calls, and appends the
/// equations to `body`. Binds the left sides, as broken ones if there was an error.
void elaborateRule(Elaborator &elaborator, Scope &scope, Body &body, const Statement &rule);

/// The value that the turns of a `repeat` have collected; a broken one after an error.
Binding wholeOf(Elaborator &elaborator, Scope &scope, Body &body, StringRef name, const Scope::Collected &collected);

} // namespace plc::language

#endif
