// Package memory finds how much memory a program can use.
package memory

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// Available returns the memory, in bytes, that the system has available, or that a
// container may use, according to Linux. It is infinite if that is not known.
func Available() float64 {
	available := math.Inf(1)
	const kibi = 1024
	if free := firstNumber("/proc/meminfo", "MemAvailable:"); free > 0 {
		available = min(available, kibi*(free+firstNumber("/proc/meminfo", "SwapFree:")))
	}
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if bytes := firstNumber(limit, ""); bytes > 0 {
			available = min(available, bytes)
		}
	}
	return available
}

// firstNumber returns the number after a name at the beginning of a line of a file; 0
// if there is none.
func firstNumber(path, name string) float64 {
	text, _ := os.ReadFile(path) // a file that cannot be read counts as empty
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, name); found {
			number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			x, _ := strconv.ParseFloat(number, 64)
			return x
		}
	}
	return 0
}
