#include "learn/config/config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "core/card.h"
#include "core/option_names.h"
#include "learn/config/read_model.h"

namespace causcale {

namespace {

constexpr int kMostExtended = 8;

constexpr NameTable<SimulateOn, 3> kSimulateOnNames{{
    {SimulateOn::kCpu, "cpu"},
    {SimulateOn::kGpu, "gpu"},
    {SimulateOn::kAuto, "auto"},
}};

using nlohmann::json;

template <class Number>
Number parse_number(const std::string& text, Number low, Number high) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    throw InputError(fmt::format("found \"{}\", expected a number of {} to {}", text, low, high));
  return value;
}

// "20" or "10-100".
template <class Range>
Range parse_range(const std::string& text, int least, int most) {
  const std::size_t dash = text.find('-');
  Range range;
  range.low = parse_number<int>(text.substr(0, dash), least, most);
  range.high = dash == std::string::npos ? range.low : parse_number<int>(text.substr(dash + 1), least, most);
  if (range.high < range.low) throw InputError(fmt::format("range \"{}\" is upside down", text));
  return range;
}

SizeRange parse_size(const std::string& text) {
  return parse_range<SizeRange>(text, 2, 10'000'000);
}

std::string same_text(const std::string& text) {
  return text;
}

auto number_between(double low, double high) {
  return [low, high](const std::string& text) { return parse_number<double>(text, low, high); };
}

void read_sergio(JsonFields fields, SergioDataOptions& sergio) {
  fields.read_weighted("graphs", sergio.graphs, same_text);
  fields.read_weighted("edges_per_node", sergio.edges_per_node, number_between(0.0, 1e4));
  fields.read_weighted("attachment_power", sergio.attachment_power, number_between(-10.0, 10.0));
  fields.read("reverse_edges", sergio.reverse_edges, 0.0, 1.0);
  fields.read_weighted("blocks", sergio.blocks,
                       [](const std::string& text) { return parse_number<int>(text, 1, 1'000'000); });
  fields.read_weighted("cell_types", sergio.cell_types,
                       [](const std::string& text) { return parse_range<CountRange>(text, 1, 1000); });
  fields.read_weighted("perturbations", sergio.perturbations, same_text);
  fields.read_weighted("profiles", sergio.profiles, same_text);
  fields.read_weighted("transforms", sergio.transforms, same_text);
  fields.read_weighted("wild_type_share", sergio.wild_type_share, number_between(0.0, 1.0));
  fields.read_weighted("hill", sergio.hill, number_between(0.1, 20.0));
  fields.read_weighted("decay", sergio.decay, number_between(1e-3, 100.0));
  fields.read_weighted("noise", sergio.noise, number_between(1e-6, 100.0));
  fields.read("window_rows", sergio.window_rows, 0, 10'000'000);
  fields.finish();
}

void read_data(JsonFields& fields, DataOptions& data) {
  fields.read_weighted("nodes", data.nodes, parse_size);
  fields.read_weighted("rows", data.rows, parse_size);
  fields.read_weighted("families", data.families, same_text);
  fields.read_weighted("worlds", data.worlds, same_text);
  if (fields.has("sergio")) read_sergio(fields.object("sergio"), data.sergio);
  fields.read_weighted("edges_per_node", data.edges_per_node, number_between(0.0, 1e4));
  fields.read_weighted("graphs", data.graphs, same_text);
  fields.read_weighted("mechanisms", data.mechanisms, same_text);
  fields.read_weighted("noises", data.noises, same_text);
  fields.read_weighted("couplings", data.couplings, same_text);
  fields.read_weighted("roots", data.roots, same_text);
  fields.read_weighted("interventions", data.interventions, same_text);
  fields.read("plain", data.plain, 0.0, 1.0);
  fields.read("mixed_mechanisms", data.mixed_mechanisms, 0.0, 1.0);
  fields.read("varied_noise", data.varied_noise, 0.0, 1.0);
  fields.read("uneven_noise", data.uneven_noise, 0.0, 1.0);
  fields.read("weak_effects", data.weak_effects, 0.0, 1.0);
  fields.read("varied_interventions", data.varied_interventions, 0.0, 1.0);
  fields.read("observational", data.observational, 0.0, 1.0);
  fields.read("partial_coverage", data.partial_coverage, 0.0, 1.0);
  fields.read("several_targets", data.several_targets, 0.0, 1.0);
  fields.read("hidden_flags", data.hidden_flags, 0.0, 1.0);
  fields.read("hidden_variables", data.hidden_variables, 0.0, 1.0);
  fields.read("hidden_variables_at_most", data.hidden_variables_at_most, 1, 1000);
  fields.read("random_units", data.random_units, 0.0, 1.0);
  fields.read("random_units_spread", data.random_units_spread, 1.0, 1e6);
  fields.read("mirrored_columns", data.mirrored_columns, 0.0, 1.0);
  fields.read("messy_columns", data.messy_columns, 0.0, 1.0);
  fields.read("shuffled_rows", data.shuffled_rows, 0.0, 1.0);
  fields.read("standardized_prior", data.standardized_prior, 0.0, 1.0);
  fields.read("prior_subset", data.prior_subset, 0.0, 1.0);
  fields.read("prior_subset_rows", data.prior_subset_rows, 2, 10'000'000);
  fields.read("missing_cells", data.missing_cells, 0.0, 1.0);
  fields.read("told_knowledge", data.told_knowledge, 0.0, 1.0);
}

Stage read_stage(JsonFields fields) {
  Stage stage;
  fields.read("name", stage.name);
  fields.read("steps", stage.steps, 1);
  fields.read("minutes", stage.minutes, 0.0, 1e7);
  fields.read("learning_rate", stage.learning_rate, 0.0, 1e3);
  fields.read("tokens", stage.tokens, 1);
  fields.read("max_batch", stage.max_batch, 1, 1 << 20);
  fields.read("accumulate", stage.accumulate, 1, 1 << 12);
  fields.read("folder", stage.folder);
  read_data(fields, stage.data);
  fields.finish();
  if ((stage.steps > 0) == (stage.minutes > 0.0))
    throw InputError(fmt::format("{}: give either \"steps\" or \"minutes\"", fields.where()));
  return stage;
}

ValidationSetting read_setting(JsonFields fields) {
  ValidationSetting setting;
  double edges = 0.0;
  fields.read("name", setting.name);
  fields.read("family", setting.family);
  if (setting.family != "synthetic" && setting.family != "sergio" && setting.family != "world")
    fields.fail("family", "\"synthetic\", \"sergio\" or \"world\"");
  fields.read("world", setting.world);
  if (fields.has("sergio")) read_sergio(fields.object("sergio"), setting.sergio);
  fields.read("graph", setting.graph);
  fields.read("mechanism", setting.mechanism);
  fields.read("nodes", setting.nodes, 2, 1'000'000);
  fields.read("edges_per_node", setting.edges_per_node, 0.0, 1e4);
  fields.read("edges", edges, 0.0, 1e12);
  fields.read("rows", setting.rows, 2, 10'000'000);
  fields.read("count", setting.count, 1, 1'000'000);
  fields.read("observational", setting.observational);
  fields.read("standardized_prior", setting.standardized_prior);
  fields.finish();
  if (edges > 0.0) setting.edges_per_node = edges / setting.nodes;
  const bool sergio = setting.family == "sergio";
  if (sergio && fields.has("mechanism"))
    fields.fail("mechanism", "no mechanism beside \"family\": \"sergio\"");
  if (setting.name.empty() && setting.family == "world")
    setting.name = fmt::format("{}_n{}_m{}", setting.world, setting.nodes, setting.rows);
  if (setting.name.empty())
    setting.name = fmt::format("{}_{}_n{}_e{}{}{}{}", sergio ? "sergio" : setting.mechanism, setting.graph,
                               setting.nodes, std::lround(setting.edges_per_node * setting.nodes),
                               sergio ? fmt::format("_m{}", setting.rows) : "",
                               setting.observational ? "_obs" : "", setting.standardized_prior ? "_std" : "");
  return setting;
}

void read_acyclicity(JsonFields fields, AcyclicityOptions& acyclicity) {
  fields.read("dual_rate", acyclicity.dual_rate);
  fields.read("every_steps", acyclicity.every_steps, 1);
  fields.read("average_rate", acyclicity.average_rate, 0.0, 1.0);
  fields.read("penalty", acyclicity.penalty);
  fields.read("power_iterations", acyclicity.power_iterations, 1, 10'000);
  fields.finish();
}

void read_optimiser(JsonFields fields, TrainConfig& config) {
  std::string kind = "muon";
  fields.read("kind", kind);
  if (kind != "muon" && kind != "adamw") fields.fail("kind", "\"muon\" (with AdamW beside it) or \"adamw\"");
  config.optimiser = kind == "muon" ? OptimiserKind::kMuon : OptimiserKind::kAdamW;
  fields.read("clip_norm", config.clip_norm);
  if (fields.has("muon")) {
    JsonFields muon = fields.object("muon");
    muon.read("learning_rate", config.muon_learning_rate);
    muon.read("momentum", config.muon.momentum, 0.0, 1.0);
    muon.read("newton_schulz_steps", config.muon.newton_schulz_steps, 1, 50);
    muon.read("weight_decay", config.muon.weight_decay);
    muon.finish();
  }
  if (fields.has("adamw")) {
    JsonFields adamw = fields.object("adamw");
    adamw.read("learning_rate", config.adamw_learning_rate);
    adamw.read("beta1", config.adamw.beta1, 0.0, 1.0);
    adamw.read("beta2", config.adamw.beta2, 0.0, 1.0);
    adamw.read("epsilon", config.adamw.epsilon);
    adamw.read("weight_decay", config.adamw.weight_decay);
    adamw.finish();
  }
  fields.finish();
}

void read_validation(JsonFields fields, ValidationOptions& validation) {
  fields.read("every_minutes", validation.every_minutes);
  fields.read("every_steps", validation.every_steps);
  fields.read("seed", validation.seed);
  fields.read("tokens", validation.tokens, 1);
  if (fields.has("settings")) {
    const json& settings = fields.raw("settings");
    if (!settings.is_array()) fields.fail("settings", "a list of objects");
    for (std::size_t i = 0; i < settings.size(); ++i)
      validation.settings.push_back(
          read_setting(JsonFields(settings[i], fmt::format("{}, setting {}", fields.where(), i + 1))));
  }
  fields.finish();
}

void read_stages(JsonFields& fields, TrainConfig& config) {
  // A stage inherits what "data" says and may say otherwise.
  const json common = fields.has("data") ? fields.raw("data") : json::object();
  if (!common.is_object()) fields.fail("data", "an object {...} with what all stages share");
  if (!fields.has("stages") || !fields.raw("stages").is_array() || fields.raw("stages").empty())
    fields.fail("stages", "a list of at least one stage");
  std::size_t number = 0;
  for (const json& own : fields.raw("stages")) {
    const std::string where = fmt::format("{}, stage {}", fields.where(), ++number);
    if (!own.is_object()) throw InputError(where + ": expected an object {...}");
    json merged = common;
    merged.update(own);  // whole keys are replaced: a list of weights never mixes with the common one
    config.stages.push_back(read_stage(JsonFields(merged, where)));
    if (config.stages.back().name.empty()) config.stages.back().name = fmt::format("stage {}", number);
    if ((config.stages.back().steps == 0) != config.timed())
      throw InputError(where + ": all stages count in \"steps\" or all in \"minutes\", found both");
  }
}

// What discover will do to counts for this model is done in training, too.
void show_logarithms(TrainConfig& config, const std::string& file) {
  const auto only_counts = [&](bool counts, const std::string& where) {
    if (counts) return;
    throw InputError(fmt::format(
        "{}, {}: \"transform\" is for counts, simulated (family \"sergio\" alone) or from a \"folder\"", file,
        where));
  };
  const Weighted<std::string> as_counted = SergioDataOptions().transforms;  // no logarithms of logarithms
  for (Stage& stage : config.stages) {
    const bool simulated = std::ranges::all_of(stage.data.families.values(),
                                               [](const std::string& family) { return family == "sergio"; });
    only_counts(simulated || !stage.folder.empty(), "stage " + stage.name);
    stage.data.logarithms = true;
    stage.data.sergio.transforms = as_counted;
  }
  for (ValidationSetting& setting : config.validation.settings) {
    only_counts(setting.family == "sergio", "validation setting " + setting.name);
    setting.logarithms = true;
    setting.sergio.transforms = as_counted;
  }
}

}  // namespace

int SizeRange::draw(RandomStream& random) const {
  if (low == high) return low;
  const double exponent = random.uniform(std::log(low), std::log(high + 1.0));
  return std::clamp(static_cast<int>(std::exp(exponent)), low, high);
}

double TrainConfig::total_length() const {
  double total = 0.0;
  for (const Stage& stage : stages)
    total += timed() ? stage.minutes * 60.0 : static_cast<double>(stage.steps);
  return total;
}

std::size_t TrainConfig::stage_at(double done) const {
  double end = 0.0;
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    end += timed() ? stages[i].minutes * 60.0 : static_cast<double>(stages[i].steps);
    if (done < end) return i;
  }
  return stages.size() - 1;
}

std::string TrainConfig::resume_key() const {
  std::string key = optimiser == OptimiserKind::kMuon ? "muon" : "adamw";
  for (const auto& [name, value] : model.to_metadata()) key += fmt::format(" {}={}", name, value);
  return key;
}

namespace {

json parse_document(std::string_view text, const std::string& file) {
  require_tame_json(text, file, /*comments=*/true);
  try {
    return json::parse(text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const json::exception& error) {  // also numbers out of range
    throw InputError(fmt::format("{}: not valid JSON: {}", file, error.what()));
  }
}

// With what it extends: keys of objects are added to those of the file it names or take their place, null
// takes one out; lists take the place of lists.
json read_document(const std::filesystem::path& file, int files_before) {
  if (files_before > kMostExtended)
    throw InputError(fmt::format("{}: key \"extends\" leads through more than {} files, perhaps in a circle",
                                 file.string(), kMostExtended));
  json document = parse_document(MappedFile(file).text(), file.string());
  if (!document.is_object() || !document.contains("extends")) return document;
  if (!document["extends"].is_string())
    throw InputError(fmt::format("{}: key \"extends\": the name of a file is expected", file.string()));
  json whole = read_document(file.parent_path() / document["extends"].get<std::string>(), files_before + 1);
  document.erase("extends");
  whole.merge_patch(document);
  return whole;
}

}  // namespace

TrainConfig parse_train_config(const std::string& text, const std::string& file) {
  const json document = parse_document(text, file);
  TrainConfig config;
  JsonFields fields(document, file);
  if (fields.has("model")) config.model = read_model(fields.raw("model"), file + ", key \"model\"");
  fields.read_choice("precision", kPrecisionNames, config.precision);
  fields.read("seed", config.seed);
  fields.read_choice("simulate_on", kSimulateOnNames, config.simulate_on);
  fields.read_choice("prior_scale", kPriorUnitNames, config.prior_scale);
  fields.read_choice("transform", kTransformNames, config.transform);
  fields.read("usual_rows", config.usual_rows, 2, 10'000'000);
  fields.read("views", config.views, 1, kMostViews);
  if (fields.has("optimizer")) read_optimiser(fields.object("optimizer"), config);
  if (fields.has("schedule")) {
    JsonFields schedule = fields.object("schedule");
    schedule.read("warmup_steps", config.schedule.warmup_steps);
    schedule.read("final_fraction", config.schedule.final_fraction, 0.0, 1.0);
    schedule.finish();
  }
  fields.read("average_decay", config.average_decay, 0.0, 1.0);
  fields.read("dropout", config.dropout, 0.0, 0.99);
  if (fields.has("acyclicity")) {
    if (config.model.architecture != Architecture::kAvici)
      fields.fail("acyclicity", "nothing: it belongs to the loss of \"architecture\": \"avici\"");
    read_acyclicity(fields.object("acyclicity"), config.acyclicity);
  }
  if (fields.has("output_loss_weight") && config.model.outputs.empty())
    fields.fail("output_loss_weight", "nothing: the key \"model\" names no \"outputs\"");
  fields.read("output_loss_weight", config.output_loss_weight, 0.0, 1e6);
  fields.read("refuse_gradient_above", config.guard.spike_factor);
  fields.read("shorten_gradient_above", config.guard.limit_factor);
  fields.read("rollback_after", config.rollback_after, 1, 1'000'000);
  fields.read("log_every", config.log_every, 1);
  fields.read("checkpoint_minutes", config.checkpoint_minutes);
  read_stages(fields, config);
  if (fields.has("validation")) read_validation(fields.object("validation"), config.validation);
  if (config.transform == ValueTransform::kLog1p) show_logarithms(config, file);
  if (config.model.architecture == Architecture::kSea) {
    if (config.simulate_on == SimulateOn::kGpu)
      fields.fail("simulate_on", "\"cpu\": the estimators of \"architecture\": \"sea\" run there");
    config.simulate_on = SimulateOn::kCpu;
    for (Stage& stage : config.stages) stage.data.subsets = config.model.subsets;
    for (ValidationSetting& setting : config.validation.settings) setting.subsets = config.model.subsets;
  }
  for (Stage& stage : config.stages) {
    stage.data.channels = config.model.channels;
    stage.data.outputs = config.model.outputs;
  }
  for (ValidationSetting& setting : config.validation.settings) {
    setting.channels = config.model.channels;
    setting.outputs = config.model.outputs;
  }
  fields.finish();
  return config;
}

std::string whole_config_text(const std::filesystem::path& file) {
  const std::string text(MappedFile(file).text());
  const json document = parse_document(text, file.string());
  if (!document.is_object() || !document.contains("extends")) return text;
  return read_document(file, 0).dump(2) + "\n";
}

TrainConfig read_train_config(const std::filesystem::path& file) {
  return parse_train_config(whole_config_text(file), file.string());
}

}  // namespace causcale
