package main

// How soon long commands end that are interrupted, wherever they are.

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// longCommands take seconds and more, some of them hours.
var longCommands = []string{
	"robots solve --robots 2000 --buffer 400 --lambda 1/2000 --mu 1 --gamma 1.4",
	"robots solve --robots 2000 --buffer 1000 --lambda 1/2000 --mu 1 --gamma 1.4 --method policy-iteration",
	"robots solve --robots 4000 --buffer 1000 --lambda 1/4000 --mu 1 --gamma 1.4 --method rvi",
	"robots solve --robots 1000 --buffer 400 --lambda 1/1000 --mu 1 --gamma 1.4 --method paper",
	"robots solve --robots auto --buffer 200 --lambda 1/200 --mu 1 --gamma 1.4",
	"robots solve --robots 400 --buffer 100 --lambda 1/400 --mu 1 --gamma 1.4 --service erlang:4",
	"robots frontier --from 0.1 --to 10 --robots 300 --buffer 100 --lambda 1/100 --mu 1",
	"robots table --lambda 0.005,0.01 --buffer 50,100 --gamma 1,2 --robots auto",
	"robots sweep --over gamma --from 0.5 --to 5 --steps 100 --robots 200 --buffer 100 --lambda 0.01 --mu 1",
	"robots simulate --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --horizon 1e10",
	"solve chain.drn --criterion average --method rvi",
	"solve chain.drn --criterion discounted --discount 0.9999999 --method value-iteration --tolerance 1e-12",
	"solve chain.drn --criterion finite --horizon 1000000",
	"refresh compare --synthetic 1000000 --steps 1000",
	"refresh schedule --input many.csv --length 1000000000000 --out slots.csv",
	"static sweep --over gamma --from 0.1 --to 20 --steps 1000000 --lambda 0.1 --mu 1 --buffer 500",
	"static --lambda 0.0001 --mu 1 --gamma 1 --buffer 200000 --service gamma:0.3",
	"static sweep --over buffer --from 200000 --to 200001 --lambda 0.0001 --mu 1 --gamma 1 --service gamma:0.3",
}

// Whatever an interrupted command is doing, it says at once that it stops, and ends soon
// after. The aims are 0.2 seconds and one second. Machines that run tests do other things,
// too, so the test only asserts that nothing goes on to its end.
func TestInterruptionLatency(t *testing.T) {
	t.Chdir(t.TempDir())
	chainFile(t, 20000) // chain.drn
	var pages strings.Builder
	pages.WriteString("id,rate\n")
	for i := range 1000 {
		fmt.Fprintf(&pages, "%d,%d\n", i, i+1)
	}
	require.NoError(t, os.WriteFile("many.csv", []byte(pages.String()), 0o600))
	times, spread, most := 1, 500*time.Millisecond, 10*time.Second
	if *atLength {
		times, spread = 5, 2*time.Second
	}
	const seed = 5
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, line := range longCommands {
		var answers, ends []time.Duration
		for range times {
			answered, ended := interrupt(t, line, 200*time.Millisecond+time.Duration(random.Float64()*float64(spread)))
			answers, ends = append(answers, answered), append(ends, ended)
		}
		slices.Sort(ends)
		t.Logf("answer within %.2f s, end after %.2f s (median) and %.2f s (max): %s",
			slices.Max(answers).Seconds(), ends[len(ends)/2].Seconds(), ends[len(ends)-1].Seconds(), line)
		assert.Less(t, slices.Max(answers), most, line)
		assert.Less(t, slices.Max(ends), most, line)
	}
}

// interrupt runs a command, interrupts it after a time, and returns how long it took to
// answer, and to end.
func interrupt(t *testing.T, line string, after time.Duration) (answered, ended time.Duration) {
	t.Helper()
	command := program(t, strings.Split(line, " ")...)
	var stdout bytes.Buffer
	command.Stdout = &stdout
	stderr, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	time.Sleep(after)
	begin := time.Now()
	require.NoError(t, command.Process.Signal(os.Interrupt))
	text := ""
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.Contains(lines.Text(), "stopping; press Ctrl-C again to quit") {
			answered = time.Since(begin)
		}
		text += lines.Text() + "\n"
	}
	var exit *exec.ExitError
	require.ErrorAs(t, command.Wait(), &exit, line)
	assert.Equal(t, ui.ExitInterrupted, exit.ExitCode(), "%s\n%s", line, text)
	assert.Positive(t, answered, "%s\n%s", line, text)
	return answered, time.Since(begin)
}
