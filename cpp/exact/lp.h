// What the exact method asks of a solver for linear and integer programs; HiGHS implements it.
#pragma once

#include <memory>
#include <vector>

#include "exact/watch.h"

namespace fripn::exact {

// Entries of rows or columns in compressed form: those of item i are from starts[i] to starts[i + 1].
struct Entries {
    std::vector<int> starts{0};
    std::vector<int> indices;
    std::vector<double> values;

    void add(int index, double value) {
        indices.push_back(index);
        values.push_back(value);
    }
    void end_item() { starts.push_back(static_cast<int>(indices.size())); }
    [[nodiscard]] int size() const { return static_cast<int>(starts.size()) - 1; }
};

// Thrown where a program cannot be built or solved: what was proven before stands.
struct LpFailed {};

enum class LpStatus { optimal, infeasible, failed };

// min cost·x within bounds on rows and columns. Solving again starts from the last basis.
class LinearProgram {
public:
    virtual ~LinearProgram() = default;

    virtual void add_rows(const std::vector<double>& lower, const std::vector<double>& upper, const Entries& entries) = 0;
    virtual void add_columns(const std::vector<double>& costs, const std::vector<double>& lower,
                             const std::vector<double>& upper, const Entries& entries) = 0;
    virtual void set_column_bounds(int column, double lower, double upper) = 0;
    virtual void set_column_cost(int column, double cost) = 0;
    virtual void set_row_bounds(int row, double lower, double upper) = 0;
    virtual void delete_columns(const std::vector<char>& is_deleted) = 0;
    virtual void delete_rows(const std::vector<char>& is_deleted) = 0;

    // `rows_changed` says whether rows or bounds rather than columns are new, which makes the dual simplex method the
    // better choice. `failed` when the time is up or the solver gives up; the values are then those before.
    virtual LpStatus solve(bool rows_changed, const Watch& watch) = 0;
    [[nodiscard]] virtual const std::vector<double>& values() const = 0;
    [[nodiscard]] virtual const std::vector<double>& duals() const = 0;
    [[nodiscard]] virtual double objective() const = 0;
};

struct IntegerProgram {
    std::vector<double> costs;
    std::vector<double> upper;          // of the columns; all are integers of at least 0
    std::vector<double> row_lower;
    std::vector<double> row_upper;
    Entries columns;
    double cutoff;                      // nothing that costs more is of interest
};

struct IntegerOutcome {
    bool is_solved = false;             // the search was complete
    std::vector<double> values;         // of the best solution found; empty when there is none
};

class LpSolver {
public:
    virtual ~LpSolver() = default;
    [[nodiscard]] virtual std::unique_ptr<LinearProgram> linear_program() const = 0;
    [[nodiscard]] virtual IntegerOutcome solve(const IntegerProgram& program, double seconds, const Watch& watch) const = 0;
};

}  // namespace fripn::exact
