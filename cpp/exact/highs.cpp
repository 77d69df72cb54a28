#include "exact/highs.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace fripn::exact {

namespace {

constexpr int status_error = -1;
constexpr int model_optimal = 7;
constexpr int model_infeasible = 8;
constexpr int model_objective_bound = 11;
constexpr int callback_simplex_interrupt = 1;
constexpr int callback_mip_interrupt = 6;
constexpr int column_format = 1;

// The head of HighsCallbackDataIn, whose first two fields HiGHS keeps in place for users like us.
struct CallbackInput {
    int user_interrupt;
};

using Callback = void (*)(int, const char*, const void*, CallbackInput*, void*);

// The part of the C interface in use; HighsInt is int in the library that highspy ships.
struct Api {
    void* (*create)();
    void (*destroy)(void*);
    int (*version_major)();
    int (*version_minor)();
    int (*run)(void*);
    int (*clear_solver)(void*);
    int (*set_bool)(void*, const char*, int);
    int (*set_int)(void*, const char*, int);
    int (*set_double)(void*, const char*, double);
    int (*set_string)(void*, const char*, const char*);
    int (*add_rows)(void*, int, const double*, const double*, int, const int*, const int*, const double*);
    int (*add_columns)(void*, int, const double*, const double*, const double*, int, const int*, const int*, const double*);
    int (*change_column_bounds)(void*, int, double, double);
    int (*change_column_cost)(void*, int, double);
    int (*change_row_bounds)(void*, int, double, double);
    int (*delete_columns)(void*, int*);
    int (*delete_rows)(void*, int*);
    int (*model_status)(const void*);
    double (*objective)(const void*);
    int (*solution)(const void*, double*, double*, double*, double*);
    int (*num_columns)(const void*);
    int (*num_rows)(const void*);
    int (*set_callback)(void*, Callback, void*);
    int (*start_callback)(void*, int);
    int (*pass_mip)(void*, int, int, int, int, int, double, const double*, const double*, const double*, const double*,
                    const double*, const int*, const int*, const double*, const int*);
    int (*int_info)(const void*, const char*, int*);
    double (*infinity)(const void*);
    void (*reset_scheduler)(int);
};

void* open_library(const std::string& path) {
#ifdef _WIN32
    return reinterpret_cast<void*>(LoadLibraryA(path.c_str()));
#else
    return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
#endif
}

template <class Function>
void find(void* library, const char* name, Function& function) {
#ifdef _WIN32
    function = reinterpret_cast<Function>(GetProcAddress(reinterpret_cast<HMODULE>(library), name));
#else
    function = reinterpret_cast<Function>(dlsym(library, name));
#endif
    if (!function) throw std::runtime_error(std::string("the HiGHS library has no function ") + name);
}

// Interrupts HiGHS where the watch says so. The exception must not cross the library.
void interrupt(int, const char*, const void*, CallbackInput* input, void* user) {
    try {
        static_cast<const Watch*>(user)->look();
    } catch (...) {
        if (input) input->user_interrupt = 1;
    }
}

class HighsProgram final : public LinearProgram {
public:
    explicit HighsProgram(const Api& api) : api_(api), highs_(api.create()) {
        api_.set_bool(highs_, "output_flag", 0);
        api_.set_int(highs_, "threads", 1);
        api_.set_string(highs_, "solver", "simplex");
    }
    ~HighsProgram() override { api_.destroy(highs_); }
    HighsProgram(const HighsProgram&) = delete;
    HighsProgram& operator=(const HighsProgram&) = delete;

    void add_rows(const std::vector<double>& lower, const std::vector<double>& upper, const Entries& entries) override {
        check(api_.add_rows(highs_, entries.size(), lower.data(), upper.data(), static_cast<int>(entries.indices.size()),
                            entries.starts.data(), entries.indices.data(), entries.values.data()));
    }
    void add_columns(const std::vector<double>& costs, const std::vector<double>& lower, const std::vector<double>& upper,
                     const Entries& entries) override {
        check(api_.add_columns(highs_, entries.size(), costs.data(), lower.data(), upper.data(),
                               static_cast<int>(entries.indices.size()), entries.starts.data(), entries.indices.data(),
                               entries.values.data()));
    }
    void set_column_bounds(int column, double lower, double upper) override {
        check(api_.change_column_bounds(highs_, column, lower, upper));
    }
    void set_column_cost(int column, double cost) override { check(api_.change_column_cost(highs_, column, cost)); }
    void set_row_bounds(int row, double lower, double upper) override {
        check(api_.change_row_bounds(highs_, row, lower, upper));
    }
    void delete_columns(const std::vector<char>& is_deleted) override {
        std::vector<int> mask(is_deleted.begin(), is_deleted.end());
        check(api_.delete_columns(highs_, mask.data()));
    }
    void delete_rows(const std::vector<char>& is_deleted) override {
        std::vector<int> mask(is_deleted.begin(), is_deleted.end());
        check(api_.delete_rows(highs_, mask.data()));
    }

    LpStatus solve(bool rows_changed, const Watch& watch) override {
        watch.look();
        const Attempt attempts[] = {{rows_changed ? dual_simplex : primal_simplex, false},
                                    {dual_simplex, false},
                                    {primal_simplex, false},
                                    {dual_simplex, true}};
        for (const Attempt& attempt : attempts) {
            api_.set_int(highs_, "simplex_strategy", attempt.strategy);
            api_.set_string(highs_, "presolve", attempt.is_lenient ? "on" : "off");
            set_tolerance(attempt.is_lenient ? 1e-7 : 1e-9);
            api_.set_callback(highs_, &interrupt, const_cast<Watch*>(&watch));
            api_.start_callback(highs_, callback_simplex_interrupt);
            const int status = api_.run(highs_);
            watch.look();
            const int model = api_.model_status(highs_);
            if (status != status_error && model == model_optimal) {
                read();
                return LpStatus::optimal;
            }
            if (status != status_error && model == model_infeasible) return LpStatus::infeasible;
            // Unknown: the basis may be of no use any more, or other code of this thread set up another number of threads.
            api_.clear_solver(highs_);
            api_.reset_scheduler(1);
        }
        return LpStatus::failed;
    }
    [[nodiscard]] const std::vector<double>& values() const override { return values_; }
    [[nodiscard]] const std::vector<double>& duals() const override { return duals_; }
    [[nodiscard]] double objective() const override { return objective_; }

private:
    struct Attempt {
        int strategy;
        bool is_lenient;
    };
    static constexpr int dual_simplex = 1;
    static constexpr int primal_simplex = 4;

    void set_tolerance(double tolerance) {
        api_.set_double(highs_, "dual_feasibility_tolerance", tolerance);
        api_.set_double(highs_, "primal_feasibility_tolerance", tolerance);
    }

    static void check(int status) {
        if (status == status_error) throw LpFailed{};
    }

    void read() {
        const auto columns = static_cast<std::size_t>(api_.num_columns(highs_));
        const auto rows = static_cast<std::size_t>(api_.num_rows(highs_));
        values_.resize(columns);
        duals_.resize(rows);
        column_duals_.resize(columns);
        row_values_.resize(rows);
        check(api_.solution(highs_, values_.data(), column_duals_.data(), row_values_.data(), duals_.data()));
        objective_ = api_.objective(highs_);
    }

    const Api& api_;
    void* highs_;
    std::vector<double> values_, duals_, column_duals_, row_values_;
    double objective_ = 0.0;
};

class Highs final : public LpSolver {
public:
    explicit Highs(const std::string& path) {
        void* library = open_library(path);
        if (!library) throw std::runtime_error("the HiGHS library " + path + " cannot be opened");
        find(library, "Highs_create", api_.create);
        find(library, "Highs_destroy", api_.destroy);
        find(library, "Highs_versionMajor", api_.version_major);
        find(library, "Highs_versionMinor", api_.version_minor);
        find(library, "Highs_getSizeofHighsInt", size_of_int_);
        find(library, "Highs_run", api_.run);
        find(library, "Highs_clearSolver", api_.clear_solver);
        find(library, "Highs_setBoolOptionValue", api_.set_bool);
        find(library, "Highs_setIntOptionValue", api_.set_int);
        find(library, "Highs_setDoubleOptionValue", api_.set_double);
        find(library, "Highs_setStringOptionValue", api_.set_string);
        find(library, "Highs_addRows", api_.add_rows);
        find(library, "Highs_addCols", api_.add_columns);
        find(library, "Highs_changeColBounds", api_.change_column_bounds);
        find(library, "Highs_changeColCost", api_.change_column_cost);
        find(library, "Highs_changeRowBounds", api_.change_row_bounds);
        find(library, "Highs_deleteColsByMask", api_.delete_columns);
        find(library, "Highs_deleteRowsByMask", api_.delete_rows);
        find(library, "Highs_getModelStatus", api_.model_status);
        find(library, "Highs_getObjectiveValue", api_.objective);
        find(library, "Highs_getSolution", api_.solution);
        find(library, "Highs_getNumCol", api_.num_columns);
        find(library, "Highs_getNumRow", api_.num_rows);
        find(library, "Highs_setCallback", api_.set_callback);
        find(library, "Highs_startCallback", api_.start_callback);
        find(library, "Highs_passMip", api_.pass_mip);
        find(library, "Highs_getIntInfoValue", api_.int_info);
        find(library, "Highs_getInfinity", api_.infinity);
        find(library, "Highs_resetGlobalScheduler", api_.reset_scheduler);
        const int version = 100 * api_.version_major() + api_.version_minor();
        if (version < 112) throw std::runtime_error("the HiGHS library is older than 1.12; update highspy");
        void* probe = api_.create();
        const int size = size_of_int_(probe);
        api_.destroy(probe);
        if (size != static_cast<int>(sizeof(int)))
            throw std::runtime_error("the HiGHS library counts in integers of another size; reinstall highspy");
    }

    [[nodiscard]] std::unique_ptr<LinearProgram> linear_program() const override {
        return std::make_unique<HighsProgram>(api_);
    }

    [[nodiscard]] IntegerOutcome solve(const IntegerProgram& program, double seconds, const Watch& watch) const override {
        struct Handle {
            const Api& api;
            void* highs;
            ~Handle() { api.destroy(highs); }
        } handle{api_, api_.create()};
        void* highs = handle.highs;
        api_.set_bool(highs, "output_flag", 0);
        api_.set_int(highs, "threads", 1);
        api_.set_double(highs, "mip_rel_gap", 1e-9);
        api_.set_double(highs, "mip_abs_gap", 1e-9);
        api_.set_double(highs, "objective_bound", program.cutoff);
        if (std::isfinite(seconds)) api_.set_double(highs, "time_limit", std::max(seconds, 0.01));
        const int columns = program.columns.size();
        const std::vector<double> lower(static_cast<std::size_t>(columns), 0.0);
        const std::vector<int> integrality(static_cast<std::size_t>(columns), 1);
        const double big = api_.infinity(highs);
        std::vector<double> row_upper = program.row_upper;
        for (double& value : row_upper) value = std::min(value, big);
        if (api_.pass_mip(highs, columns, static_cast<int>(program.row_lower.size()),
                          static_cast<int>(program.columns.indices.size()), column_format, 1, 0.0, program.costs.data(),
                          lower.data(), program.upper.data(), program.row_lower.data(), row_upper.data(),
                          program.columns.starts.data(), program.columns.indices.data(), program.columns.values.data(),
                          integrality.data()) == status_error)
            throw LpFailed{};
        api_.set_callback(highs, &interrupt, const_cast<Watch*>(&watch));
        api_.start_callback(highs, callback_mip_interrupt);
        api_.start_callback(highs, callback_simplex_interrupt);
        const int status = api_.run(highs);
        const int model = api_.model_status(highs);
        IntegerOutcome outcome;
        int primal = 0;
        api_.int_info(highs, "primal_solution_status", &primal);
        outcome.is_solved = status != status_error &&
                            (model == model_optimal || model == model_infeasible || model == model_objective_bound);
        if (primal == 2) {
            outcome.values.resize(static_cast<std::size_t>(columns));
            std::vector<double> duals(static_cast<std::size_t>(columns)), rows(program.row_lower.size()),
                row_duals(program.row_lower.size());
            api_.solution(highs, outcome.values.data(), duals.data(), rows.data(), row_duals.data());
        }
        return outcome;
    }

private:
    Api api_{};
    int (*size_of_int_)(const void*) = nullptr;
};

}  // namespace

std::unique_ptr<LpSolver> open_highs(const std::string& path) { return std::make_unique<Highs>(path); }

}  // namespace fripn::exact
