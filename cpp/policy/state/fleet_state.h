// Where the vehicles of one trajectory are, what is left to serve, and the inputs of the network about each type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/decoder_inputs.h"

namespace fripn::policy {

// A type's row (query | key | value) is a sum of rows that come from weights, problem and embeddings.
enum class RowSource { candidate, employed, graph, location, shared, load, regret, net_regret, value, scalar };

// More than a row is ever made of.
inline constexpr std::size_t most_terms = 16;

struct Term {
    float coefficient;
    RowSource source;
    int index;  // type, node or scalar; 0 where there is one such row
};

class FleetState {
public:
    FleetState(const FoldedWeights& weights, const Kernels& kernels, int num_types);

    void start(const Problem& problem, const NodeTable& table);

    // The rows that make up the row of a type, and the row that all types share (cover features only).
    // `waste` is the unfillable room of the type (pack features only).
    void terms_of_type(int type, float waste, std::vector<Term>& terms) const;
    void terms_of_shared(std::vector<Term>& terms) const;

    // The row behind a term; that of RowSource::shared belongs to the caller.
    [[nodiscard]] const float* row_of(const Term& term) const;

    [[nodiscard]] bool is_employed(int type) const { return vehicles_[static_cast<std::size_t>(type)].location != 0; }
    [[nodiscard]] bool is_all_at_depot() const;
    // The type that moved last, unless it is at the depot; -1 for none.
    [[nodiscard]] int last_on_road() const { return last_on_road_; }
    // Customers whose rank is below the threshold fit.
    [[nodiscard]] float threshold(int type) const { return vehicles_[static_cast<std::size_t>(type)].threshold; }
    [[nodiscard]] double load_of(int type) const;
    [[nodiscard]] bool is_done() const { return num_left_ == 0; }
    [[nodiscard]] int num_steps() const { return num_steps_; }

    // Fixed and travel cost so far, with the vehicles still out driving home.
    [[nodiscard]] double total_cost() const;

    // Move a vehicle. `open` are the places still to be visited after the move, depot first.
    void move(int type, int node, const int* open, int num_open);

private:
    struct Vehicle {
        int location;
        double carried;
        std::int64_t hired;
        float threshold;
    };

    [[nodiscard]] bool is_hireable(int type) const;
    [[nodiscard]] double safe_unserved() const { return unserved_ > 0.0 ? unserved_ : 1e-9; }
    void price();
    void refit(int type);
    void serve(int node, const int* open, int num_open);

    const FoldedWeights& weights_;
    const Kernels& kernels_;
    const int num_types_;
    const Problem* problem_ = nullptr;
    const NodeTable* table_ = nullptr;
    std::vector<Vehicle> vehicles_;
    AlignedFloats graph_sums_;  // (at most K, row_width): see Problem::graph_of_type
    double unserved_ = 0.0;
    // What the cover features of all types have in common.
    double room_ = 0.0;
    double net_demand_ = 0.0;
    double cover_of_unserved_ = 0.0;
    double cover_of_net_ = 0.0;
    double cover_slack_ = 0.0;  // pack features only
    double cost_ = 0.0;
    int num_left_ = 0;
    int num_steps_ = 0;
    int last_on_road_ = -1;
};

}  // namespace fripn::policy
