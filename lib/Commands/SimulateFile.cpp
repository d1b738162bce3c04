// Prints and traces a simulated step.
#include "SimulateFile.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/TextTable.h"
#include "plc/Runtime/Base/Trace.h"
#include "plc/Simulator/Simulate.h"

#include <algorithm>
#include <cstdio>

namespace plc::runtime {

namespace {

using simulator::Play, simulator::Simulation;

std::string milliseconds(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f ms", static_cast<double>(ns) / 1e6);
  return text;
}

std::string percentOf(double part) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %%", part * 100);
  return text;
}

double partOf(int64_t ns, int64_t whole) { return whole ? static_cast<double>(ns) / static_cast<double>(whole) : 0; }

void printRanks(const Play &play, const simulator::Cluster &cluster, const Simulation &simulation) {
  TextTable table("lllrrr");
  table.add({"rank", "machine", "stage", "busy", "bubble", "arena"});
  for (size_t rank = 0; rank < play.ranks.size(); ++rank) {
    const Simulation::Rank &row = simulation.ranks[rank];
    table.add({std::to_string(rank), cluster.machines[row.machine].name, play.ranks[rank].stage,
               milliseconds(row.busyNs), percentOf(1 - partOf(row.busyNs, simulation.stepNs)),
               std::to_string(play.ranks[rank].arenaBytes) + " bytes"});
  }
  table.print();
}

void printTraffic(const Simulation &simulation) {
  if (simulation.traffic.empty())
    return;
  std::printf("\n");
  TextTable table("lrrr");
  table.add({"link", "messages", "bytes", "busy"});
  for (const Simulation::Traffic &link : simulation.traffic)
    table.add({std::to_string(link.source) + " -> " + std::to_string(link.destination), std::to_string(link.messages),
               std::to_string(link.bytes), percentOf(partOf(link.busyNs, simulation.stepNs))});
  table.print();
}

/// Writes a trace like that of plc-run for the same module, without kernels.
void writeTrace(const std::string &file, const std::string &entry, const Play &play, const Simulation &simulation) {
  static const std::string stepName = "step";
  std::vector<size_t> counts(play.ranks.size());
  for (const Simulation::Span &span : simulation.spans)
    ++counts[span.rank];
  std::vector<Trace> traces;
  for (size_t count : counts)
    traces.emplace_back(count + 1);
  for (const Simulation::Span &span : simulation.spans) {
    const Play::Action &action = play.ranks[span.rank].actions[span.action];
    Trace::Event event{Trace::Kind::Step, action.microBatch, &stepName, span.begin, span.end};
    if (action.op == Play::Op::Run) {
      event.kind = Trace::Kind::Task;
      event.name = &play.ranks[span.rank].tasks[static_cast<size_t>(action.target)];
    } else if (action.op != Play::Op::Step) {
      event.kind = Trace::Kind::Wait;
      event.name = &play.channels[static_cast<size_t>(action.target)].name;
    }
    traces[span.rank].add(event);
  }
  std::vector<TraceTrack> tracks;
  for (size_t rank = 0; rank < traces.size(); ++rank)
    tracks.push_back({entry, play.ranks[rank].stage, static_cast<int64_t>(rank), &traces[rank]});
  writeTraceFile(file, tracks);
}

} // namespace

void simulateModule(const Manifest &manifest, const simulator::Cluster &cluster, const std::string &clusterFile,
                    const std::string &traceFile) {
  // The entry that was planned: `train` if there is one.
  auto train = std::find_if(manifest.entries.begin(), manifest.entries.end(),
                            [](const EntryPlan &entry) { return entry.trains(); });
  const EntryPlan &entry = train == manifest.entries.end() ? manifest.entries.front() : *train;
  Play play = simulator::playOf(manifest, entry, std::max<int64_t>(1, manifest.threadsPerStage));
  Simulation simulation;
  if (auto wrong = simulator::simulate(play, cluster, simulation, !traceFile.empty()))
    throw Error(NoPlan, clusterFile, noPlanPrefix + *wrong);
  std::printf("%s of %s: step %s, ranks idle %s of it\n", entry.name.c_str(), manifest.model.c_str(),
              milliseconds(simulation.stepNs).c_str(), percentOf(simulation.bubble).c_str());
  if (simulation.precomputeNs)
    std::printf("precomputed once, before the first: %s\n", milliseconds(simulation.precomputeNs).c_str());
  printRanks(play, cluster, simulation);
  printTraffic(simulation);
  if (!traceFile.empty())
    writeTrace(traceFile, entry.name, play, simulation);
}

} // namespace plc::runtime
