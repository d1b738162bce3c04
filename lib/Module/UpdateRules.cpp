//===- UpdateRules.cpp - the memory of an update --------------------------===//
#include "plc/Module/UpdateRules.h"
#include "plc/Module/Alignment.h"

using namespace plc::module;

static int64_t productOf(const std::vector<int64_t> &shape) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  return elements;
}

int64_t plc::module::elementsOf(const UpdateProgram &program, const OptimizerForm &form, size_t result) {
  for (const OptimizerState &state : form.states)
    if (state.name == program.results[result])
      return productOf(state.shapeOf(program.shape));
  return productOf(program.shape);
}

UpdateLayout plc::module::layoutOf(const UpdateProgram &program, const OptimizerForm &form, int64_t bytesOfElement,
                                   bool inShards) {
  UpdateLayout layout;
  auto add = [&](int64_t bytes) {
    int64_t at = layout.bytes;
    layout.bytes += aligned(bytes);
    return at;
  };
  layout.gradient = add(productOf(program.shape) * bytesOfElement);
  if (inShards) {
    layout.value = add(productOf(program.shape) * bytesOfElement);
    for (const OptimizerState &state : form.states)
      layout.states.push_back(add(productOf(state.shapeOf(program.shape)) * bytesOfElement));
  }
  for (size_t result = 0; result < program.results.size(); ++result)
    layout.results.push_back(add(elementsOf(program, form, result) * bytesOfElement));
  layout.scratch = add(program.scratchBytes);
  return layout;
}
