// What one run of an entry gives: its outputs, and the gradients that it makes.
#ifndef PLC_LIB_RUNTIME_EXECUTE_RESULTS_H
#define PLC_LIB_RUNTIME_EXECUTE_RESULTS_H

#include "Session.h"

namespace plc::runtime {

/// A session's outputs, and the gradients of parameters that it makes; in training of every trained one, zero where the
/// loss does not depend on it.
class Results {
public:
  Results(const Manifest &manifest, const EntryPlan &plan);

  const std::vector<TensorInfo> &infos() const { return tensors; }
  /// Of the session's last run.
  std::vector<Bytes> gather(const Session &session) const;

private:
  std::vector<TensorInfo> tensors; // outputs, then `grad(PATH)`
  std::vector<const ParameterInfo *> differentiated;
};

} // namespace plc::runtime

#endif
