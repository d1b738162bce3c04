//===- OptimizerHeader.cpp - what an optimizer declares -------------------===//
#include "SplitScalars.h"
#include "plc/Support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostics;

namespace {
/// Reads declarations in the order of the text; each check reports its own errors.
class HeaderReader {
public:
  HeaderReader(const Function &optimizer, const Sizes &sizes, Diagnostics &diagnostics)
      : optimizer(optimizer), sizes(sizes), diagnostics(diagnostics) {}

  std::optional<OptimizerHeader> run() {
    size_t errors = diagnostics.size();
    header.name = optimizer.name.str();
    readArguments();
    for (const NamedExpr &setting : optimizer.given)
      readSetting(setting);
    for (const Statement *statement : optimizer.body)
      readStatement(*statement);
    if (!optimizer.hasSyntaxErrors)
      checkNext();
    header.forms = {form};
    return diagnostics.size() == errors && !optimizer.hasSyntaxErrors ? std::optional(header) : std::nullopt;
  }

private:
  /// The names of a tensor's axes, "..." among them. Nullopt if one is no name.
  static std::optional<std::vector<StringRef>> axesOf(const Declarator &declarator) {
    std::vector<StringRef> axes;
    for (const IndexEntry &entry : declarator.axes) {
      bool isName =
          entry.isEllipsis() || (entry.expr && entry.expr->kind == Expr::Name && !isSizeName(entry.expr->name));
      StringRef name = !isName ? "" : entry.isEllipsis() ? "..." : entry.expr->name;
      if (!isName || llvm::is_contained(axes, name))
        return std::nullopt;
      axes.push_back(name);
    }
    return declarator.element.empty() && !axes.empty() ? std::optional(axes) : std::nullopt;
  }

  void readArguments() {
    bool areTwo = optimizer.arguments.size() == 2;
    std::optional<std::vector<StringRef>> ofParameter = areTwo ? axesOf(optimizer.arguments[0]) : std::nullopt;
    if (!ofParameter || axesOf(optimizer.arguments[1]) != ofParameter) {
      diagnostics.error(optimizer.location,
                        "an optimizer has two arguments of the same axes, a parameter and its gradient: 'optimizer " +
                            optimizer.name + "(w[...], g[...])', or '(w[..., r, c], g[..., r, c])' for matrices");
      return;
    }
    axes = *ofParameter;
    form.parameter = optimizer.arguments[0].name.str();
    form.gradient = optimizer.arguments[1].name.str();
    form.isOpen = axes.front() == "...";
    form.numAxes = int64_t(axes.size()) - form.isOpen;
    for (const Declarator &argument : optimizer.arguments)
      refuseGiven(argument.name, argument.location);
  }

  /// Names that mean something else: in every optimizer, or among the keys of a strategy.
  bool refuseGiven(StringRef name, SMLoc location) {
    if (!llvm::is_contained({StringRef(plc::module::rateName), StringRef(plc::module::stepName), StringRef("power")},
                            name))
      return false;
    diagnostics.error(location, "'" + name + "' is given to every optimizer, so it cannot be declared");
    return true;
  }

  void readSetting(const NamedExpr &setting) {
    if (refuseGiven(setting.name, setting.location))
      return;
    if (llvm::is_contained({"kind", "lr", "schedule", "clip_norm", "clip_value", "ema", "group"}, setting.name)) {
      diagnostics.error(setting.location, "'optimizer." + setting.name +
                                              "' is a key of every optimizer, so no setting can have its name");
      return;
    }
    if (isSizeName(setting.name) || !setting.value) {
      diagnostics.error(setting.location,
                        "found '" + setting.name + "', expected a setting with a default, such as 'beta = 0.9'");
      return;
    }
    std::optional<double> initial = evaluateNumber(*setting.value, sizes, diagnostics);
    plc::module::OptimizerSetting read{setting.name.str(), initial.value_or(0)};
    for (const Bound &bound : setting.bounds)
      if (std::optional<double> limit = evaluateNumber(*bound.value, sizes, diagnostics)) {
        (bound.isLeast ? read.limits.least : read.limits.most) =
            std::clamp(*limit, plc::module::Limits().least, plc::module::Limits().most);
        (bound.isLeast ? read.limits.isLeastExclusive : read.limits.isMostExclusive) = bound.isExclusive;
      }
    if (initial && !(std::isfinite(*initial) && read.limits.allow(*initial)))
      diagnostics.error(setting.value->location, "the default of '" + setting.name + "' is " +
                                                     setting.value->text.substr(0, 60) +
                                                     ", which is not finite or not within its own limits");
    header.settings.push_back(read);
  }

  void readStatement(const Statement &statement) {
    switch (statement.kind) {
    case Statement::Rule:
      if (statement.adds)
        refuse(statement, "'" + clauseToken(statement.join) + "'");
      else if (statement.isNext)
        readNext(statement);
      return;
    case Statement::State:
      for (const ParamName &state : statement.params)
        readState(statement, state);
      return;
    case Statement::Extents: return refuse(statement, "a declaration");
    case Statement::Param: return refuse(statement, "'param'");
    case Statement::Share: return refuse(statement, "'share'");
    case Statement::Repeat: return refuse(statement, "'repeat'");
    case Statement::Stash: return refuse(statement, "'stash'");
    case Statement::Pop: return refuse(statement, "'pop'");
    }
  }

  void refuse(const Statement &statement, const Twine &what) {
    diagnostics.error(statement.location,
                      what + " has no place in an optimizer, which has states, rules by '=', and " + "'next' values");
  }

  void readState(const Statement &statement, const ParamName &state) {
    const Declarator &name = state.declarator;
    std::optional<std::vector<int64_t>> lacks = lackedBy(name);
    if (!statement.isBroken && !axes.empty() && !lacks)
      diagnostics.error(name.location, "found state '" + name.name + "' of other axes, expected the parameter's, or " +
                                           "some of them in their order: '" + name.name + "[" + llvm::join(axes, ", ") +
                                           "]'");
    refuseGiven(name.name, name.location);
    if (statement.isBroken || state.initializer < 0)
      return;
    const Expr &init = *statement.initializers[state.initializer].arguments[0];
    std::optional<double> number = evaluateNumber(init, sizes, diagnostics);
    if (number && !std::isfinite(*number))
      diagnostics.error(init.location, "state '" + name.name + "' begins as " + init.text.substr(0, 60) +
                                           ", expected a finite number");
    form.states.push_back({name.name.str(), number.value_or(0), lacks.value_or(std::vector<int64_t>())});
    states[name.name] = name.location;
  }

  /// The axes of the parameter that a state does not have, from the last one, which is 1. Nullopt if the state has
  /// others, or none.
  std::optional<std::vector<int64_t>> lackedBy(const Declarator &state) const {
    std::optional<std::vector<StringRef>> own = axesOf(state);
    if (!own)
      return std::nullopt;
    std::vector<int64_t> lacks;
    size_t at = own->size();
    for (size_t axis = axes.size(); axis-- > 0;)
      if (at && (*own)[at - 1] == axes[axis])
        --at;
      else
        lacks.push_back(int64_t(axes.size() - axis));
    // How many axes `...` stands for is not known, so a state has them all.
    bool lacksOpen = form.isOpen && llvm::is_contained(lacks, int64_t(axes.size()));
    return at || lacksOpen ? std::nullopt : std::optional(lacks);
  }

  void readNext(const Statement &statement) {
    const Declarator &left = statement.lefts[0];
    StringRef name = statement.skip;
    if (form.parameter.empty()) // reported already
      return;
    if (name != form.parameter && !states.count(name)) {
      diagnostics.error(left.location, "found 'next " + name + "', but '" + name + "' is neither the parameter '" +
                                           form.parameter + "' nor a state");
      return;
    }
    auto [earlier, isNew] = next.try_emplace(name, left.location);
    if (!isNew)
      diagnostics.error(left.location, "'next " + name + "' is defined twice")
          .note(earlier->second, "the first definition is here");
  }

  void checkNext() {
    if (!form.parameter.empty() && !next.count(form.parameter))
      diagnostics.error(optimizer.location, "optimizer '" + optimizer.name + "' has no 'next " + form.parameter +
                                                "', so it changes no parameter");
    for (const plc::module::OptimizerState &state : form.states)
      if (!next.count(state.name))
        diagnostics.error(states[state.name], "state '" + state.name + "' has no 'next " + state.name +
                                                  "': write its value after the step");
  }

  const Function &optimizer;
  const Sizes &sizes;
  Diagnostics &diagnostics;
  OptimizerHeader header;
  plc::module::OptimizerForm form;
  std::vector<StringRef> axes; // of the parameter
  llvm::StringMap<SMLoc> states, next;
};
} // namespace

std::optional<OptimizerHeader> plc::language::headerOf(const Function &optimizer, const Sizes &sizes,
                                                       Diagnostics &diagnostics) {
  return HeaderReader(optimizer, sizes, diagnostics).run();
}
