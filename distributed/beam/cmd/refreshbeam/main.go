// The command refreshbeam solves page problems on Apache Beam, over page lists in many
// files, on whatever runner Beam has.
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
)

// A declaration declares the flags of a verb, and returns what is to be done once they have
// been read.
type declaration func(flags *flag.FlagSet) func(context.Context) error

// verbs are what the command can do, by name.
var verbs = map[string]declaration{
	"rates":    ratesVerb,
	"estimate": eachVerb("estimate", "histories, each of which has all accesses of its pages", "--prior", "none"),
	"schedule": eachVerb("schedule", "lists of rates, each of which gets a schedule of its own"),
	"study":    studyVerb,
}

const usage = `usage: refreshbeam rates    --input GLOB --bandwidth R --out PREFIX [options]
       refreshbeam estimate --input GLOB --out PREFIX [options] -- [flags of mdpsolve refresh estimate]
       refreshbeam schedule --input GLOB --out PREFIX [options] -- [flags of mdpsolve refresh schedule]
       refreshbeam study    --input TABLE --out PREFIX [options] -- [a verb of mdpsolve and its flags]
       refreshbeam rates --help lists all options of a verb, and those of Beam's runners`

// usageError returns an error for which the exit status is 2.
func usageError(format string, values ...any) error {
	return &pass.FinalError{Status: exitUsage, Text: fmt.Sprintf(format, values...)}
}

func main() {
	if isWorker(os.Args[1:]) {
		if err := work(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "refreshbeam: worker:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "refreshbeam: "+strings.TrimSpace(err.Error()))
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
	verb, found := verbs[words[0]]
	if !found {
		return usageError("%q is not valid: use rates, estimate, schedule or study", words[0])
	}
	act := verb(flag.CommandLine)
	flag.CommandLine.Init("refreshbeam "+words[0], flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard) // where Parse writes all flags beside its error
	if err := flag.CommandLine.Parse(words[1:]); errors.Is(err, flag.ErrHelp) {
		flag.CommandLine.SetOutput(os.Stdout)
		flag.CommandLine.Usage()
		return nil
	} else if err != nil {
		return usageError("%v: refreshbeam %s --help lists the flags", err, words[0])
	}
	if err := checkWords(words, flag.Args()); err != nil {
		return err
	}
	if err := workByProcess(); err != nil {
		return err
	}
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // Beam says all it does, and each failure many times
	return act(ctx)
}

// checkWords refuses words that are no flags where there should be none, and a runner that Beam does not
// have: Beam itself would end the program without a word.
func checkWords(words, rest []string) error {
	if len(rest) > 0 && (words[0] == "rates" || words[len(words)-len(rest)-1] != "--") {
		return usageError("%q is no flag: put a pattern into quotes, as in --input 'pages-*.csv', so that the shell leaves it alone", rest[0])
	}
	known := []string{"prism", "flink", "spark", "dataflow", "direct", "universal"}
	also := []string{"PrismRunner", "FlinkRunner", "SparkRunner", "DataflowRunner", "DirectRunner", "PortableRunner", "portable"}
	if name := *runners.Runner; name != "" && !slices.Contains(append(also, known...), name) {
		return usageError("--runner: %q is not valid: use %s or universal", name, strings.Join(known[:len(known)-1], ", "))
	}
	return nil
}
