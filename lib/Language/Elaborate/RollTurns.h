//===- RollTurns.h - turns of a `repeat` as a loop --------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_ROLLTURNS_H
#define PLC_LIB_LANGUAGE_ELABORATE_ROLLTURNS_H

#include "Elaborator.h"

namespace plc::language {

/// Makes one loop of the turns of a `repeat` that are alike: elaborated with the same names, they have the same equations,
/// in which numbers and positions are linear in the turn. Otherwise, and in models, which hold calls alone, turns are
/// copies.
class TurnRoller {
public:
  TurnRoller(Elaborator &elaborator, const Statement &repeat, Scope &scope, Body &body)
      : elaborator(elaborator), repeat(repeat), scope(scope), body(body) {}

  /// The turns from `first` on, as a step of the body. False where they must be copies: nothing has changed then.
  bool roll(int64_t first, int64_t count);

  /// Why many turns of a layer or fn are no loop, in words that follow "because"; empty where nothing is to be said.
  const std::string &whyCopied() const { return why; }
  /// So many copies are worth a word.
  static constexpr int64_t manyCopies = 256;

  /// Fewer turns are copied: code that is written out is faster, and there is little of it.
  static constexpr int64_t fewestTurns = 8;

private:
  /// What elaborating a turn changes.
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
  /// What a turn gives.
  struct Turn {
    struct Element {
      StringRef name;
      int64_t position;
      ValueId value;
    };
    std::vector<Step> steps;
    std::vector<ValueId> next; // of `carried`
    std::vector<Element> elements;
    ValueId base; // where its own values begin
  };

  bool callsNoLayer(const std::vector<Statement *> &statements) const;
  bool callsNoLayer(const Expr &expr) const;
  bool countsTurns(const Statement &statement) const;
  bool isLinear(const std::vector<Statement *> &statements) const;
  bool isLinear(const Expr &expr) const;
  bool elaborate(int64_t turn);
  std::optional<std::vector<std::string>> findCarried(int64_t first);
  std::optional<Turn> take(int64_t turn);
  bool isLike(const Turn &first, const Turn &other, int64_t distance);
  void restore(const Snapshot &before);
  void finish(const Turn &turn, const Snapshot &before);

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
