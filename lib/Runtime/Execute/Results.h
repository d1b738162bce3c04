// The results of one run of an entry: its outputs and gradients.
#ifndef PLC_LIB_RUNTIME_EXECUTE_RESULTS_H
#define PLC_LIB_RUNTIME_EXECUTE_RESULTS_H

#include "Session.h"

namespace plc::runtime {

/// The results of an entry: its outputs, then the gradients that it computes. An entry that trains has one of every
/// trained parameter, zero where the loss does not depend on it.
class Results {
public:
  /// `withNext`: also what a step replaces frozen parameters by.
  Results(const Manifest &manifest, const EntryPlan &plan, bool withNext = false);

  /// Names, types and shapes, in the order of gather().
  const std::vector<TensorInfo> &infos() const { return tensors; }
  /// The whole tensors of the session's last run. Collective.
  std::vector<Bytes> gather(const Session &session) const;

private:
  std::vector<TensorInfo> tensors; // outputs, then `grad(PATH)`
  std::vector<const ParameterInfo *> differentiated;
};

} // namespace plc::runtime

#endif
