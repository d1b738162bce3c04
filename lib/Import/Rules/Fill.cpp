//===- Fill.cpp - the rules of values -------------------------------------===//
#include "Rules/Rules.h"

#include <algorithm>

using namespace plc;
using namespace plc::import;

Axis Rules::axesOfRead(E e, const Layer &home) {
  Axis leaves;
  auto made = home.made.find(e->key);
  if (made == home.made.end() || e->key.node->is(OpClass::Leaf))
    return axesOf(e->key.node);
  for (const Var *index : made->second->left)
    leaves.push_back(index->leaf);
  return leaves;
}

/// Whether an expression reads all of a value at these indices, in this order.
bool Rules::isPlainRead(E e, const std::vector<const Var *> &vars, const Layer &home) {
  if (e->kind != Expr::Read || e->terms.size() != vars.size())
    return false;
  for (const Axis &axis : e->key.node->axes)
    if (e->key.node->op == Op::Input && flat(axis).size() > 1)
      return false; // an input's axis is whole
  Axis leaves = axesOfRead(e, home);
  for (size_t i = 0; i < vars.size(); ++i)
    if (leaves[i]->extent != vars[i]->leaf->extent)
      return false;
  return std::equal(e->terms.begin(), e->terms.end(), vars.begin(), vars.end(),
                    [](const Term &term, const Var *var) { return term.single() == var; });
}

static std::vector<const Var *> indicesOf(const Terms &terms) {
  std::vector<const Var *> vars;
  for (const Term &term : terms)
    vars.push_back(term.single());
  return vars;
}

static bool isNumber(E e) { return e->kind == Expr::Number; }

/// Operands as whole tensors; nullopt if one is read by parts or in another order of axes. Functions of one element may
/// stand inside.
std::optional<std::vector<E>> Rules::wholeOperands(NetNode *node, const std::vector<size_t> &operands) {
  std::vector<E> arguments;
  for (size_t k : operands) {
    NetNode *x = node->operands[k];
    Position at = varPosition(exprs, x->axes);
    std::vector<const Var *> vars;
    for (const Terms &terms : at)
      for (const Term &term : terms)
        vars.push_back(term.single());
    E e = element(x, at), inner = e;
    while ((inner->kind == Expr::Call && std::all_of(inner->arguments.begin() + 1, inner->arguments.end(), isNumber)) ||
           inner->kind == Expr::Negate)
      inner = inner->arguments[0];
    if (!isPlainRead(inner, vars, *layer))
      return std::nullopt;
    arguments.push_back(e);
  }
  return arguments;
}

/// A function of the library on whole tensors.
E Rules::whole(NetNode *node, const std::vector<size_t> &operands, Settings settings) {
  std::optional<std::vector<E>> arguments = wholeOperands(node, operands);
  if (!arguments)
    throw CannotImport("an operand that is read by parts", node);
  return exprs.make({.kind = Expr::Whole, .op = node->op, .arguments = *arguments, .settings = std::move(settings)});
}

/// Layer norm and RMS norm: on whole tensors if they read and write all axes in order.
E Rules::normalization(NetNode *node, const Position &at, const std::vector<const Var *> &left) {
  bool isLayer = node->op == Op::LayerNorm;
  size_t count = isLayer ? node->ints[0] : 1;
  E e = element(node->operands[0], at);
  Position last(at.end() - count, at.end());
  std::vector<const Var *> vars;
  for (const Terms &terms : last)
    for (const Var *var : indicesOf(terms))
      vars.push_back(var);
  std::vector<E> arguments = {e};
  bool isPlain = vars.size() == 1 && isPlainRead(e, left, *layer) && !hasUnits(e->key.node) && left.back() == vars[0];
  for (size_t k = 1; k < (isLayer ? 3 : 2); ++k) {
    NetNode *w = node->operand(k);
    isPlain &= w && isParameter(w);
    arguments.push_back(w ? element(w, last) : exprs.number(k == 1));
  }
  Settings settings;
  if (node->number != 1e-5)
    settings.push_back({"eps", node->number});
  if (!isPlain)
    return exprs.make(
        {.kind = Expr::Library, .op = node->op, .arguments = arguments, .vars = vars, .settings = std::move(settings)});
  return exprs.make({.kind = Expr::Whole, .op = node->op, .arguments = arguments, .settings = std::move(settings)});
}

/// Rotary positions: on whole tensors if their axes are the last two, in order.
E Rules::rotated(NetNode *node, const Position &at, const std::vector<const Var *> &left) {
  E e = element(node->operands[0], at);
  const Terms &rows = at[size_t(node->dim)], &columns = at.back();
  if (rows.size() != 1 || columns.size() != 1)
    throw Misaligned("rotary positions along an axis that a view divides");
  std::vector<const Var *> vars = {rows[0].single(), columns[0].single()};
  Settings settings;
  if (node->number != 10000)
    settings.push_back({"base", node->number});
  bool isPlain =
      isPlainRead(e, left, *layer) && !hasUnits(e->key.node) && std::equal(vars.begin(), vars.end(), left.end() - 2);
  return exprs.make({.kind = isPlain ? Expr::Whole : Expr::Library,
                     .op = node->op,
                     .arguments = {e},
                     .vars = isPlain ? std::vector<const Var *>() : vars,
                     .settings = std::move(settings)});
}

E Rules::batchNorm(NetNode *node, const Position &at) {
  Settings settings;
  if (node->number != 1e-5)
    settings.push_back({"eps", node->number});
  bool isWhole = node->rank() == 4 && node->operands[3] && node->operands[4];
  for (const Axis &axis : node->axes)
    isWhole &= !axis.empty();
  if (isWhole)
    return whole(node, {0, 1, 2, 3, 4}, settings);
  auto channel = [&](size_t k) { return element(node->operands[k], {at[1]}); };
  E deviation = exprs.call(Op::Rsqrt, {exprs.infix(Op::Add, channel(2), exprs.number(node->number))});
  E e = exprs.infix(Op::Mul, exprs.infix(Op::Sub, element(node->operands[0], at), channel(1)), deviation);
  if (node->operands[3])
    e = exprs.infix(Op::Mul, e, channel(3));
  return node->operands[4] ? exprs.infix(Op::Add, e, channel(4)) : e;
}

E Rules::runningSum(NetNode *node, const Position &at) {
  Axis leaves = flat(node->axes[node->dim]);
  if (leaves.size() != 1)
    throw Misaligned("a running sum along an axis that a view divides");
  const Var *before = exprs.var(leaves[0]);
  Position own = at;
  own[node->dim] = {Term{Affine(before)}};
  E e = element(node->operands[0], own);
  if (node->operands[0]->isBool())
    e = exprs.integer(e);
  E isBefore = exprs.infix(Op::LessEqual, exprs.position(Affine(before)), joined(at[node->dim], leaves));
  return exprs.reduce(Op::Sum, {before}, exprs.choice(isBefore, e, exprs.number(0)));
}

/// Positions of the largest.
E Rules::best(NetNode *node, const Position &at) {
  NetNode *x = node->operands[0];
  Axis leaves = flat(x->axes[node->dim]);
  if (leaves.empty())
    return exprs.number(0, ElementType::I64);
  if (leaves.size() != 1)
    throw Misaligned("the largest along an axis that a view divides");
  const Var *over = exprs.var(leaves[0]);
  Position own = at;
  if (node->op == Op::ArgMax && node->rank() < x->rank())
    own.insert(own.begin() + node->dim, Terms());
  own[node->dim] = {Term{Affine(over)}};
  E e = element(x, own);
  if (node->op == Op::ArgMax)
    return exprs.reduce(node->op, {over}, e);
  const Var *rank = at[node->dim][0].single();
  return exprs.make({.kind = Expr::TopK, .arguments = {e}, .vars = {over, rank}});
}

E Rules::right(const Rule &rule, const Position &at) {
  NetNode *node = rule.key.node;
  switch (node->op) {
  case Op::LayerNorm:
  case Op::RmsNorm: return normalization(node, at, rule.left);
  case Op::BatchNorm: return batchNorm(node, at);
  case Op::Rope:
  case Op::RopePairs: return rotated(node, at, rule.left);
  case Op::Convolution:
  case Op::ConvTranspose: return convolution(node, at);
  case Op::Lstm: return whole(node, {0, 1, 2, 3}, {});
  case Op::UpsampleNearest:
  case Op::UpsampleLinear: return whole(node, {0}, {{"K", double(node->ints[0])}});
  case Op::MaxPool:
  case Op::MeanPool: return pool(node, at);
  case Op::GroupNorm: {
    Settings settings = {{"GROUPS", double(node->ints[0])}};
    if (node->number != 1e-5)
      settings.push_back({"eps", node->number});
    return whole(node, {0, 1, 2}, settings);
  }
  case Op::Softmax:
  case Op::LogSoftmax:
    return exprs.make({.kind = Expr::Library,
                       .op = node->op,
                       .arguments = {element(node->operands[0], at)},
                       .vars = indicesOf(at[node->dim])});
  case Op::CumSum: return runningSum(node, at);
  case Op::TopK:
  case Op::ArgMax: return best(node, at);
  default: return define(node, at);
  }
}

/// A concatenation: a clause for each part, behind those in front of it.
void Rules::joinParts(Rule &rule, const Position &at) {
  NetNode *node = rule.key.node;
  const Var *index = at[node->dim][0].single();
  std::vector<Axis> before;
  for (NetNode *part : node->operands) {
    Axis leaves = flat(part->axes[node->dim]);
    Position own = at;
    own[node->dim] = varPosition(exprs, {part->axes[node->dim]})[0];
    Affine position = join(own[node->dim], leaves);
    Clause clause{{}, element(part, own), 0, before};
    before.push_back(leaves);
    if (clause.right->isNumber(0) && node->operands.size() > 1) // what no clause gives is 0
      continue;
    for (const Var *var : rule.left) {
      if (var == index)
        clause.joined = clause.left.size();
      clause.left.push_back(var == index ? position : Affine(var));
    }
    rule.clauses.push_back(std::move(clause));
  }
}

/// Several axes counted by one: a merged left side. If other views divide that one again, the right side computes
/// the axes.
/// Terms of all atoms, divided among the axes that these make.
static Position byAxes(const Terms &terms, const std::vector<Axis> &axes) {
  Position position;
  auto next = terms.begin();
  for (const Axis &axis : axes) {
    auto end = next + std::ptrdiff_t(flat(axis).size());
    position.emplace_back(next, end);
    next = end;
  }
  return position;
}

void Rules::mergeAxes(Rule &rule, const Position &at) {
  NetNode *node = rule.key.node, *x = node->operands[0];
  Axis own = flat(node->axes[node->tile.dim]), leaves = flat(node->tile.merged);
  bool isDivided = own.size() > 1;
  const Var *index = at[node->tile.dim][0].single();
  Terms merged = isDivided ? digits(join(at[node->tile.dim], own), leaves) : varPosition(exprs, {node->tile.merged})[0],
        all;
  for (int d = 0; d < node->rank(); ++d)
    all.insert(all.end(), d == node->tile.dim ? merged.begin() : at[d].begin(),
               d == node->tile.dim ? merged.end() : at[d].end());
  Position from = byAxes(all, x->axes);
  if (isDivided) {
    rule.right = element(x, from);
    return;
  }
  Clause clause{{}, element(x, from)};
  for (const Var *var : rule.left)
    clause.left.push_back(var == index ? join(merged, leaves) : Affine(var));
  rule.clauses.push_back(std::move(clause));
}

/// Axes that do not matter are left out, unless other layers read the value, or if a state of zeros is multiplied: then
/// the step of a loop has them.
void Rules::keepUsed(Layer &layer, Rule &rule) {
  std::vector<const Var *> used = varsOf(rule.right), kept;
  bool isWhole = rule.right->kind == Expr::Whole;
  bool isResult = std::find(layer.results.begin(), layer.results.end(), rule.key.node) != layer.results.end();
  walk(rule.right, [&](E e) { isWhole |= e->kind == Expr::Product && e->arguments[0]->isNumber(0); });
  rule.keeps.clear();
  for (const Var *var : rule.left) {
    bool keeps = isWhole || isResult || std::find(used.begin(), used.end(), var) != used.end() ||
                 (rule.right->kind == Expr::TopK && rule.right->vars[1] == var);
    rule.keeps.push_back(keeps);
    if (keeps)
      kept.push_back(var);
  }
  rule.left = std::move(kept);
}

void Rules::fill(Layer &home, Rule &rule) {
  NetNode *node = rule.key.node;
  axesOf(node);
  std::map<int, int64_t> chosenAt(rule.key.chosen.begin(), rule.key.chosen.end());
  const std::vector<int> &ordered = order[node];
  Terms terms(ordered.size());
  Axis leaves = flat(node->axes);
  for (size_t i = 0; i < ordered.size(); ++i) {
    if (auto number = chosenAt.find(int(i)); number != chosenAt.end()) {
      terms[ordered[i]] = Term{Affine(number->second)};
      continue;
    }
    rule.left.push_back(exprs.var(leaves[ordered[i]]));
    terms[ordered[i]] = Term{Affine(rule.left.back())};
  }
  Position at = byAxes(terms, node->axes);
  rule.keeps.assign(rule.left.size(), true);
  try {
    if (node->tile.kind == Tile::Merge)
      mergeAxes(rule, at);
    else if (node->op == Op::Cat && node->tile.kind != Tile::Stack)
      joinParts(rule, at);
    else
      rule.right = right(rule, at);
  } catch (const Misaligned &error) {
    throw CannotImport(error.what(), node);
  }
  if (!rule.right) // it has clauses
    return;
  bool isPosition = node->op == Op::TopK || node->op == Op::ArgMax;
  rule.isInteger = isInteger(node->type.type) && !isPosition;
  if (rule.isInteger)
    rule.right = exprs.integer(rule.right);
  keepUsed(home, rule);
}

void Rules::note(NetNode *node) {
  if (std::find(layer->noted.begin(), layer->noted.end(), node) == layer->noted.end())
    layer->noted.push_back(node);
}

E Rules::read(NetNode *node, const Position &at) {
  Terms terms;
  for (const Terms &each : at)
    terms.insert(terms.end(), each.begin(), each.end());
  if (node->is(OpClass::Leaf)) {
    note(node);
    return exprs.make({.kind = Expr::Read, .key = {node}, .terms = terms});
  }
  axesOf(node);
  Terms ordered;
  for (int i : order[node])
    ordered.push_back(terms[i]);
  Layer &home = node->isFloating ? *layer : layers[node->segment];
  if (home.segment > layer->segment) // a module that runs again after another one that its results go to
    throw CannotImport(
        "its value goes to a block that also gives values to its own block; blocks must follow each other", node);
  if (&home != layer) {
    note(node);
    if (std::find(home.results.begin(), home.results.end(), node) == home.results.end())
      home.results.push_back(node);
    return exprs.make({.kind = Expr::Read, .key = {node}, .terms = ordered});
  }
  RuleKey key{node};
  std::vector<int> numbers;
  for (size_t i = 0; i < ordered.size(); ++i)
    if (std::optional<int64_t> number = ordered[i].number()) {
      numbers.push_back(int(i));
      if (chosen.contains(node))
        key.chosen.push_back({int(i), *number});
    }
  seen[node].insert(numbers);
  const Rule &made = *rule(home, key);
  Terms kept;
  size_t next = 0;
  for (size_t i = 0; i < ordered.size(); ++i) {
    bool isChosen =
        std::any_of(key.chosen.begin(), key.chosen.end(), [&](const auto &each) { return each.first == int(i); });
    if (!isChosen && made.keeps[next++])
      kept.push_back(ordered[i]);
  }
  return exprs.make({.kind = Expr::Read, .key = key, .terms = kept});
}

Rule *Rules::rule(Layer &home, const RuleKey &key) {
  if (auto known = home.made.find(key); known != home.made.end())
    return known->second;
  Rule *rule = &rules.emplace_back(Rule{key});
  home.made[key] = rule;
  fill(home, *rule);
  home.rules.push_back(rule);
  return rule;
}

/// Makes the rules of what other layers read, and of what these read; drops those that nothing reads in the end.
void Rules::buildLayer(Layer &home) {
  layer = &home;
  std::sort(home.results.begin(), home.results.end(), [](auto *a, auto *b) { return a->id < b->id; });
  for (NetNode *node : home.results)
    rule(home, {node});
  std::stable_sort(home.rules.begin(), home.rules.end(), [](const Rule *a, const Rule *b) {
    return std::pair(a->key.node->id, a->key.chosen) < std::pair(b->key.node->id, b->key.chosen);
  });
  std::set<RuleKey> needed;
  for (const NetNode *node : home.results)
    needed.insert({const_cast<NetNode *>(node)});
  std::vector<Rule *> kept;
  for (size_t i = home.rules.size(); i-- > 0;) {
    Rule *rule = home.rules[i];
    if (!needed.contains(rule->key))
      continue;
    kept.insert(kept.begin(), rule);
    auto need = [&](E e) {
      if (e->kind == Expr::Read)
        needed.insert(e->key);
    };
    if (rule->right)
      walk(rule->right, need);
    for (const Clause &clause : rule->clauses)
      walk(clause.right, need);
  }
  home.rules = std::move(kept);
}

/// A result is the rule below its changes of indices, if nothing else sees that in another order of axes.
void Rules::takeOutputs() {
  for (NetNode *output : net.outputs) {
    NetNode *end = output;
    bool isPermuted = false, isShared = false;
    for (; !end->isRule && end->isMap() && !end->isLeaf(); end = end->operands[0]) {
      isPermuted |= end->op == Op::Permute;
      isShared |= end->operands[0]->users.size() > 1;
    }
    if (isPermuted && isShared) {
      output->isRule = true;
      output->segment = end->segment;
      end = output;
    }
    end->isResult = true;
    outputs.push_back(end);
  }
}

void Rules::run() {
  for (NetNode *output : net.outputs)
    output->isOutput = true;
  for (NetNode *node : net.order)
    if (node->op == Op::Constant && !node->formula)
      node->op = Op::Parameter; // a table that no formula gives: frozen
  decide();
  takeOutputs();
  // The first time shows how rules are read; the second one knows which of them are chosen by numbers.
  for (int iteration : {0, 1}) {
    layers.assign(segments.size(), {});
    for (size_t i = 0; i < layers.size(); ++i)
      layers[i].segment = int(i);
    for (NetNode *output : outputs) {
      std::vector<NetNode *> &results = layers[output->segment].results;
      if (std::find(results.begin(), results.end(), output) == results.end())
        results.push_back(output);
    }
    for (size_t i = layers.size(); i-- > 0;)
      buildLayer(layers[i]);
    if (iteration == 0)
      for (const auto &[node, numbers] : seen)
        if (numbers.size() == 1 && !numbers.begin()->empty() && node->is(OpClass::Contraction) && !node->isOutput &&
            !node->isResult)
          chosen.insert(node);
  }
  dropEmpty();
}

/// A run of values that are stated where they are used has no rules.
void Rules::dropEmpty() {
  std::vector<Segment> used;
  std::erase_if(layers, [](const Layer &each) { return each.rules.empty(); });
  for (Layer &each : layers) {
    used.push_back(segments[each.segment]);
    each.segment = int(used.size()) - 1;
  }
  segments = std::move(used);
}
