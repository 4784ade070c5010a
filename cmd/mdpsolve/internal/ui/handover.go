package ui

// Files that a program hands over to a worker, and gets back, in memory.

import (
	"bytes"
	"context"
)

// Handover is what stands for files of a command that a worker runs.
type Handover struct {
	Given    string // the name of a file that is read; "" for none
	Data     []byte // its content, which is only valid while the command runs
	Returned string // the name of a file to write, which goes to Content instead; "" for none
	Content  *bytes.Buffer
}

// Of returns the content of a file that is in memory.
func (h *Handover) Of(name string) (data []byte, is bool) {
	return h.Data, name == h.Given && name != ""
}

type handoverKey struct{}

// WithHandover returns ctx for a command with files in memory.
func WithHandover(ctx context.Context, h *Handover) context.Context {
	return context.WithValue(ctx, handoverKey{}, h)
}

// HandoverOf returns the files in memory of the command that runs under ctx.
func HandoverOf(ctx context.Context) *Handover {
	if h, is := ctx.Value(handoverKey{}).(*Handover); is {
		return h
	}
	return &Handover{}
}
