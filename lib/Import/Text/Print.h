//===- Print.h - rules as text ----------------------------------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_PRINT_H
#define PLC_LIB_IMPORT_TEXT_PRINT_H

#include "Text/Sizes.h"

namespace plc::import {

/// Prints one rule. Indices get letters by their sizes.
class Print {
public:
  using Names = std::map<RuleKey, std::string>;
  Print(Rules &rules, const Layer &layer, Sizes &sizes, const Names &names)
      : rules(rules), layer(layer), sizes(sizes), names(names) {}

  /// The lines of a rule; `declares`: a line of its own gives the extents of one that has clauses.
  std::vector<std::string> rule(const Rule &rule, bool declares);
  /// An argument of a function on whole tensors.
  std::string argument(E e) { return bare(e); }

private:
  void giveLetters(const std::vector<const Var *> &vars);
  std::string clause(const std::string &name, const Rule &rule, const Clause &clause);
  std::string partPosition(const Clause &clause, bool isSingleBehind);
  std::string expr(E e, int precedence);
  std::string infix(E e, int precedence);
  std::string read(E e);
  std::string readWhole(E e);
  std::string affine(const Affine &position, bool isPart);
  std::string term(const Term &term, int64_t extent);
  std::string bound(const Var *index); // in brackets, with its size where nothing else gives it
  std::string arguments(E e, bool isBare);
  std::string bare(E e);
  bool isBare(E e, const std::vector<const Var *> &left);
  std::string nameOf(const RuleKey &key) const;
  std::string list(const std::vector<const Var *> &vars);

  Rules &rules;
  const Layer &layer;
  Sizes &sizes;
  const Names &names;
  std::map<const Var *, std::string> letters;
  std::set<const Var *> sized; // indices whose extent some tensor gives
};

std::string numberText(double value);

} // namespace plc::import

#endif
