package frontier

// The verb store serve.

import (
	"context"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"google.golang.org/grpc"

	pb "github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/frontier/urlfrontier"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

const defaultAddress = "127.0.0.1:7071"

// Command is the verb store serve.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "serve a store to crawlers through URLFrontier",
		UsageText: "mdpsolve store serve --store FILE [--address HOST:PORT] [--backup COPY]",
		Description: `Serves a store, which "mdpsolve store set" makes, to crawlers such as StormCrawler until
interrupted. The protocol is that of URLFrontier (gRPC without TLS). GetURLs gives the
pages that are due: first those whose greatest interval sets their rate, then the others,
and the earliest deadlines first in both groups. GetURLs keeps politeness delays. When
PutURLs acknowledges a URL, the URL is on disk.

Discovered URLs become pages of the store. For a known URL, the first of these that is
present gives the outcome of the fetch:

  date 0            the URL is never fetched again; other dates are ignored, because the
                    best rate decides
  changed           true or false
  fetch.statusCode  304: unchanged; any other but 2xx: failed
  signature, etag, last-modified (or with the prefix protocol.)
                    a new value shows that the page has changed

A URL with none of these says nothing about changes, so let the crawler keep one of them
with its URLs (StormCrawler: metadata.persist).

One store holds one crawl. SetCrawlLimit and SetLogLevel are not implemented.

With --backup, the server copies the store to a file, at once and then every --backup-every.
The file is replaced once the copy is whole and on disk.

Only programs on this computer can connect, unless other computers can reach --address.
There is no password.

Examples:
  mdpsolve store serve --store pages.db --backup backup.db --backup-every 6h
  mdpsolve store serve --store news.db --crawl news --address 127.0.0.1:7072`,
		Flags: []cli.Flag{
			ui.ValueFlag("store", "serve the store in `FILE`", ""),
			ui.AddressFlag(defaultAddress),
			ui.ValueFlag("crawl", "`NAME` of the crawl in the store", defaultCrawl),
			ui.ValueFlag("backup", "copy the store to `FILE` at once and at intervals", ""),
			ui.ValueFlag("backup-every", "copy it once in `D`, such as 6h", "24h"),
		},
		Action: ui.Action(serve),
	}
}

func serve(a *ui.Arguments) error {
	crawl := a.Text("crawl", "the name of a crawl")
	if crawl == "" || !utf8.ValidString(crawl) {
		a.Fault("crawl", "%q is not valid: use a name in UTF-8, such as %s", crawl, defaultCrawl)
	}
	copies, every := readBackup(a)
	return lists.WithStore(a, func(pages *store.Store) error {
		listener, err := a.Listen("", defaultAddress)
		if err != nil {
			return err
		}
		server := newServer(&service{store: pages, crawl: crawl, address: listener.Addr().String(), plain: sync.OnceFunc(func() { lists.WarnOfPlainPrior(a) })})
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(listener) }()
		due := make(<-chan time.Time) // never, without --backup
		if copies != "" {
			due = time.After(0)
		}
		for {
			select {
			case err := <-ended:
				return err
			case <-due:
				if err := lists.Backup(pages, copies); err != nil {
					a.Warn("--backup: %v", err)
				}
				due = time.After(every)
			case <-a.CLI.Done():
				stop(server)
				return nil
			}
		}
	})
}

// readBackup reads where copies go, "" for none, and how often.
func readBackup(a *ui.Arguments) (name string, every time.Duration) {
	if !a.CLI.IsSet("backup") {
		if a.CLI.IsSet("backup-every") {
			a.Fault("backup-every", "there is no --backup: add one")
		}
		return "", 0
	}
	name = lists.CopyFile(a, "backup")
	text := a.CLI.String("backup-every")
	length, own, err := unit.ParseDuration(text)
	seconds := unit.Duration(length, own, unit.Second)
	const year = 365 * 24 * 60 * 60
	if err != nil || own == unit.Unknown || !(seconds >= 1 && seconds <= year) {
		a.Fault("backup-every", "%q is not valid: use a duration from 1s to 365d, such as 6h", text)
	}
	return name, time.Duration(seconds * float64(time.Second))
}

func newServer(s *service) *grpc.Server {
	server := grpc.NewServer(grpc.UnaryInterceptor(s.unary), grpc.StreamInterceptor(stream))
	pb.RegisterURLFrontierServer(server, s)
	return server
}

// stop waits for requests under way, but not for streams that clients keep open.
func stop(server *grpc.Server) {
	const patience = time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() {
		server.GracefulStop()
		cancel()
	}()
	<-ctx.Done()
	server.Stop()
}
