//===- Names.cpp - names of arguments, results and shards -----------------===//
#include "plc/Dialect/Ein/Names.h"

#include "plc/Support/ResultName.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace plc;
using namespace plc::ein;

bool ein::isName(Attribute attribute) {
  return isa<StringAttr, StateNameAttr, WholeNameAttr, RandomNameAttr, GivenNameAttr, GradientNameAttr>(attribute);
}

std::string ein::textOf(Attribute name) {
  return llvm::TypeSwitch<Attribute, std::string>(name)
      .Case([](StringAttr plain) { return plain.str(); })
      .Case([](StateNameAttr state) { return ("state(" + state.getPath() + ")").str(); })
      .Case([](WholeNameAttr whole) { return "whole(" + textOf(whole.getInput()) + ")"; })
      .Case([](RandomNameAttr random) {
        return ("random(" + Twine(random.getPer() == KeysPer::run ? "all, " : "") + random.getPath() + ")").str();
      })
      .Case([](GivenNameAttr given) { return (stringifyEngineValue(given.getValue()) + "()").str(); })
      .Case([](GradientNameAttr gradient) { return gradientName(gradient.getOf()); })
      .Case([](ShardAttr shard) {
        return ("part(" + shard.getWhole() + ", axis " + Twine(shard.getAxis()) + ", " + Twine(shard.getIndex()) +
                " of " + Twine(shard.getCount()) + ")")
            .str();
      });
}

std::optional<ShardName> ein::findShard(ShardAttr shard) {
  if (!shard)
    return std::nullopt;
  return ShardName{shard.getWhole().str(), shard.getAxis(), shard.getIndex(), shard.getCount()};
}

InputSource ein::sourceOf(Attribute name) {
  if (auto given = dyn_cast<GivenNameAttr>(name))
    return given.getValue() == EngineValue::step ? InputSource::Step : InputSource::LossScale;
  return isa<RandomNameAttr>(name) ? InputSource::Random : InputSource::Caller;
}

std::string ein::sourceOfGradient(Attribute name) {
  auto gradient = dyn_cast<GradientNameAttr>(name);
  return gradient ? gradient.getOf().str() : "";
}

ArrayAttr ein::textsOf(ArrayAttr names) {
  SmallVector<Attribute> texts;
  for (Attribute name : names)
    texts.push_back(StringAttr::get(names.getContext(), textOf(name)));
  return ArrayAttr::get(names.getContext(), texts);
}

bool ein::hasName(ArrayAttr names, StringRef plain) {
  return llvm::is_contained(names, StringAttr::get(names.getContext(), plain));
}

std::optional<unsigned> ein::findName(ArrayAttr names, Attribute name) {
  const auto *at = llvm::find(names, name);
  return at == names.end() ? std::nullopt : std::optional<unsigned>(at - names.begin());
}

bool ein::isRuleValue(Attribute name) {
  auto plain = dyn_cast<StringAttr>(name);
  return plain && plain.getValue().contains('.');
}

ShardAttr ein::shardOfState(Attribute name, const SymbolTable &symbols) {
  auto state = dyn_cast<StateNameAttr>(name);
  auto declared = state ? symbols.lookup<StateOp>(state.getPath()) : StateOp();
  return declared ? declared.getShardAttr() : ShardAttr();
}

LogicalResult ein::verifyPlainNames(Operation *op, StringRef what, ArrayAttr names) {
  for (Attribute name : names)
    if (auto plain = dyn_cast<StringAttr>(name); plain && plain.getValue().contains('('))
      return op->emitOpError(what) << " '" << plain.getValue() << "' has a parenthesis, but is plain; names of another "
                                   << "kind are attributes";
  return success();
}

static LogicalResult verifyFilled(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef what, StringRef text) {
  return text.empty() ? emitError() << "name has an empty " << what : success();
}

// (C1)
LogicalResult StateNameAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef path) {
  return verifyFilled(emitError, "path", path);
}
LogicalResult WholeNameAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Attribute input) {
  return isa<StringAttr, RandomNameAttr>(input) ? success() : emitError() << input << " is no input of a caller";
}
LogicalResult RandomNameAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef path, KeysPer) {
  return verifyFilled(emitError, "path", path);
}
LogicalResult GradientNameAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef of) {
  return verifyFilled(emitError, "source", of);
}
LogicalResult ShardAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef whole, int64_t axis,
                                int64_t index, int64_t count) {
  if (axis < 0 || index < 0 || index >= count)
    return emitError() << "shard has axis " << axis << " and number " << index << " of " << count
                       << ", but axes count from 0 and shards from 0 to " << count - 1;
  return verifyFilled(emitError, "whole", whole);
}
