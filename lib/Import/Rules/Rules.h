//===- Rules.h - from a net to rules ----------------------------*- C++ -*-===//
// The element of a value at a position is an expression over indices: E(node, position). It goes down through the
// operators of a rule, changes positions at maps, and ends at values that are rules of their own. Nothing here is
// text.
#ifndef PLC_LIB_IMPORT_RULES_RULES_H
#define PLC_LIB_IMPORT_RULES_RULES_H

#include "Rules/Expr.h"
#include "Rules/Segments.h"

#include <map>
#include <set>

namespace plc::import {

/// One clause of a rule that joins parts: its left side, and its right side.
struct Clause {
  Terms left;
  E right;
  size_t joined = 0;          // the position of a part, among those on the left
  std::vector<Axis> before{}; // the parts in front of it
};

struct Rule {
  RuleKey key;
  std::vector<const Var *> left{};
  E right = nullptr;
  std::vector<Clause> clauses{}; // in place of `right`
  std::vector<bool> keeps{};     // which axes of the value the rule has: others do not matter
  bool isInteger = false;
};

/// Behind the name of a buffer: why it cannot be kept.
inline constexpr const char *readElsewhere = "' changes in one block of the model and is read in another one";

/// What one segment becomes.
struct Layer {
  int segment = 0;
  std::vector<NetNode *> noted;   // parameters, and values of other layers, in the order of their first use
  std::vector<NetNode *> results; // used outside
  std::vector<Rule *> rules;
  std::map<RuleKey, Rule *> made;
  States states;
};

/// Decides which values are rules, and makes them.
class Rules {
public:
  Rules(Net &net, std::vector<Segment> segments) : net(net), segments(std::move(segments)) {}
  void run();

  Net &net;
  std::vector<Segment> segments;
  std::vector<Layer> layers; // by segment
  Exprs exprs;
  std::vector<NetNode *> outputs; // the values of rules that are the model's results
  std::set<const NetNode *> full; // parameters that keep axes of extent 1

  /// The operators that use a value, through changes of indices and joins; null stands for the model's results.
  std::vector<NetNode *> consumers(const NetNode *node) const;
  /// The atoms of a value in the order of its rule's axes.
  Axis axesOf(NetNode *node);
  /// Several digits as one number, of which some are computed.
  E joined(const Terms &digits, const Axis &leaves);
  /// The atoms of a value as a layer reads it: without axes that its rule left out.
  Axis axesOfRead(E e, const Layer &home);
  bool isPlainRead(E e, const std::vector<const Var *> &vars, const Layer &home);
  /// Whether a value has axes of one element that its rules do not have: an input's.
  static bool hasUnits(const NetNode *node) {
    return node->op == Op::Input && flat(node->axes).size() != node->axes.size();
  }
  bool isParameter(const NetNode *node) const { return node->op == Op::Parameter; }

private:
  // Decide: which values are rules.
  void decide();
  void findFloating();
  bool isRule(NetNode *node);
  bool isRuleInside(NetNode *node, NetNode *user);
  bool isFloatingRule(NetNode *node, const std::vector<NetNode *> &uses);

  // Build: the element of a value at a position.
  E element(NetNode *node, const Position &at);
  E define(NetNode *node, const Position &at);
  E map(NetNode *node, const Position &at);
  E slice(NetNode *node, const Position &at);
  E matmul(NetNode *node, const Position &at);
  E patches(NetNode *node, const Position &at);
  E gather(NetNode *node, const Position &at);
  E reduction(NetNode *node, const Position &at);
  E elementwise(NetNode *node, const Position &at);
  E infix(NetNode *node, const Position &at);
  E stacked(NetNode *node, const Position &at);
  E repeated(NetNode *node, const Position &at);
  E padded(NetNode *node, const Position &at);
  E broadcast(NetNode *node, const Position &at);
  E formula(NetNode *node, const Position &at);
  E scaled(E e);
  Terms position(E e, const Axis &axis);
  Terms digits(const Affine &number, const Axis &leaves);
  Terms moved(const Terms &terms, const Axis &own, int64_t factor, const Affine &offset, const Axis &source);
  Terms computedDigits(E e, const Axis &leaves);
  Position throughMap(const NetNode *node, const Position &at);
  Position throughSlice(const NetNode *node, Position at);
  E read(NetNode *node, const Position &at);
  E convert(NetNode *node, const Position &at);
  E correction(const NetNode *node);
  E chooseByNumber(E position, const std::vector<E> &choices);

  // Fill: the rule of a value.
  void fill(Layer &layer, Rule &rule);
  E right(const Rule &rule, const Position &at);
  E normalization(NetNode *node, const Position &at, const std::vector<const Var *> &left);
  E rotated(NetNode *node, const Position &at, const std::vector<const Var *> &left);
  E batchNorm(NetNode *node, const Position &at);
  E convolution(NetNode *node, const Position &at);
  E windowed(NetNode *node, const Position &at);
  E runningSum(NetNode *node, const Position &at);
  E best(NetNode *node, const Position &at);
  E crossEntropy(NetNode *node, const Position &at);
  void scatter(Rule &rule);
  using Settings = std::vector<std::pair<const char *, double>>;
  std::optional<std::vector<E>> wholeOperands(NetNode *node, const std::vector<size_t> &operands);
  E whole(NetNode *node, const std::vector<size_t> &operands, Settings settings);
  E pool(NetNode *node, const Position &at);
  E inWindow(NetNode *node, const Position &at, Position image, const std::vector<Affine> &inside, double outside);
  void joinParts(Rule &rule, const Position &at);
  E chosenPart(NetNode *node, const Position &at);
  void mergeAxes(Rule &rule, const Position &at);
  void keepUsed(Layer &layer, Rule &rule);

  Rule *rule(Layer &layer, const RuleKey &key);
  void takeOutputs();
  void dropEmpty();
  void buildLayer(Layer &layer);
  void note(NetNode *node);
  std::vector<int> orderOf(NetNode *node);

  Layer *layer = nullptr; // that is being built
  std::deque<Rule> rules;
  std::deque<Atom> windowAtoms;                               // of pools: no tensor has them
  std::map<const NetNode *, std::vector<int>> order;          // of the axes of rules
  std::map<const NetNode *, std::set<std::vector<int>>> seen; // at which axes reads have numbers
  std::set<const NetNode *> chosen;                           // values of which all reads have numbers at the same axes
};

/// Variables for each atom of axes, and the position that they are.
Position varPosition(Exprs &exprs, const std::vector<Axis> &axes);
/// Whether a convolution is a function of the library: of square windows, with channels that see all or one, no bias.
bool isLibraryConvolution(const NetNode *node);
/// The value below changes of indices.
NetNode *belowMaps(NetNode *node);

} // namespace plc::import

#endif
