// Updates parameters in slices, as chunks of a kernel.
#include "Updates.h"

#include "plc/Runtime/Base/Average.h"

#include <algorithm>
#include <cstring>

namespace plc::runtime {

void KernelRunner::run(const UpdateProgram &program, void *const *ports, int64_t count,
                       UpdateWorkspace &workspace) const {
  workspace.scratch.resize(static_cast<size_t>(program.scratchBytes));
  for (const module::UpdateCall &call : program.calls) {
    const KernelInfo &kernel = kernels[static_cast<size_t>(call.kernel)];
    workspace.operands.resize(call.operands.size());
    for (size_t i = 0; i < call.operands.size(); ++i)
      workspace.operands[i] =
          call.operands[i] < 0 ? ports[-1 - call.operands[i]] : workspace.scratch.data() + call.operands[i];
    // A kernel that runs in place is elementwise, and its chunks are equal parts of the block.
    int64_t chunks =
        program.inPlace ? (count * kernel.chunks + module::updateBlock - 1) / module::updateBlock : kernel.chunks;
    kernel.function(workspace.operands.data(), 0, chunks, /*accumulate=*/0, workspace.context);
  }
}

Updates::Updates(const Manifest &manifest, const StepParameters &parameters, const RankInfo &plan, const Arena &arena)
    : manifest(manifest), parameters(parameters), runner(manifest.kernels) {
  for (const ParameterInfo &parameter : manifest.held) {
    const BufferInfo *buffer = plan.find(BufferKind::Parameter, parameter.path);
    if (!buffer || !buffer->owned)
      continue;
    std::map<std::pair<int64_t, int64_t>, const void *>
        sites; // by accumulation group, then site: the order of addition
    for (const BufferInfo &site : plan.buffers)
      if (site.kind == BufferKind::Gradient && site.name == parameter.path)
        for (int64_t lane = 0; lane < site.lanes; ++lane)
          sites[{site.lane + lane, site.site}] = arena.at(site.offset + lane * (site.bytes / site.lanes));
    if (sites.empty())
      continue;
    for (auto [buffer, site] : sites)
      sitesOf[&parameter].push_back(site);
    // A frozen parameter may have a gradient that a user asked for, but no update.
    if (parameter.frozen)
      continue;
    Update &update = updates.emplace_back();
    update.parameter = &parameter;
    update.variant = parameters.variantOf(parameter.path);
    update.elements = parameter.tensor().numElements();
    update.sites = sitesOf[&parameter];
    update.value = arena.at(buffer->offset);
    for (int64_t state = 0; state < manifest.optimizer.numMoments(); ++state) // an entry of gradients alone has none
      if (const BufferInfo *moment = plan.find(BufferKind::Moment, parameter.path, state))
        update.moments.push_back(arena.at(moment->offset));
    if (const BufferInfo *average = plan.find(BufferKind::Average, parameter.path))
      update.average = arena.at(average->offset);
  }
  // After the list is complete: slices point into it.
  for (const Update &update : updates)
    for (int64_t begin = 0; begin < update.elements; begin += updatedPart)
      parts.push_back({&update, begin});
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

int32_t Updates::squareChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  auto &step = *static_cast<Step *>(operands[0]);
  for (int64_t i = begin; i < end; ++i) {
    Part &part = step.parts[static_cast<size_t>(i)];
    const Update &update = *part.update;
    part.squares = sumOfSquaresOfPart(update.parameter->type, part.begin, update.elements, update.sites);
  }
  return 0;
}

int32_t Updates::updateChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *context) {
  auto &step = *static_cast<Step *>(operands[0]);
  for (int64_t i = begin; i < end; ++i) {
    Part &part = step.parts[static_cast<size_t>(i)];
    const Update &update = *part.update;
    const UpdateStep &updateStep = *step.updates[update.variant];
    double squares = updatePart(updateStep, update.parameter->type, part.begin, update.elements, update.sites,
                                update.value, update.moments, context);
    if (update.average)
      updateAverage(update.parameter->type, part.begin, update.elements, step.ema, update.value, update.average);
    if (updateStep.measures)
      part.squares = squares;
  }
  return 0;
}

bool Updates::forEach(plc_kernel_fn part, const UpdateSteps &steps, Workers &workers, Workers::Worker &worker) {
  static const std::string name = "step";
  Step step{steps, manifest.optimizer.ema, parts};
  void *argument = &step;
  // Slices differ in size, so each is a claim of its own.
  ChunkTiming unknown;
  if (!parts.empty() &&
      !workers.run(worker, {part, &argument, static_cast<int64_t>(parts.size()), 1, 0, &name, -1}, unknown))
    return false;
  // Slices are added in order, whichever worker summed them.
  for (auto &[path, sum] : sumsOfSquares)
    sum = 0;
  for (const Part &each : parts)
    sumsOfSquares[each.update->parameter->path] += each.squares;
  return true;
}

bool Updates::measure(Workers &workers, Workers::Worker &worker) { return forEach(squareChunks, {}, workers, worker); }

bool Updates::apply(int64_t step, const std::vector<double> &scales, Workers &workers, Workers::Worker &worker) {
  UpdateSteps steps(parameters.groups().variants().size());
  for (const Update &update : updates) {
    if (steps[update.variant])
      continue;
    const OptimizerSettings settings = parameters.groups().settingsOf(update.variant);
    UpdateStep &made = steps[update.variant].emplace(settings, manifest.update, runner, step);
    if (!scales.empty())
      made.gradientScale = scales[update.variant];
    made.measures = !manifest.optimizer.needsNorm(); // else measure() did it before
  }
  return forEach(updateChunks, steps, workers, worker);
}

} // namespace plc::runtime
