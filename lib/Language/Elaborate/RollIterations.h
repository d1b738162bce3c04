//===- RollIterations.h - repeat as a loop ---------------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_ROLLITERATIONS_H
#define PLC_LIB_LANGUAGE_ELABORATE_ROLLITERATIONS_H

#include "Elaborator.h"

namespace plc::language {

/// Makes one loop of the iterations of a `repeat` that are alike. They are elaborated with the same names and must have
/// the same equations, in which numbers and positions are linear in the iteration. Other iterations become copies, as
/// do those of models, which hold calls only.
class IterationRoller {
public:
  IterationRoller(Elaborator &elaborator, const Statement &repeat, Scope &scope, Body &body)
      : elaborator(elaborator), repeat(repeat), scope(scope), body(body) {}

  /// Makes the iterations from `first` on one step of the body. Returns false if they must be copies: nothing has
  /// changed then.
  bool roll(int64_t first, int64_t count);

  /// Why many iterations of a layer or fn are no loop, in words that follow "because". Empty if there is no reason to
  /// report.
  const std::string &whyCopied() const { return why; }
  /// The number of copies from which on a warning is worth its line. Not tuned.
  static constexpr int64_t manyCopies = 256;

  /// Fewer iterations are copied: code that is written out fuses better, and there is little of it. Not tuned.
  static constexpr int64_t fewestIterations = 8;

private:
  /// The state that elaborating an iteration changes.
  struct Snapshot {
    Snapshot(const Scope &scope, const Body &body, size_t steps);
    void giveNames(Scope &scope) const;
    llvm::StringMap<Binding> names;
    llvm::StringSet<> defined;
    llvm::StringMap<SMLoc> uses;
    llvm::StringMap<Scope::Declared> declared;
    std::map<StringRef, Scope::Collected> collected;
    size_t values, equations, nodes, frames, steps;
  };
  /// The result of elaborating an iteration.
  struct Turn {
    struct Element {
      StringRef name;
      int64_t position;
      ValueId value;
    };
    std::vector<Step> steps;
    std::vector<ValueId> next; // of `carried`
    std::vector<Element> elements;
    ValueId base; // the first of its own values
  };

  bool callsNoLayer(const std::vector<Statement *> &statements) const;
  bool callsNoLayer(const Expr &expr) const;
  bool countsIterations(const Statement &statement) const;
  bool isLinear(const std::vector<Statement *> &statements) const;
  bool isLinear(const Expr &expr) const;
  bool elaborate(int64_t iteration);
  std::optional<std::vector<std::string>> findCarried(int64_t first);
  std::optional<Turn> take(int64_t iteration);
  bool isLike(const Turn &first, const Turn &other, int64_t distance);
  void restore(const Snapshot &before);
  void finish(const Turn &iteration, const Snapshot &before);

  Elaborator &elaborator;
  const Statement &repeat;
  Scope &scope;
  Body &body;
  int64_t count = 0;
  std::string why;
  std::vector<std::string> carried;
  std::shared_ptr<Loop> loop = std::make_shared<Loop>();
};

} // namespace plc::language

#endif
