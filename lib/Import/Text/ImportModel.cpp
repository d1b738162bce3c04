//===- ImportModel.cpp - an imported graph as readable rules --------------===//
#include "plc/Import/ImportModel.h"

#include "Axes/Align.h"
#include "Text/Assemble.h"
#include "Text/Compare.h"

using namespace plc;
using namespace plc::import;

static ImportedRules rulesOf(const ImportedModel &model, const ImportOptions &options) {
  try {
    Net net = makeNet(model, !options.loss.empty());
    findLive(net);
    Atoms atoms;
    for (const NetNode *node : net.order)
      if (node->op == Op::State && !isAmong(net.states, node))
        throw CannotImport("the buffer '" + node->name + "' of " + typeText(node->type) +
                           " changes in each run, and a model with a loss only keeps reals; export the model in eval "
                           "mode, or without the loss");
      else if (node->op == Op::Input && !node->input)
        throw CannotImport("a further result of this operator is used, which is not supported", node);
    for (const std::vector<NetNode *> &nodes : {net.order, net.inputs})
      for (const NetNode *node : nodes)
        if (elementsOf(node->shape()) == 0)
          throw CannotImport("a tensor without elements: " + typeText(node->type), node);
    Align(net, atoms).run();
    std::vector<Segment> segments = findSegments(net);
    alignEqualBlocks(net, segments, atoms);
    Batch batch = findBatch(net, options.batch);
    Rules rules(net, std::move(segments));
    rules.run();
    return assemble(rules, options, std::move(batch));
  } catch (const CannotImport &error) {
    std::string text = error.what();
    if (error.source)
      text =
          "cannot import '" + describe(*error.source, model.graph) + "'" + placeOf(error.source->source) + ": " + text;
    throw ImportError(text);
  }
}

ImportedRules plc::import::importModel(const ImportedModel &model, const ImportOptions &options) {
  ImportedRules rules = rulesOf(model, options);
  if (options.also)
    rules.text = compareSizes(rules.text, rulesOf(*options.also->model, options).text, options.also->name);
  return rules;
}
