//===- Phases.cpp - the road from a model to a plan -------------------------===//
#include "plc/Driver/Phases.h"

#include "plc/Planner/RematPolicies.h"
#include "plc/Strategy/Strategy.h"
#include "plc/Support/Optimizers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace plc::driver;
using plc::strategy::Strategy;

static std::string list(const std::vector<int64_t> &values) {
  return llvm::join(llvm::map_range(values, [](int64_t value) { return std::to_string(value); }), ",");
}

/// What the optimizer keeps beside each trained parameter.
static int64_t optimizerMoments(const Strategy &strategy) {
  return plc::rowOf(strategy.getChoice<plc::OptimizerKind>("optimizer.kind")).moments;
}

/// The options of `--plan-partition` that decide recomputation; only what the policy does not ignore.
static std::string recomputation(const Program &program, const Strategy &strategy) {
  auto policy = strategy.getChoice<plc::planner::RematPolicy>("checkpoint.policy");
  const plc::planner::RematPolicyRow &row = plc::rowOf(policy);
  if (policy == plc::planner::RematPolicy::none || program.entry != "train" || !program.recomputes)
    return "";
  std::string options = std::string("policy=") + row.name;
  auto integer = [&](llvm::StringRef key) { return std::to_string(strategy.get<int64_t>(key)); };
  if (row.obeys(plc::planner::Interval))
    options += " interval=" + integer("checkpoint.interval");
  if (row.obeys(plc::planner::Layers))
    options += " layers=" + list(strategy.get<std::vector<int64_t>>("checkpoint.layers"));
  if (row.obeys(plc::planner::MemoryFraction))
    options += " memory-fraction=" + plc::strategy::print(strategy.get<double>("checkpoint.memory_fraction"));
  if (row.obeys(plc::planner::Checkpoints))
    options += " min-interval=" + integer("checkpoint.min_interval") +
               " grain=" + strategy.get<std::string>("checkpoint.grain");
  // Kinds are names of the model; these two have keys of their own.
  std::vector<std::string> keepKinds;
  for (const char *kind : {"attention", "ffn"})
    if (!strategy.get<bool>(std::string("checkpoint.") + kind))
      keepKinds.push_back(kind);
  if (!keepKinds.empty())
    options += " keep-kinds=" + llvm::join(keepKinds, ",");
  return options + " micro-batches=" + strategy.get<std::string>("checkpoint.micro_batches");
}

static std::string formKernels(const Strategy &strategy) {
  std::vector<std::string> options;
  if (!strategy.get<bool>("fusion"))
    options.push_back("fusion=false");
  if (const std::string &by = strategy.get<std::string>("machine.contractions"); by != "auto")
    options.push_back("contractions=" + by);
  if (std::string rates = strategy.ratesText(); !rates.empty())
    options.push_back(rates);
  return options.empty() ? "form-kernels" : "form-kernels{" + llvm::join(options, " ") + "}";
}

std::vector<Phase> plc::driver::phasesOf(const Program &program, const Strategy &strategy) {
  auto integer = [&](llvm::StringRef key) { return std::to_string(strategy.get<int64_t>(key)); };
  auto text = [&](llvm::StringRef key) { return strategy.get<std::string>(key); };

  std::string partition = "plan-partition{stages=" + integer("parallelism.stages");
  // What a part of the outputs needs may be fewer layers than there are stages, and none that a balance counts.
  bool part = program.entry == "infer" && !program.outputs.empty();
  if (part)
    partition += " fewer=true";
  if (auto &balance = strategy.get<std::vector<int64_t>>("parallelism.balance"); !balance.empty() && !part)
    partition += " balance=" + list(balance);
  if (auto &place = strategy.get<std::vector<int64_t>>("parallelism.place"); !place.empty())
    partition += " place=" + list(place);
  if (program.entry == "train")
    partition += " moments=" + std::to_string(optimizerMoments(strategy));
  partition += " schedule=" + text("parallelism.schedule");
  if (std::string remat = recomputation(program, strategy); !remat.empty())
    partition += " " + remat;
  std::string budget;
  if (int64_t bytes = strategy.get<int64_t>("memory.budget"); bytes && program.recomputes)
    budget = "memory-limit-bytes=" + std::to_string(bytes);

  std::string limit = budget.empty() ? "" : "{" + budget + "}";

  std::vector<Phase> phases = algebra::phasesToNumerics({program.entry, program.outputs, text("precision.compute"),
                                                         strategy.get<int64_t>("parallelism.micro_batches"),
                                                         strategy.get<int64_t>("gradient.accumulation_steps")});
  phases.insert(phases.end(), {{"kernels", formKernels(strategy)},
                               {"partition", partition + (budget.empty() ? "" : " " + budget) + "}"},
                               {"skips", "plan-infer-skips"},
                               {"schedule", "plan-schedule{schedule=" + text("parallelism.schedule") + "}"},
                               {"remat", "plan-remat"},
                               {"comm", "plan-insert-comm"},
                               // The proof is part of the last phase: no address leaves it unproven.
                               {"addresses", "plan-addresses{strategy=" + text("memory.strategy") +
                                                 (budget.empty() ? "" : " " + budget) + "},plan-verify" + limit}});
  return phases;
}

std::string plc::driver::pipelineText(const std::vector<Phase> &phases, llvm::StringRef last) {
  std::vector<std::string> passes;
  for (const Phase &phase : phases) {
    passes.push_back(phase.passes);
    if (phase.name == last)
      break;
  }
  return llvm::join(passes, ",");
}
