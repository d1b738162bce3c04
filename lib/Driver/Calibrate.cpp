//===- Calibrate.cpp - measure the rates of this machine ------------------===//
#include "MachineRates.h"
#include "Output.h"
#include "ThreadTimes.h"
#include "plc/Driver/Compile.h"
#include "plc/Support/Rates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace plc::driver;
using llvm::StringRef;
using plc::Choice, plc::PerRate, plc::Rate;

namespace {

// Sizes of the measured models. `near` ones fit the second-level cache of current CPUs, `far` ones (Q, V x D, farK)
// exceed it: Q is 8 MiB. Not tuned beyond that.
constexpr int64_t S = 256, D = 256, P = 16384, Q = 1 << 21, E = 1024, R = 16;
constexpr int64_t V = 8192, N = 256, farK = 1024, farN = 256;
constexpr int64_t farPanels = farN / 64;
constexpr int64_t I = 64, J = 48, K = 4, L = 60, U = 32, W = 16;

// One equation measures one rate; lines tell them apart. A micro-batch's data fit the second-level cache and are there
// from the micro-batch before, except in the first of a step.
//   - `o`: R elements, so that the call itself dominates.
//   - `f`: one fused kernel of 14 multiplications and additions, or 14 kernels; a contraction reads it.
//   - `x`: only the table is trained, so its gradient scatters.
//   - `h`: sums over two separate axes, which only chains compute.
//   - `c`: computed twice, by tiles and by BLIS.
//   - `across`: the right side is transposed, so packing it is measured.
//   - `few`: products so small that BLIS's call dominates.
constexpr StringRef nearModel = R"(dim B = 8, S = 256, N = 256, D = 256, P = 16384, E = 1024, R = 16
dim I = 64, J = 48, K = 4, L = 60, U = 32, W = 16
batch B
layer parts(tok: i32[B, S]) -> y2[B] {
  param table[N, D] ~ normal(1)
  param w[D, D] ~ normal(0.02)
  param u[P], m[R, E], xs[I, S], left[I, K, L], right[L, K, J] ~ uniform(0.5, 1.5)
  param frozen left16: bf16[S, D], right16: bf16[D, D] ~ normal(0.02)
  param one[R, U, W], two[R, W, W] ~ uniform(0.5, 1.5)
  x[b, s, d] = table[tok[b, s], d]
  c[b, s, e] = stop(x[b, s, d] * w[d, e])
  f[i, s] = stop(((((((xs[i,s]*3 + 1)*xs[i,s] + 2)*xs[i,s] + 3)*xs[i,s] + 4)*xs[i,s] + 5)*xs[i,s] + 6)*xs[i,s] + 7)
  across[i, e] = stop(f[i, s] * w[e, s])
  pairs[s, e] = stop(left16[s, d] * right16[d, e])
  few[r, y, z] = stop(one[r, y, x] * two[r, x, z])
  n[p] = stop(u[p] * 3)
  h[i, j] = stop(left[i, a, z] * right[z, a, j])
  e[p] = stop(exp(u[p]))
  l[p] = stop(log(u[p]))
  t[p] = stop(tanh(u[p]))
  v[p] = stop(1 / u[p])
  k[r] = stop(sum[e](m[r, e]))
  at[b, s] = stop(u[tok[b, s]] * 2)
  o[r] = stop(k[r] * 2)
  all = sum[p](e[p]) + sum[p](l[p]) + sum[p](t[p]) + sum[p](v[p]) + sum[p](n[p]) + sum[r](o[r])
  some = sum[i, j](h[i, j]) + sum[i, z](across[i, z]) + sum[s, e](pairs[s, e])
  y[b] = sum[s, d](x[b, s, d]) + stop(all + some) + stop(sum[s, e](c[b, s, e])) + stop(sum[s](at[b, s]))
  y2[b] = y[b] + stop(sum[r, x, z](few[r, x, z]))
}
model calibrate(tok: i32[B, S]) -> loss {
  y = parts(tok)
  loss = mean[b](y[b])
}
)";

// Data from memory: vectors of Q, and a table whose gradient and moments an update reads.
constexpr StringRef farModel = R"(dim B = 8, S = 256, V = 8192, D = 256, Q = 2097152, K = 1024, N = 256
batch B
layer parts(tok: i32[B, S]) -> y[B] {
  param table[V, D] ~ normal(1)
  param big[Q], wide[K, K], thin[K, N] ~ uniform(0.5, 1.5)
  g[q] = stop(big[q] + 1)
  c[m, n] = stop(wide[k, m] * thin[k, n])
  x[b, s, d] = table[tok[b, s], d]
  y[b] = sum[s, d](x[b, s, d]) + stop(sum[q](g[q]) + sum[m, n](c[m, n]))
}
model calibrate(tok: i32[B, S]) -> loss {
  y = parts(tok)
  loss = mean[b](y[b])
}
)";

/// A training run of a measurement, and how it is compiled.
/// By contractions (BLIS or own), with fused kernels, and with data from memory.
enum Run { blis, own, fused, far };
struct Setting {
  StringRef model;
  std::array<const char *, 3> sets;
  const char *steps;
};
constexpr Setting settings[] = {
    {nearModel, {"machine.contractions=blis", "fusion=false", "parallelism.micro_batches=8"}, "25"},
    {nearModel, {"machine.contractions=own", "fusion=false", "parallelism.micro_batches=8"}, "25"},
    {nearModel, {"machine.contractions=own", "fusion=true", "parallelism.micro_batches=8"}, "25"},
    {farModel, {"machine.contractions=own", "fusion=false", "parallelism.micro_batches=8"}, "8"}};

/// An amount of another rate's unit.
struct Part {
  Rate rate;
  double amount;
};

/// The kernel that measures a rate: `amount` units of it, besides the call and amounts of rates that are known by then.
struct Measurement {
  Rate rate;
  StringRef equation; // beginning of its line; empty: the step
  double amount;
  std::vector<Part> besides;
  Run run = own;
  const char *role = ".F.";
  std::optional<Run> beyond = std::nullopt; // only the time above that of the line's fastest kernel in this run
};

/// Each rate needs only rates that come before it.
const std::vector<Measurement> &measurements() {
  static const std::vector<Measurement> all = {
      {Rate::call, "  o[", 1, {}},
      {Rate::element, "  f[", 13.0 * I * S, {}, fused, ".F.", own},
      {Rate::cachedByte, "  f[", 8.0 * I * S, {{Rate::element, double(I * S)}}},
      {Rate::byte, "  g[", 8.0 * Q, {{Rate::element, Q}}, far},
      {Rate::exp, "  e[", P, {{Rate::cachedByte, 8.0 * P}}},
      {Rate::log, "  l[", P, {{Rate::cachedByte, 8.0 * P}}},
      {Rate::tanh, "  t[", P, {{Rate::cachedByte, 8.0 * P}}},
      {Rate::divide, "  v[", P, {{Rate::cachedByte, 8.0 * P}}},
      {Rate::reducedElement, "  k[", double(R * E), {{Rate::cachedByte, 4.0 * R * E}}},
      {Rate::gatheredElement, "  at[", S, {{Rate::element, S}}},
      {Rate::scatteredElement, "  x[", double(S * D), {{Rate::cachedByte, 4.0 * (S + N) * D}}, own, ".W."},
      {Rate::updatedByte, "", 16.0 * V * D, {}, far, "step"},
      {Rate::chainFlop, "  h[", 2.0 * I * J * K * L, {}},
      {Rate::tileFlop, "  c[", 2.0 * S * D * D, {{Rate::cachedByte, 12.0 * S * D}, {Rate::element, 2.0 * S * D}}},
      {Rate::pairFlop, "  pairs[", 2.0 * S * D * D, {{Rate::cachedByte, 8.0 * S * D}, {Rate::element, 2.0 * S * D}}},
      {Rate::packedElement,
       "  across[",
       double(D * S),
       {{Rate::cachedByte, 8.0 * I * D + 4.0 * D * D},
        {Rate::element, 2.0 * I * D},
        {Rate::tileFlop, 2.0 * I * S * D}}},
      {Rate::farPackedElement,
       "  c[",
       double(farPanels * farK * farK),
       {{Rate::byte, 4.0 * farPanels * farK * farK + 8.0 * farK * farN},
        {Rate::element, 2.0 * farK * farN * double(farK) / 256},
        {Rate::tileFlop, 2.0 * farK * farK * farN}},
       far},
      {Rate::contractFlop, "  c[", 2.0 * S * D * D, {{Rate::cachedByte, 12.0 * S * D}}, blis},
      {Rate::libraryCall,
       "  few[",
       R,
       {{Rate::contractFlop, 2.0 * R * U * W * W}, {Rate::cachedByte, 4.0 * R * (U * W + W * W + U * W)}},
       blis},
  };
  return all;
}

/// Nanoseconds of a call of the fastest kernel at a line in any run, of a role, or of the step; 0 if there is none. It
/// is the median: what a step that is undisturbed for the most part takes.
double timeOf(const llvm::json::Array &kernels, StringRef model, StringRef equation, StringRef role) {
  int64_t line = 1 + model.take_front(model.find("\n" + equation.str()) + 1).count('\n');
  std::string location = equation.empty() ? "" : llvm::formatv(".ein:{0}:", line).str();
  double fastest = 0;
  for (const llvm::json::Value &kernel : kernels) {
    const llvm::json::Object &each = *kernel.getAsObject();
    if (!each.getString("where").value_or("").contains(location) ||
        !each.getString("kernel").value_or("").contains(role))
      continue;
    double ns = *each.getNumber("median_ns");
    fastest = fastest ? std::min(fastest, ns) : ns;
  }
  return fastest;
}

/// By run: the kernels that it measured.
using Kernels = llvm::SmallVector<llvm::json::Array>;

/// The rates as TOML; empty, with `missing` set, if a log has no kernel for a rate.
std::string ratesOf(const Kernels &kernels, double slowdown, Rate &missing) {
  PerRate rates;
  for (const Measurement &each : measurements()) {
    auto timeIn = [&](Run run) { return timeOf(kernels[run], settings[run].model, each.equation, each.role); };
    double time = timeIn(each.run);
    if (time <= 0)
      return missing = each.rate, "";
    time -= each.beyond ? timeIn(*each.beyond) : rates[Rate::call];
    for (const Part &part : each.besides)
      time -= part.amount * rates[part.rate];
    // A rate must be positive, whatever the noise; 1e-4 ns is far below every true rate.
    rates[each.rate] = std::max(time / each.amount, 1e-4);
  }
  // The rate is the time of the waking call; the other thread runs as much later again.
  rates[Rate::wake] = measureWakeNs() / 2;
  rates[Rate::busy] = slowdown;
  std::string text = "# Nanoseconds on one thread, measured by plc-compile --calibrate.\n";
  for (auto [index, row] : llvm::enumerate(Choice<Rate>::rows()))
    text += llvm::formatv("{0} = {1:E2}\n", row.name, rates[Rate(index)]);
  return text;
}

/// Adds the kernels of a log's last line. Returns 0, or an exit code.
int readKernels(const std::string &log, llvm::json::Array &kernels) {
  auto buffer = llvm::MemoryBuffer::getFile(log);
  if (!buffer)
    return reportError(plc::ExitCode::Internal, "cannot read '" + log + "': " + buffer.getError().message());
  StringRef last = (*buffer)->getBuffer().trim().rsplit('\n').second;
  auto parsed = llvm::json::parse(last);
  if (!parsed)
    return reportError(plc::ExitCode::Internal, "'" + log + "' is no log: " + llvm::toString(parsed.takeError()));
  auto *summary = parsed->getAsObject() ? parsed->getAsObject()->getObject("summary") : nullptr;
  if (auto *measured = summary ? summary->getArray("kernels") : nullptr)
    llvm::append_range(kernels, *measured);
  return 0;
}

/// Trains a model, and adds what its log has measured; `log` is its path. Returns 0, or an exit code.
int measure(StringRef folder, Run run, llvm::ArrayRef<std::string> sets, std::string &log, llvm::json::Array &kernels) {
  // Two, of which the faster counts, because other work only makes kernels slower. More would delay the first
  // compilation.
  constexpr int rounds = 2;
  auto inFolder = [&](const char *name) { return (folder + "/" + name).str(); };
  CompileOptions options;
  options.model = inFolder("calibrate.ein");
  options.output = inFolder("calibrate.plcm");
  options.rates = RatesSource::shipped;
  options.sets = {settings[run].sets.begin(), settings[run].sets.end()};
  options.sets.insert(options.sets.end(), {"profiling=true", "training.nonfinite=ignore", // only times count
                                           "memory.strategy=pooled"}); // of every step: nothing is precomputed
  llvm::append_range(options.sets, sets);
  log = inFolder("log");
  if (int code = writeOutput(options.model, settings[run].model) ? 70 : compile(options))
    return code;
  llvm::SmallString<128> runner(
      llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&measure))));
  llvm::sys::path::append(runner, "plc-run");
  std::string data = "tok=" + options.model, why;
  // A compiler started by a process of an MPI job must not join that job.
  const std::string threads = "machine.transport=threads";
  StringRef arguments[] = {
      runner,      "train", options.output, "--data", data,          "--steps", settings[run].steps,
      "--holdout", "0",     "--set",        threads,  "--overwrite", "--log",   log};
  const std::string errors = inFolder("errors"); // also has a warning that nothing is saved
  for (int round = 0; round < rounds; ++round) {
    int code = llvm::sys::ExecuteAndWait(runner, arguments, std::nullopt, {"", "", errors}, 0, 0, &why);
    if (auto text = llvm::MemoryBuffer::getFile(errors); text && code != 0)
      llvm::errs() << (*text)->getBuffer();
    if (code)
      return reportError(plc::ExitCode::Internal,
                         "'" + runner + "' failed to run the measured model" + (why.empty() ? "" : ": " + why));
    if (int failed = readKernels(log, kernels))
      return failed;
  }
  return 0;
}

int measureIn(StringRef folder, llvm::ArrayRef<std::string> sets, std::string &rates) {
  Kernels kernels(std::size(settings));
  std::string log;
  // Measured between the runs, and the least counts: while two processors of a virtual machine share a core, all takes
  // twice as long.
  double slowdown = measureSlowdown();
  for (Run run : {blis, own, fused, far}) {
    if (int code = measure(folder, run, sets, log, kernels[run]))
      return code;
    slowdown = std::min(slowdown, measureSlowdown());
  }
  Rate missing = Rate::call;
  rates = ratesOf(kernels, slowdown, missing);
  return rates.empty() ? reportError(plc::ExitCode::Internal, "'" + log + "' lacks the kernel that measures '" +
                                                                  plc::nameOfChoice(missing) + "'")
                       : 0;
}

} // namespace

int plc::driver::measureRates(llvm::ArrayRef<std::string> sets, std::string &rates) {
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("plc-calibrate", folder))
    return reportError(plc::ExitCode::Internal, "cannot make a folder: " + error.message());
  int code = measureIn(folder, sets, rates);
  llvm::sys::fs::remove_directories(folder);
  return code;
}

int plc::driver::calibrate(llvm::ArrayRef<std::string> sets, const std::string &output) {
  std::string rates;
  int code = measureRates(sets, rates);
  return code ? code : writeOutput(output, rates);
}
