// SPDX-License-Identifier: Apache-2.0
// What consumer.c does, in C++ with hone.hpp; and what is refused there.
#include <hone.hpp>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace
{

/** The status of what `call` throws; HONE_OK: nothing. */
template <class Call> hone_status status_of(Call call)
{
    try {
        call();
    } catch (const hone::error &e) {
        std::printf("%s: %s\n", hone_status_name(e.status()), e.what());
        return *e.what() ? e.status() : HONE_ERR_INTERNAL;
    }
    return HONE_OK;
}

void demand(bool holds, const char *what)
{
    if (holds)
        return;
    std::printf("FAILED: %s\n", what);
    std::exit(EXIT_FAILURE);
}

bool is_right(const std::vector<float> &x, const std::vector<float> &y)
{
    for (std::size_t i = 0; i < x.size(); ++i)
        if (y[i] < 2.0f * x[i] + static_cast<float>(i % 1024) ||
            y[i] > 2.0f * x[i] + static_cast<float>(i % 1024))
            return false;
    return true;
}

/** Arguments that a plan refuses before it runs, or the library does. */
void refuse_arguments(hone::plan &ramp, float *x, float *y)
{
    const float *const fixed = y;
    double wide = 0;

    demand(status_of([&] { ramp.run(nullptr, 2.0f, x); }) == HONE_ERR_ARGUMENT,
           "two arguments");
    demand(status_of([&] { ramp.run(nullptr, 2.0f, x, y, y); }) ==
               HONE_ERR_ARGUMENT,
           "four arguments");
    demand(status_of([&] { ramp.run(nullptr); }) == HONE_ERR_ARGUMENT,
           "no arguments");
    demand(status_of([&] { ramp.run(nullptr, 2.0, x, y); }) ==
               HONE_ERR_ARGUMENT,
           "a double for a float");
    demand(status_of([&] { ramp.run(nullptr, 2.0f, &wide, y); }) ==
               HONE_ERR_ARGUMENT,
           "doubles for floats");
    demand(status_of([&] { ramp.run(nullptr, x, x, y); }) == HONE_ERR_ARGUMENT,
           "a pointer for a scalar");
    demand(status_of([&] { ramp.run(nullptr, 2.0f, 1.0f, y); }) ==
               HONE_ERR_ARGUMENT,
           "a scalar for an array");
    demand(status_of([&] { ramp.run(nullptr, 2.0f, x, fixed); }) ==
               HONE_ERR_ARGUMENT,
           "const that is written");
    demand(status_of([&] { ramp.run(nullptr, 2.0f, x, nullptr); }) ==
               HONE_ERR_ARGUMENT,
           "an array that is left out");
}

void refuse_plans(const hone::context &tuned)
{
    const std::vector<std::int64_t> many(17, 1);

    demand(status_of([&] { hone::plan(tuned, "none", {1}); }) ==
               HONE_ERR_NOT_FOUND,
           "no such operation");
    demand(status_of([&] {
               hone::plan(tuned, "ramp", {1, 2});
           }) == HONE_ERR_DIMS,
           "two dims");
    demand(status_of([&] { hone::plan(tuned, "ramp", many); }) == HONE_ERR_DIMS,
           "17 dims");
    demand(status_of([&] { hone::plan(tuned, "ramp", {1}, "NO=1"); }) ==
               HONE_ERR_NOT_FOUND,
           "no such configuration");
    demand(status_of([&] { hone::context("/nowhere/hone.db"); }) ==
               HONE_ERR_NOT_FOUND,
           "no such file");
    demand(status_of([&] { hone::context(std::vector<hone_source>()); }) ==
               HONE_ERR_ARGUMENT,
           "no sources");
    demand(status_of([&] { hone::context(tuned).select_device("tpu"); }) ==
               HONE_ERR_ARGUMENT,
           "no such device");
}

void describe(const hone::context &tuned)
{
    const hone::operation any(tuned, "ramp");
    const hone::operation ramp(tuned, "ramp", {5003});

    demand(tuned.operations() == std::vector<std::string>{"ramp", "shift"},
           "the operations");
    demand(any->n_args == 3 && any->args[1].n_elements == -1, "any ramp");
    demand(ramp->args[1].n_elements == 5003 &&
               (*ramp).args[2].type == HONE_TYPE_F32,
           "a ramp");
}

void run(hone::context tuned)
{
    std::vector<float> x(5003), y(x.size());
    const std::int64_t n = static_cast<std::int64_t>(x.size());
    hone::plan made(tuned, "ramp", {n});
    hone::plan ramp = std::move(made);
    hone::plan chosen(tuned, "ramp", {n}, ramp.match().config,
                      ramp.match().implementation);

    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 97);
    std::printf("%s %s\n",
                ramp.match().kind == HONE_MATCH_EXACT ? "exact" : "other",
                ramp.match().config);
    ramp.prepare(nullptr);
    const float *const in = x.data();
    ramp.run(nullptr, 2.0f, in, y.data());
    demand(is_right(x, y), "a run");
    y.assign(y.size(), 0.0f);
    chosen.run(nullptr, 2.0f, static_cast<const void *>(in), y.data());
    demand(is_right(x, y), "a run of a configuration");
    y.assign(y.size(), 0.0f);
    tuned.launch("ramp", {n}, nullptr, 2.0f, in, y.data());
    demand(is_right(x, y), "a launch");
    demand(ramp.workspace_bytes() == 0 && ramp.about().n_args == 3,
           "what a plan says");
    ramp.refresh();
    tuned.refresh();
    tuned.limit_plans(10);
    tuned.release(nullptr);
    demand(tuned.counters().n_plans[HONE_MATCH_EXACT] == 3 &&
               tuned.counters().n_launches[HONE_MATCH_EXACT] == 3,
           "counters");
    tuned.write_record();
    refuse_arguments(ramp, x.data(), y.data());
}

} // namespace

int main(int argc, char **argv)
{
    try {
        hone::context tuned =
            argc > 1 ? hone::context(std::string(argv[1])) : hone::context();

        tuned.select_device("cpu");
        tuned.record();
        run(tuned);
        describe(tuned);
        refuse_plans(tuned);
        std::printf("right\n");
    } catch (const std::exception &e) {
        std::fprintf(stderr, "consumer: %s\n", e.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
