#include "learn/data/example.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/shuffle.h"
#include "core/input.h"
#include "discover/transform.h"
#include "learn/config/resolve_names.h"
#include "learn/data/true_knowledge.h"
#include "simulate/names.h"
#include "simulate/worlds/missing.h"
#include "simulate/worlds/projection.h"

namespace causcale {

namespace {

constexpr double kMostMissing = 0.4;  // share of the cells

constexpr NameTable<DataFamily, 3> kFamilyNames{{
    {DataFamily::kSynthetic, "synthetic"},
    {DataFamily::kSergio, "sergio"},
    {DataFamily::kWorld, "world"},
}};

Weighted<const World*> resolve_worlds(const Weighted<std::string>& names) {
  try {
    return names.map<const World*>([](const std::string& name) { return &world_named(name); });
  } catch (const UsageError& error) {
    throw InputError(fmt::format("training configuration: {}", error.what()));
  }
}

// Of a pair that acts on each other either direction, as likely as not: the network's answer to a pair has
// one direction, and half of the probability each way is then the best it can say.
Digraph one_way(const Matrix<std::uint8_t>& adjacency, RandomStream& random) {
  const int n = static_cast<int>(adjacency.rows());
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const bool both = adjacency(i, j) && adjacency(j, i);
      const bool forward = both ? random.coin() : adjacency(i, j) != 0;
      if (forward)
        edges.push_back({i, j});
      else if (adjacency(j, i))
        edges.push_back({j, i});
    }
  return Digraph(n, std::move(edges));
}

Matrix<std::uint8_t> both_ways(const Matrix<std::uint8_t>& adjacency) {
  const std::size_t n = adjacency.rows();
  Matrix<std::uint8_t> both(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) both(i, j) = i != j && adjacency(i, j) && adjacency(j, i);
  return both;
}

// Of an acyclic graph.
PairTruth truth_without_feedback(Matrix<std::uint8_t> confounded) {
  const std::size_t n = confounded.rows();
  return {Matrix<std::uint8_t>(n, n), std::move(confounded)};
}

// A share of 0 takes no random number, so that recipes older than it keep their data sets.
bool happens(double share, RandomStream& random) {
  return share > 0.0 && random.coin(share);
}

std::vector<std::size_t> row_order(std::size_t rows, bool shuffled, RandomStream& random) {
  std::vector<std::size_t> order(rows);
  for (std::size_t i = 0; i < rows; ++i) order[i] = i;
  if (shuffled) shuffle(order, random);
  return order;
}

}  // namespace

void write_labels(const PairTruth& truth, const PairOutputs& outputs, std::size_t nodes, std::int8_t* out) {
  for (const PairOutput output : outputs) {
    const Matrix<std::uint8_t>& of = output == PairOutput::kFeedback ? truth.feedback : truth.confounded;
    for (std::size_t cell = 0; cell < nodes * nodes; ++cell)
      *out++ = of.size() == 0 ? kUnknownPair : static_cast<std::int8_t>(of.data()[cell]);
  }
}

PairTruth ExampleRecipe::truth() const {
  return truth_without_feedback(hidden_common_causes(model.graph, model.visible));
}
PairTruth ExpressionRecipe::truth() const {
  return truth_without_feedback(hidden_common_causes(data.cells.parameters.graph, data.visible));
}

ExampleSource::ExampleSource(const DataOptions& options)
    : options_(options),
      graphs_(resolve_names(options.graphs, kGraphModelNames, "graph model")),
      mechanisms_(resolve_names(options.mechanisms, kMechanismNames, "mechanism")),
      noises_(resolve_names(options.noises, kNoiseNames, "noise")),
      couplings_(resolve_names(options.couplings, kCouplingNames, "noise coupling")),
      roots_(resolve_names(options.roots, kRootNames, "distribution of roots")),
      interventions_(resolve_names(options.interventions, kInterventionNames, "kind of intervention")),
      families_(resolve_names(options.families, kFamilyNames, "family of data")),
      worlds_(resolve_worlds(options.worlds)),
      sergio_(options.sergio, options.graphs, options.edges_per_node) {}

ExampleSource::ExampleSource(const DataOptions& options, std::shared_ptr<const DatasetFolder> folder)
    : ExampleSource(options) {
  folder_ = std::move(folder);
  if (!options.logarithms) return;
  for (const KnownDataset& known : folder_->datasets())
    require_logarithms(known.dataset.table, known.file.string() + ", ", "leave out \"transform\": \"log1p\"");
}

ExampleSource::ExampleSource(const Stage& stage, int threads)
    : ExampleSource(stage.folder.empty()
                        ? ExampleSource(stage.data)
                        : ExampleSource(stage.data, std::make_shared<DatasetFolder>(stage.folder, threads))) {
}

SyntheticOptions ExampleSource::draw_options(int nodes, int rows, RandomStream& random) const {
  SyntheticOptions drawn;
  drawn.graph_model = graphs_.draw(random);
  drawn.edges_per_node = options_.edges_per_node.draw(random);
  drawn.mechanism = mechanisms_.draw(random);
  drawn.rows = rows;
  drawn.nodes = nodes;
  if (happens(options_.mirrored_columns, random)) drawn.observation.mirrored_share = 0.5;
  if (happens(options_.plain, random)) return drawn;

  if (random.coin(options_.mixed_mechanisms)) drawn.mixed_mechanisms = mechanisms_.values();
  drawn.noise = noises_.draw(random);
  drawn.coupling = couplings_.draw(random);
  drawn.roots = roots_.draw(random);
  if (happens(options_.varied_noise, random)) drawn.noise_scale *= std::exp2(random.uniform(-2.0, 2.0));
  if (happens(options_.uneven_noise, random)) drawn.noise_spread = std::exp2(random.uniform(1.0, 5.0));
  if (happens(options_.weak_effects, random)) drawn.effect_scale = std::exp2(random.uniform(-4.0, 0.0));
  const auto most_hidden = static_cast<std::uint32_t>(options_.hidden_variables_at_most);
  if (random.coin(options_.hidden_variables)) drawn.hidden = 1 + static_cast<int>(random.below(most_hidden));
  drawn.nodes += drawn.hidden;

  drawn.interventions.effect = interventions_.draw(random);
  if (random.coin(options_.partial_coverage)) drawn.interventions.coverage = random.uniform();
  if (random.coin(options_.several_targets))
    drawn.interventions.targets_per_regime = 2 + static_cast<int>(random.below(2));
  if (random.coin(options_.observational)) drawn.interventions.effect = InterventionEffect::kNone;
  if (happens(options_.varied_interventions, random)) {
    drawn.interventions.value_spread = std::exp2(random.uniform(-3.0, 2.0));  // small: like a knock-out
    drawn.interventions.value_shift = std::exp2(random.uniform(-1.0, 2.5));
  }

  if (random.coin(options_.random_units)) drawn.observation.output_scale = options_.random_units_spread;
  if (random.coin(options_.messy_columns)) {
    drawn.observation.measurement_error = random.uniform(0.0, 0.3);
    drawn.observation.outlier_rate = random.coin() ? random.uniform(0.0, 0.01) : 0.0;
    drawn.observation.rounded_share = random.uniform(0.0, 0.3);
    drawn.observation.ordinal_share = random.uniform(0.0, 0.3);
    drawn.observation.count_share = random.uniform(0.0, 0.2);
    drawn.observation.zero_inflated_share = random.uniform(0.0, 0.2);
  }
  return drawn;
}

SergioCircumstances ExampleSource::draw_circumstances(RandomStream& random) const {
  SergioCircumstances drawn;
  const auto most_hidden = static_cast<std::uint32_t>(options_.hidden_variables_at_most);
  if (random.coin(options_.hidden_variables)) drawn.hidden = 1 + static_cast<int>(random.below(most_hidden));
  if (random.coin(options_.partial_coverage)) drawn.coverage = random.uniform();
  if (random.coin(options_.observational)) drawn.coverage = 0.0;
  if (random.coin(options_.random_units)) drawn.unit_spread = options_.random_units_spread;
  return drawn;
}

void ExampleSource::draw(int rows, int nodes, std::uint64_t seed, std::uint32_t dataset,
                         const DatasetUse& use) const {
  RandomStream random(seed, dataset, Purpose::kExample);
  if (folder_) {
    const KnownDataset& known = folder_->draw(rows, nodes, random);
    use(known.dataset, known.graph, {}, random);  // files do not tell
    return;
  }
  RandomStream family_random(seed, dataset, Purpose::kExampleFamily);
  const DataFamily family = families_.draw(family_random);
  const bool asked = !options_.outputs.empty();
  if (family == DataFamily::kWorld) {
    RandomStream world_random(seed, dataset, Purpose::kExampleWorld);
    const World& world = *worlds_.draw(world_random);
    WorldSample sample = draw_world(world, {.nodes = nodes, .rows = rows, .settings = {}}, seed, dataset);
    PairTruth truth;
    if (asked) truth = {both_ways(sample.adjacency), std::move(sample.confounded)};
    use(sample.dataset, one_way(sample.adjacency, world_random), truth, random);
  } else if (family == DataFamily::kSergio) {
    const SergioCircumstances circumstances = draw_circumstances(random);
    SergioData data = sergio_.make(rows, nodes, circumstances, seed, dataset);
    use(data.dataset, data.graph, asked ? truth_without_feedback(std::move(data.confounded)) : PairTruth{},
        random);
  } else {
    const SyntheticOptions drawn = draw_options(nodes, rows, random);
    const Simulation simulation = simulate_synthetic(drawn, seed, dataset);
    use(simulation.dataset, simulation.graph,
        asked ? truth_without_feedback(hidden_common_causes(simulation.full_graph, simulation.visible))
              : PairTruth{},
        random);
  }
}

void ExampleSource::make(const ExampleView& view, std::uint64_t seed, std::uint32_t dataset) const {
  draw(view.rows, view.nodes, seed, dataset,
       [&](const Dataset& drawn, const Digraph& graph, const PairTruth& truth, RandomStream& random) {
         const Matrix<float> knowledge = told_knowledge(graph, seed, dataset);
         if (!loses_cells(seed, dataset)) return write(view, drawn, graph, truth, knowledge, random);
         Dataset holed = drawn;
         RandomStream cells(seed, dataset, Purpose::kExampleMissing, 1);
         const double share = cells.uniform(0.0, kMostMissing);
         remove_cells(static_cast<MissingKind>(cells.below(kMissingKindNames.size())), share, cells,
                      holed.table);
         write(view, holed, graph, truth, knowledge, random);
       });
}

bool ExampleSource::loses_cells(std::uint64_t seed, std::uint32_t dataset) const {
  if (options_.missing_cells <= 0.0) return false;
  RandomStream random(seed, dataset, Purpose::kExampleMissing);
  return random.coin(options_.missing_cells);
}

Matrix<float> ExampleSource::told_knowledge(const Digraph& graph, std::uint64_t seed,
                                            std::uint32_t dataset) const {
  const auto n = static_cast<std::size_t>(graph.nodes());
  if (options_.channels.place(PairChannel::kKnowledge) < 0) return {};
  RandomStream random(seed, dataset, Purpose::kExampleKnowledge);
  if (!happens(options_.told_knowledge, random)) return Matrix<float>(n, n);
  return knowledge_channel(draw_true_knowledge(graph, random), graph.nodes());
}

ExampleSource::Known ExampleSource::known(int rows, int nodes, std::uint64_t seed,
                                          std::uint32_t dataset) const {
  Known result;
  draw(rows, nodes, seed, dataset,
       [&](const Dataset& drawn, const Digraph& graph, const PairTruth& truth, RandomStream&) {
         result = {drawn, graph, truth};
       });
  return result;
}

Dataset ExampleSource::table(int rows, int nodes, std::uint64_t seed, std::uint32_t dataset) const {
  return known(rows, nodes, seed, dataset).table;
}

std::optional<ExampleRecipe> ExampleSource::recipe(int rows, int nodes, std::uint64_t seed,
                                                   std::uint32_t dataset) const {
  RandomStream family_random(seed, dataset, Purpose::kExampleFamily);
  if (folder_ || families_.draw(family_random) != DataFamily::kSynthetic || loses_cells(seed, dataset))
    return std::nullopt;
  RandomStream random(seed, dataset, Purpose::kExample);
  const SyntheticOptions drawn = draw_options(nodes, rows, random);
  if (drawn.observation.more_than_units() || drawn.interventions.effect == InterventionEffect::kBlocked)
    return std::nullopt;
  return ExampleRecipe{draw_model(drawn, seed, dataset), draw_input(static_cast<std::size_t>(rows), random)};
}

std::optional<ExpressionRecipe> ExampleSource::expression_recipe(int rows, int nodes, std::uint64_t seed,
                                                                 std::uint32_t dataset) const {
  RandomStream family_random(seed, dataset, Purpose::kExampleFamily);
  if (folder_ || families_.draw(family_random) != DataFamily::kSergio || loses_cells(seed, dataset))
    return std::nullopt;
  RandomStream random(seed, dataset, Purpose::kExample);
  const SergioCircumstances circumstances = draw_circumstances(random);
  return ExpressionRecipe{sergio_.plan(rows, nodes, circumstances, seed, dataset),
                          draw_input(static_cast<std::size_t>(rows), random)};
}

InputDraw ExampleSource::draw_input(std::size_t rows, RandomStream& random) const {
  InputDraw drawn;
  drawn.flags = !random.coin(options_.hidden_flags);
  const bool shuffled = random.coin(options_.shuffled_rows);
  if (random.coin(options_.standardized_prior)) drawn.prior.scale = PriorScale::kStandardized;
  if (random.coin(options_.prior_subset))
    drawn.prior.rows = std::min(static_cast<std::size_t>(options_.prior_subset_rows), rows);
  drawn.prior.seed = (static_cast<std::uint64_t>(random.bits()) << 32) | random.bits();
  drawn.order = row_order(rows, shuffled, random);
  return drawn;
}

void ExampleSource::write(const ExampleView& view, const Dataset& dataset, const Digraph& graph,
                          const PairTruth& truth, const Matrix<float>& knowledge,
                          RandomStream& random) const {
  const InputDraw input = draw_input(dataset.table.rows(), random);
  Matrix<double> logarithms;
  if (options_.logarithms) {
    logarithms = dataset.table.values;
    take_logarithms(logarithms);
  }
  const Matrix<double>& values = options_.logarithms ? logarithms : dataset.table.values;
  write_data(values, dataset.interventions, input.order, input.flags, options_.channels, view.data);
  write_pairs(view.data, input.order.size(), values.cols(), options_.channels, knowledge, view.pairs);
  write_prior(values, input.prior, view.prior);
  std::fill_n(view.adjacency, static_cast<std::size_t>(view.nodes) * view.nodes, std::uint8_t{0});
  for (const Edge& edge : graph.edges())
    view.adjacency[static_cast<std::size_t>(edge.source) * view.nodes + edge.target] = 1;
  if (view.labels) write_labels(truth, options_.outputs, static_cast<std::size_t>(view.nodes), view.labels);
}

}  // namespace causcale
