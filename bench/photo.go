package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // -i reads them
	"image/png"
	"io"
	"math"
	"os"
	"time"

	"github.com/lanecast/lanecast/tensor"
)

//go:embed testdata/video-001.png
var photograph []byte

const channels = 3

// A photo is a picture as models and filters want it.
type photo struct {
	height, width   int
	pixels          []float32 // (H,W,3), 0 to 1
	mean, deviation []float32 // (3,)
}

// loadPhoto reads the picture at path, or the embedded photograph if path is empty.
func loadPhoto(path string) (*photo, error) {
	data := photograph
	if path != "" {
		var err error
		if data, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", path, err)
	}
	return newPhoto(img), nil
}

func newPhoto(img image.Image) *photo {
	box := img.Bounds()
	p := &photo{height: box.Dy(), width: box.Dx()}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			p.pixels = append(p.pixels, float32(r)/65535, float32(g)/65535, float32(b)/65535)
		}
	}
	p.mean, p.deviation = channelStatistics(p.pixels)
	return p
}

// channelStatistics returns each channel's mean and standard deviation; the
// deviation of a flat channel counts as 1, so that dividing by it does nothing.
func channelStatistics(pixels []float32) (mean, deviation []float32) {
	n := float64(len(pixels) / channels)
	for c := range channels {
		var sum, squares float64
		for i := c; i < len(pixels); i += channels {
			v := float64(pixels[i])
			sum += v
			squares += v * v
		}
		m := sum / n
		d := math.Sqrt(max(0, squares/n-m*m))
		if d < 1e-6 {
			d = 1
		}
		mean, deviation = append(mean, float32(m)), append(deviation, float32(d))
	}
	return mean, deviation
}

// photoResult is one way of normalising the photograph.
type photoResult struct {
	operands   string
	memory     string
	ours, loop float64 // ns
}

// normalize brings every channel to mean 0 and deviation 1, once for each of
// three ways to hold the pixels. Each result is proven equal to the plain
// loop's, bit for bit. The normalised pixels come back as (H,W,3).
func (p *photo) normalize(rounds int, slice time.Duration) ([]photoResult, *tensor.Tensor[float32], error) {
	h, w := p.height, p.width
	planes := loopSplitPlanes(p.pixels, channels)
	hwc, err := tensor.FromSlice(p.pixels, h, w, channels)
	if err != nil {
		return nil, nil, err
	}
	seenAsCHW, err := hwc.Transpose(2, 0, 1)
	if err != nil {
		return nil, nil, err
	}
	chw, err := tensor.FromSlice(planes, channels, h, w)
	if err != nil {
		return nil, nil, err
	}

	byHandHWC, byHandCHW := make([]float32, len(p.pixels)), make([]float32, len(p.pixels))
	loopHWC := func() { loopNormalizeHWC(byHandHWC, p.pixels, p.mean, p.deviation) }
	loopCHW := func() { loopNormalizeCHW(byHandCHW, planes, p.mean, p.deviation) }
	loopHWC()
	loopCHW()

	var results []photoResult
	var first *tensor.Tensor[float32]
	for _, way := range []struct {
		memory     string
		pixels     *tensor.Tensor[float32]
		statistics []int // shape of the mean and of the deviation
		want       []float32
		loop       func()
	}{
		{"interleaved", hwc, []int{channels}, byHandHWC, loopHWC},
		{"the same, seen as planes", seenAsCHW, []int{channels, 1, 1}, byHandCHW, loopHWC},
		{"planes", chw, []int{channels, 1, 1}, byHandCHW, loopCHW},
	} {
		mean, err := tensor.FromSlice(p.mean, way.statistics...)
		if err != nil {
			return nil, nil, err
		}
		deviation, err := tensor.FromSlice(p.deviation, way.statistics...)
		if err != nil {
			return nil, nil, err
		}
		y, err := tensor.Sub(way.pixels, mean)
		if err != nil {
			return nil, nil, err
		}
		if err := tensor.DivTo(y, y, deviation); err != nil {
			return nil, nil, err
		}
		stats := shapeString(way.statistics)
		operands := fmt.Sprintf("(%s - %s) / %s", shapeString(y.Shape()), stats, stats)
		if err := sameBits(y.Data(), way.want); err != nil {
			return nil, nil, fmt.Errorf("photograph, %s, %s: %w", operands, way.memory, err)
		}
		if first == nil {
			first = y
		}
		z, err := tensor.Sub(way.pixels, mean) // so that timing leaves y as proven
		if err != nil {
			return nil, nil, err
		}
		t := measure(rounds, slice, func() {
			tensor.SubTo(z, way.pixels, mean)
			tensor.DivTo(z, z, deviation)
		}, way.loop)
		results = append(results, photoResult{operands, way.memory, t[0].min, t[1].min})
	}
	return results, first, nil
}

// writePicture makes normalised pixels (H,W,3) visible: two deviations below
// the mean are black, two above are full colour. All channels being stretched
// alike, a colour cast is gone.
func writePicture(w io.Writer, normalized *tensor.Tensor[float32]) error {
	y, err := tensor.Mul(normalized, tensor.Scalar[float32](255.0/4))
	if err != nil {
		return err
	}
	for _, step := range []struct {
		to func(dst, a, b *tensor.Tensor[float32], opts ...tensor.Option) error
		v  float32
	}{{tensor.AddTo[float32], 127.5}, {tensor.MaximumTo[float32], 0}, {tensor.MinimumTo[float32], 255}} {
		if err := step.to(y, y, tensor.Scalar(step.v)); err != nil {
			return err
		}
	}
	shape, data := y.Shape(), y.Data()
	img := image.NewNRGBA(image.Rect(0, 0, shape[1], shape[0]))
	for i := 0; i < len(data); i += channels {
		pixel := i / channels
		img.SetNRGBA(pixel%shape[1], pixel/shape[1], color.NRGBA{
			round8(data[i]), round8(data[i+1]), round8(data[i+2]), 255})
	}
	return png.Encode(w, img)
}

func round8(v float32) uint8 { return uint8(v + 0.5) }
