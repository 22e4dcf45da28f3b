package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// cpuName asks the operating system what the CPU calls itself.
func cpuName() string {
	var name string
	switch runtime.GOOS {
	case "linux":
		name = fromCPUInfo()
	case "darwin":
		out, err := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
		if err == nil {
			name = strings.TrimSpace(string(out))
		}
	case "windows":
		name = os.Getenv("PROCESSOR_IDENTIFIER")
	}
	if name == "" {
		return "unnamed " + runtime.GOARCH + " CPU"
	}
	return name
}

func fromCPUInfo() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// copier returns a function that moves as many bytes as a call that reads and
// writes this many does, with the built-in copy: half read, half written.
func copier(bytes int) func() {
	src, dst := make([]byte, max(1, bytes/2)), make([]byte, max(1, bytes/2))
	for i := range src {
		src[i] = byte(i)
	}
	copy(dst, src)
	return func() { copy(dst, src) }
}

// streaming says how fast the built-in copy moves memory (bytes read and
// written) for a few working sets.
func streaming(rounds int, slice time.Duration) string {
	var parts []string
	for _, size := range []int{16 << 10, 256 << 10, 4 << 20, 64 << 20} {
		t := measure(rounds, slice, copier(size))
		parts = append(parts, fmt.Sprintf("%.0f GB/s at %s", float64(size)/t[0].min, bytesString(size)))
	}
	return strings.Join(parts, ", ")
}

func bytesString(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
