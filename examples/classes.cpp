// SPDX-License-Identifier: Apache-2.0
// hone from C++ by hone.hpp: errors are exceptions, what is opened closes
// itself, and arguments are checked against the operation's types.
//
//     hone tune saxpy --device cpu --dims 5003 --db saxpy.db
//     c++ -std=c++11 classes.cpp -lhone && HONE_PATH=saxpy.db ./a.out
//
// Arrays are in host memory: the device is "cpu". On a GPU the pointers are
// those of cudaMalloc(), and the first argument of run() is a stream.
#include <hone.hpp>

#include <cstdio>

namespace
{

bool is_right(const std::vector<float> &y)
{
    for (std::size_t i = 0; i < y.size(); ++i)
        if (static_cast<std::size_t>(y[i]) != 2 * i + 1)
            return false;
    return true;
}

} // namespace

int main()
{
    std::vector<float> x(5003), y(x.size(), 1.0f);
    const std::int64_t n = static_cast<std::int64_t>(x.size());

    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i);
    try {
        hone::context tuned; // what HONE_PATH names
        tuned.select_device("cpu");
        hone::plan saxpy(tuned, "saxpy", {n});
        saxpy.run(nullptr, 2.0f, x.data(), y.data());
    } catch (const hone::error &e) {
        std::fprintf(stderr, "%s: %s\n", hone_status_name(e.status()),
                     e.what());
        return 1;
    }
    std::puts(is_right(y) ? "right" : "WRONG");
    return is_right(y) ? 0 : 1;
}
