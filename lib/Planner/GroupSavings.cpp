//===- GroupSavings.cpp - what recomputation saves, group by group --------===//
#include "plc/Planner/GroupSavings.h"

#include "Flow.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace plc::planner;

namespace {

using Savings = std::vector<PartitionProblem::Saving>;

constexpr double partsOfNs = 1024; // in which a cut counts
constexpr int64_t never = int64_t(1) << 60;

// The calls of a group, and their values by numbers of its own.
struct Group {
  struct Value {
    int64_t bytes;
    bool wanted, crosses; ///< crosses: calls of other groups read it, too
    int64_t maker;        ///< call of the group
  };
  struct Call {
    int64_t ns;
    bool repeatable;
    std::vector<int64_t> args, results; ///< values of the group
  };
  std::vector<Value> values;
  std::vector<Call> calls;

  // What an answer depends on.
  std::vector<int64_t> key() const {
    std::vector<int64_t> key;
    for (const Value &value : values)
      key.insert(key.end(), {value.bytes, value.wanted, value.crosses, value.maker});
    for (const Call &call : calls) {
      key.insert(key.end(), {call.ns, call.repeatable, int64_t(call.args.size())});
      key.insert(key.end(), call.args.begin(), call.args.end());
    }
    return key;
  }

  // Of a byte, where all that may go goes together; 0 if nothing may.
  double meanPrice() const {
    double ns = 0, bytes = 0;
    for (const Call &call : calls)
      ns += call.repeatable ? double(call.ns) : 0;
    for (const Value &value : values)
      bytes += value.wanted && !value.crosses && calls[value.maker].repeatable ? double(value.bytes) : 0;
    return bytes > 0 ? ns / bytes : 0;
  }
};

// Nodes 0 and 1 are source and sink; with the source are calls that run again and values that are read then.
class GroupCut {
public:
  explicit GroupCut(const Group &group) : group(group), network(2 + group.calls.size() + group.values.size()) {
    for (size_t call = 0; call < group.calls.size(); ++call) {
      const Group::Call &each = group.calls[call];
      add(callNode(call), 1, each.repeatable ? int64_t(double(each.ns) * partsOfNs) : never);
      for (int64_t value : each.args)
        if (!group.values[value].crosses)
          add(callNode(call), valueNode(value), never);
    }
    for (size_t value = 0; value < group.values.size(); ++value)
      if (group.values[value].wanted && !group.values[value].crosses)
        add(0, valueNode(value), never);
    firstPriced = count;
    for (size_t value = 0; value < group.values.size(); ++value)
      add(valueNode(value), callNode(group.values[value].maker), 0);
  }

  // Of each call.
  Savings solve(double price) {
    for (size_t value = 0; value < group.values.size(); ++value)
      network.setCapacity(firstPriced + value, int64_t(double(group.values[value].bytes) * price * partsOfNs));
    std::vector<bool> again;
    network.minimumCut(0, 1, again);
    Savings savings(group.calls.size());
    for (size_t call = 0; call < group.calls.size(); ++call)
      savings[call].ns = again[callNode(call)] ? group.calls[call].ns : 0;
    for (size_t value = 0; value < group.values.size(); ++value) {
      const Group::Value &each = group.values[value];
      if (each.crosses)
        continue;
      bool isKept = again[valueNode(value)] && !again[callNode(each.maker)];
      savings[each.maker].bytes += (each.wanted ? each.bytes : 0) - (isKept ? each.bytes : 0);
    }
    return savings;
  }

private:
  int64_t callNode(int64_t call) const { return 2 + call; }
  int64_t valueNode(int64_t value) const { return 2 + int64_t(group.calls.size()) + value; }
  void add(int64_t from, int64_t to, int64_t capacity) {
    network.addEdge(from, to, capacity);
    ++count;
  }

  const Group &group;
  FlowNetwork network;
  int64_t count = 0, firstPriced = 0;
};

class Groups {
public:
  explicit Groups(const SavingsProblem &problem)
      : number(problem.values.size(), -1), groupOf(problem.values.size(), -1) {
    for (const SavingsProblem::Call &call : problem.calls) {
      Group &group = groups[call.group];
      Group::Call own{call.ns, call.repeatable, {}, {}};
      for (int64_t value : call.args)
        if (number[value] >= 0 && groupOf[value] == call.group)
          own.args.push_back(number[value]);
        else if (number[value] >= 0)
          groups[groupOf[value]].values[number[value]].crosses = true;
      for (int64_t value : call.results) {
        number[value] = group.values.size();
        groupOf[value] = call.group;
        own.results.push_back(number[value]);
        group.values.push_back(
            {problem.values[value].bytes, problem.values[value].wanted, false, int64_t(group.calls.size())});
      }
      group.calls.push_back(std::move(own));
    }
  }

  std::map<int64_t, Group> groups;

private:
  std::vector<int64_t> number, groupOf; // of values
};

// From what hardly anything is dropped for to what all is dropped for.
std::vector<double> choosePrices(const std::map<int64_t, Group> &groups) {
  double least = 0, most = 0;
  for (const auto &[index, group] : groups)
    if (double price = group.meanPrice(); price > 0) {
      least = least > 0 ? std::min(least, price / 64) : price / 64;
      most = std::max(most, 16 * price);
    }
  std::vector<double> prices;
  constexpr int64_t count = savingsPrices - 2;
  for (int64_t each = 0; each < count; ++each)
    prices.push_back(least > 0 ? least * std::pow(most / least, double(each) / double(count - 1)) : 0);
  return prices;
}

// Of each call, by price.
std::vector<Savings> solveGroup(const Group &group, const std::vector<double> &prices) {
  GroupCut cut(group);
  std::vector<Savings> savings(group.calls.size());
  for (double price : prices) {
    Savings now = cut.solve(price);
    for (size_t call = 0; call < now.size(); ++call)
      savings[call].push_back(now[call]);
  }
  for (size_t call = 0; call < savings.size(); ++call) {
    int64_t crossing = 0;
    for (int64_t value : group.calls[call].results)
      crossing += group.values[value].crosses && group.values[value].wanted ? group.values[value].bytes : 0;
    PartitionProblem::Saving all = savings[call].back();
    int64_t ns = group.calls[call].repeatable ? group.calls[call].ns : 0;
    for (int64_t row : {2, 4})
      savings[call].push_back({all.bytes + crossing * (row - 1) / row, all.ns + ns * (row - 1) / row});
  }
  return savings;
}

} // namespace

std::vector<Savings> plc::planner::groupSavings(const SavingsProblem &problem) {
  Groups all(problem);
  std::vector<double> prices = choosePrices(all.groups);
  std::map<std::vector<int64_t>, std::vector<Savings>> known;
  std::map<int64_t, std::pair<const std::vector<Savings> *, size_t>> next; // of each group: answers, the next call
  for (const auto &[index, group] : all.groups) {
    auto [it, isNew] = known.try_emplace(group.key());
    if (isNew)
      it->second = solveGroup(group, prices);
    next[index] = {&it->second, 0};
  }
  std::vector<Savings> savings;
  for (const SavingsProblem::Call &call : problem.calls) {
    auto &[answers, index] = next[call.group];
    savings.push_back((*answers)[index++]);
  }
  return savings;
}
