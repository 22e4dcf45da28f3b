package broadcast_test

import (
	"errors"
	"fmt"

	"github.com/lanecast/lanecast/broadcast"
)

func ExampleShape() {
	fmt.Println(broadcast.Shape([]int{5, 1, 4, 1}, []int{3, 1, 1}))
	_, err := broadcast.Shape([]int{5, 2, 4, 1}, []int{3, 1, 1})
	var mismatch *broadcast.MismatchError
	if errors.As(err, &mismatch) {
		fmt.Println(mismatch.SizeA, mismatch.SizeB, mismatch.Dim)
	}
	fmt.Println(err)
	// Output:
	// [5 3 4 1] <nil>
	// 2 3 1
	// broadcast: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1: operand 0 has shape (5,2,4,1), operand 1 has shape (3,1,1)
}

func ExampleInto() {
	x, y := []int{1, 3, 1}, []int{3, 1, 7}
	fmt.Println(broadcast.Into(x, x, y)) // x += y
	// Output:
	// broadcast: output with shape (1,3,1) doesn't match the broadcast shape (3,3,7): size 1 against 7 at dimension 2
}

func ExampleExplain() {
	fmt.Print(broadcast.Explain([]int{2, 3}, []int{2}))
	// Output:
	// dimension        0         1
	// operand 0        2         3
	// operand 1        -         2
	// decision   missing  mismatch
	// error: broadcast: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1: operand 0 has shape (2,3), operand 1 has shape (2,)
	// try operand 1: Unsqueeze(1) makes it (2,1), and the result (2,3)
	// or  operand 0: Transpose(1,0) makes it (3,2), and the result (3,2)
}

func ExampleExplainStrided() {
	e := broadcast.ExplainStrided(
		broadcast.Operand{Shape: []int{512, 512}},
		broadcast.Operand{Shape: []int{512, 512}, Strides: []int{1, 512}}, // transposed
		broadcast.Operand{Shape: []int{512}},
	)
	fmt.Println(e.Patterns)
	// Output:
	// [Contiguous Strided Row]
}

func ExampleSetWarnHandler() {
	restore := broadcast.SetWarnHandler(func(w broadcast.Warning) { fmt.Println(w) })
	defer restore()
	broadcast.WarnBroadcast([]int{3}, []int{3, 1})
	// Output:
	// broadcast stretches every operand: shapes (3,) and (3,1) give (3,3)
	// shapes (3,) and (3,1) have equally many elements and give (3,3), where PyTorch before 0.2 paired them and gave (3,)
}
