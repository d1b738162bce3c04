//===- InterpretedRules.cpp - an optimizer's rules, interpreted -----------===//
#include "InterpretedRules.h"

#include "plc/Algebra/Entries/NumericsPipeline.h"
#include "plc/Language/Errors/PassErrors.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;

namespace plc::interpret {

using reference::Interpreter;
using reference::Tensor;

InterpretedRules::InterpretedRules(const Settings &settings) : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<ein::EinDialect>();
  std::string error;
  source = language::OptimizerRules::read(settings.optimizerFile, settings.optimizer.kind, error, llvm::errs());
  if (!source)
    throw runtime::Error(runtime::BadInput, "", error);
  programs = source->programs(context, llvm::errs());
  if (!programs.elements) // the errors are printed already
    throw runtime::Error(runtime::BadInput, "", "");
  described.parameter = source->header().parameter;
  described.gradient = source->header().gradient;
  Precision precision = rowOf(settings.compute).real == ElementType::F64 ? Precision::F64 : Precision::F32;
  if (programs.scalars)
    scalars = open(*programs.scalars, Precision::F64, settings, described.scalars);
  elements = open(*programs.elements, precision, settings, described.elements);
}

std::unique_ptr<Interpreter> InterpretedRules::open(ModuleOp module, Precision precision, const Settings &settings,
                                                    runtime::UpdateProgram &ports) {
  auto pipeline = PassManager::on<ModuleOp>(&context);
  algebra::ProgramNumbers numbers;
  numbers.entry = ProgramKind::infer;
  numbers.compute = precision;
  for (const algebra::Phase &phase : algebra::phasesToNumerics(numbers))
    phase.addPasses(pipeline);
  language::PassErrors errors(source->sources(), context, llvm::errs(), settings.locations);
  if (failed(pipeline.run(module)))
    throw runtime::Error(errors.getExitCode(), "", "");
  auto interpreter = std::make_unique<Interpreter>(module, rowOf(precision).real);
  auto namesOf = [](ArrayAttr names) {
    std::vector<std::string> texts;
    for (StringRef name : names.getAsValueRange<StringAttr>())
      texts.push_back(name.str());
    return texts;
  };
  ports.inputs = namesOf(interpreter->getModel().getArgNames());
  ports.results = namesOf(interpreter->getModel().getResultNames());
  ports.inPlace = true; // results are copied once all are computed
  return interpreter;
}

void InterpretedRules::run(const runtime::UpdateProgram &program, void *const *ports, int64_t /*count*/,
                           runtime::UpdateWorkspace &) const {
  Interpreter *interpreter = &program == &described.scalars ? scalars.get() : elements.get();
  if (!interpreter)
    return; // rules without scalars of their own
  std::vector<Tensor> arguments;
  for (Type type : interpreter->getModel().getArgumentTypes()) {
    Tensor &argument = arguments.emplace_back(interpreter->makeTensor(type));
    std::memcpy(argument.data(), *ports++, argument.numBytes());
  }
  for (const Tensor &result : interpreter->runModel(std::move(arguments)))
    std::memcpy(*ports++, result.data(), result.numBytes());
}

} // namespace plc::interpret
