#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "causcale/error.h"
#include "command_tree.h"
#include "commands.h"
#include "simulate/names.h"
#include "simulate_output.h"

namespace causcale::cli {
namespace {

using nlohmann::ordered_json;

// An option that takes one of the words of a table, listed in its help.
template <class Choice, std::size_t N>
void add_choice(CLI::App& command, const std::string& flag, Choice& choice, const NameTable<Choice, N>& table,
                const std::string& what) {
  command
      .add_option_function<std::string>(
          flag,
          [&choice, &table, what](const std::string& word) { choice = choice_named(table, word, what); },
          fmt::format("{}: {}", what, list_names(table)))
      ->transform(any_case(all_names(table)))
      ->type_name("NAME")
      ->default_str(name_of(table, choice));
}

void add_graph_options(CLI::App& command, GraphModel& model, int& nodes, double& edges_per_node,
                       double& power, bool& reverse, int& blocks, double& damping, double& rewiring) {
  add_choice(command, "--graph", model, kGraphModelNames, "graph model");
  command.add_option("--nodes,-n", nodes, "Number of variables")->capture_default_str();
  command.add_option("--edges-per-node,-d", edges_per_node, "Expected number of edges per variable")
      ->capture_default_str();
  command.add_option("--attachment-power", power, "sf: exponent of preferential attachment")
      ->capture_default_str();
  command.add_flag("--reverse-edges", reverse,
                   "Turn every edge round, so that hubs collect instead of spread");
  command.add_option("--blocks", blocks, "sbm: number of blocks")->capture_default_str();
  command.add_option("--block-damping", damping, "sbm: edge probability between blocks relative to within")
      ->capture_default_str();
  command.add_option("--rewiring", rewiring, "ws: share of rewired edges")->capture_default_str();
}

void add_synthetic(CLI::App& simulate) {
  struct State {
    SyntheticOptions options;
    OutputOptions output;
    CommonOptions common;
    std::vector<std::string> mechanisms{"linear"};
  };
  auto state = std::make_shared<State>();
  CLI::App& command =
      *simulate.add_subcommand("synthetic", "Random structural causal models with known truth");
  SyntheticOptions& options = state->options;
  add_graph_options(command, options.graph_model, options.nodes, options.edges_per_node,
                    options.attachment_power, options.reverse_edges, options.blocks, options.block_damping,
                    options.rewiring);
  command.add_option("--rows,-m", options.rows, "Number of rows")->capture_default_str();
  command
      .add_option("--mechanism", state->mechanisms,
                  fmt::format("Mechanism: {}; several, separated by commas: each node takes one at random",
                              list_names(kMechanismNames)))
      ->delimiter(',')
      ->transform(any_case(all_names(kMechanismNames)))
      ->type_name("NAME")
      ->capture_default_str();
  add_choice(command, "--noise", options.noise, kNoiseNames, "noise");
  add_choice(command, "--noise-coupling", options.coupling, kCouplingNames, "noise coupling");
  command.add_option("--noise-scale", options.noise_scale, "Size of the noise, times sqrt(1 + U(0,1))")
      ->capture_default_str();
  command
      .add_option("--noise-spread", options.noise_spread,
                  "Each variable's noise, or its values as a root, times a factor between 1/S and S")
      ->capture_default_str();
  command
      .add_option("--effect-scale", options.effect_scale,
                  "What parents do to a variable, times this; its noise stays")
      ->capture_default_str();
  add_choice(command, "--roots", options.roots, kRootNames, "distribution of roots");
  command
      .add_option("--hidden", options.hidden,
                  "Leave this many variables of highest out-degree out of the table")
      ->capture_default_str();
  add_choice(command, "--interventions", options.interventions.effect, kInterventionNames, "interventions");
  command.add_option("--coverage", options.interventions.coverage, "Share of the variables intervened on")
      ->capture_default_str();
  command.add_option("--targets", options.interventions.targets_per_regime, "Targets of one intervention")
      ->capture_default_str();
  command
      .add_option("--intervention-spread", options.interventions.value_spread,
                  "Perfect interventions: values lie within plus or minus S")
      ->capture_default_str();
  command
      .add_option("--intervention-shift", options.interventions.value_shift,
                  "Perfect interventions: deviation of the targets' shifts, which are added to the values")
      ->capture_default_str();
  ObservationOptions& seen = options.observation;
  command.add_option("--output-scale", seen.output_scale, "Random units: factors between 1/S and S")
      ->capture_default_str();
  command.add_option("--mirrored", seen.mirrored_share, "Share of columns measured downwards")
      ->capture_default_str();
  command.add_option("--measurement-error", seen.measurement_error, "Relative to a column's deviation")
      ->capture_default_str();
  command.add_option("--outliers", seen.outlier_rate, "Share of outlying cells")->capture_default_str();
  command.add_option("--rounded", seen.rounded_share, "Share of rounded columns")->capture_default_str();
  command.add_option("--ordinal", seen.ordinal_share, "Share of ordinal columns")->capture_default_str();
  command.add_option("--counts", seen.count_share, "Share of count columns")->capture_default_str();
  command.add_option("--zero-inflated", seen.zero_inflated_share, "Share of zero-inflated columns")
      ->capture_default_str();
  add_output_options(command, state->output, state->common);
  command.footer(
      "Examples:\n"
      "  causcale simulate synthetic --graph er --nodes 100 --edges-per-node 4 --mechanism nn --rows 1000 "
      "--seed 1 -o out/\n"
      "  causcale simulate synthetic --graph sf -n 50 -d 2 --mechanism linear,gp --interventions none -o "
      "observed/\n"
      "  causcale simulate synthetic -n 20 -d 2 --count 1000 --format npy -o many/");
  command.callback([state] {
    SyntheticOptions& chosen = state->options;
    std::vector<Mechanism> mechanisms;
    for (const std::string& name : state->mechanisms)
      mechanisms.push_back(choice_named(kMechanismNames, name, "mechanism"));
    chosen.mechanism = mechanisms.front();
    if (mechanisms.size() > 1) chosen.mixed_mechanisms = mechanisms;
    check_synthetic_options(chosen);
    write_all("synthetic", state->output, state->common, [&](std::uint32_t index, int) {
      return std::pair(simulate_synthetic(chosen, state->common.seed, index),
                       ordered_json{{"options", describe(chosen)}});
    });
  });
}

void add_sergio(CLI::App& simulate) {
  struct State {
    SergioOptions options;
    OutputOptions output;
    CommonOptions common;
  };
  auto state = std::make_shared<State>();
  CLI::App& command = *simulate.add_subcommand(
      "sergio", "Single-cell gene expression under knock-outs of a regulatory network");
  SergioOptions& options = state->options;
  GraphOptions& graph = options.graph;
  add_graph_options(command, graph.model, graph.nodes, graph.edges_per_node, graph.attachment_power,
                    graph.reverse_edges, graph.blocks, graph.block_damping, graph.rewiring);
  command.add_option("--rows,-m", options.rows, "Number of perturbed cells")->capture_default_str();
  command.add_option("--wild-type", options.wild_type_rows, "Number of unperturbed cells, after the others")
      ->capture_default_str();
  command.add_option("--min-cell-types", options.min_cell_types, "Fewest cell types")->capture_default_str();
  command.add_option("--max-cell-types", options.max_cell_types, "Most cell types")->capture_default_str();
  add_choice(command, "--perturbation", options.perturbation, kPerturbationNames, "perturbation");
  command.add_option("--min-residual", options.min_residual, "knockdown: least share of production left")
      ->capture_default_str();
  command.add_option("--max-residual", options.max_residual, "knockdown: largest share of production left")
      ->capture_default_str();
  command.add_option("--coverage", options.coverage, "Share of the genes perturbed")->capture_default_str();
  add_choice(command, "--profile", options.profile, kProfileNames, "technical noise");
  add_output_options(command, state->output, state->common);
  command.footer(
      "Examples:\n"
      "  causcale simulate sergio --nodes 100 --edges-per-node 4 --rows 5000 --seed 1 -o cells/\n"
      "  causcale simulate sergio -n 30 --perturbation knockdown --wild-type 500 --profile drop-seq -o "
      "cells/\n"
      "  causcale simulate sergio -n 50 --graph sbm --profile none --count 100 -o clean/");
  command.callback([state] {
    check_sergio_options(state->options);
    write_all("sergio", state->output, state->common, [&](std::uint32_t index, int threads) {
      SergioSimulation simulation = simulate_sergio(state->options, state->common.seed, index, threads);
      ordered_json drawn{{"options", describe(state->options)}, {"drawn", describe(simulation)}};
      return std::pair(std::move(simulation), std::move(drawn));
    });
  });
}

}  // namespace

void add_simulate(CLI::App& app) {
  CLI::App& simulate = *app.add_subcommand("simulate", "Simulate tables with a known causal graph");
  simulate.require_subcommand(1);
  add_synthetic(simulate);
  add_sergio(simulate);
  add_world(simulate);
}

}  // namespace causcale::cli
