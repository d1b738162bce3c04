// Parses subscripts by numpy's rules, and writes the model.
#include "Einsum.h"

#include "plc/Runtime/Base/Error.h"

#include <algorithm>
#include <cctype>

namespace plc::runtime {

namespace {

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }

/// The name of a label's index in the rule. Upper and lower case are different labels.
std::string indexName(int label) {
  if (label < 0)
    return "e" + std::to_string(-label);
  auto letter = static_cast<char>(label);
  bool isUpper = std::isupper(static_cast<unsigned char>(letter));
  return (isUpper ? "upper_" : "") + std::string(1, static_cast<char>(std::tolower(letter)));
}

std::string labelText(int label) {
  return label > 0 ? "label '" + std::string(1, static_cast<char>(label)) + "'"
                   : "axis " + std::to_string(label) + " of '...'";
}

std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

} // namespace

Subscripts::Subscripts(const std::string &text) : text(text) {
  size_t at = 0;
  operands.push_back(parseTerm(at, false));
  while (at < text.size() && text[at] == ',')
    operands.push_back(parseTerm(++at, false));
  arrow = at;
  if (at == text.size())
    return;
  isExplicit = true;
  at += 2;
  output = parseTerm(at, true);
}

/// Parses one operand or the output, up to a comma, an arrow or the end.
Subscripts::Term Subscripts::parseTerm(size_t &at, bool isOutput) const {
  auto fail = [&](size_t index, const std::string &what) { return Error(BadUsage, "", what).show(text, index); };
  Term term;
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == ' ')
      continue;
    if (isLetter(c)) {
      term.push_back({c, at});
    } else if (c == '.') {
      if (text.compare(at, 3, "...") != 0)
        throw fail(at, "found '.', expected '...', which stands for all other axes");
      if (std::any_of(term.begin(), term.end(), [](const Subscript &each) { return each.label == ellipsis; }))
        throw fail(at, "an operand has '...' once at most");
      term.push_back({ellipsis, at});
      at += 2;
    } else if (c == ',' && !isOutput) {
      break;
    } else if (c == '-' && !isOutput && text.compare(at, 2, "->") == 0) {
      break;
    } else {
      throw fail(at, "found '" + std::string(1, c) + "', expected a letter" +
                         (isOutput ? " or '...': there is one output" : ", '...', ',' or '->'"));
    }
  }
  return term;
}

Subscripts::Extent *Subscripts::find(Label label) {
  auto found = std::find_if(extents.begin(), extents.end(), [&](const auto &each) { return each.first == label; });
  return found == extents.end() ? nullptr : &found->second;
}

/// Replaces `...` of an operand by the labels of the axes that it stands for.
void Subscripts::expand(size_t operand) {
  Term &term = operands[operand];
  const TensorInfo &info = shapes[operand];
  auto dots = std::find_if(term.begin(), term.end(), [](const Subscript &each) { return each.label == ellipsis; });
  size_t letters = term.size() - (dots != term.end()), rank = info.shape.size();
  if (rank < letters || (rank > letters && dots == term.end())) {
    size_t at = term.empty() ? arrow : term.front().at;
    throw Error(BadInput, "",
                "operand " + std::to_string(operand) + ", '" + info.name + "', is " + info.typeText() + " of " +
                    std::to_string(rank) + (rank == 1 ? " axis" : " axes") + ", but its subscripts name " +
                    std::to_string(letters) + (rank > letters ? "; '...' stands for the others" : ""))
        .show(text, at);
  }
  if (dots == term.end())
    return;
  size_t at = dots->at, count = rank - letters;
  numEllipsisAxes = std::max(numEllipsisAxes, count);
  dots = term.erase(dots);
  for (size_t i = 0; i < count; ++i)
    dots = term.insert(dots, {-1 - static_cast<Label>(i), at});
}

/// Gives each label its extent. An axis of extent 1 broadcasts, as in numpy.
void Subscripts::bind(size_t operand) {
  const TensorInfo &info = shapes[operand];
  for (size_t axis = 0; axis < info.shape.size(); ++axis) {
    auto [label, at] = operands[operand][axis];
    int64_t extent = info.shape[axis];
    for (size_t other = 0; other < axis; ++other)
      if (operands[operand][other].label == label && info.shape[other] != extent)
        throw Error(BadInput, "",
                    labelText(label) + " has extent " + std::to_string(extent) + " in axis " + std::to_string(axis) +
                        ", but " + std::to_string(info.shape[other]) + " in axis " + std::to_string(other) +
                        " of operand " + std::to_string(operand) + ", '" + info.name + "' " + info.typeText() +
                        "; the axes of a diagonal are of one extent")
            .show(text, at);
    Extent *known = find(label);
    if (!known) {
      extents.push_back({label, {extent, operand}});
    } else if (known->extent == 1) {
      *known = {extent, operand};
    } else if (extent != 1 && extent != known->extent) {
      const TensorInfo &other = shapes[known->operand];
      throw Error(BadInput, "",
                  labelText(label) + " has extent " + std::to_string(extent) + " in operand " +
                      std::to_string(operand) + ", '" + info.name + "' " + info.typeText() + ", but " +
                      std::to_string(known->extent) + " in operand " + std::to_string(known->operand) + ", '" +
                      other.name + "' " + other.typeText() + "; extents of a label are equal, or 1")
          .show(text, at);
    }
  }
}

/// The output if none is written: the axes of `...`, then every letter that occurs once, in alphabetical order.
void Subscripts::impliedOutput() {
  std::vector<Label> letters;
  for (const Term &term : operands)
    for (const Subscript &each : term)
      if (each.label > 0)
        letters.push_back(each.label);
  std::sort(letters.begin(), letters.end());
  output.clear();
  output.push_back({ellipsis, arrow});
  for (Label label : letters)
    if (std::count(letters.begin(), letters.end(), label) == 1)
      output.push_back({label, arrow});
}

void Subscripts::checkOutput() const {
  bool hasDots = false;
  for (size_t i = 0; i < output.size(); ++i) {
    auto [label, at] = output[i];
    hasDots |= label == ellipsis;
    if (label > 0 && !find(label))
      throw Error(BadUsage, "", labelText(label) + " of the output is in no operand").show(text, at);
    for (size_t j = 0; j < i; ++j)
      if (label > 0 && output[j].label == label)
        throw Error(BadUsage, "", labelText(label) + " is in the output twice").show(text, at);
  }
  if (!hasDots && numEllipsisAxes)
    throw Error(BadInput, "",
                "the output has no '...', but that of the operands stands for " + std::to_string(numEllipsisAxes) +
                    (numEllipsisAxes == 1 ? " axis" : " axes") + "; write it, or letters to sum over")
        .show(text, arrow);
}

std::vector<int64_t> Subscripts::resultShape(const std::vector<TensorInfo> &given) {
  shapes = given;
  for (size_t operand = 0; operand < operands.size(); ++operand) {
    expand(operand);
    bind(operand);
  }
  if (!isExplicit)
    impliedOutput();
  checkOutput();
  Term expanded;
  for (const Subscript &each : output) {
    if (each.label != ellipsis)
      expanded.push_back(each);
    for (size_t i = each.label == ellipsis ? numEllipsisAxes : 0; i > 0; --i)
      expanded.push_back({-static_cast<Label>(i), each.at});
  }
  output = std::move(expanded);
  std::vector<int64_t> shape;
  for (const Subscript &each : output)
    shape.push_back(find(each.label)->extent);
  return shape;
}

std::string Subscripts::extentsOf(const std::vector<int64_t> &shape, ElementType type) const {
  std::string text = isReal(type) ? "" : ": " + std::string(nameOf(type));
  std::vector<std::string> extents;
  for (int64_t extent : shape)
    extents.push_back(std::to_string(extent));
  return shape.empty() ? text : text + "[" + join(extents) + "]";
}

/// `x0[i, 0]`: an axis of extent 1 that broadcasts is read at its only element.
std::string Subscripts::access(size_t operand) const {
  std::vector<std::string> positions;
  for (size_t axis = 0; axis < operands[operand].size(); ++axis) {
    Label label = operands[operand][axis].label;
    positions.push_back(shapes[operand].shape[axis] == find(label)->extent ? indexName(label) : "0");
  }
  return "x" + std::to_string(operand) + (positions.empty() ? "" : "[" + join(positions) + "]");
}

std::string Subscripts::program(ElementType type) const {
  std::vector<std::string> arguments, kept, summed;
  std::string product;
  for (size_t i = 0; i < operands.size(); ++i) {
    arguments.push_back("x" + std::to_string(i) + extentsOf(shapes[i].shape, type));
    product += (i ? " * " : "") + access(i);
  }
  std::vector<int64_t> shape;
  for (const Subscript &each : output) {
    kept.push_back(indexName(each.label));
    shape.push_back(find(each.label)->extent);
  }
  for (const auto &[label, extent] : extents)
    if (std::none_of(output.begin(), output.end(),
                     [&, label = label](const Subscript &each) { return each.label == label; }))
      summed.push_back(indexName(label));
  if (!summed.empty())
    product = "sum[" + join(summed) + "](" + product + ")";
  return "# " + text + "\nmodel einsum(" + join(arguments) + ") -> result" + extentsOf(shape, type) + " {\n  result" +
         (kept.empty() ? "" : "[" + join(kept) + "]") + " = " + product + "\n}\n";
}

} // namespace plc::runtime
