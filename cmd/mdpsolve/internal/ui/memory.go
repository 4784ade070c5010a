package ui

// How much memory a command may take: a problem that is too large is refused by a forecast,
// before anything is allocated.

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"sort"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/memory"
	"github.com/mdpsolve/mdpsolve/internal/soon"
)

// LimitGarbage has garbage collected when there is a quarter of the memory in use, as models are long lists of
// numbers, through which the collector is quick. It does nothing if the user has set GOGC. The list that it returns
// counts as in use as long as the program runs, so that the collector does not run all the time where little is; the
// system provides no memory for it, since nobody writes there. If the user has limited the memory, it is empty.
var LimitGarbage = sync.OnceValue(func() (unused []byte) {
	const percent, bytes = 25, 128 << 20
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
		if debug.SetMemoryLimit(-1) == math.MaxInt64 {
			unused = make([]byte, bytes)
		}
	}
	return unused
})

type serviceKey struct{}

// InService returns ctx for commands that a server runs: they leave no goroutines running,
// and may take at most so many bytes, and at most what the machine has.
func InService(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(soon.Patiently(ctx), serviceKey{}, float64(bytes))
}

// inService returns the bytes given to [InService], if it was called.
func inService(ctx context.Context) (bytes float64, is bool) {
	bytes, is = ctx.Value(serviceKey{}).(float64)
	return bytes, is
}

// Memory returns the bytes that a command under ctx may take: at most the number given to
// [InService], and what the machine has free.
func Memory(ctx context.Context) float64 {
	if bytes, is := inService(ctx); is {
		return min(bytes, available())
	}
	return available()
}

// available returns the free memory of the machine, or GOMEMLIMIT if that is less.
func available() float64 { return min(memory.Available(), float64(debug.SetMemoryLimit(-1))) }

// FitMemory refuses the number of a flag if the problem takes more memory than there is
// under ctx. forecast returns the bytes for a number from least up, and does not decrease.
// instead is another way out, or "".
func FitMemory(ctx context.Context, flag string, number, least int, forecast func(n int) float64, instead string) error {
	memory, needed := Memory(ctx), forecast(number)
	if needed <= memory {
		return nil
	}
	use := "a smaller problem"
	if fit := sort.Search(number-least, func(i int) bool { return forecast(least+i) > memory }); fit > 0 {
		use = fmt.Sprintf("at most %d", least+fit-1)
	}
	if instead != "" {
		use += ", or " + instead
	}
	return UsageErrorf("--%s: %d takes about %s of memory, and %s are free: use %s", flag, number, BytesText(needed), BytesText(memory), use)
}

// BytesText returns "1.5 GiB".
func BytesText(bytes float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	for ; bytes >= 1024 && i < len(units)-1; i++ {
		bytes /= 1024
	}
	return fmt.Sprintf("%.3g %s", bytes, units[i])
}
