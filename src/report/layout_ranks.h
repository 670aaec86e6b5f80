// The steps of the layered layout: layers, order within them, coordinates. Used by layout.cpp only.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "causcale/graph.h"

namespace causcale {

// Every edge leads to a later layer; edges are kept short. The graph must be acyclic.
std::vector<int> assign_layers(const Digraph& graph);

// Splits layers of more than `most` nodes with edges into several: nothing joins nodes of one layer, so any
// part of it may move down. What has effects of its own goes lowest.
void split_wide_layers(const Digraph& graph, std::size_t most, std::vector<int>& layer);

// A graph whose every link joins neighbouring layers: real nodes and, on long edges, bends.
struct LayerNetwork {
  struct Vertex {
    int layer;
    double half_width;  // with the distance kept to its neighbours
    bool is_bend;
    std::vector<int> above, below;  // linked vertices of the layer before and after
  };
  std::vector<Vertex> vertices;
  std::vector<std::vector<int>> layers;  // vertices from left to right

  int add(int layer, double half_width, bool is_bend);
  void link(int upper, int lower);
};

// Crossings of links between all neighbouring layers in the present order.
std::size_t count_crossings(const LayerNetwork& network);

// Reorders the layers: barycentre sweeps, the best order seen is kept.
void reduce_crossings(LayerNetwork& network);

// x of every vertex for the present order: as near to its neighbours as the room allows.
std::vector<double> place_vertices(const LayerNetwork& network);

}  // namespace causcale
