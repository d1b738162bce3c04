//===- ExplainWriters.cpp - an explanation as text and as JSON ------------===//
#include "plc/Planning/Report/Explain.h"

#include "plc/Planner/Base/Format.h"
#include "plc/Planner/Schedule/Gantt.h"
#include "plc/Support/Counted.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace plc;
using namespace plc::plan;
using llvm::ArrayRef;
using planner::formatBytes, planner::formatNs, planner::formatPart;

namespace {

// Lines of lists in text, which is read on a terminal; JSON has all entries. Not tuned.
constexpr size_t mostShares = 3, mostResidents = 10;

// By `Explanation::Binding`; also values of the JSON.
constexpr const char *bindings[] = {"its work", "a channel", "the order", "nothing"};

void printStage(const Explanation &all, const Explanation::Stage &stage, llvm::raw_ostream &out) {
  out << llvm::formatv("  {0} on rank {1}: {2}, '{3}'{4}, {5}", stage.name, stage.rank,
                       plc::counted(stage.layers, all.unit), stage.first,
                       stage.first == stage.last ? "" : " to '" + stage.last + "'", formatNs(stage.ns));
  // With one stage there is no other cut, so nothing is said of one.
  if (stage.moved.empty() && all.stages.size() > 1)
    out << "; no " << all.unit << " can be moved";
  if (!stage.moved.empty())
    out << llvm::formatv("; next-best cut: '{0}' in s{1} instead, {2} ({3}{4})", stage.moved, stage.movedTo,
                         formatNs(stage.movedNs), stage.movedNs < all.cutNs ? "" : "+",
                         formatPart(stage.movedNs - all.cutNs, all.cutNs));
  out << "\n";
}

void printCuts(const Explanation &all, llvm::raw_ostream &out) {
  int64_t ranks = 0;
  for (const Explanation::Stage &stage : all.stages)
    ranks = std::max(ranks, stage.rank + 1);
  out << "model '" << all.model << "' in " << plc::counted(int64_t(all.stages.size()), "stage")
      << (all.pipelineStages ? " of a pipeline of " + std::to_string(all.pipelineStages) : "") << " on "
      << plc::counted(ranks, "rank") << ", " << plc::counted(all.microBatches, "micro-batch")
      << "\n\ncuts: the slowest rank takes " << formatNs(all.cutNs) << " for a micro-batch; no cut takes less than "
      << formatNs(all.cutBoundNs) << (all.cutNs == all.cutBoundNs ? " (proven)\n" : "\n");
  for (const Explanation::Stage &stage : all.stages)
    printStage(all, stage, out);
  out << "\n";
}

void printKernel(const Explanation::Kernel &kernel, int64_t busyNs, llvm::raw_ostream &out) {
  out << llvm::formatv("    {0,6}  '{1}' of '{2}'", formatPart(kernel.ns, busyNs), kernel.name, kernel.layer);
  if (kernel.calls > 1)
    out << " and " << kernel.calls - 1 << (kernel.calls > 2 ? " others" : " other");
  out << (kernel.line.empty() ? "" : ", " + kernel.line) << "\n";
}

void printRank(const Explanation &all, size_t number, llvm::raw_ostream &out) {
  const Explanation::Rank &rank = all.ranks[number];
  out << "rank " << number << " (" << llvm::join(rank.stages, ", ") << "): busy "
      << formatPart(rank.busyNs, all.stepNs);
  for (const Explanation::Wait &wait : rank.waits)
    out << (wait.what.starts_with("rank ") ? ", waits for " : ", for ") << wait.what << " "
        << formatPart(wait.ns, all.stepNs);
  if (rank.doneEarlyNs)
    out << ", done early " << formatPart(rank.doneEarlyNs, all.stepNs);
  out << "\n  bound by " << bindings[size_t(rank.binding)];
  if (!rank.bindingBy.empty())
    out << (rank.binding == Explanation::Binding::order ? ", behind " : ", ") << rank.bindingBy;
  out << " (a tenth less work here makes the step " << formatPart(rank.savedByTenthNs, all.stepNs) << " shorter)\n";
  if (rank.recomputedNs) {
    out << "  memory: " << formatNs(rank.recomputedNs) << " of each micro-batch are recomputation, ";
    if (rank.loopsNs)
      out << formatNs(rank.loopsNs) << " of it iterations of loops that run again, ";
    out << "without which the step would take " << formatNs(rank.withoutNs) << " (-"
        << formatPart(all.stepNs - rank.withoutNs, all.stepNs) << ")\n";
  }
  llvm::SmallVector<std::string> texts;
  for (const Explanation::Share &task : ArrayRef(rank.tasks).take_front(mostShares))
    // Fractions of the rank's own work: a rank that waits much still shows where its work goes.
    texts.push_back(task.name + " " + formatPart(task.ns, rank.busyNs));
  out << "  of its work: " << llvm::join(texts, ", ") << "\n";
  for (const Explanation::Kernel &kernel : ArrayRef(rank.kernels).take_front(mostShares))
    printKernel(kernel, rank.busyNs, out);
}

void printArena(const Explanation::Arena &arena, int64_t limitBytes, llvm::raw_ostream &out) {
  out << "arena of rank " << arena.rank << ": " << formatBytes(arena.bytes);
  if (limitBytes)
    out << " of a budget of " << formatBytes(limitBytes);
  out << ", of which " << formatBytes(arena.persistentBytes) << " are for the whole run and "
      << formatBytes(arena.idleBytes) << " lie idle between values\n  most is held " << arena.peak << "\n";
  // Buffers that are not listed are summed up in one line.
  int64_t rest = arena.liveBytes;
  for (const Explanation::Resident &each : ArrayRef(arena.residents).take_front(mostResidents)) {
    out << llvm::formatv("  {0,10}  {1}", formatBytes(each.bytes), each.name);
    if (each.count > 1)
      out << ", " << each.count << " micro-batches";
    out << (each.line.empty() ? "" : ", " + each.line) << "\n";
    rest -= each.bytes;
  }
  if (arena.residents.size() > mostResidents)
    out << llvm::formatv("  {0,10}  {1} smaller ones\n", formatBytes(rest), arena.residents.size() - mostResidents);
}

template <class Item, class Write>
void writeList(llvm::json::OStream &json, llvm::StringRef name, const std::vector<Item> &items, Write write) {
  json.attributeArray(name, [&] {
    for (const Item &item : items)
      json.object([&] { write(item); });
  });
}

void writeTasks(llvm::json::OStream &json, const Explanation &all) {
  constexpr const char *kinds[] = {"F", "B", "W"};
  json.attributeArray("tasks", [&] {
    for (size_t rank = 0; rank < all.schedule.ranks.size(); ++rank)
      for (size_t i = 0; i < all.schedule.ranks[rank].size(); ++i)
        json.object([&] {
          const planner::ScheduledTask &task = all.schedule.ranks[rank][i];
          json.attribute("rank", int64_t(rank));
          json.attribute("stage", task.stage);
          json.attribute("kind", kinds[size_t(task.kind)]);
          json.attribute("micro_batch", task.microBatch);
          json.attribute("begin_ns", all.simulation.start[rank][i]);
          json.attribute("end_ns", all.simulation.end[rank][i]);
        });
  });
}

void writeStage(llvm::json::OStream &json, const Explanation::Stage &stage) {
  json.attribute("name", stage.name);
  json.attribute("rank", stage.rank);
  json.attribute("layers", stage.layers);
  json.attribute("first", stage.first);
  json.attribute("last", stage.last);
  json.attribute("ns", stage.ns);
  if (stage.moved.empty())
    return;
  json.attributeObject("next_best", [&] {
    json.attribute("part", stage.moved);
    json.attribute("stage", stage.movedTo);
    json.attribute("cut_ns", stage.movedNs);
  });
}

void writeRank(llvm::json::OStream &json, const Explanation::Rank &rank) {
  json.attribute("stages", llvm::json::Array(rank.stages));
  json.attribute("busy_ns", rank.busyNs);
  json.attribute("done_early_ns", rank.doneEarlyNs);
  writeList(json, "waits", rank.waits, [&](const Explanation::Wait &wait) {
    json.attribute("for", wait.what);
    json.attribute("ns", wait.ns);
  });
  json.attribute("bound_by", bindings[size_t(rank.binding)]);
  if (!rank.bindingBy.empty())
    json.attribute("behind", rank.bindingBy);
  json.attribute("saved_by_tenth_ns", rank.savedByTenthNs);
  json.attribute("recomputed_ns", rank.recomputedNs);
  json.attribute("recomputed_loops_ns", rank.loopsNs);
  if (rank.recomputedNs)
    json.attribute("step_without_recomputation_ns", rank.withoutNs);
  writeList(json, "work", rank.tasks, [&](const Explanation::Share &task) {
    json.attribute("task", task.name);
    json.attribute("ns", task.ns);
  });
  writeList(json, "kernels", rank.kernels, [&](const Explanation::Kernel &kernel) {
    json.attribute("kernel", kernel.name);
    json.attribute("layer", kernel.layer);
    json.attribute("line", kernel.line);
    json.attribute("ns", kernel.ns);
    json.attribute("calls", kernel.calls);
  });
}

void writeArena(llvm::json::OStream &json, const Explanation::Arena &arena) {
  json.attribute("rank", arena.rank);
  json.attribute("bytes", arena.bytes);
  json.attribute("static_bytes", arena.persistentBytes);
  json.attribute("live_bytes", arena.liveBytes);
  json.attribute("peak", arena.peak);
  writeList(json, "residents", arena.residents, [&](const Explanation::Resident &each) {
    json.attribute("name", each.name);
    json.attribute("line", each.line);
    json.attribute("bytes", each.bytes);
    json.attribute("micro_batches", each.count);
  });
}

} // namespace

void plc::plan::print(const Explanation &all, int64_t columns, llvm::raw_ostream &out) {
  printCuts(all, out);
  // Without a valid order there are no times to show; cuts and arenas are known all the same.
  if (all.fault.empty()) {
    out << "order: " << formatNs(all.stepNs) << "; no order of these tasks takes less than " << formatNs(all.boundNs)
        << " (gap " << formatPart(all.stepNs - all.boundNs, all.boundNs) << ")\n";
    if (all.replicas > 1)
      out << "  on the first of " << all.replicas
          << " replicas; each of the others does the same with other micro-batches, on as many ranks\n";
    out << "\n";
    if (!all.precomputed.empty())
      out << "before the first step: " << all.precomputed << "\n\n";
    out << planner::drawGantt(all.problem, all.schedule, all.simulation, columns) << "\n";
    if (int64_t saved = all.stepNs - all.withoutMessagesNs)
      out << "messages: if they took no time, the step would take " << formatNs(all.withoutMessagesNs) << " (-"
          << formatPart(saved, all.stepNs) << ")\n";
    for (size_t rank = 0; rank < all.ranks.size(); ++rank)
      printRank(all, rank, out);
    out << "\n";
  } else {
    out << all.fault << "\n";
  }
  for (const Explanation::Arena &arena : all.arenas)
    printArena(arena, all.limitBytes, out);
}

void plc::plan::printJson(const Explanation &all, llvm::raw_ostream &out) {
  llvm::json::OStream json(out, 2);
  json.object([&] {
    if (!all.fault.empty())
      json.attribute("fault", all.fault);
    json.attribute("model", all.model);
    json.attribute("micro_batches", all.microBatches);
    json.attribute("pipeline_stages", all.pipelineStages);
    json.attribute("cut_ns", all.cutNs);
    json.attribute("cut_bound_ns", all.cutBoundNs);
    writeList(json, "stages", all.stages, [&](const Explanation::Stage &stage) { writeStage(json, stage); });
    json.attribute("step_ns", all.stepNs);
    json.attribute("bound_ns", all.boundNs);
    json.attribute("without_messages_ns", all.withoutMessagesNs);
    json.attribute("replicas", all.replicas);
    json.attribute("precomputed", all.precomputed);
    writeTasks(json, all);
    writeList(json, "ranks", all.ranks, [&](const Explanation::Rank &rank) { writeRank(json, rank); });
    json.attribute("limit_bytes", all.limitBytes);
    writeList(json, "arenas", all.arenas, [&](const Explanation::Arena &arena) { writeArena(json, arena); });
  });
  out << "\n";
}
