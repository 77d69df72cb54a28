// Bindings of the policy decoder: conversions and docstrings, no logic.
#include "bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "instance.h"
#include "policy/arrays.h"
#include "policy/decoder_inputs.h"
#include "policy/gradient.h"
#include "policy/kernels/kernels.h"
#include "policy/repair.h"
#include "policy/rollout.h"
#include "stop_flag.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

namespace {

int round_up(int count, int unit) { return (count + unit - 1) / unit * unit; }

policy::AlignedFloats copy_of(const FloatArray& array, std::size_t size, const char* message) {
    require(array.size() == size, message);
    return {array.data(), array.data() + size};
}

// A matrix in blocks of 16 columns.
policy::AlignedFloats in_blocks(const FloatArray& matrix, std::size_t rows, std::size_t columns, const char* message) {
    require(matrix.size() == rows * columns, message);
    policy::AlignedFloats blocks(rows * columns);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            blocks[(c / 16 * rows + r) * 16 + c % 16] = matrix.data()[r * columns + c];
    return blocks;
}

// Folded weights with the kernels that will use them.
struct Decoder {
    policy::FoldedWeights weights;
    const policy::Kernels* kernels;
};

policy::Dims make_dims(int num_heads, int head_width, bool has_residual, bool is_joint, int pair_width) {
    policy::Dims dims{};
    dims.num_heads = num_heads;
    dims.head_width = head_width;
    dims.lanes_width = round_up(num_heads, 8);
    dims.head_stride = round_up(head_width, 16);
    dims.types_width = round_up(head_width * dims.lanes_width, 16);
    dims.nodes_width = num_heads * dims.head_stride;
    dims.has_residual = has_residual;
    dims.is_joint = is_joint;
    dims.pair_width = pair_width;
    dims.row_width = 3 * dims.types_width + (has_residual ? dims.nodes_width : 0) + pair_width;
    return dims;
}

// Scores beyond the range of floats would make probabilities that are not numbers.
void require_finite_scores(double clip, double temperature) {
    require(clip > 0.0 && temperature > 0.0 &&
                clip * std::numbers::log2e / temperature <= static_cast<double>(std::numeric_limits<float>::max()),
            "clip and temperature must be positive, and clip / temperature in the range of floats");
}

void make_decoder(Decoder* self, int num_heads, int head_width, double clip, bool has_cover, bool has_pack,
                  bool has_near, bool has_local, bool has_graph, bool has_residual, bool route_by_route,
                  bool joint_attention,
                  const FloatArray& nodes, const FloatArray& scalars, const FloatArray& bias, const FloatArray& query,
                  const FloatArray& query_bias, const FloatArray& pairs, const std::optional<std::string>& kernels) {
    require(pairs.ndim() == 2 && pairs.shape(0) == policy::num_pair_rows && pairs.shape(1) % 16 == 0,
            "pairs must be (" + std::to_string(policy::num_pair_rows) + ", pair_width), the width a multiple of 16");
    policy::FoldedWeights weights{};
    weights.dims = make_dims(num_heads, head_width, has_residual, joint_attention, static_cast<int>(pairs.shape(1)));
    weights.pairs = {pairs.data(), pairs.data() + pairs.size()};
    require_finite_scores(clip, 1.0);
    weights.clip = static_cast<float>(clip);
    require((has_cover || !has_pack) && (has_pack || !has_near) && (has_near || !has_local),
            "local features include the near features, these the pack features, and these the cover features");
    weights.has_cover = has_cover;
    weights.has_pack = has_pack;
    weights.has_near = has_near;
    weights.has_local = has_local;
    weights.has_graph = has_graph;
    weights.is_route_by_route = route_by_route;
    const auto width = static_cast<std::size_t>(weights.dims.row_width);
    const auto E = static_cast<std::size_t>(weights.dims.types_width);
    const auto A = static_cast<std::size_t>(weights.dims.nodes_width);
    const auto num_scalars = static_cast<std::size_t>(weights.num_scalars());
    weights.scalars = copy_of(scalars, num_scalars * width, "scalars must be (S, row_width)");
    weights.bias = copy_of(bias, width, "bias must be (row_width,)");
    weights.query_bias = copy_of(query_bias, A, "query_bias must be (A,)");
    weights.query = in_blocks(query, E, A, "query must be (E, A)");
    require(nodes.ndim() == 2, "nodes must be (D, columns)");
    weights.embedding_width = static_cast<int>(nodes.shape(0));
    weights.nodes = in_blocks(nodes, nodes.shape(0), static_cast<std::size_t>(weights.num_columns()),
                              "nodes must be (D, columns)");
    const policy::Kernels* chosen =
        kernels ? policy::kernels_named(kernels->c_str()) : &policy::kernels();
    require(chosen != nullptr, "this processor cannot run these kernels");
    new (self) Decoder{std::move(weights), chosen};
}

NumpyArray<float> make_tables(const Decoder& self, const FloatArray& embeddings, int threads, const StopFlag* stop) {
    require(embeddings.ndim() == 3 &&
                embeddings.shape(2) == static_cast<std::size_t>(self.weights.embedding_width),
            "embeddings must be (B, N, D)");
    const std::size_t B = embeddings.shape(0), N = embeddings.shape(1);
    auto tables = make_array<float>({B, N, static_cast<std::size_t>(self.weights.num_columns())});
    {
        nb::gil_scoped_release release;
        policy::make_tables(self.weights, *self.kernels, embeddings.data(), B * N, threads, flag_of(stop),
                            tables.data());
    }
    return tables;
}

// Tables (B, N, columns) of these problems; B is a multiple of their number.
void check_tables(const Decoder& self, const FloatArray& tables, const policy::ProblemSet& problems) {
    require(tables.ndim() == 3 && tables.shape(0) > 0 &&
                tables.shape(0) % static_cast<std::size_t>(problems.num_problems()) == 0 &&
                tables.shape(1) == static_cast<std::size_t>(problems.num_nodes()) &&
                tables.shape(2) == static_cast<std::size_t>(self.weights.num_columns()),
            "tables must be (B, N, columns) with B a multiple of the number of problems");
}

void check_actions(const Int32Array& actions, std::int64_t num_actions) {
    require(std::all_of(actions.data(), actions.data() + actions.size(),
                        [&](std::int32_t action) { return -1 <= action && action < num_actions; }),
            "actions must be -1 (none) or from 0 to K * N - 1");
}

using RolloutArrays = std::tuple<NumpyArray<std::int32_t>, NumpyArray<double>, NumpyArray<float>>;

RolloutArrays run_rollout(const Decoder& self, const FloatArray& tables, const policy::ProblemSet& problems,
                          int trajectories, bool greedy, bool draw_first_type, double temperature, int top_k,
                          std::uint64_t seed, std::uint64_t first_stream, std::uint64_t stream_period,
                          int threads, const std::optional<Int32Array>& forced, const StopFlag* stop) {
    check_tables(self, tables, problems);
    require(trajectories > 0, "trajectories must be positive");
    require_finite_scores(static_cast<double>(self.weights.clip), temperature);
    const std::size_t B = tables.shape(0);
    const std::size_t count = B * static_cast<std::size_t>(trajectories);
    const auto steps = static_cast<std::size_t>(policy::max_steps_for(problems.num_nodes()));
    if (forced) {
        require(forced->size() == count * steps, "forced actions must be (trajectories, 2n - 1)");
        check_actions(*forced, problems.num_actions());
    }
    auto actions = make_array<std::int32_t>({count, steps});
    auto costs = make_array<double>({count});
    auto logs = make_array<float>({count, steps});
    const policy::RolloutRequest request{problems,
                                         tables.data(),
                                         static_cast<int>(B),
                                         trajectories,
                                         {greedy, temperature, top_k, draw_first_type},
                                         seed,
                                         first_stream,
                                         stream_period,
                                         threads,
                                         forced ? forced->data() : nullptr,
                                         flag_of(stop)};
    const policy::RolloutResult result{actions.data(), costs.data(), logs.data(), static_cast<int>(steps)};
    {
        nb::gil_scoped_release release;
        policy::rollout(self.weights, *self.kernels, request, result);
    }
    return {std::move(actions), std::move(costs), std::move(logs)};
}

template <class T>
NumpyArray<T> make_zeros(std::initializer_list<std::size_t> shape) {
    auto array = make_array<T>(shape);
    std::fill_n(array.data(), array.size(), T{});
    return array;
}

// The arguments that log_probs and gradient share, checked.
policy::GradientRequest make_request(const Decoder& self, const FloatArray& tables, const policy::ProblemSet& problems,
                                     const Int32Array& actions, const std::optional<ByteArray>& ends,
                                     bool first_type_given, int threads) {
    check_tables(self, tables, problems);
    const std::size_t B = tables.shape(0);
    require(B == static_cast<std::size_t>(problems.num_problems()), "tables must be one per problem");
    require(actions.ndim() == 3 && actions.shape(0) == B, "actions must be (B, J, T)");
    check_actions(actions, problems.num_actions());
    require(!ends || ends->size() == B * static_cast<std::size_t>(problems.num_actions()), "ends must be (B, K, N)");
    return {problems,
            static_cast<int>(B),
            tables.data(),
            static_cast<int>(actions.shape(1)),
            static_cast<int>(actions.shape(2)),
            actions.data(),
            nullptr,
            ends ? ends->data() : nullptr,
            first_type_given,
            threads};
}

void run_request(const Decoder& self, const policy::GradientRequest& request, const policy::GradientResult& result) {
    bool is_sound = true;
    {
        nb::gil_scoped_release release;
        is_sound = policy::gradient(self.weights, *self.kernels, request, result);
    }
    require(is_sound, "an action is not available where it is taken");
}

NumpyArray<float> run_log_probs(const Decoder& self, const FloatArray& tables, const policy::ProblemSet& problems,
                                const Int32Array& actions, const std::optional<ByteArray>& ends,
                                bool first_type_given, int threads) {
    const policy::GradientRequest request =
        make_request(self, tables, problems, actions, ends, first_type_given, threads);
    auto logs = make_zeros<float>({actions.shape(0), actions.shape(1), actions.shape(2)});
    run_request(self, request, {logs.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
    return logs;
}

using GradientArrays = std::tuple<NumpyArray<float>, NumpyArray<float>, NumpyArray<float>, NumpyArray<float>,
                                  NumpyArray<float>, NumpyArray<float>, NumpyArray<float>>;

GradientArrays run_gradient(const Decoder& self, const FloatArray& tables, const policy::ProblemSet& problems,
                            const Int32Array& actions, const FloatArray& weights,
                            const std::optional<ByteArray>& ends, bool first_type_given, int threads) {
    policy::GradientRequest request =
        make_request(self, tables, problems, actions, ends, first_type_given, threads);
    require(weights.size() == actions.size(), "weights must be (B, J, T)");
    request.weights = weights.data();
    const auto& dims = self.weights.dims;
    const auto width = static_cast<std::size_t>(dims.row_width);
    auto logs = make_zeros<float>({actions.shape(0), actions.shape(1), actions.shape(2)});
    auto d_tables = make_zeros<float>({tables.shape(0), tables.shape(1), tables.shape(2)});
    auto d_scalars = make_zeros<float>({self.weights.scalars.size() / width, width});
    auto d_bias = make_zeros<float>({width});
    auto d_query =
        make_zeros<float>({static_cast<std::size_t>(dims.types_width), static_cast<std::size_t>(dims.nodes_width)});
    auto d_query_bias = make_zeros<float>({static_cast<std::size_t>(dims.nodes_width)});
    auto d_pairs = make_zeros<float>({policy::num_pair_rows, static_cast<std::size_t>(dims.pair_width)});
    run_request(self, request, {logs.data(), d_tables.data(), d_scalars.data(), d_bias.data(), d_query.data(),
                                d_query_bias.data(), d_pairs.data()});
    return {std::move(logs),    std::move(d_tables),     std::move(d_scalars), std::move(d_bias),
            std::move(d_query), std::move(d_query_bias), std::move(d_pairs)};
}

std::pair<NumpyArray<double>, NumpyArray<std::int32_t>> run_repair(const Instance& instance,
                                                                   const Int32Array& actions, int threads,
                                                                   const StopFlag* stop, std::optional<double> seconds) {
    require(actions.ndim() == 2, "actions must be (trajectories, steps)");
    check_actions(actions, std::int64_t{instance.num_types()} * (instance.num_customers() + 1));
    auto costs = make_array<double>({actions.shape(0)});
    auto tours = make_array<std::int32_t>({actions.shape(0), static_cast<std::size_t>(instance.num_customers())});
    bool is_sound = true;
    {
        nb::gil_scoped_release release;
        const search::Clock clock;
        is_sound = policy::repair(instance, actions.data(), static_cast<int>(actions.shape(0)),
                                  static_cast<int>(actions.shape(1)), threads,
                                  search::Deadline(clock, seconds.value_or(infinity), flag_of(stop)), costs.data(),
                                  tours.data());
    }
    require(is_sound, "a trajectory serves a customer twice");
    return {std::move(costs), std::move(tours)};
}

}  // namespace

void bind_policy(nb::module_& module) {
    nb::class_<Decoder> decoder(module, "PolicyDecoder",
                                "Folded weights of the decoder; build it with fripn.policy.fold.");
    decoder
        .def("__init__", &make_decoder, "num_heads"_a, "head_width"_a, "clip"_a, "has_cover"_a, "has_pack"_a,
             "has_near"_a, "has_local"_a, "has_graph"_a, "has_residual"_a, "route_by_route"_a, "joint_attention"_a, "nodes"_a,
             "scalars"_a, "bias"_a, "query"_a, "query_bias"_a, "pairs"_a, "kernels"_a = nb::none(),
             R"(Copy folded weights.

Parameters
----------
num_heads, head_width, clip, has_cover, has_pack, has_near, has_local, has_graph, has_residual, route_by_route,
joint_attention
    The configuration.
nodes, scalars, bias, query, query_bias, pairs
    float32 arrays in the padded layouts of ``fripn.policy.fold``.
kernels
    Instruction set: baseline, avx2 or avx512; None for the fastest this processor can run.)")
        .def_prop_ro("kernels", [](const Decoder& self) { return std::string(self.kernels->name); },
                     "Instruction set in use.")
        .def_prop_ro("num_columns", [](const Decoder& self) { return self.weights.num_columns(); },
                     "Columns of a table.")
        .def("tables", &make_tables, "embeddings"_a, "threads"_a = 1, "stop"_a = nb::none(),
             "Fold node embeddings (B, N, D) into tables (B, N, columns); rows that a stop leaves out are 0.")
        .def("rollout", &run_rollout, "tables"_a, "problems"_a, nb::kw_only(), "trajectories"_a,
             "greedy"_a, "draw_first_type"_a, "temperature"_a = 1.0, "top_k"_a = 0, "seed"_a = 0,
             "first_stream"_a = 0, "stream_period"_a = 0, "threads"_a = 1, "forced"_a = nb::none(),
             "stop"_a = nb::none(),
             R"(Build whole trajectories, or follow given ones.

Parameters
----------
tables
    Shape (B, N, columns), float32, from `tables`. B is a multiple of the
    number of problems; the tables of a problem (its symmetries) lie together.
problems
    The scaled problems.
trajectories
    Per table.
greedy
    Take the most probable action instead of drawing one.
draw_first_type
    Draw the first type uniformly; with `forced`, leave its choice out of the log-probabilities.
temperature, top_k
    Scores are divided by the temperature; only the top_k best actions (0: all) are drawn from.
seed, first_stream, stream_period
    Trajectory t draws from stream first_stream + t of the seed (t modulo the period, if there is one),
    whatever the number of threads.
threads
    Threads to use.
forced
    Shape (trajectories, 2n - 1), int32: actions to follow, -1 after the end.
stop
    Checked before every decision. Once it is set, trajectories that are not finished have infinite cost; those
    begun keep the actions taken so far.

Returns
-------
tuple
    Actions (trajectories, 2n - 1), type * N + node, -1 after the end; scaled costs, infinity at a dead
    end or after a stop; log-probability of each action.)");
    decoder.def("log_probs", &run_log_probs, "tables"_a, "problems"_a, nb::kw_only(), "actions"_a,
                "ends"_a = nb::none(), "first_type_given"_a = false, "threads"_a = 1,
                R"(Return the log-probabilities of given decisions.

Parameters
----------
tables, problems
    As for `rollout`, with one table per problem.
actions
    Shape (B, J, T), int32: type * N + node, -1 after the end.
ends
    Shape (B, K, N), uint8: while all vehicles are at the depot, the target is the set of all available
    actions marked here instead of the action alone.
first_type_given
    Whether the first decision is among its type's nodes only.
threads
    Threads to use; the result does not depend on them.

Returns
-------
array
    Shape (B, J, T); 0 after the end.)");
    decoder.def("gradient", &run_gradient, "tables"_a, "problems"_a, nb::kw_only(), "actions"_a, "weights"_a,
                "ends"_a = nb::none(), "first_type_given"_a = false, "threads"_a = 1,
                R"(Return the gradient of minus the sum of weights * log probability of given decisions.

Parameters
----------
weights
    Shape (B, J, T), float32: of each decision; those of weight 0 cost nothing.
tables, problems, actions, ends, first_type_given, threads
    As for `log_probs`.

Returns
-------
tuple
    Log-probabilities (B, J, T) of the decisions with a weight, and the gradients of tables, scalars, bias,
    query, query_bias and pairs.)");
    module.def("repair_trajectories", &run_repair, "instance"_a, "actions"_a, "threads"_a = 1, "stop"_a = nb::none(),
               "seconds"_a = nb::none(), R"(Return the optimal cuts and types of the giant tours of trajectories.

Two tours are tried: the routes in the order they were begun, and by angle around the depot. Customers that a
dead end left over come last.

Parameters
----------
instance
    The problem the trajectories were made for.
actions
    Shape (trajectories, steps), int32, -1 after the end; each customer at most once.
threads
    Threads to use.
stop, seconds
    When to end; looked at before every trajectory and inside the split of limited fleets. Trajectories that are
    left out have infinite cost.

Returns
-------
tuple
    Costs, shape (trajectories,), infinity when a limited fleet offers no cut; and the tours behind them,
    shape (trajectories, n), int32, for ``split``.)");
    module.def(
        "policy_kernels",
        [](const std::string& name) { return policy::kernels_named(name.c_str()) != nullptr; }, "name"_a,
        "Whether the kernels of that name (baseline, avx2, avx512) run on this processor.");
    bind_cover(module);
    bind_problems(module);
}

}  // namespace fripn
