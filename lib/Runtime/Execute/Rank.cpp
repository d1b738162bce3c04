// The interpreter of a rank's action table.
#include "Rank.h"

#include "plc/Runtime/Base/NonFinite.h"
#include "plc/Support/ResultName.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace plc::runtime {

using Op = ActionInfo::Op;

/// Other processes on these CPUs decide whether waiting workers spin.
static WorkerOptions beside(const Transport &transport, WorkerOptions options) {
  options.processes = transport.processesOnTheseCpus();
  return options;
}

Shared::Shared(const Manifest &manifest, const EntryPlan &entry, const WorkerOptions &options,
               std::unique_ptr<Transport> newTransport)
    : manifest(manifest), entry(entry), stepParameters(manifest.optimizer, manifest.parameters, manifest.held),
      transport(std::move(newTransport)), waits(entry, *transport),
      workers(transport->localRanks().size(), beside(*transport, options), stop) {
  const std::vector<size_t> &ranks = transport->localRanks();
  // A transport wakes by rank of the entry; workers are numbered by local rank. Local ranks ascend.
  transport->connect([this, &ranks](size_t rank) {
    workers.wake(static_cast<size_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin()));
  });
}

/// Null if the rank takes its actions in the order of its table.
static std::unique_ptr<module::ReadyActions> readyActionsOf(const RankInfo &plan) {
  return plan.takesWhatIsReady() ? std::make_unique<module::ReadyActions>(plan.actions, plan.after) : nullptr;
}

Rank::Rank(Shared &shared, size_t index, size_t local)
    : shared(shared), manifest(shared.manifest), plan(shared.entry.ranks[index]), index(index), local(local),
      arena(plan.arenaBytes), updates(manifest, shared.stepParameters, plan, arena), paces(manifest.kernels.size()),
      waitPaces(plan.actions.size()), ready(readyActionsOf(plan)), kernelTimes(numTimes(manifest)),
      flight(FlightRecorder::here() ? FlightRecorder::here()->rank(index) : noFlight) {
  awaited.reserve(shared.entry.channels.size());
}

std::byte *Rank::find(BufferKind kind, const std::string &name) const {
  const BufferInfo *buffer = plan.find(kind, name);
  return buffer ? at(*buffer) : nullptr;
}

void Rank::startTrace(size_t capacity) {
  events = std::make_unique<Trace>(capacity);
  shared.workers.traceHelp(local, events.get());
}

void Rank::startTaskTimes() {
  actionTimes.resize(plan.actions.size());
  // One more than kernels: the last is the update.
  fastestTimes.assign(manifest.kernels.size() + 1, INT64_MAX);
}

/// Sums the fastest calls of each task: the step without any disturbance.
std::vector<int64_t> Rank::fastestTaskTimes() const {
  std::vector<int64_t> times(plan.actions.size());
  for (size_t i = 0; i < times.size(); ++i) {
    const ActionInfo &action = plan.actions[i];
    if (action.op == Op::Step)
      times[i] = fastestTimes.back();
    if (action.op == Op::Run)
      for (const CallInfo &call : plan.tasks[static_cast<size_t>(action.target)].calls)
        times[i] += fastestTimes[static_cast<size_t>(shared.entry.kernelOf(call, action.microBatch))];
  }
  return times;
}

void Rank::poisonAll() {
  // Everything but persistent buffers: at the start of a run no other value is live.
  std::vector<std::pair<int64_t, int64_t>> alive; // begin, end
  for (const BufferInfo &buffer : plan.buffers)
    alive.push_back({buffer.offset, buffer.offset + buffer.bytes});
  // A sentinel, so that the loop also fills the bytes behind the last buffer.
  alive.push_back({plan.arenaBytes, plan.arenaBytes});
  std::sort(alive.begin(), alive.end());
  int64_t end = 0;
  for (auto [nextBegin, nextEnd] : alive) {
    // Arena::overwrite wants offsets aligned to 8. The bytes between are padding.
    end = (end + 7) / 8 * 8;
    if (nextBegin > end)
      arena.overwrite(end, nextBegin - end, manifest.real, Arena::Fill::NaN);
    end = std::max(end, nextEnd);
  }
}

void Rank::execute(Workers::Worker &newWorker, const TrainingStep &step, const Probe &probe) {
  worker = &newWorker;
  updated = false;
  if (probe.poisonDead)
    poisonAll();
  const auto entry = static_cast<size_t>(&shared.entry - manifest.entries.data());
  flight.startEntry(entry);
  const bool timesTasks = !actionTimes.empty();
  begun = timesTasks ? Trace::now() : 0;
  // A probe names an action by its index. So it needs the order of the table, in which the plan's peak is.
  if (!(ready && !probe.fill ? takeReady(step, probe) : takeAll(step, probe)))
    return;
  // Recorded again at the end: no action is under way now.
  flight.startEntry(entry);
  precomputed = true;
  ended = timesTasks ? Trace::now() : 0;
}

bool Rank::takeAll(const TrainingStep &step, const Probe &probe) {
  for (const ActionInfo &action : plan.actions) {
    // Between actions alone: a kernel cannot be interrupted.
    if (shared.stop.load(std::memory_order_relaxed))
      return false;
    probeBefore(action, probe);
    if (!(action.prepares() && precomputed) && action.op != Op::Drop &&
        !take(action, step)) // A drop does nothing: only the checks need it.
      return false;
  }
  return true;
}

/// Takes whatever is ready. First it starts messages, which take no time and which other ranks may wait for. Then it
/// takes messages that have arrived, since they may make a task ready. Only then does it compute. It sleeps if nothing
/// is ready.
bool Rank::takeReady(const TrainingStep &step, const Probe &probe) {
  for (ready->restart(); !ready->allDone();) {
    if (shared.stop.load(std::memory_order_relaxed))
      return false;
    std::optional<size_t> next = ready->toStart();
    if (!next) {
      if (takeArrived())
        continue;
      next = ready->toCompute();
    }
    if (!next) {
      if (!waitForAny())
        return false;
      continue;
    }
    const ActionInfo &action = plan.actions[*next];
    probeBefore(action, probe);
    if (!(action.prepares() && precomputed) && action.op != Op::Drop && !take(action, step))
      return false;
    ready->done(*next);
  }
  return true;
}

/// Takes the waits that are over; returns whether there were any.
bool Rank::takeArrived() {
  const std::vector<size_t> &waits = ready->toAwait();
  bool any = false;
  for (size_t i = 0; i < waits.size();) {
    if (!shared.transport->test(waitOf(plan.actions[waits[i]]))) {
      ++i;
      continue;
    }
    ready->done(waits[i]); // removes it from `waits`: another one has this index now
    actionsDone.fetch_add(1, std::memory_order_relaxed);
    any = true;
  }
  return any;
}

/// Sleeps until one of the ready waits is over. False if the run was stopped before.
bool Rank::waitForAny() {
  awaited.clear();
  for (size_t number : ready->toAwait())
    awaited.push_back(waitOf(plan.actions[number]));
  // One of the waits stands for all, in reports and in the expected time.
  actionIndex = ready->toAwait().front();
  flight.startAction(actionIndex);
  const int64_t begin = Trace::now();
  size_t over = awaited.size();
  // Before it sleeps: if this closes a cycle of waits, no rank of it can ever go on.
  if (auto error = shared.waits.begin(awaited))
    throw *error;
  auto mayGoOn = [&] {
    auto isOver = [&](const Wait &wait) { return shared.transport->test(wait); };
    over = static_cast<size_t>(std::find_if(awaited.begin(), awaited.end(), isOver) - awaited.begin());
    return over < awaited.size() || shared.stop.load();
  };
  // Some transports make progress only inside test(): then the rank must keep asking.
  if (shared.transport->wakes())
    shared.workers.wait(*worker, mayGoOn);
  else
    shared.workers.poll(*worker, mayGoOn, waitPaces[actionIndex].expectedNs());
  waitPaces[actionIndex].took(Trace::now() - begin);
  shared.waits.end(index);
  // None is over, so the stop has ended the wait.
  if (over == awaited.size())
    return false;
  if (events)
    record(plan.actions[ready->toAwait()[over]], begin);
  return true;
}

/// Executes an action, with all that is recorded of it. False if the run was stopped.
bool Rank::take(const ActionInfo &action, const TrainingStep &step) {
  const bool timesTasks = !actionTimes.empty();
  actionIndex = static_cast<size_t>(&action - plan.actions.data());
  flight.startAction(actionIndex);
  const bool computes = timesTasks && (action.op == Op::Run || action.op == Op::Step);
  int64_t begin = events || computes ? Trace::now() : 0;
  if (!perform(action, step))
    return false;
  if (computes) {
    int64_t ns = actionTimes[actionIndex] = Trace::now() - begin;
    if (action.op == Op::Step)
      fastestTimes.back() = std::min(fastestTimes.back(), ns);
  }
  if (events)
    record(action, begin);
  // Precomputing happens once, so the time of a run begins behind it.
  if (action.prepares() && timesTasks)
    begun = Trace::now();
  actionsDone.fetch_add(1, std::memory_order_relaxed);
  return true;
}

/// Writes the probe's bytes that belong before this action.
void Rank::probeBefore(const ActionInfo &action, const Probe &probe) {
  if (probe.poisonDead && action.op == Op::Drop)
    arena.overwrite(action.offset, action.bytes, manifest.real, Arena::Fill::NaN);
  if (probe.fill && probe.rank == index && &action == &plan.actions[probe.action])
    arena.overwrite(probe.offset, probe.bytes, manifest.real, *probe.fill);
}

bool Rank::perform(const ActionInfo &action, const TrainingStep &step) {
  if (action.op == Op::Run)
    return runTask(action);
  if (action.op == Op::Step)
    // Number 0 is a run without an update, as of `gradient`.
    return step.number == 0 || update(step);
  return message(action);
}

void Rank::record(const ActionInfo &action, int64_t begin) {
  static const std::string stepName = "step";
  Trace::Event event{Trace::Kind::Step, action.microBatch, &stepName, begin, Trace::now()};
  // Posting takes no time: it would only crowd the trace.
  if (action.op == Op::PostRecv)
    return;
  if (action.op == Op::Step) {
    event.microBatch = -1;
  } else if (action.op == Op::Run) {
    event.kind = Trace::Kind::Task;
    event.name = &plan.tasks[static_cast<size_t>(action.target)].name;
  } else {
    event.kind = action.op == Op::Send ? Trace::Kind::Send : Trace::Kind::Wait;
    event.name = &shared.entry.channels[static_cast<size_t>(action.target)].name;
  }
  events->add(event);
}

/// Runs the calls of a task in order. Times are read only if something keeps them.
bool Rank::runTask(const ActionInfo &action) {
  const TaskInfo &task = plan.tasks[static_cast<size_t>(action.target)];
  for (const CallInfo &call : task.calls) {
    bool timed = events || manifest.profiling || !actionTimes.empty();
    int64_t begin = timed ? Trace::now() : 0;
    flight.startCall(static_cast<size_t>(&call - task.calls.data()));
    if (!runCall(call, action))
      return false;
    if (timed)
      recordCall(call, action.microBatch, begin, Trace::now());
  }
  return true;
}

void Rank::recordCall(const CallInfo &call, int64_t microBatch, int64_t begin, int64_t end) {
  const KernelInfo &kernel = kernelOf(call, microBatch);
  if (!fastestTimes.empty()) {
    int64_t &fastest = fastestTimes[static_cast<size_t>(shared.entry.kernelOf(call, microBatch))];
    fastest = std::min(fastest, end - begin);
  }
  if (events)
    events->add({Trace::Kind::Kernel, microBatch, &kernel.name, begin, end, manifest.profiling ? kernel.bytes : 0,
                 kernel.loop ? kernel.loop->iterations : 0});
  if (manifest.profiling)
    kernelTimes[static_cast<size_t>(shared.entry.kernelOf(call, microBatch))].add(end - begin);
}

bool Rank::runCall(const CallInfo &call, const ActionInfo &action) {
  const KernelInfo &kernel = kernelOf(call, action.microBatch);
  iterations.clear();
  operands.clear();
  for (int64_t operand : call.operands)
    // Addresses differ from run to run: a micro-batch has its own blocks and slices.
    operands.push_back(arena.at(shared.entry.offsetOf(plan, operand, action)));
  currentMicroBatch.store(action.microBatch, std::memory_order_relaxed);
  current.store(&call, std::memory_order_relaxed);
  // A kernel may pass an infinity on. Found before it runs, because it may write over its inputs.
  if (finiteChecks != FiniteChecks::None)
    infinity = kernel.infinite ? Infinity::OfKernel : infinityRead(call, kernel);
  bool good = runKernel(shared.entry.kernelOf(call, action.microBatch), operands.data());
  current.store(nullptr, std::memory_order_relaxed);
  // Between two kernels: messages that were begun move on while this rank computes.
  shared.transport->progress();
  return good;
}

/// Runs a kernel of the current call: the call's own, or one that an iteration of a loop calls.
bool Rank::runKernel(int64_t number, void *const *operands) {
  const KernelInfo &kernel = manifest.kernels[static_cast<size_t>(number)];
  if (kernel.loop)
    return runIterations(number, *kernel.loop, operands);
  int64_t microBatch = currentMicroBatch.load(std::memory_order_relaxed);
  bool adds = microBatch >= 0 && !shared.entry.beginsGroup(microBatch); // to the sum of its accumulation group
  KernelRun run{kernel.function, operands, kernel.chunks, 1, adds, &kernel.name, microBatch};
  bool good = shared.workers.run(*worker, run, paces[static_cast<size_t>(number)]);
  // Without a fault the run was stopped by another rank.
  if (!good && shared.workers.job(local).fault())
    fail(kernel);
  if (good && finiteChecks != FiniteChecks::None)
    checkFinite(kernel, operands);
  return good;
}

/// Runs a loop: the kernels of each iteration in sequence, each shared among workers. Nested loops call this again.
bool Rank::runIterations(int64_t number, const module::LoopInfo &loop, void *const *operands) {
  int64_t begin = Trace::now();
  std::vector<void *> locations;
  iterations.push_back(0);
  // `count` chooses the alternating buffers, the number of the iteration the slices.
  for (int64_t count = 0; count < loop.iterations; ++count) {
    int64_t iteration = iterations.back() = loop.iterationAt(count);
    for (const module::StepInfo &step : loop.steps) {
      locations.clear();
      for (const module::IterationOperand &operand : step.operands)
        locations.push_back(addressOf(operand, operands, count, iteration));
      if (!runKernel(step.kernel, locations.data()))
        return false;
    }
  }
  // A result that is also an element of another result has two addresses: copy it to the second.
  for (const module::EndInfo &end : loop.ends)
    std::memcpy(addressOf(end.to, operands, iterations.back()), addressOf(end.from, operands, iterations.back()),
                static_cast<size_t>(end.bytes));
  iterations.pop_back();
  // For the watchdog: the loop is the call's kernel, so its whole time counts.
  auto &slowest = paces[static_cast<size_t>(number)].slowestNs;
  slowest.store(std::max(slowest.load(std::memory_order_relaxed), Trace::now() - begin), std::memory_order_relaxed);
  return true;
}

/// Posts, sends or waits for a message.
bool Rank::message(const ActionInfo &action) {
  const ChannelInfo &channel = shared.entry.channels[static_cast<size_t>(action.target)];
  const int64_t message = messageOf(action);
  switch (action.op) {
  case Op::PostRecv:
    shared.transport->post(action.target, message, arena.at(action.offset),
                           shared.entry.bytesOf(channel, action.microBatch));
    return true;
  case Op::Send:
    shared.transport->send(action.target, message, arena.at(action.offset),
                           shared.entry.bytesOf(channel, action.microBatch));
    return true;
  case Op::WaitRecv:
  case Op::WaitSend: return waitFor(waitOf(action));
  case Op::Run:
  case Op::Drop:
  case Op::Step: break;
  }
  return true; // not a message
}

/// Waits for a message or for the gradient's norm. False if the run was stopped before.
bool Rank::waitFor(const Wait &wait) {
  Transport &transport = *shared.transport;
  bool over = transport.test(wait);
  const int64_t begin = Trace::now();
  if (over) {
    waitPaces[actionIndex].took(0);
    return true;
  }
  // Registered only if it really waits: most waits are over already, and registering takes a lock.
  if (auto error = shared.waits.begin({&wait, 1}))
    throw *error;
  auto mayGoOn = [&] { return (over = transport.test(wait)) || shared.stop.load(); };
  if (transport.wakes())
    shared.workers.wait(*worker, mayGoOn);
  else
    shared.workers.poll(*worker, mayGoOn, waitPaces[actionIndex].expectedNs());
  waitPaces[actionIndex].took(Trace::now() - begin);
  shared.waits.end(index);
  return over;
}

/// The optimizer's step on the parameters that this rank owns.
bool Rank::update(const TrainingStep &step) {
  const OptimizerSettings &settings = manifest.optimizer;
  std::vector<double> scales; // by variant; none: 1
  // No rank changes a parameter before all know the norm and loss of the whole step: one that is not finite must leave
  // every parameter as it was, and clipping needs the norm.
  if (settings.needsNorm()) {
    if (!updates.measure(shared.workers, *worker))
      return false;
    shared.transport->reduce(index, {updates.squares(), lossHere()});
    if (!waitFor({index, Wait::For::Norm}))
      return false;
    // Gradients were computed from the scaled loss.
    const GradientNorm &gradient = shared.transport->gradient();
    double norm = gradient.norm() / step.lossScale;
    // The step is over, and parameters and moments are as before it.
    if (settings.leavesOut() && !isFiniteStep(manifest.real, norm, shared.transport->loss()))
      return true;
    scales = shared.stepParameters.scales(gradient, step.lossScale);
  }
  int64_t begin = manifest.profiling ? Trace::now() : 0;
  updated = true;
  if (!updates.apply(step.number, scales, shared.workers, *worker))
    return false;
  if (int64_t ns = Trace::now() - begin; manifest.profiling)
    kernelTimes.back().add(ns);
  // Without that barrier the norm is only reported. The update has read the gradients, so it summed the squares too.
  if (!settings.needsNorm())
    shared.transport->reduce(index, {updates.squares(), lossHere()});
  return true;
}

double Rank::lossHere() const {
  // Only the rank with the loss has it; all others add 0 to the sum.
  const BufferInfo *buffer = plan.find(BufferKind::Output, std::string(lossName));
  if (!buffer)
    return 0;
  const TensorInfo &info = shared.entry.outputs[shared.entry.findOutput(lossName)];
  double sum = 0;
  for (int64_t i = 0; i < buffer->bytes / static_cast<int64_t>(byteWidth(info.type)); ++i)
    sum += elementAsDouble(info.type, at(*buffer), i);
  return sum;
}

/// Claims count too, so that a long kernel shows progress.
uint64_t Rank::progress() const {
  return actionsDone.load(std::memory_order_relaxed) + shared.workers.job(local).numClaims();
}

int64_t Rank::slowestNs() const {
  const CallInfo *call = current.load(std::memory_order_relaxed);
  int64_t microBatch = currentMicroBatch.load(std::memory_order_relaxed);
  return call ? paces[static_cast<size_t>(shared.entry.kernelOf(*call, microBatch))].slowestNs.load(
                    std::memory_order_relaxed)
              : 0;
}

std::pair<std::vector<std::string>, std::string> Rank::where() const {
  if (const CallInfo *call = current.load(std::memory_order_relaxed)) {
    const KernelInfo &kernel = kernelOf(*call, currentMicroBatch);
    return {kernel.where, describeCall(plan, index, *call, currentMicroBatch, kernel)};
  }
  return {{}, "rank " + std::to_string(index) + ", stage '" + plan.stage + "', between kernels"};
}

} // namespace plc::runtime
