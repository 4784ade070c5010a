// The command refreshbeam solves page problems on Apache Beam, over page lists in many
// files, on any runner of Beam.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // all runners

	"github.com/mdpsolve/mdpsolve/distributed/beam/pass"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

const usage = `usage: refreshbeam rates --input GLOB --bandwidth R --out PREFIX [options]
       refreshbeam rates --help lists all options, and those of Beam's runners`

// Exit statuses, which are those of mdpsolve.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitLimit       = 3 // the best so far at a limit
	exitInterrupted = 130
)

// usageError returns an error for which the exit status is 2.
func usageError(format string, values ...any) error {
	return &pass.FinalError{Status: exitUsage, Text: fmt.Sprintf(format, values...)}
}

func main() {
	const checksums = "AWS_RESPONSE_CHECKSUM_VALIDATION"
	if os.Getenv(checksums) == "" { // or the SDK warns of each object that has none
		_ = os.Setenv(checksums, "when_required") // such a name is a good one
	}
	if isWorker(os.Args[1:]) {
		if err := work(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "refreshbeam: worker: "+wording.Line(err.Error()))
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "refreshbeam: "+wording.Line(err.Error()))
		os.Exit(status(ctx, err))
	}
	stop()
}

// status returns the exit status that belongs to an error.
func status(ctx context.Context, err error) int {
	if fault, ok := errors.AsType[*pass.FinalError](err); ok {
		return fault.Status
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitFailure
}

func run(ctx context.Context, words []string) error {
	if len(words) == 0 || slices.Contains([]string{"help", "-h", "-help", "--help"}, words[0]) {
		fmt.Println(usage)
		return nil
	}
	if words[0] != "rates" {
		return usageError("%q is not valid: use rates", words[0])
	}
	rates := readRatesFlags(flag.CommandLine)
	flag.CommandLine.Init("refreshbeam rates", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard) // where Parse writes all flags beside its error
	if err := flag.CommandLine.Parse(words[1:]); errors.Is(err, flag.ErrHelp) {
		flag.CommandLine.SetOutput(os.Stdout)
		flag.CommandLine.Usage()
		return nil
	} else if err != nil {
		return usageError("%v: refreshbeam rates --help lists the flags", err)
	}
	if err := checkWords(flag.Args()); err != nil {
		return err
	}
	if err := workByProcess(); err != nil {
		return err
	}
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // Beam says all it does, and each failure many times
	return rates.run(ctx)
}

// checkWords refuses words that are no flags where there should be none, and a runner that Beam does not
// have: Beam itself would end the program without a word.
func checkWords(rest []string) error {
	if len(rest) > 0 {
		return usageError("%q is no flag: put a pattern into quotes, as in --input 'pages-*.csv', so that the shell leaves it alone", rest[0])
	}
	known := []string{"prism", "flink", "spark", "dataflow", "direct", "universal"}
	also := []string{"PrismRunner", "FlinkRunner", "SparkRunner", "DataflowRunner", "DirectRunner", "PortableRunner", "portable"}
	if name := *runners.Runner; name != "" && !slices.Contains(append(also, known...), name) {
		return usageError("--runner: %q is not valid: use %s or universal", name, strings.Join(known[:len(known)-1], ", "))
	}
	return nil
}
