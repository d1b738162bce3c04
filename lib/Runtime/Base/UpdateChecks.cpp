// Checks of the compiled rules of optimizers, before any of them runs.
#include "UpdateChecks.h"

#include <map>
#include <set>

namespace plc::runtime {

namespace {

/// Checks that the rules of an optimizer read and write inside their ports and scratch memory, and that a step has
/// every value that they name.
class UpdateChecker {
public:
  UpdateChecker(const std::string &file, const Manifest &manifest, size_t number)
      : file(file), manifest(manifest), form(manifest.optimizer.forms[number]), rules(manifest.updates[number]) {
    numbers = {"rate", "step"};
    const std::vector<module::OptimizerSetting> *settings = &manifest.optimizer.settings;
    for (const module::ParameterGroup &group : manifest.optimizer.groups)
      if (group.kind == form.kind)
        settings = &group.settings;
    for (const module::OptimizerSetting &setting : *settings)
      numbers.insert({setting.name, module::powerName(setting.name)});
    tensors[form.parameter] = nullptr;
    for (const module::OptimizerState &state : form.states)
      tensors[state.name] = &state;
  }

  void check() {
    constexpr auto ofNumber = static_cast<int64_t>(sizeof(double));
    auto isNumber = [&](const std::string &name) { return numbers.contains(name); };
    checkNames(rules.scalars.inputs, isNumber);
    numbers.insert(rules.scalars.results.begin(), rules.scalars.results.end());
    checkProgram(rules.scalars, [&](const std::string &) { return ofNumber; });
    auto isTensor = [&](const std::string &name) { return name == form.gradient || tensors.contains(name); };
    for (const UpdateProgram &program : rules.tensors) {
      if (program.shape.empty() != form.isElementwise() ||
          (!form.isElementwise() && !form.takes(static_cast<int64_t>(program.shape.size()))))
        fail("has rules of '" + form.kind + "' for " + std::to_string(program.shape.size()) + " axes");
      checkNames(program.inputs, [&](const std::string &name) { return isTensor(name) || isNumber(name); });
      checkNames(program.results, [&](const std::string &name) { return tensors.contains(name); });
      checkProgram(program, [&](const std::string &name) { return bytesOf(program, name, isTensor(name)); });
    }
  }

private:
  /// Bytes of a port of a program on tensors.
  int64_t bytesOf(const UpdateProgram &program, const std::string &name, bool isTensor) const {
    TensorInfo port{"", manifest.real, {}};
    if (isTensor && form.isElementwise())
      port.shape = {module::updateBlock};
    else if (isTensor) {
      auto found = tensors.find(name);
      port.shape = found != tensors.end() && found->second ? found->second->shapeOf(program.shape) : program.shape;
    }
    return static_cast<int64_t>(port.numBytes());
  }

  void checkNames(const std::vector<std::string> &names, auto isKnown) const {
    for (const std::string &name : names)
      if (!isKnown(name))
        fail("nothing gives '" + name + "' a value");
  }

  void checkProgram(const UpdateProgram &program, auto bytesOf) const {
    for (const module::UpdateCall &call : program.calls) {
      const KernelInfo &kernel = manifest.kernels[static_cast<size_t>(call.kernel)];
      if (kernel.loop)
        fail("calls the loop '" + kernel.name + "'");
      for (const auto *operands : {&kernel.inputs, &kernel.results})
        for (const module::RealOperand &operand : *operands)
          checkOperand(program, call, kernel, operand, bytesOf);
    }
  }

  void checkOperand(const UpdateProgram &program, const module::UpdateCall &call, const KernelInfo &kernel,
                    const module::RealOperand &operand, auto bytesOf) const {
    if (operand.operand >= static_cast<int64_t>(call.operands.size()))
      fail("calls kernel '" + kernel.name + "' with " + std::to_string(call.operands.size()) +
           " operands, but it has one #" + std::to_string(operand.operand));
    int64_t at = call.operands[static_cast<size_t>(operand.operand)], room = program.scratchBytes - at;
    if (at < 0) {
      auto port = static_cast<size_t>(-1 - at), numInputs = program.inputs.size();
      room = bytesOf(port < numInputs ? program.inputs[port] : program.results[port - numInputs]);
    }
    int64_t bytes = 0;
    if (__builtin_mul_overflow(operand.elements, static_cast<int64_t>(byteWidth(operand.type)), &bytes) || bytes > room)
      fail("calls kernel '" + kernel.name + "' with " + std::to_string(room) + " bytes for operand #" +
           std::to_string(operand.operand) + ", which has " + std::to_string(operand.elements) + " elements of " +
           std::string(nameOf(operand.type)));
  }

  [[noreturn]] void fail(const std::string &text) const { throw fileError(file, "manifest: update: " + text); }

  const std::string &file;
  const Manifest &manifest;
  const module::OptimizerForm &form;
  const UpdateRules &rules;
  std::set<std::string> numbers;
  std::map<std::string, const module::OptimizerState *> tensors; // null: of all axes
};

} // namespace

void checkUpdates(const std::string &file, const Manifest &manifest) {
  if (!manifest.updates.empty() && manifest.updates.size() != manifest.optimizer.forms.size())
    throw fileError(file, "manifest: has " + std::to_string(manifest.updates.size()) + " updates, but " +
                              std::to_string(manifest.optimizer.forms.size()) + " forms of optimizers");
  for (size_t number = 0; number < manifest.updates.size(); ++number)
    UpdateChecker(file, manifest, number).check();
}

} // namespace plc::runtime
