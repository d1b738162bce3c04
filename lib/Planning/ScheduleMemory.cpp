//===- ScheduleMemory.cpp - what tasks hold, as limits of an order --------===//
#include "ScheduleMemory.h"

#include "RetentionModel.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::RetentionProblem;
using planner::TaskKind;

namespace {

// Bytes of one micro-batch of a stage: behind F, behind B, and the most that lives at each task's calls. What F discards
// counts from its first reader behind F on, because its clones run there at the latest.
class StageBytes {
public:
  explicit StageBytes(const StageRetention &model) : problem(model.problem) {
    int64_t calls = problem.calls.size(), firstB = problem.firstBackward(), firstW = calls;
    while (firstW > firstB && problem.calls[firstW - 1].kind == TaskKind::W)
      --firstW;
    std::vector<int64_t> change(calls + 1); // of what lives, at each call
    auto live = [&](int64_t value, int64_t begin, int64_t end) {
      int64_t bytes = problem.bytes[value];
      change[begin] += bytes;
      change[end + 1] -= bytes;
      behindF += begin < firstB && firstB <= end ? bytes : 0;
      behindB += begin < firstW && firstW <= end ? bytes : 0;
    };
    std::vector<std::vector<int64_t>> uses = usesOfValues();
    for (int64_t call = 0; call < calls; ++call)
      for (auto [number, value] : llvm::enumerate(problem.calls[call].results)) {
        auto again = llvm::find_if(uses[value], [&](int64_t use) { return use >= firstB; });
        int64_t last = uses[value].empty() ? call : uses[value].back();
        if (again == uses[value].end() || !isDiscarded(model.callOf(call), number)) {
          live(value, call, last);
          continue;
        }
        live(value, call, again == uses[value].begin() ? call : *std::prev(again));
        live(value, *again, last);
      }
    for (int64_t call = 0, now = 0; call < calls; ++call) {
      now += change[call];
      int64_t &most = peak[int(problem.calls[call].kind)];
      most = std::max(most, now);
    }
  }

  int64_t behindF = 0, behindB = 0;
  std::array<int64_t, 3> peak{}; // by task

private:
  std::vector<std::vector<int64_t>> usesOfValues() const {
    std::vector<std::vector<int64_t>> uses(problem.bytes.size());
    for (auto [index, call] : llvm::enumerate(problem.calls))
      for (int64_t value : call.args)
        uses[value].push_back(index);
    return uses;
  }

  static bool isDiscarded(CallOp call, int64_t result) {
    return call && llvm::is_contained(call.getDiscard().value_or(ArrayRef<int64_t>()), result);
  }

  const RetentionProblem &problem;
};

void hold(const StageBytes &held, planner::ScheduleProblem::Stage &stage) {
  if (stage.last() != TaskKind::F)
    stage.heldByF = held.behindF;
  if (stage.has[int(TaskKind::B)] && stage.has[int(TaskKind::W)])
    stage.heldByB = held.behindB;
}

} // namespace

void plc::plan::limitByBytes(ProgramOp program, int64_t bytes, ArrayRef<int64_t> reserved,
                             planner::ScheduleProblem &problem) {
  RetentionContext context(program, /*keepKinds=*/{});
  std::vector<int64_t> statics(problem.numRanks()), beyond(statics);
  for (auto [plain, stage] : llvm::zip(problem.stages, program.getBody().getOps<StageOp>())) {
    StageRetention model(context, stage, /*inFlight=*/1);
    StageBytes held(model);
    hold(held, plain);
    statics[plain.rank] = model.problem.staticBytes;
    std::array<int64_t, 3> counted = {plain.heldByF, std::max(plain.heldByF, plain.heldByB),
                                      plain.has[int(TaskKind::B)] ? plain.heldByB : plain.heldByF};
    for (int kind = 0; kind < 3; ++kind)
      beyond[plain.rank] = std::max(beyond[plain.rank], held.peak[kind] - counted[kind]);
  }
  for (size_t rank = 0; rank < statics.size(); ++rank) {
    int64_t left = bytes - (rank < reserved.size() ? reserved[rank] : 0) - statics[rank] - beyond[rank];
    problem.capBytes.push_back(std::max<int64_t>(left, 0));
  }
}

std::vector<int64_t> plc::plan::leastBytesOf(ProgramOp program) {
  RetentionContext context(program, /*keepKinds=*/{});
  planner::ScheduleProblem problem; // of which only this is asked
  llvm::StringMap<int64_t> stages;
  for (auto stage : program.getBody().getOps<StageOp>()) { // before there are replicas
    stages[stage.getSymName()] = problem.stages.size();
    planner::ScheduleProblem::Stage &plain = problem.stages.emplace_back();
    plain.rank = stage.getRank();
    for (auto task : stage.getBody().getOps<TaskOp>())
      if (task.getRole() != Role::P) // what it makes is static
        plain.has[int(task.getRole())] = true;
    hold(StageBytes(StageRetention(context, stage, /*inFlight=*/1)), plain);
  }
  ein::MicroBatches cut = program.getCut();
  std::vector<int64_t> bytes;
  for (auto rank : program.getBody().getOps<RankOp>()) {
    int64_t held = 0, most = 0;
    for (auto run : rank.getBody().getOps<RunOp>()) {
      bool isWhole = !cut.isRagged() || cut.samplesOf(run.getMb()) == cut.samplesOf(0); // others count as nothing
      if (isWhole)
        held += problem.bytesOf({stages.lookup(run.getStage()), TaskKind(run.getRole()), run.getMb()});
      most = std::max(most, held);
    }
    bytes.push_back(context.staticBytes(rank.getIndex()) + most);
  }
  return bytes;
}
