//===- Scope.h - meanings of names in a body --------------------*- C++ -*-===//
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

/// The names of one body, or of one inlined fn, while it is elaborated.
struct Scope {
  Scope(const Function &function, Diagnostics &diagnostics, const Sizes &outer)
      : function(function), sizes(diagnostics, &outer) {}

  const Function &function;
  llvm::StringMap<Binding> names;
  Sizes sizes;
  /// Names that rules of this body define, and the first use of each: clauses must come before it.
  llvm::StringSet<> defined;
  llvm::StringMap<SMLoc> uses;
  /// The extents that lines like `y: [N, C]` state for names that later rules define. An entry without axes had an
  /// error, which was reported.
  struct Declared {
    const Declarator *declarator = nullptr;
    std::optional<llvm::SmallVector<Axis, 4>> axes;
  };
  llvm::StringMap<Declared> declared;
  /// The axes that `...` stands for; nullopt if the header has no `...`.
  std::optional<llvm::SmallVector<Axis, 4>> ellipsis;
  /// Extents of the header's lower-case axis names.
  llvm::StringMap<Axis> header;
  /// A name of which each iteration of a `repeat` gives one position of an axis. It is a whole tensor after the
  /// `repeat` (Collect.cpp).
  struct Collected {
    const Declarator *left; // of the first iteration
    StringRef iteration;    // the index of the `repeat`
    unsigned axis;
    Axis whole; // extent 0: there was an error
    std::map<int64_t, Binding> slices;
    std::optional<Binding> rolled; // the whole, if a loop makes it
  };
  std::map<StringRef, Collected> collected;
  /// The numbers of iterations of the enclosing `repeat`s, by the names of their indices.
  llvm::StringMap<int64_t> iterationCounts;
  /// Indices of `repeat`s that become loops: their values are not known here. Each with the first value that is made in
  /// its loop.
  llvm::StringMap<ValueId> rolled;
  /// Whether the value of one of them, in this iteration, shows that a read stays inside. Then each iteration must.
  bool dependsOnIteration = false;
  const Frame *frame = nullptr;
  /// Of an fn that is called in a branch: where the branch is taken, over the axes of `...`.
  std::optional<View> guard;
  /// In a layer: the values of its `pop` statements.
  llvm::DenseMap<const Statement *, Binding> popped;
  /// The iterations of the enclosing `repeat`s, as they stand behind a layer's name in a path: ".3".
  std::string iterations;
  /// In a layer that a layer calls: the prefix of its parameters' names ("attention.3."), its caller, and the namespace
  /// of the call.
  std::string path;
  const Scope *caller = nullptr;
  const Namespace *space = nullptr;
  std::string spaceName;
  int64_t iteration = -1; // see Step

  const Binding *find(StringRef name) const {
    auto it = names.find(name);
    return it == names.end() ? nullptr : &it->second;
  }
};

/// An evaluated argument of a call. If `bracketed`, `dims` are the caller's indices of the view's axes.
struct CallArgument {
  Binding binding;
  bool bracketed = false;
  llvm::SmallVector<IndexId, 4> dims;
  SMLoc location;
};

/// Elaborates one rule of `scope`: resolves names, finds extents, applies the sum rule, inlines calls, and appends the
/// equations to `body`. Binds the left sides, as broken ones after an error.
void elaborateRule(Elaborator &elaborator, Scope &scope, Body &body, const Statement &rule);

/// The value that the iterations of a `repeat` have collected; a broken one after an error.
Binding wholeOf(Elaborator &elaborator, Scope &scope, Body &body, StringRef name, const Scope::Collected &collected);

} // namespace plc::language

#endif
