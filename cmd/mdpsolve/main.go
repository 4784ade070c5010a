// The command mdpsolve computes optimal numbers of web robots, fixed or
// switched on and off, and reproduces the tables and figures of the paper that
// poses the problem. It solves any other finite Markov decision process from a
// file, too, and checks results. Run mdpsolve --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/app"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	status := app.Run(ctx, os.Args, os.Stdout, os.Stderr)
	wholefile.Discard() // of work that was abandoned
	os.Exit(status)
}
