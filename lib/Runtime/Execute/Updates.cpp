// Updates parameters in slices, as chunks of a kernel.
#include "Updates.h"

#include "plc/Module/ParameterShards.h"
#include "plc/Runtime/Base/Average.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace plc::runtime {

/// The operands of a call, whose program has these ports and this scratch memory.
static void findOperands(const module::UpdateCall &call, void *const *ports, std::byte *scratch,
                         std::vector<void *> &operands) {
  operands.clear();
  for (int64_t operand : call.operands)
    operands.push_back(operand < 0 ? ports[-1 - operand] : scratch + operand);
}

void KernelRunner::run(const UpdateProgram &program, void *const *ports, int64_t count,
                       UpdateWorkspace &workspace) const {
  workspace.scratch.resize(static_cast<size_t>(program.scratchBytes));
  for (const module::UpdateCall &call : program.calls) {
    const KernelInfo &kernel = kernels[static_cast<size_t>(call.kernel)];
    findOperands(call, ports, workspace.scratch.data(), workspace.operands);
    // A kernel that runs in place is elementwise, and its chunks are equal parts of the block.
    int64_t chunks =
        program.inPlace ? (count * kernel.chunks + module::updateBlock - 1) / module::updateBlock : kernel.chunks;
    kernel.function(workspace.operands.data(), 0, chunks, /*accumulate=*/0, workspace.context);
  }
}

Updates::Updates(const Manifest &manifest, const StepParameters &parameters, const RankInfo &plan, const Arena &arena)
    : manifest(manifest), parameters(parameters), runner(manifest.kernels),
      workspace(arena.at(module::endOfBuffers(plan))) {
  for (const ParameterInfo &parameter : manifest.held) {
    const BufferInfo *buffer = plan.find(BufferKind::Parameter, parameter.path);
    if (!buffer || !buffer->owned)
      continue;
    std::map<std::pair<int64_t, int64_t>, const void *>
        sites; // by accumulation group, then site: the order of addition
    for (const BufferInfo &site : plan.buffers)
      if (site.kind == BufferKind::Gradient && site.name == parameter.path)
        for (int64_t group = 0; group < site.groups; ++group)
          sites[{site.group + group, site.site}] = arena.at(site.offset + group * (site.bytes / site.groups));
    if (sites.empty())
      continue;
    for (auto [buffer, site] : sites)
      sitesOf[&parameter].push_back(site);
    if (parameter.replaced)
      replaced.push_back({&parameter, arena.at(buffer->offset)});
    // A frozen parameter may have a gradient that a user asked for, but no update.
    if (parameter.frozen)
      continue;
    Update &update = updates.emplace_back();
    update.parameter = &parameter;
    update.step = programOf(parameter);
    update.elements = parameter.tensor().numElements();
    update.sites = sitesOf[&parameter];
    update.value = arena.at(buffer->offset);
    // An entry of gradients alone has none.
    for (int64_t state = 0; const BufferInfo *moment = plan.find(BufferKind::Moment, parameter.path, state); ++state)
      update.moments.push_back(arena.at(moment->offset));
    if (const BufferInfo *average = plan.find(BufferKind::Average, parameter.path))
      update.average = arena.at(average->offset);
  }
  auto isWhole = [&](const Update &update) {
    return programs[update.step].form && !programs[update.step].form->isElementwise();
  };
  std::stable_partition(updates.begin(), updates.end(), std::not_fn(isWhole));
  // After the list is complete: slices point into it.
  for (Update &update : updates) {
    if (isWhole(update)) {
      shards.push_back({&update, 0});
      update.whole = update.parameter->shard ? wholeOf(*update.parameter) : nullptr;
    }
    update.firstPart = parts.size();
    for (int64_t begin = 0; begin < update.elements; begin += updatedPart)
      parts.push_back({&update, begin});
    update.numParts = parts.size() - update.firstPart;
    numElementwise += isWhole(update) ? 0 : update.numParts;
  }
}

const ParameterInfo *Updates::wholeOf(const ParameterInfo &held) const {
  if (!held.shard)
    return &held;
  return &*std::ranges::find(manifest.parameters, held.shard->whole, &ParameterInfo::path);
}

/// The number of the program that updates a parameter.
size_t Updates::programOf(const ParameterInfo &parameter) {
  Program program{parameters.variantOf(parameter.path), nullptr, nullptr, nullptr};
  int64_t form = parameters.groups().variants()[program.variant].form;
  // A module that trains nothing has gradients, but no rules.
  if (auto number = static_cast<size_t>(form); form >= 0 && number < manifest.updates.size()) {
    program.form = &manifest.optimizer.forms[number];
    program.rules = &manifest.updates[number];
    program.program = program.rules->find(module::updatedShape(*wholeOf(parameter)));
  }
  auto known = std::ranges::find(programs, program);
  if (known != programs.end())
    return static_cast<size_t>(known - programs.begin());
  programs.push_back(program);
  return programs.size() - 1;
}

void Updates::sumSites(const std::string &path, void *out) const {
  auto found = std::find_if(sitesOf.begin(), sitesOf.end(), [&](auto &each) { return each.first->path == path; });
  if (found == sitesOf.end())
    return;
  const auto &[info, sites] = *found;
  std::memcpy(out, sites[0], info->tensor().numBytes());
  for (size_t site = 1; site < sites.size(); ++site)
    addInOrder(info->type, info->tensor().numElements(), out, sites[site]);
}

/// Calls visit(slice, its update, its step) for each slice of the chunks, and keeps the sum of squares that it returns.
template <class Visit>
int32_t Updates::visitParts(void *const *operands, int64_t begin, int64_t end, Visit visit) {
  auto &step = *static_cast<Step *>(operands[0]);
  for (int64_t i = begin; i < end; ++i) {
    Part &part = step.parts[static_cast<size_t>(i)];
    if (std::optional<double> squares = visit(part, *part.update, step))
      part.squares = *squares;
  }
  return 0;
}

int32_t Updates::squareChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  return visitParts(operands, begin, end, [](const Part &part, const Update &update, const Step &) {
    return std::optional(sumOfSquaresOfPart(update.parameter->type, part.begin, update.elements, update.sites));
  });
}

int32_t Updates::updateChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *context) {
  return visitParts(operands, begin, end, [&](const Part &part, const Update &update, const Step &step) {
    const UpdateStep &updateStep = step.updates[update.step];
    double squares = updatePart(updateStep, update.parameter->type, part.begin, update.elements, update.sites,
                                update.value, update.moments, context);
    average(part, step);
    return updateStep.measures ? std::optional(squares) : std::nullopt;
  });
}

module::UpdateLayout Updates::Step::layoutOf(const Update &update) const {
  const UpdateStep &updateStep = updates[update.step];
  return module::layoutOf(updateStep.program(), updateStep.form(),
                          static_cast<int64_t>(byteWidth(update.parameter->type)), update.whole != nullptr);
}

/// The gradient of a parameter, as rules on whole tensors see it. Shards lie one behind another until they are put
/// together, where the whole parameter will be.
int32_t Updates::prepareChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  return visitParts(operands, begin, end, [](const Part &part, const Update &update, const Step &step) {
    const UpdateStep &updateStep = step.updates[update.step];
    const module::UpdateLayout layout = step.layoutOf(update);
    const ParameterInfo &parameter = *update.parameter;
    std::byte *out = step.workspace + layout.gradient;
    if (update.whole)
      out =
          step.workspace + layout.value + parameter.shard->index * static_cast<int64_t>(parameter.tensor().numBytes());
    double squares = prepareGradient(updateStep, parameter.type, part.begin, update.elements, update.sites, out);
    return updateStep.measures ? std::optional(squares) : std::nullopt;
  });
}

template <class Visit>
void Updates::withShard(const Update &update, const OptimizerForm &form, size_t tensor, Visit visit) {
  if (tensor == 0) {
    visit(update.whole->tensor(), update.parameter->shard, static_cast<std::byte *>(update.value));
    return;
  }
  const module::OptimizerState &state = form.states[tensor - 1];
  visit(module::momentOf(*update.whole, state), module::shardOfMoment(*update.whole, state, *update.parameter->shard),
        static_cast<std::byte *>(update.moments[tensor - 1]));
}

int32_t Updates::gatherGradients(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  return visitParts(operands, begin, end, [](const Part &, const Update &update, const Step &step) {
    const module::UpdateLayout layout = step.layoutOf(update);
    const ParameterInfo &parameter = *update.parameter;
    module::putShard(update.whole->tensor(), parameter.shard,
                     step.workspace + layout.value +
                         parameter.shard->index * static_cast<int64_t>(parameter.tensor().numBytes()),
                     step.workspace + layout.gradient);
    return std::optional<double>();
  });
}

/// Puts a parameter and its states together.
int32_t Updates::gatherTensors(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  return visitParts(operands, begin, end, [](const Part &, const Update &update, const Step &step) {
    const module::UpdateLayout layout = step.layoutOf(update);
    for (size_t tensor = 0; tensor <= layout.states.size(); ++tensor)
      withShard(update, step.updates[update.step].form(), tensor,
                [&](const TensorInfo &whole, const auto &shard, const std::byte *from) {
                  // What every shard has all of is taken from the first one.
                  if (shard || update.parameter->shard->index == 0)
                    module::putShard(whole, shard, from,
                                     step.workspace + (tensor ? layout.states[tensor - 1] : layout.value));
                });
    return std::optional<double>();
  });
}

int32_t Updates::scatterResults(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  return visitParts(operands, begin, end, [](const Part &, const Update &update, const Step &step) {
    const UpdateStep &updateStep = step.updates[update.step];
    const module::UpdateLayout layout = step.layoutOf(update);
    for (size_t result = 0; result < layout.results.size(); ++result)
      withShard(update, updateStep.form(), updateStep.results()[result],
                [&](const TensorInfo &whole, const auto &shard, std::byte *to) {
                  module::takeShard(whole, shard, step.workspace + layout.results[result], to);
                });
    return std::optional<double>();
  });
}

/// Copies what such rules have computed to the tensors that it replaces, if scatterResults has not done so.
int32_t Updates::finishChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  return visitParts(operands, begin, end, [](const Part &part, const Update &update, const Step &step) {
    const UpdateStep &updateStep = step.updates[update.step];
    const auto width = static_cast<int64_t>(byteWidth(update.parameter->type));
    const module::UpdateLayout layout = step.layoutOf(update);
    for (size_t result = 0; !update.whole && result < layout.results.size(); ++result) {
      // A state may have fewer elements than the parameter: its slices end earlier.
      int64_t elements = module::elementsOf(updateStep.program(), updateStep.form(), result);
      int64_t count = std::min(elements - part.begin, updatedPart);
      size_t tensor = updateStep.results()[result];
      auto *to = static_cast<std::byte *>(tensor ? update.moments[tensor - 1] : update.value);
      if (count > 0)
        std::memcpy(to + part.begin * width, step.workspace + layout.results[result] + part.begin * width,
                    static_cast<size_t>(count * width));
    }
    average(part, step);
    return std::optional<double>();
  });
}

void Updates::average(const Part &part, const Step &step) {
  const Update &update = *part.update;
  if (update.average)
    updateAverage(update.parameter->type, part.begin, update.elements, step.ema, update.value, update.average);
}

bool Updates::forEach(plc_kernel_fn part, Step step, Workers &workers, Workers::Worker &worker) {
  static const std::string name = "step";
  void *argument = &step;
  // Slices differ in size, so each is a claim of its own.
  ChunkTiming unknown;
  return step.parts.empty() ||
         workers.run(worker, {part, &argument, static_cast<int64_t>(step.parts.size()), 1, 0, &name, -1}, unknown);
}

/// Slices are added in order, whichever worker summed them.
void Updates::sumParts() {
  for (auto &[path, sum] : sumsOfSquares)
    sum = 0;
  for (const Part &each : parts)
    sumsOfSquares[each.update->parameter->path] += each.squares;
}

bool Updates::measure(Workers &workers, Workers::Worker &worker) {
  if (!forEach(squareChunks, {{}, 0, parts}, workers, worker))
    return false;
  sumParts();
  return true;
}

bool Updates::applyWhole(std::span<const Update> ofWhole, const Step &step, Workers &workers, Workers::Worker &worker) {
  const Update &update = ofWhole.front();
  const UpdateStep &updateStep = step.updates[update.step];
  const module::UpdateLayout layout = step.layoutOf(update);
  const bool inShards = update.whole != nullptr;
  Step slices = step, each = step;
  slices.parts =
      std::span(parts).subspan(update.firstPart, ofWhole.back().firstPart + ofWhole.back().numParts - update.firstPart);
  auto first = std::ranges::find(shards, &update, &Part::update);
  each.parts = std::span(shards).subspan(static_cast<size_t>(first - shards.begin()), ofWhole.size());
  if (!forEach(prepareChunks, slices, workers, worker) ||
      (inShards &&
       (!forEach(gatherGradients, each, workers, worker) || !forEach(gatherTensors, each, workers, worker))))
    return false;
  std::vector<void *> results, states = update.moments, operands;
  for (int64_t offset : layout.results)
    results.push_back(workspace + offset);
  for (size_t state = 0; state < layout.states.size(); ++state)
    states[state] = workspace + layout.states[state];
  const WholePorts ports(updateStep, update.parameter->type, workspace + layout.gradient,
                         inShards ? workspace + layout.value : update.value, states, results);
  for (const module::UpdateCall &call : updateStep.program().calls) {
    const KernelInfo &kernel = manifest.kernels[static_cast<size_t>(call.kernel)];
    findOperands(call, ports.addresses(), workspace + layout.scratch, operands);
    ChunkTiming unknown;
    if (!workers.run(worker, {kernel.function, operands.data(), kernel.chunks, 1, 0, &kernel.name, -1}, unknown))
      return false;
  }
  return (!inShards || forEach(scatterResults, each, workers, worker)) &&
         forEach(finishChunks, slices, workers, worker);
}

bool Updates::apply(int64_t step, const std::vector<double> &scales, Workers &workers, Workers::Worker &worker) {
  UpdateSteps steps;
  for (const Program &program : programs) {
    UpdateStep &made = steps.emplace_back(parameters.groups().settingsOf(program.variant), *program.form,
                                          *program.rules, *program.program, runner, step);
    if (!scales.empty())
      made.gradientScale = scales[program.variant];
    made.measures = !manifest.optimizer.needsNorm(); // else measure() did it before
  }
  const Step all{steps, manifest.optimizer.ema, std::span(parts).first(numElementwise), workspace};
  if (!forEach(updateChunks, all, workers, worker))
    return false;
  for (auto update = updates.cend() - static_cast<ptrdiff_t>(shards.size()); update != updates.cend();) {
    // Shards of a whole follow one another.
    auto end = std::find_if(update + 1, updates.cend(),
                            [&](const Update &other) { return !update->whole || other.whole != update->whole; });
    if (!applyWhole({update, end}, all, workers, worker))
      return false;
    update = end;
  }
  for (auto [parameter, value] : replaced)
    sumSites(parameter->path, value);
  sumParts();
  return true;
}

} // namespace plc::runtime
