//===- CheckGradients.h - gradients against differences ---------*- C++ -*-===//
#ifndef PLC_TOOLS_INTERPRET_CHECKGRADIENTS_H
#define PLC_TOOLS_INTERPRET_CHECKGRADIENTS_H

namespace plc::interpret {

/// `plc-interpret check-gradients MODEL [--seed K] [--samples N] [-D NAME=SIZE] [--set KEY=VALUE]`: compares the
/// gradient of each parameter in f64 with central differences of the loss (step 1e-5) at random points. The error of
/// an element is allowed 1e-6 max(1, largest element of the gradient). Returns the exit code, 6 if one is above.
int checkGradients(int argc, char **argv);

} // namespace plc::interpret

#endif
