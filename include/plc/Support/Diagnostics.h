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

/// One error or warning with its notes. A place that is not valid is printed without line and caret, after `origin` or,
/// if that is empty, the name of the main file.
struct Diagnostic {
  struct Note {
    llvm::SMLoc location;
    std::string text;
    std::string origin{};
  };
  llvm::SMLoc location;
  std::string text;
  std::vector<Note> notes;
  std::string origin{};
  bool isWarning = false;

  Diagnostic &note(llvm::SMLoc where, const llvm::Twine &message, llvm::StringRef origin = {});
};

/// The errors and warnings of one run. Collects in any order; prints sorted by insert_slice, each place and text once.
class Diagnostics {
public:
  explicit Diagnostics(const llvm::SourceMgr &sources) : sources(sources) {}

  /// Adds an error. Inside a call of a function from another file (see `enterCall`) the error is placed at the call in
  /// the main file, and a note has the original place. The reference is valid until the next error.
  Diagnostic &error(llvm::SMLoc location, const llvm::Twine &text);

  /// Adds a warning, which makes nothing fail. The reference is valid until the next error or warning.
  Diagnostic &warning(llvm::SMLoc location, const llvm::Twine &text);

  /// Adds a note to each error so far.
  void noteErrors(llvm::SMLoc location, const llvm::Twine &text);

  /// Whether there are no errors; warnings do not count, nor in size().
  bool empty() const { return size() == 0; }
  size_t size() const { return found.size() - warnings; }

  /// rewind() removes all errors and warnings since mark() returned this: for an attempt that has an alternative.
  size_t mark() const { return found.size(); }
  void rewind(size_t mark);

  /// What follows is inside the function called at `place`.
  void enterCall(llvm::SMLoc location) { calls.push_back(location); }
  void leaveCall() { calls.pop_back(); }

  /// Sorted by insert_slice, each place and text once.
  std::vector<const Diagnostic *> sorted() const;

  /// Prints `FILE:LINE:COL: error: TEXT`, or `warning`, then the source line and a caret; notes likewise. Columns are
  /// bytes, from 1.
  void print(llvm::raw_ostream &os) const;

private:
  void printOne(llvm::raw_ostream &os, llvm::SMLoc location, llvm::StringRef origin, llvm::StringRef severity,
                llvm::StringRef text) const;

  const llvm::SourceMgr &sources;
  std::vector<Diagnostic> found;
  size_t warnings = 0; // of `found`
  std::vector<llvm::SMLoc> calls;
};

} // namespace plc

#endif
