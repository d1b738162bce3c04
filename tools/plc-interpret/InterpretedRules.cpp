//===- InterpretedRules.cpp - an optimizer's rules, interpreted -----------===//
#include "InterpretedRules.h"

#include "plc/Algebra/Entries/NumericsPipeline.h"
#include "plc/Language/Errors/PassErrors.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>

using namespace mlir;

namespace plc::interpret {

using reference::Interpreter;
using reference::Tensor;

InterpretedRules::InterpretedRules(const Settings &settings)
    : settings(settings), context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<ein::EinDialect>();
  for (const strategy::NamedOptimizer &each : settings.optimizers) {
    std::string error;
    sources.push_back(language::OptimizerRules::read(each.file, each.header.name, error, llvm::errs()));
    if (!sources.back())
      throw runtime::Error(runtime::BadInput, "", error);
    for (size_t number = 0; number < each.header.forms.size(); ++number)
      forms.emplace_back(sources.back().get(), number);
  }
}

const runtime::UpdateRules &InterpretedRules::rules(size_t form, const std::vector<int64_t> &shape) {
  for (const Opened &each : opened)
    if (each.form == form && each.described.find(shape))
      return each.described;
  auto [source, number] = forms[form];
  Opened &made = opened.emplace_back();
  made.form = form;
  made.programs = source->programs(number, shape, context, llvm::errs());
  if (!made.programs.tensors) // the errors are printed already
    throw runtime::Error(runtime::BadInput, "", "");
  Precision precision = rowOf(settings.compute).real == ElementType::F64 ? Precision::F64 : Precision::F32;
  if (made.programs.scalars)
    made.scalars = open(*source, *made.programs.scalars, Precision::F64, made.described.scalars);
  made.described.tensors.emplace_back();
  made.tensors = open(*source, *made.programs.tensors, precision, made.described.tensors.front());
  if (!settings.optimizer.forms[form].isElementwise())
    made.described.tensors.front().shape = shape;
  return made.described;
}

std::unique_ptr<Interpreter> InterpretedRules::open(language::OptimizerRules &rules, ModuleOp module,
                                                    Precision precision, runtime::UpdateProgram &ports) {
  auto pipeline = PassManager::on<ModuleOp>(&context);
  algebra::ProgramNumbers numbers;
  numbers.entry = ProgramKind::infer;
  numbers.compute = precision;
  for (const algebra::Phase &phase : algebra::phasesToNumerics(numbers))
    phase.addPasses(pipeline);
  language::PassErrors errors(rules.sources(), context, llvm::errs(), settings.locations);
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
  const Opened &of = *std::ranges::find_if(opened, [&](const Opened &each) {
    return &program == &each.described.scalars || &program == &each.described.tensors.front();
  });
  Interpreter *interpreter = &program == &of.described.scalars ? of.scalars.get() : of.tensors.get();
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
