// Swaps parameters and their averages.
#include "CApi/ShownAverages.h"

#include "plc/Runtime/Base/Error.h"

namespace plc::runtime {

ShownAverages::ShownAverages(Engine &engine) {
  if (!engine.optimizer().keepsAverages())
    throw usageError("the module keeps no averages; one that is compiled with 'optimizer.ema' = 0.999 does");
  Bytes average;
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    Bytes &value = values.emplace_back();
    if (engine.parameters()[i].frozen)
      continue;
    value.resize(engine.parameters()[i].tensor().numBytes());
    average.resize(value.size());
    engine.readParameter(i, value.data());
    engine.readAverage(i, average.data());
    engine.writeParameter(i, average.data());
  }
}

void ShownAverages::hide(Engine &engine) {
  Bytes average;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty())
      continue;
    average.resize(values[i].size());
    engine.readParameter(i, average.data());
    engine.writeParameter(i, values[i].data());
    engine.writeAverage(i, average.data());
  }
}

} // namespace plc::runtime
