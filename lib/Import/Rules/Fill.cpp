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

/// The element of a concatenation by a choice of its part, from the last one on.
E Rules::chosenPart(NetNode *node, const Position &at) {
  Axis leaves = flat(node->axes[node->dim]);
  E result = nullptr, position = joined(at[node->dim], leaves);
  int64_t begin = node->extent(node->dim);
  for (size_t k = node->operands.size(); k-- > 0;) {
    NetNode *part = node->operands[k];
    int64_t end = begin;
    begin -= part->extent(node->dim);
    Position own = at;
    own[node->dim] = moved(at[node->dim], leaves, 1, Affine(-begin), flat(part->axes[node->dim]));
    E e = element(part, own), limit = exprs.number(double(end), ElementType::I64);
    result = result ? exprs.choice(exprs.infix(Op::Less, position, limit), e, result) : e;
  }
  return result;
}

/// A concatenation: a clause for each part, behind those in front of it. If a view divides its axis, no index counts
/// that, so it is a choice.
void Rules::joinParts(Rule &rule, const Position &at) {
  NetNode *node = rule.key.node;
  if (flat(node->axes[node->dim]).size() > 1) {
    rule.right = chosenPart(node, at);
    return;
  }
  const Var *index = at[node->dim][0].single();
  std::vector<Axis> before;
  for (NetNode *part : node->operands) {
    Axis leaves = flat(part->axes[node->dim]);
    Position own = at;
    own[node->dim] = varPosition(exprs, {part->axes[node->dim]})[0];
    Term position{join(own[node->dim], leaves)};
    Clause clause{{}, element(part, own), 0, before};
    before.push_back(leaves);
    if (clause.right->isNumber(0) && node->operands.size() > 1) // what no clause gives is 0
      continue;
    for (const Var *var : rule.left) {
      if (var == index)
        clause.joined = clause.left.size();
      clause.left.push_back(var == index ? position : Term{Affine(var)});
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
    clause.left.push_back(Term{var == index ? join(merged, leaves) : Affine(var)});
  rule.clauses.push_back(std::move(clause));
}

/// Values that are joined to a tensor at computed positions: one clause, over the axes of the indices.
void Rules::scatter(Rule &rule) {
  NetNode *node = rule.key.node, *source = node->operands[0];
  auto [first, last, rank] = indexedAxes(*node);
  std::vector<Axis> middle(rank);
  for (size_t i = first; i < last; ++i) {
    const NetNode *index = node->operands[i + 1];
    for (int k = 0, more = rank - index->rank(); k < index->rank(); ++k)
      if (middle[k + more].empty())
        middle[k + more] = index->axes[k];
  }
  Position inner = varPosition(exprs, middle), outer = varPosition(exprs, node->axes),
           all(outer.begin(), outer.begin() + first);
  all.insert(all.end(), inner.begin(), inner.end());
  all.insert(all.end(), outer.begin() + last, outer.end());
  for (size_t i = first; i < last; ++i)
    outer[i] = position(broadcast(node->operands[i + 1], inner), node->axes[i]);
  Terms terms;
  for (const Terms &each : outer)
    terms.insert(terms.end(), each.begin(), each.end());
  Clause clause{{}, broadcast(source, all)};
  for (int i : order[node])
    clause.left.push_back(terms[i]);
  rule.clauses.push_back(std::move(clause));
}

/// Axes that do not matter are left out, unless other layers read the value, or if a state of zeros is multiplied: then
/// the step of a loop has them.
void Rules::keepUsed(Layer &layer, Rule &rule) {
  std::vector<const Var *> used = varsOf(rule.right), kept;
  bool isWhole = rule.right->kind == Expr::Whole || rule.key.node->isDraw();
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
      Atom *leaf = leaves[ordered[i]];
      int64_t at = number->second;
      terms[ordered[i]] = Term{at < 0 ? Affine(at + leaf->extent, leaf) : Affine(at)};
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
    else if (node->op == Op::Scatter)
      scatter(rule);
    else
      rule.right = right(rule, at);
  } catch (const Misaligned &error) {
    throw CannotImport(error.what(), node);
  }
  bool isPosition = node->op == Op::TopK || node->op == Op::ArgMax;
  rule.isInteger = isInteger(node->type.type) && !isPosition;
  if (!rule.right) // it has clauses
    return;
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
    if (node->op == Op::State && !isAmong(layer->states, node))
      throw CannotImport("the buffer '" + node->name + readElsewhere);
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
      if (chosen.contains(node)) {
        const Atom *end = ordered[i].affine.end;
        key.chosen.push_back({int(i), *number - (end ? end->extent : 0)});
      }
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
  for (auto [state, next] : home.states)
    rule(home, {next});
  std::stable_sort(home.rules.begin(), home.rules.end(), [](const Rule *a, const Rule *b) {
    return std::pair(a->key.node->id, a->key.chosen) < std::pair(b->key.node->id, b->key.chosen);
  });
  std::set<RuleKey> needed;
  for (const NetNode *node : home.results)
    needed.insert({const_cast<NetNode *>(node)});
  for (auto [state, next] : home.states)
    needed.insert({next});
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
    for (const Clause &clause : rule->clauses) {
      walk(clause.right, need);
      for (const Term &term : clause.left)
        if (term.computed)
          walk(term.computed, need);
    }
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
  for (auto [state, next] : net.states)
    next->isNext = true;
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
    for (const auto &each : net.states)
      layers[each.second->segment].states.push_back(each);
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
