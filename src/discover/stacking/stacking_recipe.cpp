#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "base/file.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "discover/stacking/stacking_examples.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

constexpr const char* kSynthetic = "synthetic";

StackingRange parse_range(const std::string& text) {
  StackingRange range;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, range.low);
  range.high = range.low;
  if (error == std::errc{} && at != end && *at == '-') {
    const auto second = std::from_chars(at + 1, end, range.high);
    at = second.ptr;
    error = second.ec;
  }
  if (error != std::errc{} || at != end || range.low < 2 || range.high < range.low || range.high > 1'000'000)
    throw InputError(fmt::format("found \"{}\", expected a number or a range such as 10-100", text));
  return range;
}

StackingWorld parse_world(const std::string& text) {
  std::istringstream words(text);
  StackingWorld world;
  words >> world.name;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw InputError(fmt::format("found \"{}\" in \"{}\", expected SETTING=VALUE", word, text));
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "rows_per_node")
      world.rows_per_node = parse_range(value).low;
    else
      world.settings[key] = value;
  }
  if (world.name == kSynthetic && !world.settings.empty())
    throw InputError(fmt::format("\"{}\": {} has no settings", text, kSynthetic));
  if (world.name != kSynthetic)
    check_world_options(world_named(world.name), {.nodes = 10, .rows = 100, .settings = world.settings});
  return world;
}

int draw_size(const StackingRange& range, RandomStream& random) {
  const double drawn = range.low * std::pow((range.high + 1.0) / range.low, random.uniform());
  return std::min(range.high, static_cast<int>(drawn));
}

template <class T>
const T& one_of(const std::vector<T>& choices, RandomStream& random) {
  return choices[random.below(static_cast<std::uint32_t>(choices.size()))];
}

StackingTable draw_synthetic(int nodes, int rows, std::uint64_t seed, std::uint32_t index,
                             RandomStream& random) {
  static const std::vector<Mechanism> kMechanisms{
      Mechanism::kLinear,          Mechanism::kLinear,
      Mechanism::kNeural,          Mechanism::kNeural,
      Mechanism::kNeuralAdditive,  Mechanism::kSigmoidAdditive,
      Mechanism::kPolynomial,      Mechanism::kFourierAdditive,
      Mechanism::kGaussianProcess, Mechanism::kGaussianProcessAdditive,
      Mechanism::kPostNonlinear};
  SyntheticOptions options;
  options.graph_model = random.coin() ? GraphModel::kErdosRenyi : GraphModel::kScaleFree;
  options.nodes = nodes;
  options.rows = rows;
  options.edges_per_node = std::min(random.uniform(0.5, 4.0), 0.4 * (nodes - 1.0));
  options.mechanism = one_of(kMechanisms, random);
  options.noise_scale *= std::exp2(random.uniform(-1.5, 1.0));
  options.noise = one_of(std::vector{NoiseFamily::kGaussian, NoiseFamily::kGaussian, NoiseFamily::kLaplace,
                                     NoiseFamily::kUniform, NoiseFamily::kExponential},
                         random);
  options.roots =
      one_of(std::vector{RootDistribution::kUniform, RootDistribution::kGaussian, RootDistribution::kMixture},
             random);
  if (random.coin(0.4)) options.interventions.effect = InterventionEffect::kNone;
  options.interventions.coverage = random.coin() ? 1.0 : random.uniform();
  Simulation simulation = simulate_synthetic(options, seed, index);
  const auto n = static_cast<std::size_t>(nodes);
  StackingTable table{kSynthetic, std::move(simulation.dataset), Matrix<std::uint8_t>(n, n),
                      Matrix<std::uint8_t>(n, n)};
  for (const Edge& edge : simulation.graph.edges())
    table.adjacency(static_cast<std::size_t>(edge.source), static_cast<std::size_t>(edge.target)) = 1;
  return table;
}

// A seed, or a list of them.
std::vector<std::uint64_t> read_seeds(JsonFields& fields) {
  if (!fields.has("seed")) return {0};
  const nlohmann::json& field = fields.raw("seed");
  const nlohmann::json list = field.is_array() ? field : nlohmann::json::array({field});
  if (list.empty() || list.size() > 1000) fields.fail("seed", "1 to 1000 seeds");
  std::vector<std::uint64_t> seeds;
  for (const nlohmann::json& seed : list) {
    if (!seed.is_number_unsigned()) fields.fail("seed", "a whole number of 0 or more, or a list of such");
    if (std::ranges::find(seeds, seed.get<std::uint64_t>()) != seeds.end())
      fields.fail("seed", "seeds that differ");
    seeds.push_back(seed.get<std::uint64_t>());
  }
  return seeds;
}

// A part, and what is the same of other seeds; only the first has tables held out.
std::vector<StackingPart> read_part(JsonFields fields) {
  StackingPart part;
  fields.read_weighted("worlds", part.worlds, parse_world);
  fields.read_weighted("nodes", part.nodes, parse_range);
  fields.read_weighted("rows", part.rows, parse_range);
  for (const char* key : {"worlds", "nodes", "rows"})
    if (!fields.has(key)) fields.fail(key, "at least one choice");
  fields.read("cells", part.cells, 100, 1'000'000'000);
  fields.read("tables", part.tables, 1, 10'000'000);
  fields.read("held_out", part.held_out, 0, 10'000'000);
  const std::vector<std::uint64_t> seeds = read_seeds(fields);
  fields.finish();
  std::vector<StackingPart> parts;
  for (const std::uint64_t seed : seeds) {
    part.seed = seed;
    parts.push_back(part);
    part.held_out = 0;
  }
  return parts;
}

// The first of every part, then the second of those that have one, and so on: what a longer list adds comes
// last.
std::vector<StackingPart> in_turns(const std::vector<std::vector<StackingPart>>& parts) {
  std::vector<StackingPart> turns;
  std::size_t longest = 0;
  for (const std::vector<StackingPart>& part : parts) longest = std::max(longest, part.size());
  for (std::size_t turn = 0; turn < longest; ++turn)
    for (const std::vector<StackingPart>& part : parts)
      if (turn < part.size()) turns.push_back(part[turn]);
  return turns;
}

}  // namespace

StackingRecipe read_stacking_recipe(const std::filesystem::path& file) {
  return parse_stacking_recipe(MappedFile(file).text(), file.string());
}

StackingRecipe parse_stacking_recipe(std::string_view text, const std::string& file) {
  nlohmann::json parsed;
  try {
    require_tame_json(text, file, /*comments=*/true);
    parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
  JsonFields fields(std::move(parsed), file);
  StackingRecipe recipe;
  if (!fields.has("parts") || !fields.raw("parts").is_array() || fields.raw("parts").empty())
    fields.fail("parts", "a list of objects {...}");
  std::vector<std::vector<StackingPart>> parts;
  for (std::size_t k = 0; k < fields.raw("parts").size(); ++k)
    parts.push_back(read_part(JsonFields(fields.raw("parts")[k], fmt::format("{}, part {}", file, k + 1))));
  recipe.parts = in_turns(parts);
  fields.read("seed", recipe.fit.seed);
  if (fields.has("fit")) {
    JsonFields fit = fields.object("fit");
    fit.read("members", recipe.fit.members, 1, 64);
    fit.read("hidden", recipe.fit.hidden, 1, 4096);
    fit.read("epochs", recipe.fit.epochs, 1, 100'000);
    fit.read("learning_rate", recipe.fit.learning_rate, 1e-6, 1.0);
    fit.read("weight_decay", recipe.fit.weight_decay, 0.0, 10.0);
    fit.read("batch", recipe.fit.batch, 1, 1'000'000);
    fit.finish();
  }
  fields.finish();
  return recipe;
}

StackingTable draw_stacking_table(const StackingPart& part, std::uint32_t index) {
  RandomStream random(part.seed, index, Purpose::kStackingTable);
  const StackingWorld& world = part.worlds.draw(random);
  const int nodes = draw_size(part.nodes.draw(random), random);
  int rows = draw_size(part.rows.draw(random), random);
  rows = std::max(2, std::min(rows, part.cells / nodes));
  if (world.rows_per_node > 0) rows = nodes * world.rows_per_node + 1;
  if (world.name == kSynthetic) return draw_synthetic(nodes, rows, part.seed, index, random);
  WorldSample sample = draw_world(
      world_named(world.name), {.nodes = nodes, .rows = rows, .settings = world.settings}, part.seed, index);
  return {world.name, std::move(sample.dataset), std::move(sample.adjacency), std::move(sample.confounded)};
}

}  // namespace causcale
