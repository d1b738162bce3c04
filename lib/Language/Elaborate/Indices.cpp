//===- Indices.cpp - indices of a rule and their extents ------------------===//
#include "Builtins.h"
#include "RuleBuilder.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;

bool plc::language::hasIndex(const Expr &expr) {
  return (expr.brackets && !isSlice(expr)) ||
         llvm::any_of(expr.operands, [](const Expr *operand) { return hasIndex(*operand); });
}

/// The index of a name; a new one at its first use.
IndexId RuleBuilder::indexNamed(StringRef name) {
  auto [it, isNew] = byName.try_emplace(name, indices->size());
  if (isNew)
    indices->push_back({name.str(), 0, SMLoc(), "", -1, SMLoc()});
  return it->second;
}

/// The index that stands for one axis of `...`.
IndexId RuleBuilder::ellipsisIndex(unsigned position) {
  IndexId id = indexNamed(("..." + Twine(position)).str());
  Index &index = (*indices)[id];
  if (!index.extent) {
    index.extent = (*scope.ellipsis)[position].extent;
    index.extentLocation = (*scope.ellipsis)[position].location;
    index.extentOwner = "'...'";
  }
  return id;
}

/// Sets the extent of an index, or compares it with the one that it has.
bool RuleBuilder::setExtent(IndexId id, Axis axis, SMLoc location, const Twine &owner) {
  Index &index = (*indices)[id];
  if (!index.extent) {
    index.extent = axis.extent;
    index.extentLocation = location;
    index.extentOwner = owner.str();
    return true;
  }
  if (index.extent == axis.extent)
    return true;
  Diagnostic &error =
      diagnostics.error(location, "index '" + index.name + "' has extent " + Twine(axis.extent) + " in " + owner +
                                      " but " + Twine(index.extent) + " in " + index.extentOwner);
  error.note(index.extentLocation, "extent " + Twine(index.extent) + " is from here");
  if (axis.location.isValid() && axis.location != location)
    error.note(axis.location, "extent " + Twine(axis.extent) + " is stated here");
  badIndices = true;
  return false;
}

/// Declares one index of a left side or of a reduction's brackets; it may occur there once.
bool RuleBuilder::declareIndex(const IndexEntry &entry, SMLoc location, StringRef name,
                               llvm::SmallVectorImpl<IndexId> &ids) {
  if (const Size *iteration = scope.sizes.find(name)) {
    diagnostics.error(location, "'" + name + "' is an iteration of 'repeat', which is a number and no index")
        .note(iteration->location, "the iteration is defined here");
    return false;
  }
  IndexId id = indexNamed(name);
  if (llvm::is_contained(ids, id)) {
    diagnostics.error(location, "index '" + name + "' occurs twice in one bracket");
    return false;
  }
  ids.push_back(id);
  (*indices)[id].location = location;
  if (!entry.extent)
    return true;
  if (mentionsSize(*entry.extent)) {
    sized.emplace_back(id, entry.extent); // of an index whose extent a tensor further on may tell
    return true;
  }
  return stateExtent(id, *entry.extent, scope.sizes);
}

/// The extent of `i: N`.
bool RuleBuilder::stateExtent(IndexId id, const Expr &expr, const Sizes &sizes) {
  std::optional<int64_t> extent = sizes.evaluateExtent(expr);
  badIndices |= !extent;
  return extent && setExtent(id, {*extent, expr.location}, expr.location, "this bracket");
}

/// `i: size(j)`, after the tensors of the rule have given the extent of j. An index of the rule hides an axis that the
/// header names.
bool RuleBuilder::stateSizedExtents() {
  bool ok = true;
  for (auto [id, expr] : sized) {
    Sizes known(diagnostics, &scope.sizes);
    for (const Index &index : *indices)
      if (index.extent)
        known.bindExtent(index.name, {index.extent, index.extentLocation});
    ok &= stateExtent(id, *expr, known);
  }
  return ok;
}

/// Declares the indices of a left side or of a reduction's brackets: names, `...` and `i: N`. On a left side also
/// affine expressions; `axes` then gets the indices of each axis.
bool RuleBuilder::declareEntries(const std::vector<IndexEntry> &entries, llvm::SmallVectorImpl<IndexId> &ids,
                                 llvm::SmallVectorImpl<Affine> *axes) {
  bool ok = true;
  for (const IndexEntry &entry : entries) {
    if (entry.isEllipsis()) {
      if (!scope.ellipsis) {
        diagnostics.error(entry.location, "'...' needs an fn with '...' in its header");
        ok = false;
        continue;
      }
      for (unsigned i = 0; i < scope.ellipsis->size(); ++i) {
        ids.push_back(ellipsisIndex(i));
        if (axes)
          axes->push_back({{ids.back()}, {entry.location}});
      }
    } else if (entry.expr->kind == Expr::Name && !isSizeName(entry.expr->name)) {
      bool declared = declareIndex(entry, entry.location, entry.expr->name, ids);
      if (declared && axes)
        axes->push_back({{ids.back()}, {entry.location}});
      ok &= declared;
    } else if (!axes) {
      diagnostics.error(entry.location, "found '" + entry.expr->text.substr(0, 60) + "', expected an index");
      ok = false;
    } else {
      ok &= declareAffine(entry, ids, *axes);
    }
  }
  return ok;
}

/// `y[2*i + p] = ..`.
bool RuleBuilder::declareAffine(const IndexEntry &entry, llvm::SmallVectorImpl<IndexId> &ids,
                                llvm::SmallVectorImpl<Affine> &axes) {
  if (entry.extent) {
    diagnostics.error(entry.extent->location,
                      "an extent belongs behind an index, found '" + entry.expr->text.substr(0, 60) + "'");
    return false;
  }
  std::optional<Affine> affine = partOf(*entry.expr);
  if (!affine)
    return false;
  bool ok = true;
  for (auto [id, location] : llvm::zip(affine->indices, affine->locations))
    ok &= declareIndex(entry, location, (*indices)[id].name, ids);
  axes.push_back(*affine);
  return ok;
}

/// Whether the expression in an index position is an index, and not an integer tensor of rank 0.
bool RuleBuilder::isPlainIndex(const Expr &expr) {
  if (expr.kind != Expr::Name || isSizeName(expr.name) || scope.sizes.find(expr.name))
    return false; // a size or an iteration of `repeat`
  if (byName.count(expr.name))
    return true;
  const Binding *binding = scope.find(expr.name);
  return !binding || binding->kind != Binding::Tensor || !binding->view.axes.empty() ||
         !isInteger(body.values[binding->view.value].element);
}

bool RuleBuilder::collectAll(const std::vector<const Expr *> &exprs) {
  bool ok = true;
  for (const Expr *expr : exprs)
    ok &= collect(*expr);
  return ok;
}

/// Collects the indices of a right side, at the first call. A left side may ask before it is declared, since the
/// extents on the right decide how it is read.
bool RuleBuilder::collectOnce(const Expr &right) {
  if (!rightIsGood)
    rightIsGood = collect(right);
  return *rightIsGood;
}

/// Collects the indices of a right side, and the extents that they get from one another.
bool RuleBuilder::collectRight(const Expr &right) {
  bool ok = collectOnce(right);
  ok &= stateSizedExtents();
  return settlePositions() && ok;
}

/// Collects indices and names of an expression; calls of whole tensors are evaluated here.
bool RuleBuilder::collect(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Name:
    if (const Binding *binding = scope.find(expr.name)) {
      tensorNames.try_emplace(expr.name, expr.location);
      scope.uses.try_emplace(expr.name, expr.location);
      bool hasAxes = binding->kind == Binding::Tensor && !binding->view.axes.empty();
      if (!hasAxes)
        scalarNames.try_emplace(expr.name, expr.location);
      if (hasAxes && !bare)
        bareTensors.push_back(&expr); // or an index of that name, which may stand further on
      else
        return collectBare(expr, *binding);
    }
    return true;
  case Expr::Access: return collectAccess(expr);
  case Expr::Call: return collectCall(expr);
  case Expr::If: return collectIf(expr);
  default: return collectAll(expr.operands);
  }
}

static std::string shapeOf(llvm::ArrayRef<Axis> axes) {
  std::string text = "[";
  for (const Axis &axis : axes)
    text += (text.size() > 1 ? ", " : "") + std::to_string(axis.extent);
  return text + "]";
}

/// A tensor without indices: the value of a name or of a call. All of them in a rule must have one shape.
bool RuleBuilder::collectBare(const Expr &expr, const Binding &binding) {
  if (binding.kind != Binding::Tensor || binding.view.axes.empty())
    return true;
  llvm::ArrayRef<Axis> axes = binding.view.axes;
  StringRef text = expr.kind == Expr::Call ? expr.name : expr.text;
  if (!bare) {
    diagnostics
        .error(expr.location,
               "'" + text + "' of shape " + shapeOf(axes) + " has no indices, but the rule is written with indices")
        .note(binding.location, "'" + text + "' is defined here");
    return false;
  }
  if (!bareAxes) {
    bareAxes = binding.view.axes;
    bareOwner = text.str();
    bareLocation = expr.location;
    return true;
  }
  bool same = bareAxes->size() == axes.size() && llvm::all_of(llvm::zip(*bareAxes, axes), [](auto pair) {
                return std::get<0>(pair).extent == std::get<1>(pair).extent;
              });
  if (!same)
    diagnostics
        .error(expr.location,
               "'" + text + "' has shape " + shapeOf(axes) + " but '" + bareOwner + "' has shape " + shapeOf(*bareAxes))
        .note(bareLocation, "'" + bareOwner + "' is used here");
  return same;
}

/// Collects the indices of `x[..]`, and gives them the extents of its axes.
bool RuleBuilder::collectAccess(const Expr &expr, bool padded) {
  if (isSlice(expr) && !isSliceHere(expr))
    return false;
  const Binding *binding = scope.find(expr.name);
  tensorNames.try_emplace(expr.name, expr.location);
  scope.uses.try_emplace(expr.name, expr.location);
  bool known = binding && binding->kind == Binding::Tensor;
  size_t axis = 0, rank = known ? binding->view.axes.size() : 0;
  bool ok = true;
  Binding slice;
  for (const IndexEntry &entry : expr.indices) {
    if (entry.isEllipsis()) {
      if (!scope.ellipsis) {
        diagnostics.error(entry.location, "'...' needs an fn with '...' in its header");
        return false;
      }
      for (unsigned i = 0; i < scope.ellipsis->size(); ++i, ++axis)
        if (axis < rank)
          ok &= setExtent(ellipsisIndex(i), binding->view.axes[axis], entry.location, "'" + expr.name + "'");
      continue;
    }
    if (entry.extent) {
      diagnostics.error(entry.extent->location, "an extent belongs on the left side or in a reduction's brackets: '" +
                                                    expr.name + "' has its own");
      ok = false;
    }
    if (entry.expr->kind == Expr::Whole) {
      if (axis < rank)
        slice.view.axes.push_back(binding->view.axes[axis]);
    } else if (!isPlainIndex(*entry.expr)) {
      ok &= readsTensor(*entry.expr, scope)
                ? collect(*entry.expr)
                : collectAffine(*entry.expr, axis < rank ? &binding->view.axes[axis] : nullptr, expr.name, padded);
    } else {
      IndexId id = indexNamed(entry.expr->name);
      if (axis < rank)
        ok &= setExtent(id, binding->view.axes[axis], entry.location, "'" + expr.name + "'");
    }
    ++axis;
  }
  if (slice.view.axes.empty() || axis != rank)
    return ok;
  slice.kind = Binding::Tensor;
  slice.location = binding->location;
  return collectBare(expr, slice) && ok;
}

/// Whether a slice `g[l, :]` stands in a rule without indices, where it is a tensor of the whole axes.
bool RuleBuilder::isSliceHere(const Expr &slice) {
  auto isIndex = [&](const IndexEntry &entry) {
    return entry.isEllipsis() || hasIndex(*entry.expr) || isPlainIndex(*entry.expr);
  };
  auto index = llvm::find_if(slice.indices, isIndex);
  if (bare && index == slice.indices.end())
    return true;
  SMLoc location = bare ? index->location : slice.location;
  diagnostics.error(location, "'" + slice.text.substr(0, 60) +
                                  "' takes whole axes, for rules and arguments without indices; here each axis has an "
                                  "index: a name in place of ':'");
  badIndices = true;
  return false;
}

/// Collects the indices of a call. A call of whole tensors is evaluated, since its shape is needed.
bool RuleBuilder::collectCall(const Expr &expr) {
  llvm::SmallVector<IndexId> ids;
  Builtin builtin = builtinOf(expr.name);
  if (builtin == Builtin::Pad)
    return collectPad(expr);
  bool needsBrackets = builtin == Builtin::Reduction || builtin == Builtin::Positions;
  if (builtin == Builtin::Size || (needsBrackets && !expr.brackets))
    return true;
  if (builtin != Builtin::None || hasIndex(expr)) {
    // Both, so that the errors of both are found.
    bool declared = !expr.brackets || declareEntries(expr.indices, ids);
    bool collected = collectAll(expr.operands);
    return declared && collected;
  }
  // A call of whole tensors is evaluated first: its shape is needed.
  std::optional<std::vector<Binding>> results = callWhole(expr, &expr == whole ? space : nullptr);
  if (!results)
    return false;
  if (results->size() != 1) {
    diagnostics.error(expr.location, "'" + expr.name + "' has " + Twine(results->size()) +
                                         " results, expected 1 inside an expression");
    return false;
  }
  bareCalls[&expr] = results->front();
  return collectBare(expr, results->front());
}

std::optional<IndexId> RuleBuilder::indexOf(StringRef name) const {
  auto found = byName.find(name);
  return found == byName.end() ? std::nullopt : std::optional(found->second);
}

llvm::SmallVector<IndexId, 4> RuleBuilder::ellipsis() const {
  llvm::SmallVector<IndexId, 4> all;
  for (unsigned i = 0; scope.ellipsis && i < scope.ellipsis->size(); ++i)
    if (std::optional<IndexId> index = indexOf(("..." + Twine(i)).str()))
      all.push_back(*index);
  return all;
}

llvm::SmallVector<const IndexEntry *> plc::language::namedAxes(const Function &callee) {
  llvm::SmallVector<const IndexEntry *> named;
  for (const Declarator &argument : callee.arguments)
    for (const IndexEntry &entry : argument.axes)
      if (entry.expr && llvm::none_of(named, [&](auto *other) { return other->expr->text == entry.expr->text; }))
        named.push_back(&entry);
  return named;
}

bool RuleBuilder::keeps(const Expr &call, size_t position) const {
  if (builtinOf(call.name) == Builtin::Positions)
    return call.name == "topk" && position == 1;
  const Function *callee = elaborator.library.seenBy(scope.function).lookup(call.name);
  if (!callee || callee->results.size() != 1)
    return false;
  llvm::SmallVector<const IndexEntry *> named = namedAxes(*callee);
  if (named.size() == 1) // all of them count it
    position = 0;
  return position < named.size() && llvm::any_of(
                                        callee->results[0].axes,
                                        [&](const IndexEntry &entry) {
                                          return !entry.isEllipsis() && entry.expr->text == named[position]->expr->text;
                                        });
}

bool RuleBuilder::takesIndices(const Expr &call) const {
  if (builtinOf(call.name) != Builtin::None)
    return true;
  const Function *callee = elaborator.library.seenBy(scope.function).lookup(call.name);
  return callee && callee->kind == Function::Fn && !callee->arguments.empty() &&
         bindsIndices(*callee, call.indices.size());
}

/// An index may have the name of a tensor that stands with brackets: `g[d]` beside `x[g]`. For a scalar tensor the name
/// alone could be either, so that is an error.
bool RuleBuilder::checkClashes() {
  bool ok = true;
  for (const Expr *name : bareTensors)
    ok &= byName.count(name->name) || collectBare(*name, *scope.find(name->name));
  for (const Index &index : *indices) {
    const Binding *binding = scope.find(index.name);
    bool isPosition = binding && binding->kind == Binding::Tensor && binding->view.axes.empty() &&
                      isInteger(body.values[binding->view.value].element);
    auto use = scalarNames.find(index.name);
    if (use == scalarNames.end() && !isPosition)
      continue;
    SMLoc indexLocation = index.location.isValid() ? index.location : index.extentLocation;
    SMLoc location = use == scalarNames.end() ? indexLocation : use->second;
    Diagnostic &error = diagnostics.error(location, "'" + index.name + "' is a scalar tensor and an index in one rule");
    if (indexLocation.isValid() && indexLocation != location)
      error.note(indexLocation, "the index is used here");
    if (binding && binding->location != location)
      error.note(binding->location, "the tensor is defined here");
    ok = false;
  }
  return ok;
}
