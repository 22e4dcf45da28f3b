package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// A query is one operation of a corpus with its operands. A program answers
// it by calling the library.
type query struct {
	caller
	in    []view // nil for an optional operand that is left out
	attrs map[string]any
	out   []string // the element types that the corpus expects
	sizes [][]int  // and the shapes
}

type program func(q *query) ([]view, error)

// giving makes a program of what has one result.
func giving(f func(q *query) (view, error)) program {
	return func(q *query) ([]view, error) {
		x, err := f(q)
		if err != nil {
			return nil, err
		}
		return []view{x}, nil
	}
}

// fn calls a function with the operands as they are.
func fn(name string) program {
	return giving(func(q *query) (view, error) {
		if err := q.sameTypes(); err != nil {
			return nil, err
		}
		return q.apply(name, q.operands()...)
	})
}

// with calls a function with the operands and then the named attributes as
// numbers.
func with(name string, attrs ...string) program {
	return giving(func(q *query) (view, error) {
		args := q.operands()
		for _, a := range attrs {
			n, err := numberOf(q.attrs[a])
			if err != nil {
				return nil, err
			}
			args = append(args, n)
		}
		return q.apply(name, args...)
	})
}

// pending stands for operations that the library does not have yet, under the
// names that it would give them. Once it has one, a program must be written.
func pending(names ...string) program {
	return func(q *query) ([]view, error) {
		for _, name := range names {
			if functions[name] != nil {
				return nil, &callError{"tensor." + name + " exists, but the runner does not call it yet"}
			}
		}
		return nil, &waitingError{names[0]}
	}
}

// answer runs the program for an operation. An operation without one is
// waited for, unless the library has a function of that name.
func (q *query) answer(programs map[string]program, op string) ([]view, error) {
	if p := programs[op]; p != nil {
		return p(q)
	}
	for name := range functions {
		if strings.EqualFold(name, strings.ReplaceAll(op, "_", "")) {
			return nil, &callError{"tensor." + name + " exists, but the runner does not call it for " + op}
		}
	}
	return nil, &waitingError{op}
}

// operands returns those that are there.
func (q *query) operands() []any {
	var args []any
	for _, x := range q.in {
		if x != nil {
			args = append(args, x)
		}
	}
	return args
}

// sameTypes fails for operands of different element types, but for a leading
// condition.
func (q *query) sameTypes() error {
	for i, x := range q.in {
		if last := q.in[len(q.in)-1]; x != nil && last != nil && dtypeOf(x) != dtypeOf(last) && !(i == 0 && len(q.in) == 3) {
			return &inexpressibleError{"operands of different types"}
		}
	}
	return nil
}

// dtype is the first operand's element type.
func (q *query) dtype() string { return dtypeOf(q.in[0]) }

// ints returns an attribute that is a list of whole numbers.
func (q *query) ints(attr string) ([]int, error) {
	list, err := ints(q.attrs[attr])
	if err != nil {
		return nil, fmt.Errorf("attribute %s: %w", attr, err)
	}
	return list, nil
}

// int returns an attribute that is a whole number, or what it is by default.
func (q *query) int(attr string, byDefault int) (int, error) {
	if q.attrs[attr] == nil {
		return byDefault, nil
	}
	list, err := q.ints(attr)
	if err != nil || len(list) != 1 {
		return 0, fmt.Errorf("attribute %s is no whole number", attr)
	}
	return list[0], nil
}

// list returns an operand that is a list of whole numbers.
func (q *query) list(i int) []int {
	if i >= len(q.in) || q.in[i] == nil {
		return nil
	}
	dtype := dtypeOf(q.in[i])
	list := []int{}
	for _, bits := range elements[dtype].elements(q.in[i]) {
		list = append(list, int(integer(dtype, bits)))
	}
	return list
}

// boolean turns numbers into whether they are not zero.
func (q *query) boolean(x view) (view, error) {
	if dtypeOf(x) == "bool" {
		return x, nil
	}
	return q.apply("NotEqual", x, number("0"))
}

// logical calls a function of bools.
func logical(name string) program {
	return giving(func(q *query) (view, error) {
		var args []any
		for _, x := range q.in {
			x, err := q.boolean(x)
			if err != nil {
				return nil, err
			}
			args = append(args, x)
		}
		return q.apply(name, args...)
	})
}

// fold joins any number of operands by a function of two.
func fold(name string) program {
	return giving(func(q *query) (view, error) {
		x, err := q.in[0], error(nil)
		for _, y := range q.in[1:] {
			if x, err = q.apply(name, x, y); err != nil {
				return nil, err
			}
		}
		return x, nil
	})
}

// cast converts to what the corpus expects.
var cast = giving(func(q *query) (view, error) { return q.cast(q.out[0], q.in[0]) })

// same returns a copy of its operand.
var same = giving(func(q *query) (view, error) { return q.method(q.in[0], "Clone") })

// clamp has one or two bounds, each nil, a tensor or a number.
func (q *query) clamp(low, high any) (view, error) {
	switch {
	case low != nil && high != nil:
		return q.apply("Clamp", q.in[0], low, high)
	case low != nil:
		return q.apply("Maximum", q.in[0], low)
	case high != nil:
		return q.apply("Minimum", q.in[0], high)
	}
	return q.method(q.in[0], "Clone")
}

// attribute returns one that is a number; nil if it is left out.
func (q *query) attribute(name string) (any, error) {
	if q.attrs[name] == nil {
		return nil, nil
	}
	n, err := numberOf(q.attrs[name])
	if err != nil {
		return nil, err
	}
	return n, nil
}

// clampBy has its bounds in attributes.
func clampBy(low, high string) program {
	return giving(func(q *query) (view, error) {
		l, err := q.attribute(low)
		if err != nil {
			return nil, err
		}
		h, err := q.attribute(high)
		if err != nil {
			return nil, err
		}
		return q.clamp(l, h)
	})
}

// join concatenates or stacks along an attribute.
func join(name, axis string) program {
	return giving(func(q *query) (view, error) {
		a, err := q.int(axis, 0)
		if err != nil {
			return nil, err
		}
		return q.apply(name, a, q.in)
	})
}

// byList calls a method with a list in an attribute.
func byList(method, attr string) program {
	return giving(func(q *query) (view, error) {
		if q.attrs[attr] == nil {
			return q.method(q.in[0], method)
		}
		list, err := q.ints(attr)
		if err != nil {
			return nil, err
		}
		if method == "Flip" && len(list) == 0 {
			return q.in[0], nil // without axes Flip turns them all
		}
		return q.method(q.in[0], method, list)
	})
}

// A value is a tensor in a corpus.
type value struct {
	Dtype string `json:"dtype"`
	Shape []int  `json:"shape"`
	Data  []byte `json:"data"`
}

// expect applies the rules to the elements of the only call that was made, if
// it was one. It changes want where the library differs, and returns the names
// of those rules; refuse is the name of one by which the call is an error.
func (q *query) expect(dtype string, size []int, want []uint64, t tolerance) (rules []string, refuse string) {
	if len(q.made) != 1 {
		return nil, ""
	}
	for i, c := range q.made[0].cases(size, dtype) {
		r := ruleFor(c)
		switch {
		case r == nil:
		case r.refuses:
			return nil, r.name
		case r.ours != nil && !t.same(dtype, want[i], r.ours(c)):
			want[i] = r.ours(c)
			rules = append(rules, r.name)
		}
	}
	return rules, ""
}

// judge compares a result with one reference.
func (q *query) judge(got view, err error, dtype string, size []int, want []uint64, t tolerance) ([]string, error) {
	if err != nil && !isOurs(err) {
		return nil, err
	}
	rules, refuse := q.expect(dtype, size, want, t)
	if refuse != "" {
		if !isTyped(err) {
			return nil, fmt.Errorf("rule %s: got %v, want an error", refuse, err)
		}
		return []string{refuse}, nil
	}
	if err != nil {
		return nil, err
	}
	if have := dtypeOf(got); have != dtype && !(have == "bool" && dtype == "uint8") {
		return nil, fmt.Errorf("result is %s, want %s", have, dtype)
	}
	if !slices.Equal(got.Shape(), size) {
		return nil, fmt.Errorf("shape is %v, want %v", got.Shape(), size)
	}
	return rules, t.compare(dtype, want, elements[dtypeOf(got)].elements(got))
}
