//===- Diagnostics.h - errors and warnings of one .ein file -----*- C++ -*-===//
#ifndef PLC_SUPPORT_DIAGNOSTICS_H
#define PLC_SUPPORT_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SMLoc.h"
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
class raw_ostream;
} // namespace llvm

namespace plc {

/// One error or warning with its notes. A place that is not valid prints without line and caret, after `origin` or, if
/// that is empty, the name of the main file.
struct Diagnostic {
  struct Note {
    llvm::SMLoc place;
    std::string text;
    std::string origin{};
  };
  llvm::SMLoc place;
  std::string text;
  std::vector<Note> notes;
  std::string origin{};
  bool isWarning = false;

  Diagnostic &note(llvm::SMLoc where, const llvm::Twine &message, llvm::StringRef origin = {});
};

/// The errors and warnings of one run. Collects in any order; prints sorted by place, each place and text once.
class Diagnostics {
public:
  explicit Diagnostics(const llvm::SourceMgr &sources) : sources(sources) {}

  /// Adds an error. Inside calls of functions from other files than the main one (see `enterCall`) the error stands at
  /// the call in the main file and a note tells where it is. The reference is valid until the next error.
  Diagnostic &error(llvm::SMLoc place, const llvm::Twine &text);

  /// Adds a warning, which fails nothing. The reference is valid until the next error or warning.
  Diagnostic &warning(llvm::SMLoc place, const llvm::Twine &text);

  /// Adds a note to each error so far.
  void noteErrors(llvm::SMLoc place, const llvm::Twine &text);

  /// Of errors; warnings do not count.
  bool empty() const { return size() == 0; }
  size_t size() const { return found.size() - warnings; }

  /// Takes back what was found since `mark` gave this: something was tried that is done in another way.
  size_t mark() const { return found.size(); }
  void rewind(size_t mark);

  /// Marks what follows as inside the function called at `place`.
  void enterCall(llvm::SMLoc place) { calls.push_back(place); }
  void leaveCall() { calls.pop_back(); }

  /// Sorted by place, each place and text once.
  std::vector<const Diagnostic *> sorted() const;

  /// Prints `FILE:LINE:COL: error: TEXT`, or `warning`, the source line, a caret; each note likewise. Columns are bytes,
  /// from 1.
  void print(llvm::raw_ostream &os) const;

private:
  void printOne(llvm::raw_ostream &os, llvm::SMLoc place, llvm::StringRef origin, llvm::StringRef severity,
                llvm::StringRef text) const;

  const llvm::SourceMgr &sources;
  std::vector<Diagnostic> found;
  size_t warnings = 0; // of `found`
  std::vector<llvm::SMLoc> calls;
};

} // namespace plc

#endif
