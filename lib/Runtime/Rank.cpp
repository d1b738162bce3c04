#include "Rank.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace plc::runtime {

using Op = ActionInfo::Op;

Rank::Rank(const Manifest &manifest, const EntryPlan &entry, size_t index, int64_t threads,
           std::vector<std::unique_ptr<Channel>> &channels, StepExchange &exchange, const StopFlag &stop)
    : manifest(manifest), plan(entry.ranks[index]), entry(entry), index(index),
      channels(channels), exchange(exchange), stop(stop), arena(plan.arenaBytes), workers(threads, stop) {
  collectUpdates();
  if (manifest.profiling)
    kernelTimes.resize(manifest.kernels.size());
}

std::byte *Rank::find(StaticKind kind, const std::string &name, const StaticInfo **info) const {
  for (const StaticInfo &place : plan.statics)
    if (place.kind == kind && place.name == name) {
      if (info)
        *info = &place;
      return arena.at(place.offset);
    }
  return nullptr;
}

void Rank::collectUpdates() {
  for (const ParameterInfo &parameter : manifest.parameters) {
    const StaticInfo *place = nullptr;
    std::byte *value = find(StaticKind::Parameter, parameter.path, &place);
    if (!value || !place->owned || parameter.frozen)
      continue;
    std::vector<const StaticInfo *> sites;
    for (const StaticInfo &site : plan.statics)
      if (site.kind == StaticKind::Gradient && site.name == parameter.path)
        sites.push_back(&site);
    if (sites.empty()) // an entry without a step
      continue;
    std::sort(sites.begin(), sites.end(), [](auto *a, auto *b) { return a->site < b->site; });
    Update &update = updates.emplace_back();
    update.parameter = &parameter;
    for (const StaticInfo *site : sites)
      update.sites.push_back(arena.at(site->offset));
    update.value = value;
    constexpr StaticKind kinds[] = {StaticKind::Moment1, StaticKind::Moment2};
    for (int i = 0; i < manifest.optimizer.numMoments(); ++i)
      update.moments.push_back(find(kinds[i], parameter.path));
  }
}

void Rank::poisonAll() {
  std::vector<std::pair<int64_t, int64_t>> alive; // begin, end
  for (const StaticInfo &place : plan.statics)
    alive.push_back({place.offset, place.offset + place.bytes});
  alive.push_back({plan.arenaBytes, plan.arenaBytes});
  std::sort(alive.begin(), alive.end());
  int64_t end = 0;
  for (auto [nextBegin, nextEnd] : alive) {
    end = (end + 7) / 8 * 8;
    if (nextBegin > end)
      arena.poison(end, nextBegin - end, byteWidth(manifest.real));
    end = std::max(end, nextEnd);
  }
}

void Rank::execute(int64_t step, bool poison) {
  sumsOfSquares.clear();
  if (poison)
    poisonAll();
  for (const ActionInfo &action : plan.actions) {
    if (stop.load(std::memory_order_relaxed))
      return;
    if (action.op == Op::Drop) { // Tells checkers alone that these bytes are dead.
      if (poison)
        arena.poison(action.offset, action.bytes, byteWidth(manifest.real));
      continue;
    }
    int64_t begin = events ? Trace::now() : 0;
    if (!perform(action, step))
      return;
    if (events)
      record(action, begin);
  }
}

bool Rank::perform(const ActionInfo &action, int64_t step) {
  if (action.op == Op::Run)
    return runTask(action);
  if (action.op == Op::Step)
    return step == 0 || update(step);
  return message(action);
}

void Rank::record(const ActionInfo &action, int64_t begin) {
  static const std::string stepName = "step";
  Trace::Event event{Trace::Kind::Step, action.microBatch, &stepName, begin, Trace::now()};
  if (action.op == Op::PostRecv)
    return;
  if (action.op == Op::Step) {
    event.microBatch = -1;
  } else if (action.op == Op::Run) {
    event.kind = Trace::Kind::Task;
    event.name = &plan.tasks[static_cast<size_t>(action.target)].name;
  } else {
    event.kind = action.op == Op::Send ? Trace::Kind::Send : Trace::Kind::Wait;
    event.name = &entry.channels[static_cast<size_t>(action.target)].name;
  }
  events->add(event);
}

bool Rank::runTask(const ActionInfo &action) {
  const TaskInfo &task = plan.tasks[static_cast<size_t>(action.target)];
  for (const CallInfo &call : task.calls) {
    bool timed = events || manifest.profiling;
    int64_t begin = timed ? Trace::now() : 0;
    if (!runCall(call, action))
      return false;
    if (timed)
      recordCall(call, action.microBatch, begin, Trace::now());
  }
  return true;
}

void Rank::recordCall(const CallInfo &call, int64_t microBatch, int64_t begin, int64_t end) {
  const KernelInfo &kernel = kernelOf(call, microBatch);
  if (events)
    events->add({Trace::Kind::Kernel, microBatch, &kernel.name, begin, end, manifest.profiling ? kernel.bytes : 0});
  if (manifest.profiling) {
    Time &time = kernelTimes[static_cast<size_t>(entry.kernelOf(call, microBatch))];
    ++time.calls;
    time.nanoseconds += end - begin;
  }
}

bool Rank::runCall(const CallInfo &call, const ActionInfo &action) {
  const KernelInfo &kernel = kernelOf(call, action.microBatch);
  operands.clear();
  for (int64_t operand : call.operands)
    operands.push_back(arena.at(placeOf(plan, operand, action)));
  if (workers.run(kernel.function, operands.data(), kernel.chunks, action.microBatch > 0)) {
    if (checksFinite)
      checkFinite(call, action.microBatch);
    return true;
  }
  if (workers.fault())
    fail(call, action.microBatch);
  return false;
}

void Rank::fail(const CallInfo &call, int64_t microBatch) {
  const KernelInfo &kernel = kernelOf(call, microBatch);
  const Workers::Fault &fault = *workers.fault();
  std::string where = kernel.where, text = "kernel failed";
  if (fault.gather >= 0 && fault.gather < static_cast<int64_t>(kernel.gathers.size())) {
    const GatherInfo &gather = kernel.gathers[static_cast<size_t>(fault.gather)];
    where = gather.where;
    text = "gather index " + std::to_string(fault.value) + " at position " + std::to_string(fault.position) +
           " is outside 0.." + std::to_string(gather.extent - 1);
  }
  throw Error(BadInput, where, text).note(placeText(call, microBatch));
}

std::string Rank::placeText(const CallInfo &call, int64_t microBatch) const {
  return "rank " + std::to_string(index) + ", stage '" + plan.stage + "', micro-batch " + std::to_string(microBatch) +
         ", kernel '" + kernelOf(call, microBatch).name + "' of '" + call.path + "'";
}

void Rank::checkFinite(const CallInfo &call, int64_t microBatch) const {
  const KernelInfo &kernel = kernelOf(call, microBatch);
  for (const ResultInfo &result : kernel.results)
    for (int64_t i = 0; i < result.elements; ++i) {
      double value = elementAsDouble(result.type, operands[static_cast<size_t>(result.operand)], i);
      if (std::isnan(value) || (std::isinf(value) && !kernel.infinite))
        throw Error(BadInput, kernel.where,
                    std::string("found ") + (std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf") + " at element " +
                        std::to_string(i) + " of operand #" + std::to_string(result.operand) +
                        ", expected a finite value")
            .note(placeText(call, microBatch));
    }
}

bool Rank::message(const ActionInfo &action) {
  Channel &channel = *channels[static_cast<size_t>(action.target)];
  int64_t message = std::max<int64_t>(0, action.microBatch);
  if (action.op == Op::PostRecv)
    channel.postReceive(message, arena.at(action.offset));
  else if (action.op == Op::Send)
    channel.send(message, arena.at(action.offset),
                 entry.bytesOf(entry.channels[static_cast<size_t>(action.target)], action.microBatch));
  else
    return channel.wait(message);
  return true;
}

void Rank::sumSites(const ParameterInfo &parameter, void *out) const {
  for (const Update &update : updates) {
    if (update.parameter != &parameter)
      continue;
    std::memcpy(out, update.sites[0], parameter.tensor().numBytes());
    for (size_t site = 1; site < update.sites.size(); ++site)
      addInOrder(parameter.type, parameter.tensor().numElements(), out, update.sites[site]);
  }
}

int32_t Rank::squareChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  auto &job = *static_cast<UpdateJob *>(operands[0]);
  for (int64_t i = begin; i < end; ++i) {
    Update &update = job.updates[static_cast<size_t>(i)];
    update.squares = sumOfSquares(update.parameter->type, update.parameter->tensor().numElements(), update.sites);
  }
  return 0;
}

int32_t Rank::updateChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *) {
  auto &job = *static_cast<UpdateJob *>(operands[0]);
  for (int64_t i = begin; i < end; ++i) {
    Update &update = job.updates[static_cast<size_t>(i)];
    update.squares = updateParameter(job.factors, update.parameter->type, update.parameter->tensor().numElements(),
                                     update.sites, update.value, update.moments);
  }
  return 0;
}

bool Rank::forEachUpdate(plc_kernel_fn part, const StepFactors &factors) {
  UpdateJob job{factors, updates};
  void *argument = &job;
  if (!updates.empty() && !workers.run(part, &argument, static_cast<int64_t>(updates.size()), 0))
    return false;
  for (const Update &update : updates)
    sumsOfSquares[update.parameter->path] = update.squares;
  return true;
}

bool Rank::update(int64_t step) {
  StepFactors factors(manifest.optimizer, step);
  if (manifest.optimizer.clipNorm > 0) { // All gradients must be known before any is applied.
    double norm = 0;
    if (!forEachUpdate(squareChunks, factors) || !exchange.combine(sumsOfSquares, norm))
      return false;
    factors.gradientScale = scaleOfNorm(manifest.optimizer, norm);
  }
  return forEachUpdate(updateChunks, factors);
}

} // namespace plc::runtime
