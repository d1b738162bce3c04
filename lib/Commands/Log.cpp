// Writes one record of a step in three formats.
#include "Log.h"

#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Base/MachineShare.h"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace plc::runtime {

namespace {

constexpr const char *logBegin = "{\"plan\": ";

using Json = nlohmann::ordered_json;

/// A number with the digits of shortestDigits, which read back as the same value of its type; null if it is not finite.
Json numberOf(ElementType type, double value) {
  // Through text: the double nearest to the digits of an f32 has the same shortest digits.
  return std::isfinite(value) ? Json(std::strtod(shortestDigits(type, value).c_str(), nullptr)) : Json();
}

Json numberOf(double value) { return numberOf(ElementType::F64, value); }

/// One line of JSON, with a space after each comma and colon, and every number in its shortest digits.
std::string lineOf(const Json &value) {
  if (value.is_number_float())
    return shortestDigits(ElementType::F64, value.get<double>());
  if (!value.is_structured())
    return value.dump();
  std::string text;
  for (const auto &[key, member] : value.items())
    text += (text.empty() ? "" : ", ") + (value.is_object() ? Json(key).dump() + ": " : "") + lineOf(member);
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// Throws unless a file is a log or empty: to continue another file would cut its last line.
void checkLog(const std::string &file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || std::filesystem::file_size(file, ignored) == 0)
    return;
  std::string begin(std::string_view(logBegin).size(), '\0');
  std::ifstream in(file);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(in.gcount())); // the first line may be cut
  if (!std::string_view(logBegin).starts_with(begin))
    throw fileError(file, "is no log, with which '--resume' could go on");
}

/// The first line of a file without its end.
std::string firstLine(const std::string &file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

std::string join(const std::vector<std::string> &cells, const char *between) {
  std::string line;
  for (const std::string &cell : cells)
    line += (&cell == cells.data() ? "" : between) + cell;
  return line;
}

} // namespace

LogFile::~LogFile() {
  if (out && out != stdout)
    std::fclose(out);
}

void LogFile::open(const std::string &name, bool append) {
  file = name;
  bool isFile = file != "-";
  if (append && isFile)
    dropCutLine(file);
  out = isFile ? std::fopen(file.c_str(), append ? "a" : "w") : stdout;
  if (!out)
    throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
}

void LogFile::writeLine(const std::string &line) {
  if (!out)
    return;
  if (std::fprintf(out, "%s\n", line.c_str()) < 0 || std::fflush(out) != 0)
    throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
}

Log::Log(const Options &options, int64_t begun, Engine &engine)
    : engine(engine), real(engine.realType()), columns(stepColumns(engine)), hasJson(!options.log.empty()) {
  if (!engine.leads())
    return;
  bool append = !options.resume.empty();
  if (!options.log.empty()) {
    if (append && options.log != "-")
      checkLog(options.log);
    json.open(options.log, append);
    if (!append || json.isEmpty())
      json.writeLine(logBegin + engine.planJson() + "}");
  }
  if (!options.logCsv.empty())
    openCsv(options.logCsv, append);
  if (!options.logEvents.empty()) {
    for (const std::string &file : append ? std::vector<std::string>() : EventFile::filesIn(options.logEvents))
      std::filesystem::remove(file); // of a run that --overwrite replaces
    events.emplace(options.logEvents, begun + 1, append);
  }
}

void Log::openCsv(const std::string &file, bool append) {
  std::vector<std::string> names;
  for (const LogColumn &column : columns)
    if (!column.isList)
      names.push_back(column.name);
  std::string header = join(names, ",");
  if (append)
    dropCutLine(file);
  if (std::string found = append ? firstLine(file) : ""; !found.empty() && found != header)
    throw fileError(file, "has columns '" + found + "', but this run has '" + header + "': give it a file of its own");
  csv.open(file, append);
  if (csv.isEmpty())
    csv.writeLine(header);
}

void Log::resume(int64_t step, const std::optional<KeyChange> &change, const std::optional<DataLengths> &before,
                 const std::optional<DataLengths> &now) {
  Json line{{"after_step", step}};
  if (change)
    line["numerics_key_before"] = change->keyBefore;
  if (before && before->rows != now->rows)
    line["rows_before"] = before->rows, line["rows"] = now->rows;
  if (before && before->elements != now->elements)
    line["elements_before"] = before->elements, line["elements"] = now->elements;
  if (line.size() == 1)
    return;
  json.writeLine(lineOf({{"resume", std::move(line)}}));
  if (change)
    json.writeLine(logBegin + engine.planJson() + "}");
}

void Log::settings() {
  if (engine.runSettings().given().empty())
    return;
  Json line;
  for (const auto &[key, value] : describeSettings(engine.optimizer())) {
    Json number = Json::parse(value, nullptr, /*allow_exceptions=*/false);
    line[key] = number.is_number() ? number : Json(value);
  }
  json.writeLine(lineOf({{"settings", std::move(line)}}));
}

void Log::groups(const std::vector<GroupRow> &rows) {
  if (rows.empty())
    return;
  Json list = Json::array();
  for (const GroupRow &row : rows) {
    Json each{{"match", row.match.empty() ? Json() : Json(row.match)}, {"parameters", row.paths}};
    if (row.frozen)
      each["frozen"] = true;
    else if (!row.kind.empty())
      each["kind"] = row.kind;
    for (const auto &[name, value] : row.values)
      if (!row.frozen)
        each[name] = numberOf(value);
    list.push_back(std::move(each));
  }
  json.writeLine(lineOf({{"groups", std::move(list)}}));
}

void Log::step(const StepRecord &record) {
  std::vector<std::string> members, cells;
  std::vector<std::pair<std::string, double>> scalars;
  for (const LogColumn &column : columns) {
    std::optional<LogCell> cell = column.cell(record);
    if (cell)
      members.push_back("\"" + column.name + "\": " + cell->json);
    if (!column.isList)
      cells.push_back(cell ? cell->csv() : "");
    if (cell && cell->number && column.name != columns[0].name) // the step is that of the event
      scalars.emplace_back(column.name, *cell->number);
  }
  json.writeLine("{" + join(members, ", ") + "}");
  csv.writeLine(join(cells, ","));
  if (events)
    events->write(record.step, scalars);
}

void Log::summary(int64_t steps, std::optional<double> loss, const std::optional<HeldOutMeans> &holdout,
                  std::optional<int64_t> skipped) {
  if (!hasJson) // processes that do not write go on: they send the leader what they measured
    return;
  Json ranks = Json::array(), kernels = Json::array();
  for (const RankMemory &rank : engine.memory(*engine.findEntry("train")))
    ranks.push_back({{"rank", rank.rank},
                     {"planned_bytes", rank.plannedBytes},
                     {"measured_bytes", rank.measuredBytes},
                     {"outside_bound", rank.outsideBound},
                     {"outside_measured", rank.outsideMeasured}});
  for (const KernelProfile &kernel : engine.profile())
    kernels.push_back({{"kernel", kernel.kernel},
                       {"where", kernel.where},
                       {"calls", kernel.calls},
                       {"ms", numberOf(static_cast<double>(kernel.nanoseconds) / 1e6)},
                       {"bytes", kernel.bytes},
                       {"median_ns", kernel.medianNs},
                       {"predicted_ns", kernel.predictedNs}});
  Json summary{{"steps", steps}, {"loss", loss ? numberOf(real, *loss) : Json()}};
  for (const HoldoutColumn &column : holdoutColumns(engine))
    summary[column.name] = holdout ? numberOf(column.of(*holdout)) : Json();
  summary["ranks"] = std::move(ranks);
  if (skipped)
    summary["skipped"] = *skipped;
  if (plannedBytes)
    summary["process"] = {{"planned_bytes", plannedBytes}, {"measured_bytes", peakResidentBytes()}};
  if (!kernels.empty())
    summary["kernels"] = std::move(kernels);
  json.writeLine(lineOf({{"summary", std::move(summary)}}));
}

} // namespace plc::runtime
