// Linear and integer programs through a Python object (fripn.exact.highs), where HiGHS has no C library.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "exact/lp.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace fripn {

namespace {

using namespace exact;

// Copies, as numpy arrays.
template <class Value>
nb::object array(const std::vector<Value>& values) {
    auto* data = new std::vector<Value>(values);
    const nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<1>>(data->data(), {data->size()}, owner));
}

std::vector<int> numbers_of(const std::vector<char>& is_chosen) {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < is_chosen.size(); ++i)
        if (is_chosen[i]) numbers.push_back(static_cast<int>(i));
    return numbers;
}

// Call Python; a lack of memory there is one here, which ends the run with what was proven before.
template <class Call>
auto guarded(const Call& call) {
    const nb::gil_scoped_acquire acquire;
    try {
        return call();
    } catch (nb::python_error& error) {
        if (error.matches(PyExc_MemoryError)) throw std::bad_alloc();
        throw;
    }
}

class InterfaceProgram final : public LinearProgram {
public:
    explicit InterfaceProgram(nb::object program) : program_(std::move(program)) {}
    ~InterfaceProgram() override {
        const nb::gil_scoped_acquire acquire;
        program_.reset();
    }
    InterfaceProgram(const InterfaceProgram&) = delete;
    InterfaceProgram& operator=(const InterfaceProgram&) = delete;

    void add_rows(const std::vector<double>& lower, const std::vector<double>& upper, const Entries& entries) override {
        guarded([&] {
            program_.attr("add_rows")(array(lower), array(upper), array(entries.starts), array(entries.indices),
                                      array(entries.values));
        });
    }
    void add_columns(const std::vector<double>& costs, const std::vector<double>& lower, const std::vector<double>& upper,
                     const Entries& entries) override {
        guarded([&] {
            program_.attr("add_columns")(array(costs), array(lower), array(upper), array(entries.starts),
                                         array(entries.indices), array(entries.values));
        });
    }
    void set_column_bounds(int column, double lower, double upper) override {
        guarded([&] { program_.attr("set_column_bounds")(column, lower, upper); });
    }
    void set_column_cost(int column, double cost) override {
        guarded([&] { program_.attr("set_column_cost")(column, cost); });
    }
    void set_row_bounds(int row, double lower, double upper) override {
        guarded([&] { program_.attr("set_row_bounds")(row, lower, upper); });
    }
    void delete_columns(const std::vector<char>& is_deleted) override {
        guarded([&] { program_.attr("delete_columns")(array(numbers_of(is_deleted))); });
    }
    void delete_rows(const std::vector<char>& is_deleted) override {
        guarded([&] { program_.attr("delete_rows")(array(numbers_of(is_deleted))); });
    }

    LpStatus solve(bool rows_changed, const Watch& watch) override {
        watch.look();
        return guarded([&] {
            const auto status = nb::cast<std::string>(program_.attr("solve")(rows_changed));
            if (status == "infeasible") return LpStatus::infeasible;
            if (status != "optimal") return LpStatus::failed;
            std::tie(objective_, values_, duals_) =
                nb::cast<std::tuple<double, std::vector<double>, std::vector<double>>>(program_.attr("solution")());
            return LpStatus::optimal;
        });
    }
    [[nodiscard]] const std::vector<double>& values() const override { return values_; }
    [[nodiscard]] const std::vector<double>& duals() const override { return duals_; }
    [[nodiscard]] double objective() const override { return objective_; }

private:
    nb::object program_;
    std::vector<double> values_, duals_;
    double objective_ = 0.0;
};

class LpInterface final : public LpSolver {
public:
    explicit LpInterface(nb::object interface) : interface_(std::move(interface)) {}

    [[nodiscard]] std::unique_ptr<LinearProgram> linear_program() const override {
        return guarded([&]() -> std::unique_ptr<LinearProgram> { return std::make_unique<InterfaceProgram>(interface_.attr("linear_program")()); });
    }

    [[nodiscard]] IntegerOutcome solve(const IntegerProgram& program, double seconds, const Watch&) const override {
        return guarded([&] {
            IntegerOutcome outcome;
            std::tie(outcome.is_solved, outcome.values) = nb::cast<std::pair<bool, std::vector<double>>>(
                interface_.attr("solve_integer")(program.costs, program.upper, program.row_lower, program.row_upper,
                                                 program.columns.starts, program.columns.indices, program.columns.values,
                                                 program.cutoff, seconds));
            return outcome;
        });
    }

private:
    nb::object interface_;
};

}  // namespace

void bind_lp(nb::module_& module) {
    nb::class_<LpSolver>(module, "LpSolver", "A solver for linear and integer programs.");
    nb::class_<LpInterface, LpSolver>(module, "LpInterface", "A solver that is a Python object; see fripn.exact.highs.")
        .def(nb::init<nb::object>(), "interface"_a);
}

}  // namespace fripn
