package tensor_test

import (
	"fmt"

	"github.com/lanecast/lanecast/tensor"
)

func ExampleFromSlice() {
	x, err := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x)
	_, err = tensor.FromSlice([]float32{1, 2, 3}, 2, 2)
	fmt.Println(err)
	// Output:
	// tensor([[1., 2., 3.],
	//         [4., 5., 6.]])
	// tensor: FromSlice: 3 elements given: expected 4 for shape (2,2)
}

func ExampleFromStrided() {
	// Two lines of three pixels, each padded to four bytes.
	pix := []uint8{10, 11, 12, 0, 20, 21, 22, 0}
	image := tensor.Must(tensor.FromStrided(pix, []int{2, 3}, []int{4, 1}, 0))
	fmt.Println(image)
	// Output:
	// tensor([[10, 11, 12],
	//         [20, 21, 22]])
}

func ExampleTensor_Expand() {
	row := tensor.Must(tensor.FromSlice([]int32{1, 2, 3}, 3))
	x := tensor.Must(row.Expand(2, -1))
	fmt.Println(x, x.Strides())
	_, err := row.Expand(2, 4)
	fmt.Println(err)
	// Output:
	// tensor([[1, 2, 3],
	//         [1, 2, 3]]) [0 1]
	// tensor: Expand: the expanded size (4) must match the existing size (3) at non-singleton dimension 1: target sizes (2,4), tensor sizes (3,)
}

func ExampleTensor_Slice() {
	x := tensor.Must(tensor.Arange[int32](0, 10, 1))
	fmt.Println(tensor.Must(x.Slice(0, 2, -1, 3)))
	fmt.Println(tensor.Must(x.Slice(0, tensor.End, tensor.Begin, -2)))
	// Output:
	// tensor([2, 5, 8])
	// tensor([9, 7, 5, 3, 1])
}

func ExampleTensor_Transpose() {
	x := tensor.Must(tensor.Zeros[float32](8, 224, 200, 3)) // images, lines, columns, channels
	y := tensor.Must(x.Transpose(0, 3, 1, 2))
	fmt.Println(y.Shape(), y.Strides())
	// Output: [8 3 224 200] [134400 1 600 3]
}

func ExampleTensor_Reshape() {
	x := tensor.Must(tensor.Arange[int32](0, 6, 1))
	fmt.Println(tensor.Must(x.Reshape(2, -1)))
	// Output:
	// tensor([[0, 1, 2],
	//         [3, 4, 5]])
}

func ExampleTensor_Unfold() {
	x := tensor.Must(tensor.Arange[int32](0, 5, 1))
	fmt.Println(tensor.Must(x.Unfold(0, 3, 1)))
	// Output:
	// tensor([[0, 1, 2],
	//         [1, 2, 3],
	//         [2, 3, 4]])
}

func ExampleTensor_All() {
	x := tensor.Must(tensor.FromSlice([]int64{5, 6, 7, 8}, 2, 2))
	for index, v := range x.All() {
		fmt.Println(index, v)
	}
	// Output:
	// [0 0] 5
	// [0 1] 6
	// [1 0] 7
	// [1 1] 8
}

func ExampleStack() {
	a := tensor.Must(tensor.FromSlice([]int32{1, 2}, 2))
	b := tensor.Must(tensor.FromSlice([]int32{3, 4}, 2))
	fmt.Println(tensor.Must(tensor.Stack(1, a, b)))
	// Output:
	// tensor([[1, 3],
	//         [2, 4]])
}
