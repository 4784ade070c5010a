// Package memory finds how much memory a program can use.
package memory

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Available returns the memory, in bytes, that the system has available, or that the control
// groups of the program may use, according to Linux. It is infinite if that is not known. What it
// returns may be a tenth of a second old.
func Available() float64 {
	const fresh = time.Second / 10
	last.Lock()
	defer last.Unlock()
	if time.Since(last.at) > fresh {
		last.available = read()
		last.at = time.Now()
	}
	return last.available
}

// last is what Available read last.
var last struct {
	sync.Mutex
	at        time.Time
	available float64
}

// read finds what Available returns.
func read() float64 {
	available := math.Inf(1)
	const kibi = 1024
	if free := firstNumber("/proc/meminfo", "MemAvailable:"); free > 0 {
		available = min(available, kibi*(free+firstNumber("/proc/meminfo", "SwapFree:")))
	}
	groups, _ := os.ReadFile("/proc/self/cgroup") // without it, there are those of the root
	for _, limit := range limits(string(groups)) {
		if bytes := firstNumber(limit, ""); bytes > 0 {
			available = min(available, bytes)
		}
	}
	return available
}

// limits returns the files with the limits of control groups and of all groups above them, in
// both versions; groups is what /proc/PID/cgroup says. In a container, the place of the
// container is the root, whatever its name is outside.
func limits(groups string) (files []string) {
	const root = "/sys/fs/cgroup"
	paths := map[string]string{"": "/", "memory": "/"} // by controller; version 2 has no name for them
	for line := range strings.Lines(groups) {
		if _, rest, found := strings.Cut(strings.TrimSpace(line), ":"); found {
			controllers, path, _ := strings.Cut(rest, ":")
			for controller := range strings.SplitSeq(controllers, ",") {
				if _, is := paths[controller]; is {
					paths[controller] = filepath.Clean("/" + path)
				}
			}
		}
	}
	above := func(folder, name, path string) {
		for ; ; path = filepath.Dir(path) {
			files = append(files, filepath.Join(folder, path, name))
			if path == "/" {
				return
			}
		}
	}
	above(root, "memory.max", paths[""])
	above(root+"/memory", "memory.limit_in_bytes", paths["memory"])
	return files
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
