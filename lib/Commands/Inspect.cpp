// Tables of entries, parameters, plan and kernels.
#include "Inspect.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/TextTable.h"
#include "plc/Runtime/Execute/Measurements.h"

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace plc::runtime {

namespace {

using nlohmann::json;

/// "1.2 GFLOP": three digits are enough to compare sizes.
std::string flopText(int64_t flops) {
  char text[32];
  auto value = static_cast<double>(flops);
  const char *unit = value < 1e6 ? "kFLOP" : value < 1e9 ? "MFLOP" : "GFLOP";
  std::snprintf(text, sizeof(text), "%.3g %s", value / (value < 1e6 ? 1e3 : value < 1e9 ? 1e6 : 1e9), unit);
  return text;
}

std::string milliseconds(const json &ns) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f ms", ns.get<double>() / 1e6);
  return text;
}

std::string percent(const json &part) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %%", part.get<double>() * 100);
  return text;
}

std::string batchText(const TensorInfo &tensor, bool output) {
  if (tensor.batched())
    return "batch is axis " + std::to_string(tensor.batchAxis);
  return output ? "summed over micro-batches" : "no batch";
}

/// How many values the tasks of a rank address, by how many base addresses.
std::string liveRangesText(const RankInfo &rank) {
  size_t slots = 0;
  int64_t bases = 0;
  for (const TaskInfo &task : rank.tasks) {
    slots += task.slots.size();
    bases += task.bases;
  }
  return std::to_string(slots) + " slots behind " + std::to_string(bases) + " bases";
}

void printEntries(const Manifest &manifest) {
  for (const EntryPlan &entry : manifest.entries) {
    std::string groups = entry.groups == 1 ? "" : ", " + std::to_string(entry.groups) + " accumulation groups";
    if (entry.replicas > 1)
      groups += " on " + std::to_string(entry.replicas) + " replicas";
    std::printf("\nentry %s: batch %lld in %lld micro-batch%s%s, %zu rank%s, %s\n", entry.name.c_str(),
                static_cast<long long>(entry.batch), static_cast<long long>(entry.microBatches),
                entry.microBatches == 1 ? "" : "es", groups.c_str(), entry.ranks.size(),
                entry.ranks.size() == 1 ? "" : "s", flopText(flopsOf(manifest, entry)).c_str());
    TextTable table("llll");
    for (const TensorInfo &tensor : entry.inputs)
      table.add({"input", tensor.name, tensor.typeText(), batchText(tensor, false)});
    for (const TensorInfo &tensor : entry.outputs)
      table.add({"output", tensor.name, tensor.typeText(), batchText(tensor, true)});
    for (const RankInfo &rank : entry.ranks)
      for (const BufferInfo &buffer : rank.buffers)
        if (buffer.kind == BufferKind::State)
          table.add({"state", buffer.name, std::to_string(buffer.bytes) + " bytes",
                     buffer.positions ? "a run writes one of " + std::to_string(buffer.positions) + " positions" : ""});
    for (size_t i = 0; i < entry.ranks.size(); ++i)
      table.add({"rank " + std::to_string(i), entry.ranks[i].stage,
                 std::to_string(entry.ranks[i].arenaBytes) + " bytes",
                 std::to_string(entry.ranks[i].actions.size()) + " actions, " + liveRangesText(entry.ranks[i])});
    table.print();
  }
}

std::string initialText(const Initializer &init) {
  char text[64];
  switch (init.kind) {
  case Initializer::Kind::Constant: std::snprintf(text, sizeof(text), "%g", init.value); break;
  case Initializer::Kind::Normal: std::snprintf(text, sizeof(text), "normal, deviation %g", init.scale); break;
  case Initializer::Kind::Uniform: std::snprintf(text, sizeof(text), "uniform, %g to %g", init.low, init.high); break;
  }
  return text;
}

void printParameters(const Manifest &manifest) {
  int64_t elements = 0, bytes = 0;
  TextTable table("llrl");
  for (const ParameterInfo &parameter : manifest.parameters) {
    TensorInfo tensor = parameter.tensor();
    elements += tensor.numElements();
    bytes += static_cast<int64_t>(tensor.numBytes());
    table.add({parameter.path, tensor.typeText(), std::to_string(tensor.numBytes()) + " bytes",
               initialText(parameter.init) + (parameter.frozen ? ", frozen" : "")});
  }
  std::printf("\nparameters: %zu, together %lld elements, %lld bytes\n", manifest.parameters.size(),
              static_cast<long long>(elements), static_cast<long long>(bytes));
  table.print();
}

/// The compiler's summary of the entry that it planned: `train` if there is one.
void printPlan(const json &plan) {
  if (!plan.contains("stages") || !plan.at("stages").is_array())
    return;
  std::printf("\nplan of %s: schedule %s, %s micro-batches, bubble %s\n", plan.at("program").get<std::string>().c_str(),
              plan.at("schedule").get<std::string>().c_str(), plan.at("micro_batches").dump().c_str(),
              percent(plan.at("bubble")).c_str());
  TextTable gaps("lrrr");
  gaps.add({"", "planned", "at least", "gap"});
  gaps.add({"slowest stage", milliseconds(plan.at("cut_ns")), milliseconds(plan.at("cut_bound_ns")),
            percent(plan.at("cut_gap"))});
  gaps.add({"order", milliseconds(plan.at("step_ns")), milliseconds(plan.at("step_bound_ns")),
            percent(plan.at("step_gap"))});
  for (const json &stage : plan.at("stages"))
    gaps.add({"arena of rank " + stage.at("rank").dump(), stage.at("peak_bytes").dump() + " bytes",
              stage.at("peak_bound_bytes").dump() + " bytes", percent(stage.at("peak_gap"))});
  gaps.print();
  if (plan.value("prepared_calls", int64_t(0)))
    std::printf("  precomputed once, before the first step: %s calls, %s, %s bytes kept\n",
                plan.at("prepared_calls").dump().c_str(), milliseconds(plan.at("prepared_ns")).c_str(),
                plan.at("prepared_bytes").dump().c_str());
  std::printf("\n");
  TextTable stages("lrrrrl");
  stages.add({"stage", "rank", "layers", "flops", "parameters", "from .. to"});
  for (const json &stage : plan.at("stages"))
    stages.add({stage.at("name").get<std::string>(), stage.at("rank").dump(), stage.at("layers").dump(),
                flopText(stage.at("flops").get<int64_t>()), stage.at("parameters").dump(),
                stage.at("from").get<std::string>() + " .. " + stage.at("to").get<std::string>()});
  stages.print();
  std::printf("%s", plan.at("routes").empty() ? "" : "\n");
  for (const json &route : plan.at("routes"))
    std::printf(
        "  %s sends %s '%s', %s bytes per %s\n", route.at("from").get<std::string>().c_str(),
        route.at("to").get<std::string>().c_str(), route.at("value").get<std::string>().c_str(),
        route.at("bytes").dump().c_str(),
        rowOf(
            parseChoice<module::Frequency>(route.at("per").get<std::string>()).value_or(module::Frequency::microBatch))
            .text);
}

/// Kernels grouped by layer and role: `attention.F` for `attention.F.3`.
void printKernels(const Manifest &manifest) {
  struct Group {
    int64_t kernels = 0, flops = 0, bytes = 0, code = 0;
  };
  std::map<std::string, Group> groups;
  std::vector<std::string> order;
  for (const KernelInfo &kernel : manifest.kernels) {
    std::string name = kernel.name.substr(0, kernel.name.rfind('.'));
    auto [group, isNew] = groups.try_emplace(name);
    if (isNew)
      order.push_back(name);
    ++group->second.kernels;
    group->second.flops += kernel.flops;
    group->second.bytes += kernel.bytes;
    group->second.code += Module::codeBytesOf(kernel);
  }
  std::printf("\nkernels: %zu, %lld bytes of code\n", manifest.kernels.size(),
              static_cast<long long>(manifest.codeBytes));
  TextTable table("lrrrr");
  table.add({"of", "kernels", "once each", "traffic", "code"});
  for (const std::string &name : order)
    table.add({name, std::to_string(groups[name].kernels), flopText(groups[name].flops),
               std::to_string(groups[name].bytes) + " bytes", std::to_string(groups[name].code) + " bytes"});
  table.print();
}

} // namespace

void printModule(const Module &module) {
  const Manifest &manifest = module.manifest();
  std::string features = std::accumulate(
      manifest.targetFeatures.begin(), manifest.targetFeatures.end(), std::string(),
      [](const std::string &all, const std::string &feature) { return all + (all.empty() ? "" : " ") + feature; });
  TextTable table("ll");
  table.add({"model", manifest.model + ", " + std::string(nameOf(manifest.real))});
  table.add({"numerics key", manifest.numericsKey});
  table.add({"made for", features.empty() ? "any CPU" : features});
  table.add({"optimizer", manifest.optimizer.kind});
  table.add({"threads", manifest.threadsPerStage ? std::to_string(manifest.threadsPerStage) + " per stage"
                                                 : "as many per stage as there are cores, where that pays"});
  table.print(0);
  printEntries(manifest);
  printParameters(manifest);
  try {
    printPlan(json::parse(manifest.planJson));
  } catch (const json::exception &) { // no other code reads or checks this part of a manifest
    throw fileError(module.fileName(), "manifest: 'plan' has 'stages', but not all that the compiler writes with them");
  }
  printKernels(manifest);
}

} // namespace plc::runtime
