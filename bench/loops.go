package main

// The loops that a Go programmer writes by hand for each pattern: the yardstick
// of the report, and its proof. They know nothing of tensors. dst has rows ×
// cols elements; a and b are the slices under the operands.

func loopContiguous(dst, a, b []float32, rows, cols int) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func loopScalar(dst, a, b []float32, rows, cols int) {
	a = a[:len(dst)]
	v := b[0]
	for i := range dst {
		dst[i] = a[i] + v
	}
}

func loopRow(dst, a, b []float32, rows, cols int) {
	b = b[:cols]
	for r := range rows {
		d, s := dst[r*cols:][:cols], a[r*cols:][:cols]
		for c := range d {
			d[c] = s[c] + b[c]
		}
	}
}

func loopColumn(dst, a, b []float32, rows, cols int) {
	for r := range rows {
		d, s := dst[r*cols:][:cols], a[r*cols:][:cols]
		v := b[r]
		for c := range d {
			d[c] = s[c] + v
		}
	}
}

func loopOuter(dst, a, b []float32, rows, cols int) {
	b = b[:cols]
	for r := range rows {
		d := dst[r*cols:][:cols]
		v := a[r]
		for c := range d {
			d[c] = v + b[c]
		}
	}
}

// loopTransposed reads b, which is cols × rows, across its rows.
func loopTransposed(dst, a, b []float32, rows, cols int) {
	for r := range rows {
		d, s := dst[r*cols:][:cols], a[r*cols:][:cols]
		for c := range d {
			d[c] = s[c] + b[c*rows+r]
		}
	}
}

// loopStepped reads every second element of a and b.
func loopStepped(dst, a, b []float32, rows, cols int) {
	a, b = a[:2*len(dst)], b[:2*len(dst)]
	for i := range dst {
		dst[i] = a[2*i] + b[2*i]
	}
}

// loopNormalizeHWC brings interleaved pixels to (x - mean) / deviation, with
// one mean and deviation per channel.
func loopNormalizeHWC(dst, pixels, mean, deviation []float32) {
	channels := len(mean)
	for i := 0; i < len(dst); i += channels {
		for c := range channels {
			dst[i+c] = (pixels[i+c] - mean[c]) / deviation[c]
		}
	}
}

// loopNormalizeCHW does the same to one plane after the other.
func loopNormalizeCHW(dst, pixels, mean, deviation []float32) {
	plane := len(dst) / len(mean)
	for c := range mean {
		d, s := dst[c*plane:][:plane], pixels[c*plane:][:plane]
		for i := range d {
			d[i] = (s[i] - mean[c]) / deviation[c]
		}
	}
}

// loopSplitPlanes copies interleaved pixels into one plane per channel.
func loopSplitPlanes(pixels []float32, channels int) []float32 {
	planes := make([]float32, len(pixels))
	plane := len(pixels) / channels
	for i := range plane {
		for c := range channels {
			planes[c*plane+i] = pixels[i*channels+c]
		}
	}
	return planes
}
