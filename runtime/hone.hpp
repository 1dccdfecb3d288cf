// SPDX-License-Identifier: Apache-2.0
/**
 * hone for C++11 and newer: hone.h with objects that close themselves,
 * arguments whose types are looked at, and exceptions. Header only; what it
 * calls is hone.h, where everything is explained.
 *
 *     hone::context tuned;                             // hone_open(NULL, ..)
 *     hone::plan saxpy(tuned, "saxpy", {1 << 20});     // once per shape
 *     saxpy.run(stream, 2.0f, x_device, y_device);     // enqueues
 *     tuned.launch("saxpy", {n}, stream, 2.0f, x_device, y_device);
 *
 * Whatever fails throws hone::error, which is what hone_error_text() says.
 */
#ifndef HONE_HPP
#define HONE_HPP

#include "hone.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// CUDA's types have names here, whether its headers are included or not.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;
struct float2;
struct double2;

namespace hone
{

/** A call that failed. what() is the sentence of hone_error_text(). */
class error : public std::runtime_error
{
  public:
    error(hone_status status, const std::string &text)
        : std::runtime_error(text), status_(status)
    {
    }
    /** About the last failure of the calling thread on `ctx`. */
    error(hone_status status, hone_ctx *ctx)
        : std::runtime_error(*hone_error_text(ctx) ? hone_error_text(ctx)
                                                   : hone_status_text(status)),
          status_(status)
    {
        const char *domain = "";

        native_ = hone_error_native(ctx, &domain);
        domain_ = domain;
    }
    hone_status status() const noexcept
    {
        return status_;
    }
    /** The code behind it, see hone_error_native(); 0: none. */
    int native() const noexcept
    {
        return native_;
    }
    const char *domain() const noexcept
    {
        return domain_;
    }

  private:
    hone_status status_;
    int native_ = 0;
    const char *domain_ = "";
};

/**
 * Which hone_type a C++ type is, 0: not known, so that it is not looked at.
 * Specialise it for types of your own.
 */
template <class T> struct element {
    static constexpr int type = 0;
};
#define HONE_HPP_ELEMENT(name, cpp)                                            \
    template <> struct element<cpp> {                                          \
        static constexpr int type = HONE_TYPE_##name;                          \
    };
HONE_HPP_ELEMENT(F16, ::__half)
HONE_HPP_ELEMENT(BF16, ::__nv_bfloat16)
HONE_HPP_ELEMENT(F32, float)
HONE_HPP_ELEMENT(F64, double)
HONE_HPP_ELEMENT(I8, std::int8_t)
HONE_HPP_ELEMENT(U8, std::uint8_t)
HONE_HPP_ELEMENT(I32, std::int32_t)
HONE_HPP_ELEMENT(U32, std::uint32_t)
HONE_HPP_ELEMENT(I64, long long)
HONE_HPP_ELEMENT(U64, unsigned long long)
HONE_HPP_ELEMENT(C32, ::float2)
HONE_HPP_ELEMENT(C32, std::complex<float>)
HONE_HPP_ELEMENT(C64, ::double2)
HONE_HPP_ELEMENT(C64, std::complex<double>)
HONE_HPP_ELEMENT(E4M3, ::__nv_fp8_e4m3)
HONE_HPP_ELEMENT(E5M2, ::__nv_fp8_e5m2)
#undef HONE_HPP_ELEMENT
/** `long` is as wide as the machine's addresses. */
template <> struct element<long> {
    static constexpr int type =
        sizeof(long) == 8 ? HONE_TYPE_I64 : HONE_TYPE_I32;
};
template <> struct element<unsigned long> {
    static constexpr int type =
        sizeof(long) == 8 ? HONE_TYPE_U64 : HONE_TYPE_U32;
};

/** Dimensions: a list in braces, a vector, an array, or a pointer and how
 *  many. */
class dims
{
  public:
    dims(std::initializer_list<std::int64_t> list)
    {
        take(list.begin(), list.size());
    }
    dims(const std::vector<std::int64_t> &list)
    {
        take(list.data(), list.size());
    }
    template <std::size_t N> dims(const std::int64_t (&list)[N])
    {
        take(list, N);
    }
    dims(const std::int64_t *list, std::size_t size)
    {
        take(list, size);
    }
    const std::int64_t *data() const noexcept
    {
        return values_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }

  private:
    void take(const std::int64_t *list, std::size_t size)
    {
        if (size > sizeof values_ / sizeof values_[0])
            throw error(HONE_ERR_DIMS, "no operation has more than 20 dims");
        for (size_ = 0; size_ < size; ++size_)
            values_[size_] = list[size_];
    }

    std::int64_t values_[20];
    std::size_t size_ = 0;
};

namespace detail
{

inline void check(hone_status status, hone_ctx *ctx)
{
    if (status != HONE_OK)
        throw error(status, ctx);
}

/** What a C++ argument is. */
struct passed {
    bool is_pointer;
    bool is_const;
    bool is_null;
    int type;
};

template <class T> struct passing {
    static_assert(std::is_trivially_copyable<T>::value,
                  "an argument is a pointer or a scalar: of a container take "
                  "data()");
    static constexpr passed what()
    {
        return {false, false, false, element<T>::type};
    }
    static void *address(T &value)
    {
        return &value;
    }
};
template <class T> struct passing<T *> {
    static constexpr passed what()
    {
        return {true, std::is_const<T>::value, false,
                element<typename std::remove_cv<T>::type>::type};
    }
    static void *address(T *&value)
    {
        return const_cast<void *>(static_cast<const volatile void *>(&value));
    }
};
template <> struct passing<std::nullptr_t> {
    static constexpr passed what()
    {
        return {true, false, true, 0};
    }
    static void *address(std::nullptr_t &)
    {
        return nullptr;
    }
};

struct free_operation {
    void operator()(hone_operation *of) const
    {
        hone_operation_free(of);
    }
};
struct free_plan {
    void operator()(hone_plan *of) const
    {
        hone_plan_destroy(of);
    }
};
struct free_names {
    void operator()(hone_names *of) const
    {
        hone_names_free(of);
    }
};

inline bool same_type(int declared, int given)
{
    return !declared || !given || declared == given ||
           (declared == HONE_TYPE_TF32 && given == HONE_TYPE_F32);
}

/** Why the argument must not be passed; nullptr: it may. */
inline const char *refusal(const hone_arg_info &declared, const passed &given)
{
    if (declared.mode == HONE_ARG_SCALAR)
        return given.is_pointer ? "is a scalar, not a pointer"
               : same_type(declared.type, given.type)
                   ? nullptr
                   : "is a scalar of another type";
    if (given.is_null)
        return nullptr;    // of an optional array; the run says where not
    if (!given.is_pointer) // as the driver API has device pointers
        return given.type == HONE_TYPE_U64 ? nullptr
                                           : "is an array: pass a pointer";
    if (!same_type(declared.type, given.type))
        return "has elements of another type";
    return given.is_const && declared.mode != HONE_ARG_IN
               ? "is written: pass no pointer to const"
               : nullptr;
}

} // namespace detail

/** hone_ctx. A copy is the same one; it is closed with the last copy, and the
 *  last plan of it. */
class context
{
  public:
    /** What the search path has. */
    context()
    {
        open(nullptr);
    }
    explicit context(const std::string &path)
    {
        open(path.c_str());
    }
    explicit context(const std::vector<hone_source> &sources)
    {
        hone_ctx *ctx = nullptr;
        const hone_status status =
            hone_sources_open(sources.data(), sources.size(), &ctx);

        keep(ctx, status);
    }

    hone_ctx *get() const noexcept
    {
        return ctx_.get();
    }

    /** "cuda" or "cpu", before the first plan. */
    context &select_device(const std::string &name)
    {
        detail::check(hone_device_select(get(), name.c_str()), get());
        return *this;
    }
    /** "now", "later" or "never". */
    context &select_compile(const std::string &when)
    {
        detail::check(hone_compile_select(get(), when.c_str()), get());
        return *this;
    }
    /** How many plans wait still. */
    std::size_t compile_pending()
    {
        std::size_t n_left = 0;

        detail::check(hone_compile_pending(get(), &n_left), get());
        return n_left;
    }
    void refresh()
    {
        detail::check(hone_refresh(get()), get());
    }
    void limit_plans(std::size_t n)
    {
        detail::check(hone_plan_limit(get(), n), get());
    }
    /** Record launches in a file; before the first plan. */
    void record(const std::string &path)
    {
        detail::check(hone_record_start(get(), path.c_str()), get());
    }
    /** Count launches alone. */
    void record()
    {
        detail::check(hone_record_start(get(), nullptr), get());
    }
    void write_record()
    {
        detail::check(hone_record_write(get()), get());
    }
    hone_counters counters() const
    {
        hone_counters counters;

        detail::check(hone_counters_get(get(), &counters), get());
        return counters;
    }
    void release(hone_stream stream)
    {
        detail::check(hone_stream_release(get(), stream), get());
    }

    std::vector<std::string> operations() const
    {
        hone_names *names = nullptr;

        detail::check(hone_operation_list(get(), &names), get());
        const std::unique_ptr<hone_names, detail::free_names> owner(names);
        return std::vector<std::string>(names->names,
                                        names->names + names->n_names);
    }

    /** hone_launch(): finds the plan, or makes it. Types are not looked at,
     *  which plans do. */
    template <class... Args>
    void launch(const char *op, const dims &of, hone_stream stream,
                Args... args)
    {
        void *pointers[] = {detail::passing<Args>::address(args)..., nullptr};

        detail::check(hone_launch(get(), op, of.data(), of.size(), pointers,
                                  sizeof...(Args), stream),
                      get());
    }

  private:
    void open(const char *path)
    {
        hone_ctx *ctx = nullptr;
        const hone_status status = hone_open(path, &ctx);

        keep(ctx, status);
    }
    void keep(hone_ctx *ctx, hone_status status)
    {
        ctx_.reset(ctx, hone_close);
        detail::check(status, ctx);
    }

    std::shared_ptr<hone_ctx> ctx_;
};

/** hone_operation_describe(): dims, arguments and implementations. */
class operation
{
  public:
    /** Names and kinds alone. */
    operation(const context &of, const std::string &op)
    {
        read(of, op, nullptr, 0);
    }
    /** Sizes too. */
    operation(const context &of, const std::string &op, const dims &values)
    {
        read(of, op, values.data(), values.size());
    }
    const hone_operation *operator->() const noexcept
    {
        return shown_.get();
    }
    const hone_operation &operator*() const noexcept
    {
        return *shown_;
    }

  private:
    void read(const context &of, const std::string &op,
              const std::int64_t *values, std::size_t n)
    {
        hone_operation *shown = nullptr;

        detail::check(
            hone_operation_describe(of.get(), op.c_str(), values, n, &shown),
            of.get());
        shown_.reset(shown);
    }

    std::unique_ptr<hone_operation, detail::free_operation> shown_;
};

/** hone_plan: one operation at one shape. It can be moved, not copied. */
class plan
{
  public:
    plan(const context &of, const std::string &op, const dims &values)
        : ctx_(of), operation_(of, op, values)
    {
        hone_plan *made = nullptr;

        detail::check(hone_plan_create(of.get(), op.c_str(), values.data(),
                                       values.size(), &made, &match_),
                      of.get());
        plan_.reset(made);
    }
    /** Of this configuration; `implementation` empty: of any. */
    plan(const context &of, const std::string &op, const dims &values,
         const std::string &config, const std::string &implementation = "")
        : ctx_(of), operation_(of, op, values)
    {
        hone_plan *made = nullptr;

        detail::check(
            hone_plan_create_config(
                of.get(), op.c_str(), values.data(), values.size(),
                implementation.empty() ? nullptr : implementation.c_str(),
                config.c_str(), &made, &match_),
            of.get());
        plan_.reset(made);
    }

    plan(plan &&) noexcept = default;
    /** The plan that was here goes before its context does. */
    plan &operator=(plan &&other) noexcept
    {
        plan_ = std::move(other.plan_);
        match_ = other.match_;
        operation_ = std::move(other.operation_);
        ctx_ = std::move(other.ctx_);
        return *this;
    }

    hone_plan *get() const noexcept
    {
        return plan_.get();
    }
    /** Which kernel it has, and why. */
    const hone_match &match() const noexcept
    {
        return match_;
    }
    /** How it is called. */
    const hone_operation &about() const noexcept
    {
        return *operation_;
    }

    std::size_t workspace_bytes() const
    {
        std::size_t bytes = 0;

        detail::check(hone_plan_workspace_bytes(get(), &bytes), ctx_.get());
        return bytes;
    }
    void prepare(hone_stream stream)
    {
        detail::check(hone_plan_prepare(get(), stream), ctx_.get());
    }
    void refresh()
    {
        detail::check(hone_plan_refresh(get()), ctx_.get());
    }

    /**
     * hone_plan_run(): scalars by value, arrays as pointers to their elements
     * or as CUdeviceptr, nullptr for an optional array that is left out.
     * Number, types and const are compared with what the operation declares,
     * which takes a few nanoseconds; `void *` and types that element does not
     * know are taken as they are.
     */
    template <class... Args> void run(hone_stream stream, Args... args)
    {
        static constexpr detail::passed given[] = {
            detail::passing<Args>::what()..., {false, false, false, 0}};
        void *pointers[] = {detail::passing<Args>::address(args)..., nullptr};

        for (std::size_t i = 0; i < sizeof...(Args) && i < operation_->n_args;
             ++i)
            if (const char *why =
                    detail::refusal(operation_->args[i], given[i]))
                refuse(i, why);
        detail::check(hone_plan_run(get(), pointers, sizeof...(Args), stream),
                      ctx_.get());
    }

  private:
    [[noreturn]] void refuse(std::size_t i, const char *why) const
    {
        throw error(HONE_ERR_ARGUMENT, std::string("argument ") +
                                           operation_->args[i].name + " of " +
                                           operation_->name + " " + why);
    }

    context ctx_; // outlives the plan
    operation operation_;
    hone_match match_;
    std::unique_ptr<hone_plan, detail::free_plan> plan_;
};

} // namespace hone
#endif
