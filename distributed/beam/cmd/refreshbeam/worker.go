package main

// The command as a worker process of a runner.

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// workByProcess makes workers of a runner that is reached by --endpoint, unless the flags
// say otherwise, processes of this program, which lies at the same place on each machine.
func workByProcess() error {
	process := strings.EqualFold(*jobopts.EnvironmentType, "process")
	if *jobopts.Endpoint == "" || *jobopts.EnvironmentType != "" && !process {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	*jobopts.EnvironmentType = "PROCESS"
	if *jobopts.EnvironmentConfig == "" {
		command, err := json.Marshal(map[string]string{"command": self})
		if err != nil {
			return err
		}
		*jobopts.EnvironmentConfig = string(command)
	}
	if *jobopts.WorkerBinary == "" {
		*jobopts.WorkerBinary = self // or Beam compiles the folder that it is in
	}
	return nil
}

// isWorker says whether a runner has started the program: as the command of
// --environment_type=PROCESS, or by the boot program of a container.
func isWorker(words []string) bool {
	return len(words) > 0 && (strings.HasPrefix(words[0], "--id=") || strings.HasPrefix(words[0], "--worker"))
}

// guarded is set in the environment of a worker that has a guard.
const guarded = "REFRESHBEAM_GUARDED"

// work does what a runner asks for, until the runner ends the connection or its own life.
//
// A process environment could also be Beam's boot program. But that fetches a copy of this
// program from the runner for each job, and leaves it running when the runner is killed.
func work(ctx context.Context, words []string) error {
	switch {
	case strings.HasPrefix(words[0], "--worker"):
		flag.Parse()
		beam.Init() // does not return
	case os.Getenv(guarded) == "":
		return guard(words)
	}
	return serve(ctx, words)
}

// guard has a second process do the work. If the process that prism has started did the
// work itself and were killed, prism would wait for ever: it learns that the process has
// ended before the connection does, and then takes the end of the connection for a
// regular one. With guard, the process that prism has started ends after the connection.
func guard(words []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	worker := exec.Command(self, words...)
	worker.Env = append(os.Environ(), guarded+"=1")
	worker.Stdout, worker.Stderr = os.Stdout, os.Stderr
	err = worker.Run()
	time.Sleep(time.Second)
	return err
}

// serve connects to the runner and does what it asks for.
func serve(ctx context.Context, words []string) error {
	flags := flag.NewFlagSet("worker", flag.ContinueOnError)
	id := flags.String("id", "", "")
	provision := flags.String("provision_endpoint", "", "")
	control := flags.String("control_endpoint", "", "")
	logging := flags.String("logging_endpoint", "", "")
	flags.String("artifact_endpoint", "", "") // nothing to fetch
	if err := flags.Parse(words); err != nil {
		return err
	}
	beam.Init()
	ctx = grpcx.WriteWorkerID(ctx, strings.Trim(*id, "'")) // prism writes it in quotes
	info, err := tools.ProvisionInfo(ctx, *provision)
	if err != nil {
		return err
	}
	if url := info.GetControlEndpoint().GetUrl(); url != "" {
		*control = url
	}
	if url := info.GetLoggingEndpoint().GetUrl(); url != "" {
		*logging = url
	}
	return harness.MainWithOptions(ctx, *logging, *control, harness.Options{
		RunnerCapabilities: info.GetRunnerCapabilities(),
		StatusEndpoint:     info.GetStatusEndpoint().GetUrl(),
	})
}
