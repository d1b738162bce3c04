//===- StageBuilder.cpp - a flat program as stages and tasks --------------===//
#include "StageBuilder.h"

#include "plc/Dialect/Ein/Names.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

constexpr Role roles[] = {Role::P, Role::F, Role::B, Role::W};

// Writes a flat program as IR: first empty stages, since stages use each other's results both ways, then their bodies.
class ProgramBuilder {
public:
  ProgramBuilder(ein::ModelOp model, const FlatProgram &flat, ArrayRef<int32_t> stageOfUnit, ArrayRef<int32_t> rankOf)
      : model(model), flat(flat), stageOfUnit(stageOfUnit), rankOf(rankOf), builder(model),
        symbols(model->getParentOfType<ModuleOp>()) {
    setPrecomputed();
    for (const FlatCall &call : flat.calls) {
      if (call.role == Role::F)
        numberInStage.push_back(callsOf[taskKeyOf(call)].size());
      callsOf[taskKeyOf(call)].push_back(&call);
      callsOfStage[stageOfUnit[call.unit]].push_back(&call);
    }
  }

  FailureOr<ProgramOp> run() {
    if (failed(checkOutputs()))
      return failure();
    findCrossings();
    ProgramOp program = createProgram();
    for (int64_t stage = 0; stage < int64_t(rankOf.size()); ++stage)
      createStage(stage);
    for (int64_t stage = 0; stage < int64_t(rankOf.size()); ++stage)
      fillStage(stage);
    return program;
  }

private:
  using TaskKey = std::pair<int64_t, Role>; // stage, task

  TaskKey taskKeyOf(const FlatCall &call) { return {stageOfUnit[call.unit], call.role}; }
  TaskKey homeOf(int64_t value) { return taskKeyOf(flat.calls[flat.values[value].call]); }

  // Each stage precomputes what its own calls read, with all that this needs: precomputed values never travel. A value
  // that two stages read is made twice.
  void setPrecomputed() {
    if (flat.precomputed.empty())
      return;
    std::set<std::pair<int64_t, int64_t>> needed; // stage, call
    auto need = [&](int64_t stage, int64_t value) {
      if (flat.values[value].origin == FlatValue::Precomputed)
        needed.insert({stage, flat.values[value].precomputed});
    };
    std::set<std::pair<int64_t, int64_t>> read; // stage, value
    for (const FlatCall &call : flat.calls)
      for (int64_t value : call.args) {
        need(stageOfUnit[call.unit], value);
        read.insert({stageOfUnit[call.unit], value});
      }
    // In reverse program order, so that a call's readers are known before its own operands.
    for (int64_t index = int64_t(flat.precomputed.size()) - 1; index >= 0; --index)
      for (int64_t stage = 0; stage < int64_t(rankOf.size()); ++stage)
        if (needed.count({stage, index}))
          for (int64_t value : flat.precomputed[index].args)
            need(stage, value);
    // Only values that other tasks read leave P; the rest are its temporaries.
    for (auto [stage, index] : needed) {
      const FlatCall &call = flat.precomputed[index];
      callsOf[{stage, Role::P}].push_back(&call);
      callsOfStage[stage].push_back(&call);
      for (int64_t value : call.results)
        if (read.count({stage, value}))
          taskResults[{stage, Role::P}].push_back(value);
    }
  }

  // An output's buffer is written by its maker, so a call must make it, and it must be one output only.
  LogicalResult checkOutputs() {
    llvm::DenseMap<int64_t, Attribute> seen;
    for (auto [index, value] : llvm::enumerate(flat.outputs)) {
      Attribute name = model.getResultNames()[index];
      if (flat.values[value].origin != FlatValue::Result)
        return model.emitError("output '")
               << ein::textOf(name) << "' is an input or a parameter; run --ein-copy-results first";
      auto [it, inserted] = seen.try_emplace(value, name);
      if (!inserted)
        return model.emitError("outputs '") << ein::textOf(it->second) << "' and '" << ein::textOf(name)
                                            << "' are one value; run --ein-copy-results first";
    }
    return success();
  }

  // Finds which values leave their task, and which their stage, each list in the order in which values are read.
  void findCrossings() {
    auto cross = [&](int64_t value, std::optional<TaskKey> user) {
      if (flat.values[value].origin != FlatValue::Result)
        return;
      TaskKey home = homeOf(value);
      if (!user || *user != home)
        leavesTask.insert(value);
      if (user && user->first != home.first)
        leavesStage.insert(value);
    };
    // Readers in program order decide the order of results, so equal programs get equal IR.
    for (const FlatCall &call : flat.calls)
      for (int64_t value : call.args)
        cross(value, taskKeyOf(call));
    for (int64_t value : flat.outputs)
      cross(value, std::nullopt);
    for (int64_t value : leavesTask)
      taskResults[homeOf(value)].push_back(value);
    for (int64_t value : leavesStage)
      stageResults[homeOf(value).first].push_back(value);
  }

  SmallVector<Type> typesOf(ArrayRef<int64_t> values) {
    return llvm::map_to_vector(values, [&](int64_t value) { return flat.values[value].type; });
  }

  ProgramOp createProgram() {
    builder.setInsertionPointAfter(model);
    auto program = ProgramOp::create(builder, model.getLoc(), model);
    programBlock = builder.createBlock(&program.getBody());
    for (const auto &each : flat.layers)
      // Paths do not show to which layer a call belongs, so the program lists the layers.
      LayerOp::create(builder, model.getLoc(), each.path, each.layer, each.kind);
    return program;
  }

  void createStage(int64_t index) {
    int64_t layers = 0;
    for (auto [unit, stage] : llvm::enumerate(stageOfUnit))
      layers += stage == index && flat.units[unit].layer;
    builder.setInsertionPointToEnd(programBlock);
    auto count = [&](int64_t value) { return builder.getI64IntegerAttr(value); };
    auto stage = StageOp::create(builder, model.getLoc(), typesOf(stageResults[index]),
                                 builder.getStringAttr("s" + Twine(index)), count(rankOf[index]), count(layers),
                                 /*ns=*/count(0));
    stage.getBody().emplaceBlock();
    stages.push_back(stage);
    for (auto [position, value] : llvm::enumerate(stageResults[index]))
      outside[value] = stage.getResult(position);
  }

  // Handles first, then tasks, outputs, yield.
  void fillStage(int64_t index) {
    Block *block = &stages[index].getBody().front();
    inStage.clear();
    builder.setInsertionPointToEnd(block);
    createHandles(index);
    for (Role role : roles)
      createTask(index, role, block);
    builder.setInsertionPointToEnd(block);
    // Outputs stand in the stage that makes them, whatever stage reads them, too.
    for (auto [position, value] : llvm::enumerate(flat.outputs))
      if (homeOf(value).first == index)
        OutputOp::create(builder, model.getLoc(), model.getResultNames()[position], inStage.lookup(value));
    SmallVector<Value> results;
    for (int64_t value : stageResults[index])
      results.push_back(inStage.lookup(value));
    YieldOp::create(builder, model.getLoc(), results);
  }

  void createHandles(int64_t index) {
    for (const FlatCall *call : callsOfStage[index]) {
      for (int64_t value : call->args) {
        const FlatValue &info = flat.values[value];
        if (info.origin == FlatValue::Result || info.origin == FlatValue::Precomputed || inStage.contains(value))
          continue;
        // At the declaration, so that errors of the plan point to the model.
        Location place = model.getLoc();
        ein::ParamOp declared;
        if (info.origin != FlatValue::Input)
          declared = symbols.lookup<ein::ParamOp>(info.symbol());
        if (declared)
          place = declared.getLoc();
        if (info.origin == FlatValue::Input)
          inStage[value] = InputOp::create(builder, model.getLoc(), info.type, info.name);
        else if (info.origin == FlatValue::Site)
          inStage[value] = SiteOp::create(builder, place, info.type, info.symbol().getValue(), info.site,
                                          /*group=*/0, /*groups=*/1);
        else
          inStage[value] =
              ParamOp::create(builder, place, info.type, info.symbol().getValue(), owned.insert(info.name).second,
                              declared && declared.getFrozen(), declared ? declared.getMomentsAttr() : ArrayAttr(),
                              declared ? declared.getWorkspaceAttr() : IntegerAttr());
      }
    }
  }

  // Clones are named by the forward call's number in its stage, as `plan.call` has it.
  DenseI64ArrayAttr againOf(const FlatCall &call) {
    if (call.again.empty())
      return nullptr;
    return builder.getDenseI64ArrayAttr(
        llvm::map_to_vector(call.again, [&](int64_t number) { return numberInStage[number]; }));
  }

  void createTask(int64_t index, Role role, Block *block) {
    ArrayRef<const FlatCall *> calls = callsOf[{index, role}];
    if (calls.empty())
      return;
    builder.setInsertionPointToEnd(block);
    ArrayRef<int64_t> results = taskResults[{index, role}];
    auto task = TaskOp::create(builder, model.getLoc(), typesOf(results), role);
    builder.createBlock(&task.getBody());
    DenseMap<int64_t, Value> local;
    auto find = [&](int64_t value) {
      // The nearest definition wins: made in this task, in this stage, in another stage.
      for (auto *scope : {&local, &inStage, &outside})
        if (Value found = scope->lookup(value))
          return found;
      llvm_unreachable("values are made before they are used");
    };
    for (const FlatCall *call : calls) {
      SmallVector<Value> operands = llvm::map_to_vector(call->args, find);
      auto created =
          CallOp::create(builder, call->loc, typesOf(call->results), KernelOp(call->kernel).getSymName(), operands,
                         call->path, /*recompute=*/nullptr,
                         call->discard.empty() ? nullptr : builder.getDenseI64ArrayAttr(call->discard), againOf(*call));
      // The site stands for an accumulated value, whichever call added to it last.
      for (auto [value, result] : llvm::zip(call->results, created.getResults()))
        if (flat.values[value].origin != FlatValue::Site)
          local[value] = result;
    }
    YieldOp::create(builder, model.getLoc(), llvm::map_to_vector(results, find));
    for (auto [value, result] : llvm::zip(results, task.getResults()))
      inStage[value] = result;
  }

  ein::ModelOp model;
  const FlatProgram &flat;
  ArrayRef<int32_t> stageOfUnit, rankOf;
  OpBuilder builder;
  SymbolTable symbols;
  Block *programBlock = nullptr;
  SmallVector<StageOp> stages;
  std::map<TaskKey, SmallVector<const FlatCall *>> callsOf; // in the flat program's order
  std::map<int64_t, SmallVector<const FlatCall *>> callsOfStage;
  std::vector<int64_t> numberInStage; // of each call of F, in program order
  llvm::SetVector<int64_t> leavesTask, leavesStage;
  std::map<TaskKey, SmallVector<int64_t>> taskResults;
  std::map<int64_t, SmallVector<int64_t>> stageResults;
  DenseMap<int64_t, Value> inStage, outside; // value of the flat program, as seen in the stage and in others
  DenseSet<Attribute> owned;
};

} // namespace

FailureOr<ProgramOp> plc::plan::buildProgram(ein::ModelOp model, const FlatProgram &flat, ArrayRef<int32_t> stageOfUnit,
                                             ArrayRef<int32_t> rankOf) {
  return ProgramBuilder(model, flat, stageOfUnit, rankOf).run();
}
