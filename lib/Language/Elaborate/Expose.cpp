//===- Expose.cpp - values of rules as results ----------------------------===//
#include "Expose.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Support/Nearest.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostics;
using plc::Nearest;

namespace {

/// The number of the body's result that is this value. Adds a result if there is none.
size_t resultOf(Body &body, ValueId value) {
  auto found = llvm::find(body.results, value);
  size_t position = found - body.results.begin();
  if (found == body.results.end())
    body.results.push_back(value);
  return position;
}

Step *callOf(Program &program, StringRef path) {
  for (Step &step : program.body.steps)
    if (step.callee && step.path == path)
      return &step;
  return nullptr;
}

std::string unknownRule(const Twine &what, StringRef rule, const Body &body) {
  Nearest nearest(rule);
  nearest.offerKeys(body.rules);
  return (what + "' has no rule for '" + rule + "'" + nearest.text()).str();
}

/// Exposes the value of a layer's rule: all calls of the body get one more result, since they share its signature.
std::optional<ValueId> exposeLayer(Program &program, Step &call, StringRef rule, std::string &wrong) {
  Instance &instance = **llvm::find_if(program.instances, [&](auto &each) { return each.get() == call.callee; });
  auto found = instance.body.rules.find(rule);
  if (found == instance.body.rules.end()) {
    wrong = unknownRule("layer '" + instance.layer->name, rule, instance.body);
    return std::nullopt;
  }
  size_t position = resultOf(instance.body, found->second);
  for (Step &step : program.body.steps)
    while (step.callee == &instance && step.results.size() <= position)
      step.results.push_back(program.body.add(instance.body.values[instance.body.results[step.results.size()]]));
  return call.results[position];
}

/// The longest prefix of the name that is the path of a call is the layer's. The rest may be a rule of a nested layer.
std::optional<ValueId> exposeRule(Program &program, StringRef name, std::string &wrong) {
  auto shorter = [](StringRef path) { return path.contains('.') ? path.rsplit('.').first : StringRef(); };
  for (StringRef path = shorter(name); !path.empty(); path = shorter(path)) {
    StringRef rule = name.drop_front(path.size() + 1);
    if (Step *call = callOf(program, path))
      return exposeLayer(program, *call, rule, wrong);
    if (path != program.model->name)
      continue;
    if (auto found = program.body.rules.find(rule); found != program.body.rules.end())
      return found->second;
    wrong = unknownRule("model '" + path, rule, program.body);
    return std::nullopt;
  }
  Nearest nearest(name.rsplit('.').first);
  for (const Step &step : program.body.steps)
    if (step.callee)
      nearest.offer(step.path);
  wrong = ("no layer is called '" + name.rsplit('.').first + "'" + nearest.text()).str();
  return std::nullopt;
}

} // namespace

void plc::language::expose(Program &program, StringRef name, Diagnostics &diagnostics) {
  std::string wrong;
  std::optional<ValueId> value = exposeRule(program, name, wrong);
  if (!value) {
    diagnostics.error(SMLoc(), "cannot give '" + name + "': " + wrong);
    return;
  }
  program.exposed.push_back(name.str());
  program.body.results.push_back(*value);
  program.resultBatch.push_back(-1); // `--ein-entry` finds the batch axis later
}
