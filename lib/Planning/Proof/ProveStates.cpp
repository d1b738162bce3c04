//===- ProveStates.cpp - states are read at the right update --------------===//
#include "Proof.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

namespace {

// Executes each rank's list with a counter of updates in place of each state's elements, one per micro-batch. Every
// read and every message must find as many updates as its value has behind it.
class StateProof {
public:
  explicit StateProof(TableOfProgram &both) : both(both) {}

  LogicalResult run() {
    for (auto stage : both.program.getBody().getOps<StageOp>())
      for (auto input : stage.getBody().getOps<InputOp>())
        if (isa<ein::StateNameAttr>(input.getInput()) &&
            homes.try_emplace(input.getInput(), stage).first->second.getRank() != stage.getRank())
          return input.emitOpError("is a state of rank ")
                 << stage.getRank() << ", but it is one of rank " << homes[input.getInput()].getRank() << ", too";
    for (auto [rank, plan] : llvm::enumerate(both.table.ranks))
      for (auto [number, action] : llvm::enumerate(plan.actions))
        if (failed(execute(plan, action, both.actions[rank][number])))
          return failure();
    for (auto stage : both.program.getBody().getOps<StageOp>())
      for (auto output : stage.getBody().getOps<OutputOp>())
        if (isa<ein::StateNameAttr>(output.getOutput()) && failed(checkEnd(output)))
          return failure();
    return success();
  }

private:
  // The state in whose buffer a value lies; null if it lies in none.
  InputOp stateAt(Value value) {
    auto input = both.slots.resolve(value).getDefiningOp<InputOp>();
    return input && isa<ein::StateNameAttr>(input.getInput()) ? input : nullptr;
  }

  // What a task or a message does to a state: an update, or a read that needs a number of updates.
  struct Use {
    InputOp state;
    std::optional<int64_t> needed;
  };

  LogicalResult execute(const module::RankInfo &plan, const ActionInfo &action, Operation *op) {
    if (action.op == ActionInfo::Op::Run) {
      const SmallVector<Use> *uses = usesOf(both.taskOf(plan, action).op, action.microBatch);
      return success(uses &&
                     llvm::all_of(*uses, [&](const Use &use) { return succeeded(apply(use, action.microBatch, op)); }));
    }
    // Waits read nothing. A receive brings the value to a buffer of its own, which `proveMemory` follows.
    if (action.op == ActionInfo::Op::Send)
      return read(both.routes().stashOf(both.routes().routeOf(both.channels[action.target])).getValue(),
                  action.microBatch, op);
    return success();
  }

  // The uses of a task, found once for all micro-batches. Null, after an error, if it updates anything but a state.
  const SmallVector<Use> *usesOf(TaskOp task, int64_t mb) {
    auto [known, isNew] = usesByTask.try_emplace(task);
    SmallVector<Use> &uses = known->second;
    if (!isNew)
      return &uses;
    for (auto call : task.getBody().getOps<CallOp>()) {
      // Reads come before the call's own update.
      for (Value operand : call.getArgs())
        if (InputOp state = stateAt(operand))
          uses.push_back({state, both.routes().countUpdates(operand)});
      if (!both.routes().updatesState(call))
        continue;
      InputOp state = stateAt(call.getArgs().back());
      if (!state) {
        call.emitOpError("updates ") << describe(both.slots.resolve(call.getArgs().back()), mb)
                                     << ", which is no state";
        return nullptr;
      }
      uses.push_back({state, std::nullopt});
    }
    return &uses;
  }

  LogicalResult apply(const Use &use, int64_t mb, Operation *op) {
    InputOp state = use.state;
    // Counted per micro-batch, since each has its own slice of the state.
    int64_t &found = updates[{state.getInput(), mb}];
    if (!use.needed)
      return ++found, success();
    if (*use.needed == found)
      return success();
    return op->emitOpError("needs ") << describe(state, mb) << " behind " << *use.needed << " updates, but " << found
                                     << " have run by then";
  }

  LogicalResult read(Value value, int64_t mb, Operation *op) {
    InputOp state = stateAt(value);
    return state ? apply({state, both.routes().countUpdates(value)}, mb, op) : success();
  }

  // The next run reads the state from its buffer, so the last value must be there.
  LogicalResult checkEnd(OutputOp output) {
    InputOp state = stateAt(output.getValue());
    if (!state || state.getInput() != output.getOutput())
      return output.emitOpError("is a state, but its value is in another place");
    for (int64_t mb = 0; mb < int64_t(both.program.getMicroBatches()); ++mb)
      if (failed(read(output.getValue(), mb, output)))
        return failure();
    return success();
  }

  TableOfProgram &both;
  DenseMap<Attribute, StageOp> homes; // of states, by the names of their inputs
  DenseMap<Operation *, SmallVector<Use>> usesByTask;
  DenseMap<std::pair<Attribute, int64_t>, int64_t> updates;
};

} // namespace

LogicalResult plc::plan::proveStates(TableOfProgram &both) { return StateProof(both).run(); }
