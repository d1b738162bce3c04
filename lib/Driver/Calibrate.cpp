//===- Calibrate.cpp - measure the rates of this machine -------------------===//
#include "Output.h"
#include "plc/Driver/Compile.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace plc::driver;
using llvm::StringRef;

namespace {

constexpr int64_t S = 256, D = 512, P = 4096, Q = 1 << 20, R = 16;
constexpr int64_t I = 64, J = 48, K = 4, L = 60;

// An equation to each rate, told apart by their lines. Vectors of P fit the nearest cache, so that arithmetic decides;
// those of Q do not, so that bytes do; R elements cost a call alone. Only the table is trained: its gradient scatters.
// The sums of h run over two axes that lie apart, which chains alone compute; c is computed twice, by tiles and by BLIS.
constexpr StringRef model = R"(dim B = 1, S = 256, V = 512, D = 512, P = 4096, Q = 1048576, R = 16
dim I = 64, J = 48, K = 4, L = 60
batch B
layer parts(tok: i32[B, S]) -> y[B] {
  param table[V, D] ~ normal(1)
  param w[D, D] ~ normal(0.02)
  param u[P], m[R, P], big[Q], left[I, K, L], right[L, K, J] ~ uniform(0.5, 1.5)
  x[b, s, d] = table[tok[b, s], d]
  c[b, s, e] = stop(x[b, s, d] * w[d, e])
  n[p] = stop(u[p] * 3)
  h[i, j] = stop(left[i, a, z] * right[z, a, j])
  e[p] = stop(exp(u[p]))
  l[p] = stop(log(u[p]))
  t[p] = stop(tanh(u[p]))
  v[p] = stop(u[p] / n[p])
  k[r] = stop(sum[p](m[r, p]))
  g[q] = stop(big[q] + 1)
  o[r] = stop(k[r] * 2)
  all = sum[p](e[p]) + sum[p](l[p]) + sum[p](t[p]) + sum[p](v[p]) + sum[q](g[q]) + sum[r](o[r]) + sum[i, j](h[i, j])
  y[b] = sum[s, d](x[b, s, d]) + stop(all) + stop(sum[s, e](c[b, s, e]))
}
model calibrate(tok: i32[B, S]) -> loss {
  y = parts(tok)
  loss = mean[b](y[b])
}
)";

struct Measurement {
  const char *rate;
  StringRef equation; // the beginning of its line
  double amount;      // what a call does, in the rate's unit
  const char *role = ".F.";
  const char *contractions = "own"; // the value of machine.contractions under which it is measured
};

constexpr Measurement measurements[] = {
    {"ns-per-contract-flop", "  c[", 2.0 * S * D * D, ".F.", "blis"},
    {"ns-per-tile-flop", "  c[", 2.0 * S * D * D},
    {"ns-per-chain-flop", "  h[", 2.0 * I * J * K * L},
    {"ns-per-reduced-element", "  k[", double(R * P)},
    {"ns-per-scattered-element", "  x[", double(S * D), ".W."},
    {"ns-per-element", "  n[", P},
    {"ns-per-exp", "  e[", P},
    {"ns-per-log", "  l[", P},
    {"ns-per-tanh", "  t[", P},
    {"ns-per-divide", "  v[", P},
    {"ns-per-byte", "  g[", 8.0 * Q},
};

int failed(const llvm::Twine &text) {
  llvm::errs() << "plc-compile: error: " << text << "\n";
  return 70;
}

/// Nanoseconds of a call of the kernel at a line, of a role; 0 if there is none.
double timeOf(const llvm::json::Array &kernels, StringRef equation, StringRef role) {
  int64_t line = 1 + model.take_front(model.find("\n" + equation.str()) + 1).count('\n');
  for (const llvm::json::Value &kernel : kernels) {
    const llvm::json::Object &each = *kernel.getAsObject();
    StringRef place = each.getString("where").value_or("");
    if (place.contains(llvm::formatv(".ein:{0}:", line).str()) && each.getString("kernel").value_or("").contains(role))
      return *each.getNumber("ms") * 1e6 / *each.getNumber("calls");
  }
  return 0;
}

/// The kernels that a run measured, by the value of machine.contractions.
using Kernels = llvm::StringMap<llvm::json::Array>;

/// The rates as TOML; nothing if a log lacks a kernel.
std::string ratesOf(const Kernels &kernels) {
  double call = timeOf(kernels.at("own"), "  o[", ".F.");
  std::string text = "# Nanoseconds on one thread, measured by plc-compile --calibrate.\n";
  for (const Measurement &each : measurements) {
    double time = timeOf(kernels.at(each.contractions), each.equation, each.role);
    if (time <= 0)
      return {};
    // Of two significant digits; noise must not make a rate negative.
    text += llvm::formatv("{0} = {1:E2}\n", each.rate, std::max((time - call) / each.amount, 1e-4));
  }
  return text + llvm::formatv("ns-per-call = {0:F0}\n", std::max(call, 1.0)).str();
}

/// Trains the model for a while; the path of the log, or an exit code.
int measure(StringRef folder, const std::string &contractions, std::string &log) {
  auto inFolder = [&](const char *name) { return (folder + "/" + name).str(); };
  CompileOptions options;
  options.model = inFolder("calibrate.ein");
  options.output = inFolder("calibrate.plcm");
  options.sets = {"fusion=false", "profiling=true", "optimizer.kind=sgd", "machine.contractions=" + contractions};
  log = inFolder("log");
  if (int code = writeOutput(options.model, model) ? 70 : compile(options))
    return code;
  llvm::SmallString<128> runner(
      llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&measure))));
  llvm::sys::path::append(runner, "plc-run");
  std::string data = "tok=" + options.model, why;
  StringRef arguments[] = {runner,      "train", options.output, "--data", data, "--steps", "200",
                           "--holdout", "0",     "--log",        log};
  int code = llvm::sys::ExecuteAndWait(runner, arguments, std::nullopt, {"", "", std::nullopt}, 0, 0, &why);
  return code == 0 ? 0 : failed("'" + runner + "' failed to run the measured model" + (why.empty() ? "" : ": " + why));
}

/// Reads what a run measured; 0, or an exit code.
int readKernels(const std::string &log, llvm::json::Array &kernels) {
  auto buffer = llvm::MemoryBuffer::getFile(log);
  if (!buffer)
    return failed("cannot read '" + log + "': " + buffer.getError().message());
  StringRef last = (*buffer)->getBuffer().trim().rsplit('\n').second;
  auto parsed = llvm::json::parse(last);
  if (!parsed)
    return failed("'" + log + "' is no log: " + llvm::toString(parsed.takeError()));
  auto *summary = parsed->getAsObject() ? parsed->getAsObject()->getObject("summary") : nullptr;
  if (auto *measured = summary ? summary->getArray("kernels") : nullptr)
    kernels = std::move(*measured);
  return 0;
}

int calibrateIn(StringRef folder, const std::string &output) {
  Kernels kernels;
  std::string log;
  for (const char *contractions : {"blis", "own"})
    if (int code = measure(folder, contractions, log))
      return code;
    else if (int code = readKernels(log, kernels[contractions]))
      return code;
  std::string rates = ratesOf(kernels);
  return rates.empty() ? failed("'" + log + "' lacks a measured kernel") : writeOutput(output, rates);
}

} // namespace

int plc::driver::calibrate(const std::string &output) {
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("plc-calibrate", folder))
    return failed("cannot make a folder: " + error.message());
  int code = calibrateIn(folder, output);
  llvm::sys::fs::remove_directories(folder);
  return code;
}
