// This file connects a crawler with a site.

package site

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Serve serves a site at a listener until ctx ends. It returns when all connections are closed.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// Client returns a client for which every host is at one address, as dial connects with it.
func Client(connections int, dial func(ctx context.Context) (net.Conn, error)) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		MaxIdleConns:        connections * 4,
		MaxIdleConnsPerHost: connections,
		DisableCompression:  true,
	}}
}
