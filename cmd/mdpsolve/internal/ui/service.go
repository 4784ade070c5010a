package ui

// Commands that run within a program that goes on behind them.

import "context"

type serviceKey struct{}

// InService returns ctx for commands of a program that goes on behind them, such as a
// server: they leave nothing under way.
func InService(ctx context.Context) context.Context {
	return context.WithValue(ctx, serviceKey{}, true)
}

// IsInService reports whether a command runs in such a program.
func IsInService(ctx context.Context) bool {
	in, _ := ctx.Value(serviceKey{}).(bool)
	return in
}
