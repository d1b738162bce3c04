// Moving averages in place of the parameters that they are of.
#ifndef PLC_LIB_RUNTIME_CAPI_SHOWNAVERAGES_H
#define PLC_LIB_RUNTIME_CAPI_SHOWNAVERAGES_H

#include "plc/Runtime/Base/Engine.h"

namespace plc::runtime {

/// While averages are shown, runs and readers of parameters find them, and this has the parameters.
class ShownAverages {
public:
  /// Throws usageError if the optimizer keeps none.
  explicit ShownAverages(Engine &engine);
  /// Gives parameters and averages their own values again.
  void hide(Engine &engine);

private:
  std::vector<Bytes> values; // by parameter; empty if it is frozen
};

} // namespace plc::runtime

#endif
