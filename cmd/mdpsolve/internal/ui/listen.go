package ui

// The address of a server.

import (
	"fmt"
	"net"

	"github.com/urfave/cli/v2"
)

// AddressFlag is --address, where a server listens.
func AddressFlag(byDefault string) cli.Flag {
	return ValueFlag("address", "listen at `HOST:PORT`; port 0 picks a free one", byDefault)
}

// Listen listens at --address, such as example, and prints the address after before. It
// ends the progress display, since a server has no end.
func (a *Arguments) Listen(before, example string) (net.Listener, error) {
	if _, is := inService(a.CLI.Context); is { // it would answer no other question
		return nil, UsageErrorf("%s: not valid in a worker: start it as a command of its own", a.CLI.Command.HelpName)
	}
	const flag = "address"
	address := a.CLI.String(flag)
	if _, _, err := net.SplitHostPort(address); err != nil {
		a.Fault(flag, "%q is not valid: use HOST:PORT, such as %s", address, example)
	}
	var config net.ListenConfig
	listener, err := config.Listen(a.CLI.Context, "tcp", address)
	if err != nil {
		a.Fault(flag, "%q is not valid: use a free address of this computer (%v)", address, err)
	}
	if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		a.Warn("--address %s: other computers can connect without a password", address)
	}
	a.progress.Stop()
	_, err = fmt.Fprintf(a.CLI.App.Writer, "listening on %s%s\n", before, listener.Addr())
	return listener, err
}
