// `plc-run bench`: times of steps, and what they were predicted to be.
#include "Runs.h"
#include "plc/Runtime/Base/CpuFeatures.h"
#include "plc/Runtime/Base/FmaPeak.h"
#include "plc/Runtime/Tensors/Checkpoint.h"
#include "plc/Runtime/Tensors/InitialValues.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

namespace plc::runtime {

namespace {

/// Inputs without --data: integers that are valid indices, below 16; numbers in (0, 1); random booleans.
std::vector<Bytes> inventInputs(const EntryInfo &entry, int64_t smallestGather) {
  auto positions = static_cast<uint64_t>(std::min<int64_t>(16, smallestGather));
  std::vector<Bytes> inputs;
  for (const TensorInfo &input : entry.inputs) {
    Bytes &bytes = inputs.emplace_back(input.numBytes());
    for (int64_t i = 0; i < input.numElements(); ++i) {
      uint64_t bits = randomBits(0, hashBytes(input.name), static_cast<uint64_t>(i));
      visit(input.type, [&](auto traits) {
        using T = typename decltype(traits)::Value;
        T value;
        if constexpr (traits.kind == ElementKind::Real)
          value = static_cast<T>(uniformFromBits(bits));
        else if constexpr (traits.kind == ElementKind::Integer)
          value = static_cast<T>((bits >> 32) % positions);
        else
          value = static_cast<T>(bits >> 63);
        std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
      });
    }
  }
  return inputs;
}

/// Prints the rate of a run, beside the FMA peak of as many cores as it uses.
void printRate(const Engine &engine, const EntryInfo &entry, double seconds) {
  int64_t flops = engine.flopsPerRun(entry);
  if (flops <= 0)
    return;
  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  int64_t threads = std::min(engine.numWorkers(entry), cores);
  double rate = static_cast<double>(flops) / seconds, peak = measureFmaPeak(engine.realType(), threads);
  std::printf("rate       %.1f GFLOP/s, %.3f of the FMA peak of %lld core%s (%.1f GFLOP/s)\n", rate * 1e-9,
              peak > 0 ? rate / peak : 0, static_cast<long long>(threads), threads == 1 ? "" : "s", peak * 1e-9);
}

/// "-3.2 %": how much `found` differs from what was measured.
std::string errorText(double found, double measured) {
  char text[32];
  std::snprintf(text, sizeof(text), "%+.1f %%", (found / measured - 1) * 100);
  return text;
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Prints predicted and replayed times beside the measured ones.
void printSimulations(const std::vector<RunTimes> &runs, double medianSeconds) {
  if (runs.empty())
    return;
  std::vector<double> errors;
  for (const RunTimes &run : runs)
    errors.push_back(std::abs(static_cast<double>(run.replayedNs) / static_cast<double>(run.executedNs) - 1) * 100);
  auto predicted = static_cast<double>(runs.front().predictedNs);
  std::printf("predicted  %.2f ms, %s of the median\n", predicted / 1e6,
              errorText(predicted / 1e9, medianSeconds).c_str());
  auto fastest = static_cast<double>(runs.back().fastestNs);
  std::printf("replay     off by %.1f %% median, by the times that tasks took; %.2f ms by the fastest of each kernel "
              "(predicted %s)\n",
              medianOf(errors), fastest / 1e6, errorText(predicted, fastest).c_str());
}

struct Measured {
  std::vector<double> seconds; // of each run, ascending
  std::vector<RunTimes> simulations;
};

/// Runs training steps, or forward runs of a model without a loss.
Measured measure(const Options &options, const EntryInfo &entry, Engine &engine) {
  const bool trains = entry.trains();
  const uint64_t seed = options.seed.value_or(0);
  std::unique_ptr<Data> data;
  if (!options.data.empty()) {
    data = openData(entry, options.data, 0);
    data->checkTraining();
  }
  engine.keepParametersIn(entry);
  initializeParameters(seed, engine);
  std::vector<Bytes> invented = data ? std::vector<Bytes>() : inventInputs(entry, engine.smallestGather());
  Measured measured;
  int64_t notTaken = 0;
  for (int64_t step = 1; step <= options.warmup + options.repeats; ++step) {
    std::vector<Bytes> inputs = data ? data->trainBatch(seed, step) : invented;
    auto start = std::chrono::steady_clock::now();
    if (trains)
      notTaken += !engine.trainStep(step, inputs).finite;
    else
      engine.run(entry, inputs);
    if (step <= options.warmup)
      continue;
    measured.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (std::optional<RunTimes> times = engine.lastRun(entry))
      measured.simulations.push_back(*times);
  }
  // Such a step is shorter: the user must know.
  if (notTaken && engine.optimizer().leavesOut())
    warnUser("warning: " + std::to_string(notTaken) + " of " + std::to_string(options.warmup + options.repeats) +
             " steps were not finite: what they took is without an update of the parameters\n");
  std::sort(measured.seconds.begin(), measured.seconds.end());
  return measured;
}

} // namespace

void runBench(const Options &options, Engine &engine) {
  // A model without a loss has no entry `train`: measure its forward pass.
  const EntryInfo *train = engine.findEntry("train");
  const EntryInfo &entry = train ? *train : needEntry(engine, "infer");
  Measured measured = measure(options, entry, engine);
  const std::vector<double> &seconds = measured.seconds;
  double median = medianOf(seconds);
  std::printf("%-10s %.2f ms median, %.2f to %.2f ms (%zu repeats after %lld)\n", train ? "step" : "infer",
              median * 1e3, seconds.front() * 1e3, seconds.back() * 1e3, seconds.size(),
              static_cast<long long>(options.warmup));
  std::printf("items      %.1f per second\n", static_cast<double>(entry.batch) / median);
  printRate(engine, entry, median);
  printSimulations(measured.simulations, median);
  std::printf("blis       kernels of '%s'\n", blisKernels().c_str());
  for (const RankMemory &rank : engine.memory(entry))
    std::printf("rank %-5lld planned %lld bytes, measured %lld bytes\n", static_cast<long long>(rank.rank),
                static_cast<long long>(rank.plannedBytes), static_cast<long long>(rank.measuredBytes));
}

} // namespace plc::runtime
