//===- Emission.cpp - a program as an ein module --------------------------===//
#include "Emission.h"
#include "EmitEquations.h"
#include "mlir/IR/BuiltinOps.h"
#include "plc/Dialect/Ein/Ein.h"
#include "llvm/Support/SourceMgr.h"

using namespace plc::language;

namespace {
/// Emits the parts of a module, in the order in which they refer to each other.
class ProgramEmitter {
public:
  ProgramEmitter(const Program &program, const llvm::SourceMgr &sources, mlir::MLIRContext &context)
      : program(program), sources(sources), builder(&context),
        module(mlir::ModuleOp::create(builder, at(program.model->location))) {}

  mlir::OwningOpRef<mlir::ModuleOp> run() {
    builder.setInsertionPointToEnd(module->getBody());
    for (const Parameter &parameter : program.parameters)
      emitParameter(parameter);
    for (const State &state : program.states)
      plc::ein::StateOp::create(builder, at(state.location), state.path, llvm::APFloat(state.init),
                                plc::ein::ShardAttr(), mlir::StringAttr());
    for (const auto &instance : program.instances)
      emitInstance(*instance);
    emitModel();
    return std::move(module);
  }

private:
  mlir::Location at(SMLoc location) {
    return BodyEmitter::locationOf(location, nullptr, sources, builder.getContext());
  }
  void emitParameter(const Parameter &parameter);
  void emitInstance(const Instance &instance);
  void emitModel();
  void emitBody(mlir::Region &region, const Body &body, llvm::ArrayRef<ValueId> arguments, SMLoc location);
  llvm::SmallVector<mlir::Type> typesOf(const Body &body, llvm::ArrayRef<ValueId> ids);

  const Program &program;
  const llvm::SourceMgr &sources;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

/// The tensor types of values of a body.
llvm::SmallVector<mlir::Type> ProgramEmitter::typesOf(const Body &body, llvm::ArrayRef<ValueId> ids) {
  llvm::SmallVector<mlir::Type> types;
  for (ValueId id : ids)
    types.push_back(BodyEmitter::typeOf(body.values[id], builder.getContext()));
  return types;
}

void ProgramEmitter::emitParameter(const Parameter &parameter) {
  const Initializer &init = parameter.initializer;
  llvm::SmallVector<llvm::StringRef> sizes(parameter.sizes.begin(), parameter.sizes.end());
  // Names of sizes let `--ein-shard` divide the parameter.
  bool named = llvm::any_of(sizes, [](llvm::StringRef size) { return !size.empty(); });
  plc::ein::ParamOp::create(
      builder, at(parameter.value.location), parameter.path, BodyEmitter::typeOf(parameter.value, builder.getContext()),
      *plc::ein::symbolizeInitializer(init.kind), llvm::APFloat(init.a), llvm::APFloat(init.b), parameter.frozen,
      parameter.replaced, named ? builder.getStrArrayAttr(sizes) : mlir::ArrayAttr(), plc::ein::ShardAttr(),
      /*slice=*/false, mlir::StringAttr(),
      /*moments=*/mlir::ArrayAttr(), /*workspace=*/mlir::IntegerAttr(),
      /*rows=*/mlir::IntegerAttr());
}

/// Fills a function's region. Arguments and equations have the locations of their names.
void ProgramEmitter::emitBody(mlir::Region &region, const Body &body, llvm::ArrayRef<ValueId> arguments,
                              SMLoc location) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&region);
  BodyEmitter emitter(body, builder, sources);
  for (ValueId id : arguments)
    emitter.bind(id, block->addArgument(BodyEmitter::typeOf(body.values[id], builder.getContext()),
                                        at(body.values[id].location)));
  for (const Step &step : body.steps)
    emitter.emit(step);
  llvm::SmallVector<mlir::Value> results;
  for (ValueId id : body.results)
    results.push_back(emitter.valueOf(id));
  for (const BodyParameter &parameter : body.parameters) {
    if (!parameter.next)
      continue;
    mlir::Value &result = *llvm::find_if(
        results, [](mlir::Value each) { return plc::ein::isTensorOf(plc::ein::Domain::Real, each.getType()); });
    mlir::Value old = emitter.valueOf(parameter.value);
    result = plc::ein::NextOp::create(builder, old.getLoc(), result.getType(), result, old,
                                      emitter.valueOf(*parameter.next));
  }
  plc::ein::ReturnOp::create(builder, at(location), results);
}

/// A body's parameters are its last arguments.
void ProgramEmitter::emitInstance(const Instance &instance) {
  const Body &body = instance.body;
  std::vector<ValueId> arguments = body.arguments;
  for (const BodyParameter &parameter : body.parameters)
    arguments.push_back(parameter.value);
  auto type = builder.getFunctionType(typesOf(body, arguments), typesOf(body, body.results));
  auto func = plc::ein::FuncOp::create(builder, at(instance.layer->location), instance.symbol, type);
  StringRef kind = instance.layer->kindName;
  func.setKind(kind.empty() ? instance.layer->name : kind);
  func.setNumParams(body.parameters.size());
  emitBody(func.getBody(), body, arguments, instance.layer->location);
}

/// States come behind the model's own arguments and results, exposed values behind those.
void ProgramEmitter::emitModel() {
  const Function &model = *program.model;
  const Body &body = program.body;
  auto names = [&](const std::vector<Declarator> &declarators, llvm::ArrayRef<std::string> others) {
    llvm::SmallVector<mlir::Attribute> list;
    for (const Declarator &declarator : declarators)
      list.push_back(builder.getStringAttr(declarator.name));
    for (const State &state : program.states)
      list.push_back(plc::ein::StateNameAttr::get(builder.getContext(), state.path));
    for (const std::string &other : others)
      list.push_back(builder.getStringAttr(other));
    return builder.getArrayAttr(list);
  };
  auto type = builder.getFunctionType(typesOf(body, body.arguments), typesOf(body, body.results));
  auto op = plc::ein::ModelOp::create(builder, at(model.location), model.name, type, names(model.arguments, {}),
                                      names(model.results, program.exposed), program.argumentBatch, program.resultBatch,
                                      program.batch);
  emitBody(op.getBody(), body, body.arguments, model.location);
}

mlir::OwningOpRef<mlir::ModuleOp> plc::language::emitProgram(const Program &program, const llvm::SourceMgr &sources,
                                                             mlir::MLIRContext &context) {
  context.loadDialect<plc::ein::EinDialect>();
  return ProgramEmitter(program, sources, context).run();
}
