//===- ImportModel.h - an imported graph as readable rules ------*- C++ -*-===//
#ifndef PLC_IMPORT_IMPORTMODEL_H
#define PLC_IMPORT_IMPORTMODEL_H

#include "plc/Import/Graph.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace plc::import {

/// A parameter of the rules: its path, and the tensor of the file that it is.
struct ImportedParameter {
  std::string path; // "block.0.qkv"
  const Input *input;
  std::vector<int64_t> shape; // as declared: the tensor's elements in the same order
};

struct ImportedRules {
  std::string text; // an .ein file
  std::vector<ImportedParameter> parameters;
  std::vector<std::string> warnings;
};

/// The axis of an input that holds the samples of a batch.
struct BatchOption {
  std::string input;
  int64_t axis;
};

/// The same model, exported at other sizes.
struct AlsoOption {
  std::string name; // of its file
  const ImportedModel *model;
};

struct ImportOptions {
  std::string name;   // of the model
  std::string loss{}; // "cross_entropy(output, label)": adds a loss and its inputs
  std::optional<BatchOption> batch{};
  std::optional<AlsoOption> also{};
};

/// Throws ImportError.
ImportedRules importModel(const ImportedModel &model, const ImportOptions &options);

/// What cannot be imported, as lines for the user.
struct ImportError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A map of the parameters to the names of the model, as `plc-run --map` reads it.
std::string mapOf(const ImportedModel &model, const ImportedRules &rules);

/// Writes the parameters as .safetensors, under their paths and in their shapes. Returns what went wrong, or nothing.
std::string writeParameters(const ImportedModel &model, const ImportedRules &rules, const std::string &path);

} // namespace plc::import

#endif
