package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// A waitingError says that the library has no such operation yet, or not for
// this floating-point type.
type waitingError struct{ what string }

func (e *waitingError) Error() string { return "waiting for " + e.what }

// An inexpressibleError says that a record cannot be said in the library's
// terms, now or ever.
type inexpressibleError struct{ why string }

func (e *inexpressibleError) Error() string { return "cannot express " + e.why }

// A callError says that an operation exists, but not as the runner calls it.
type callError struct{ text string }

func (e *callError) Error() string { return e.text }

// isOurs reports whether the library returned the error, not the runner.
func isOurs(err error) bool {
	return err != nil && !as[*waitingError](err) && !as[*inexpressibleError](err) && !as[*callError](err)
}

func as[E error](err error) bool { return errors.As(err, new(E)) }

// isTyped reports whether a caller can tell an error's type.
func isTyped(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		t := reflect.TypeOf(err)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if strings.HasPrefix(t.PkgPath(), "github.com/lanecast/lanecast/") && t.Name() != "" && t.Name()[0] < 'a' {
			return true
		}
	}
	return false
}

// A number is a scalar operand as the corpora write it. It becomes an element
// or a tensor of rank 0, whichever the operation takes.
type number string

func numberOf(v any) (number, error) {
	switch v := v.(type) {
	case json.Number:
		return number(v), nil
	case string: // a float that JSON cannot write
		if _, err := strconv.ParseFloat(v, 64); err == nil {
			return number(v), nil
		}
	case bool:
		if v {
			return "1", nil
		}
		return "0", nil
	}
	return "", &inexpressibleError{fmt.Sprintf("the number %v", v)}
}

// bits rounds the number to an element type.
func (n number) bits(dtype string) uint64 {
	if !isFloat(dtype) {
		if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
			return integerBits(dtype, i)
		}
		if u, err := strconv.ParseUint(string(n), 10, 64); err == nil {
			return u
		}
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil && !math.IsInf(f, 0) {
		panic(err) // numberOf has looked
	}
	return floatBits(dtype, f)
}

// fits reports whether the number is one of the element type, rounded if that
// is a float. No type takes all.
func (n number) fits(dtype string) bool {
	if dtype == "" || isFloat(dtype) {
		return true
	}
	bits := n.bits(dtype)
	if dtype == "uint64" {
		return fmt.Sprint(bits) == string(n)
	}
	return fmt.Sprint(integer(dtype, bits)) == string(n)
}

func (n number) float() float64 { return float("float64", n.bits("float64")) }

// An invocation is one call of the library, kept for the rules.
type invocation struct {
	name string
	args []any
}

// A caller calls the library by name. It remembers what it called.
type caller struct{ made []invocation }

// apply calls a function of package tensor that returns a tensor. Numbers
// must be elements of the type of the tensors beside them.
func (c *caller) apply(name string, args ...any) (view, error) {
	dtype := ""
	for _, arg := range args {
		if x, ok := arg.(view); ok {
			dtype = dtypeOf(x)
		}
	}
	for _, arg := range args {
		if n, ok := arg.(number); ok && !n.fits(dtype) {
			return nil, &inexpressibleError{fmt.Sprintf("the number %s in %s", n, dtype)}
		}
	}
	c.made = append(c.made, invocation{name, args})
	return single(call(name, args))
}

// cast calls a function that needs the element type of its result.
func (c *caller) cast(dtype string, x view) (view, error) {
	c.made = append(c.made, invocation{"Cast", []any{x}})
	if elements[dtype] == nil {
		return nil, &inexpressibleError{dtype}
	}
	return single(callFor("Cast", []any{x}, tensorType(dtype)))
}

// do calls a function that returns an error only.
func (c *caller) do(name string, args ...any) error {
	c.made = append(c.made, invocation{name, args})
	_, err := call(name, args)
	return err
}

// method calls a method of a tensor that returns a tensor.
func (c *caller) method(x view, name string, args ...any) (view, error) {
	return single(callMethod(x, name, args))
}

func callMethod(x view, name string, args []any) ([]reflect.Value, error) {
	f := reflect.ValueOf(x).MethodByName(name)
	if !f.IsValid() {
		return nil, &waitingError{"method " + name}
	}
	return choose("method "+name, []reflect.Value{f}, args, nil)
}

func call(name string, args []any) ([]reflect.Value, error) { return callFor(name, args, nil) }

func callFor(name string, args []any, result reflect.Type) ([]reflect.Value, error) {
	instances := functions[name]
	if len(instances) == 0 {
		return nil, &waitingError{name}
	}
	values := make([]reflect.Value, len(instances))
	for i, f := range instances {
		values[i] = reflect.ValueOf(f)
	}
	return choose(name, values, args, result)
}

// choose calls the instance that takes the arguments' types.
func choose(name string, instances []reflect.Value, args []any, result reflect.Type) ([]reflect.Value, error) {
	for _, f := range instances {
		if result != nil && f.Type().Out(0) != result {
			continue
		}
		if in, ok := fit(f.Type(), args, false); ok {
			return split(f.Call(in))
		}
	}
	if _, ok := fit(instances[0].Type(), args, true); !ok {
		return nil, &callError{fmt.Sprintf("%s is a %v: the runner has no way to call it with %v", name, instances[0].Type(), types(args))}
	}
	what := fmt.Sprintf("%s of %v", name, types(args))
	for _, dtype := range types(args) {
		if widths[dtype] > 0 && !isFloat(dtype) {
			return nil, &inexpressibleError{what}
		}
	}
	return nil, &waitingError{what}
}

// fit turns arguments into those of a function. Options are left out. With
// anyElement set it only asks whether they would do for another element type.
func fit(f reflect.Type, args []any, anyElement bool) ([]reflect.Value, bool) {
	var in []reflect.Value
	for i := range f.NumIn() {
		p := f.In(i)
		if f.IsVariadic() && i == f.NumIn()-1 {
			if len(args) <= i {
				continue
			}
			if list, ok := one(p, args[i], anyElement); ok { // a whole list
				for k := range list.Len() {
					in = append(in, list.Index(k))
				}
				args = args[:i]
				continue
			}
			for _, arg := range args[i:] {
				v, ok := one(p.Elem(), arg, anyElement)
				if !ok {
					return nil, false
				}
				in = append(in, v)
			}
			args = args[:i]
			continue
		}
		if i >= len(args) {
			return nil, false
		}
		v, ok := one(p, args[i], anyElement)
		if !ok {
			return nil, false
		}
		in = append(in, v)
	}
	return in, len(args) <= f.NumIn()
}

// one turns an argument into a parameter.
func one(p reflect.Type, arg any, anyElement bool) (reflect.Value, bool) {
	switch arg := arg.(type) {
	case view:
		v := reflect.ValueOf(arg)
		return v, v.Type() == p || anyElement && elementType[p] != ""
	case number:
		if dtype := elementType[p]; dtype != "" {
			x, err := elements[dtype].strided(elements[dtype].storage([]uint64{arg.bits(dtype)}), nil, nil, 0)
			return reflect.ValueOf(x), err == nil
		}
		if p == reflect.TypeFor[float64]() {
			return reflect.ValueOf(arg.float()), true
		}
		for _, e := range elements {
			if s := reflect.ValueOf(e.storage(nil)); s.Type().Elem() == p {
				return reflect.ValueOf(e.storage([]uint64{arg.bits(strings.ToLower(p.Name()))})).Index(0), true
			}
		}
	case []view:
		for _, e := range elements {
			if s := reflect.TypeOf(e.slice(nil)); s == p {
				if anyElement {
					return reflect.ValueOf(e.slice(nil)), true
				}
				for _, x := range arg {
					if reflect.TypeOf(x) != s.Elem() {
						return reflect.Value{}, false
					}
				}
				return reflect.ValueOf(e.slice(arg)), true
			}
		}
	default:
		v := reflect.ValueOf(arg)
		return v, v.Type() == p
	}
	return reflect.Value{}, false
}

// elementType names the elements of each tensor type.
var elementType = func() map[reflect.Type]string {
	m := map[reflect.Type]string{}
	for name := range elements {
		m[tensorType(name)] = name
	}
	return m
}()

func tensorType(dtype string) reflect.Type {
	return reflect.TypeOf(elements[dtype].slice(nil)).Elem()
}

// dtypeOf names the element type of a tensor.
func dtypeOf(x view) string { return elementType[reflect.TypeOf(x)] }

// types names arguments for people.
func types(args []any) []string {
	var names []string
	for _, arg := range args {
		switch arg := arg.(type) {
		case view:
			names = append(names, dtypeOf(arg))
		case []view:
			for _, x := range arg {
				names = append(names, dtypeOf(x))
			}
		default:
			names = append(names, fmt.Sprintf("%T", arg))
		}
	}
	return names
}

// split takes the error off the results.
func split(out []reflect.Value) ([]reflect.Value, error) {
	if n := len(out); n > 0 && out[n-1].Type() == reflect.TypeFor[error]() {
		err, _ := out[n-1].Interface().(error)
		return out[:n-1], err
	}
	return out, nil
}

// single returns the only result of a call.
func single(out []reflect.Value, err error) (view, error) {
	if err != nil {
		return nil, err
	}
	if len(out) == 1 {
		if x, ok := out[0].Interface().(view); ok {
			return x, nil
		}
	}
	return nil, &callError{fmt.Sprintf("got %d results, want a tensor", len(out))}
}

// several returns the list of tensors that a call gives.
func several(out []reflect.Value, err error) ([]view, error) {
	if err != nil {
		return nil, err
	}
	var xs []view
	for i := range out[0].Len() {
		xs = append(xs, out[0].Index(i).Interface().(view))
	}
	return xs, nil
}
