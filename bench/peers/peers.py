"""Times NumPy, PyTorch and numexpr on the entries of a workload file.

Prints a JSON line for each entry and library: {"workload", "lib", "min_ns",
"med_ns"}, or {"workload", "lib", "error"} where the library has no such
operation. Results go into arrays allocated beforehand wherever the library
can do that.
"""
import argparse
import importlib
import json
import sys
import time

# The names of an operation in NumPy and PyTorch, and numexpr's expression.
OPERATIONS = {
    "add": ("add", "add", "a+b"),
    "sub": ("subtract", "sub", "a-b"),
    "mul": ("multiply", "mul", "a*b"),
    "div": ("divide", "div", "a/b"),
    "maximum": ("maximum", "maximum", None),
    "minimum": ("minimum", "minimum", None),
    "fmax": ("fmax", "fmax", None),
    "fmin": ("fmin", "fmin", None),
    "floor_div": ("floor_divide", "floor_divide", None),
    "remainder": ("remainder", "remainder", None),
    "fmod": ("fmod", "fmod", None),
    "copy_sign": ("copysign", "copysign", None),
    "lerp": (None, "lerp", "a+c*(b-a)"),
    "equal": ("equal", "eq", "a==b"),
    "not_equal": ("not_equal", "ne", "a!=b"),
    "less": ("less", "lt", "a<b"),
    "less_equal": ("less_equal", "le", "a<=b"),
    "greater": ("greater", "gt", "a>b"),
    "greater_equal": ("greater_equal", "ge", "a>=b"),
    "is_nan": ("isnan", "isnan", None),
    "is_inf": ("isinf", "isinf", None),
    "is_finite": ("isfinite", "isfinite", None),
    "sign_bit": ("signbit", "signbit", None),
    "and": ("bitwise_and", "bitwise_and", "a&b"),
    "or": ("bitwise_or", "bitwise_or", "a|b"),
    "xor": ("bitwise_xor", "bitwise_xor", "a^b"),
    "not": ("invert", "bitwise_not", "~a"),
    "shift_left": ("left_shift", "bitwise_left_shift", "a<<b"),
    "shift_right": ("right_shift", "bitwise_right_shift", "a>>b"),
    "where": ("where", "where", "where(a,b,c)"),
    "clamp": ("clip", "clamp", None),
    "pow": ("power", "pow", "a**b"),
    "neg": ("negative", "neg", "-a"),
    "abs": ("absolute", "abs", "abs(a)"),
    "sign": ("sign", "sign", None),
    "square": ("square", "square", "a*a"),
    "relu": (None, "relu", None),
    "reciprocal": ("reciprocal", "reciprocal", "1/a"),
    "rsqrt": (None, "rsqrt", None),
    "floor": ("floor", "floor", "floor(a)"),
    "ceil": ("ceil", "ceil", "ceil(a)"),
    "trunc": ("trunc", "trunc", None),
    "round": ("rint", "round", None),
    "sqrt": ("sqrt", "sqrt", "sqrt(a)"),
    "exp": ("exp", "exp", "exp(a)"),
    "log": ("log", "log", "log(a)"),
    "sin": ("sin", "sin", "sin(a)"),
    "tanh": ("tanh", "tanh", "tanh(a)"),
    "sigmoid": (None, "sigmoid", "1/(1+exp(-a))"),
    "affine": (None, None, "(a-b)/c*d+e"),
    "hypot": (None, None, "sqrt(a*a+b*b)"),
    "poly3": (None, None, "((q3*a+q2)*a+q1)*a+1"),
}

# Element types as the names of casts have them.
CASTS = {
    "f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16",
    "i8": "int8", "i32": "int32", "i64": "int64", "u8": "uint8", "bool": "bool",
}


def cast(op, x):
    """The element type that a cast or a copy of x gives, or None for others."""
    if op == "copy":
        return str(x.dtype).removeprefix("torch.")
    return CASTS.get(op.removeprefix("cast_")) if op.startswith("cast_") else None


def affine(a, b, c, d, e):
    return (a - b) / c * d + e


def poly3(a):
    return ((0.3 * a + 0.2) * a + 0.1) * a + 1


def sqdist(a, b):
    return ((a - b) ** 2).sum(-1)


class NumPy:
    def __init__(self, threads):
        self.np = importlib.import_module("numpy")

    def take(self, x, dtype):
        return x.astype(dtype, copy=False)

    def call(self, op, xs):
        np = self.np
        if cast(op, xs[0]):
            out = xs[0].astype(cast(op, xs[0]))
            return lambda: np.copyto(out, xs[0], casting="unsafe")
        composed = {
            "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
            "affine": affine,
            "hypot": lambda a, b: np.sqrt(a * a + b * b),
            "poly3": poly3,
            "gelu_tanh": lambda a: 0.5 * a * (1 + np.tanh(0.7978845608 * (a + 0.044715 * a * a * a))),
            "softmax": self.softmax,
            "sqdist": sqdist,
        }.get(op)
        if composed:
            return lambda: composed(*xs)
        reduced = {
            "sum_all": lambda a, out=None: np.sum(a, out=out),
            "sum_axis0": lambda a, out=None: np.sum(a, 0, out=out),
            "sum_axis1": lambda a, out=None: np.sum(a, 1, out=out),
            "max_axis1": lambda a, out=None: np.max(a, 1, out=out),
            "argmax_axis1": lambda a, out=None: np.argmax(a, 1, out=out),
        }.get(op)
        return into(reduced or getattr(np, name_of(op, 0)), xs)

    def softmax(self, a):
        e = self.np.exp(a - a.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)


class PyTorch:
    def __init__(self, threads):
        self.torch = importlib.import_module("torch")
        self.torch.set_num_threads(threads)

    def take(self, x, dtype):
        t = self.torch.from_numpy(x) if x.ndim else self.torch.tensor(x)
        return t.to(getattr(self.torch, dtype))

    def call(self, op, xs):
        torch = self.torch
        if cast(op, xs[0]):
            out = torch.empty_like(xs[0], dtype=getattr(torch, cast(op, xs[0])))
            return lambda: out.copy_(xs[0])
        composed = {
            "affine": affine,
            "hypot": lambda a, b: torch.sqrt(a * a + b * b),
            "poly3": poly3,
            "gelu_tanh": lambda a: torch.nn.functional.gelu(a, approximate="tanh"),
            "sqdist": sqdist,
        }.get(op)
        if composed:
            return lambda: composed(*xs)
        reduced = {
            "sum_all": lambda a: torch.sum(a),
            "sum_axis0": lambda a, out=None: torch.sum(a, 0, out=out),
            "sum_axis1": lambda a, out=None: torch.sum(a, 1, out=out),
            "max_axis1": lambda a, out=None: torch.amax(a, 1, out=out),
            "argmax_axis1": lambda a, out=None: torch.argmax(a, 1, out=out),
            "softmax": lambda a: torch.softmax(a, 1),
            "add_mul": lambda a, b, c, out=None: torch.addcmul(a, b, c, value=2, out=out),
            "add_div": lambda a, b, c, out=None: torch.addcdiv(a, b, c, value=2, out=out),
        }.get(op)
        return into(reduced or getattr(torch, name_of(op, 1)), xs)


class Numexpr:
    def __init__(self, threads):
        self.ne = importlib.import_module("numexpr")
        self.ne.set_num_threads(threads)

    def take(self, x, dtype):
        return x.astype(dtype, copy=False)

    def call(self, op, xs):
        import numpy as np

        evaluate, expression = self.ne.evaluate, name_of(op, 2)
        names = dict(zip("abcde", xs), q1=np.float32(0.1), q2=np.float32(0.2), q3=np.float32(0.3))
        out = evaluate(expression, names)
        return lambda: evaluate(expression, names, out=out)


LIBRARIES = {"numpy": NumPy, "torch": PyTorch, "numexpr": Numexpr}


def name_of(op, library):
    name = OPERATIONS.get(op, (None,) * 3)[library]
    if name is None:
        raise NotImplementedError("no such operation")
    return name


def into(f, xs):
    """f(*xs) into a result allocated once, or anew each time where f cannot."""
    out = f(*xs)
    try:
        f(*xs, out=out)
    except (TypeError, ValueError):
        return lambda: f(*xs)
    return lambda: f(*xs, out=out)


def array(np, rng, operand):
    dtype, layout = operand["dtype"], operand["layout"]
    base = list(operand["shape"])
    if layout == "t":
        base[-2:] = base[:-3:-1]
    elif layout == "s2":
        base[-1] *= 2
    elif layout == "nhwc":
        base = [base[0], base[2], base[3], base[1]]
    if dtype == "bool":
        x = rng.random(base) < 0.5
    elif "float" in dtype:
        x = 0.25 + 2 * rng.random(base)
    else:
        x = rng.integers(1, 100, base)
    x = np.asarray(x).astype("float32" if dtype == "bfloat16" else dtype)
    if layout == "t":
        return x.swapaxes(-1, -2)
    if layout == "s2":
        return x[..., ::2]
    if layout == "r":
        return x[..., ::-1]
    if layout == "nhwc":
        return x.transpose(0, 3, 1, 2)
    return x


def repeat(n, f):
    start = time.perf_counter_ns()
    for _ in range(n):
        f()
    return max(1, time.perf_counter_ns() - start)


def measure(f, ms, rounds):
    """(least, median) ns of a call, with everything warm."""
    f()
    slice_ns = ms * 1e6 / rounds
    calls = max(1, int(slice_ns / repeat(1, f)))
    calls = max(1, int(slice_ns * calls / repeat(calls, f)))
    each = sorted(repeat(calls, f) / calls for _ in range(rounds))
    return each[0], each[rounds // 2]


def versions():
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = importlib.import_module(name).__version__
        except ImportError:
            found[name] = None
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--workloads", default="../workloads.json", help="workload file")
    p.add_argument("--libs", default="numpy,torch,numexpr", help="comma-separated libraries")
    p.add_argument("--only", default="", help="comma-separated names of workloads; empty: all")
    p.add_argument("--ms", type=float, default=60, help="measure each cell for about this long")
    p.add_argument("--rounds", type=int, default=7, help="in this many rounds")
    p.add_argument("--threads", type=int, default=1, help="threads that a library may use")
    p.add_argument("--versions", action="store_true", help="print which libraries are installed, and stop")
    args = p.parse_args()
    if args.versions:
        json.dump(versions(), sys.stdout)
        return
    import numpy as np

    libraries = {name: LIBRARIES[name](args.threads) for name in args.libs.split(",")}
    only = set(filter(None, args.only.split(",")))
    with open(args.workloads) as f:
        workloads = json.load(f)
    for w in workloads:
        if only and w["name"] not in only:
            continue
        rng = np.random.default_rng(7)
        xs = [array(np, rng, o) for o in w["operands"]]
        for name, library in libraries.items():
            cell = {"workload": w["name"], "lib": name}
            try:
                f = library.call(w["op"], [library.take(x, o["dtype"]) for x, o in zip(xs, w["operands"])])
                cell["min_ns"], cell["med_ns"] = measure(f, args.ms, args.rounds)
            except Exception as e:  # whatever a library says: it is its answer
                cell["error"] = f"{type(e).__name__}: {e}"[:200]
            print(json.dumps(cell), flush=True)


if __name__ == "__main__":
    main()
