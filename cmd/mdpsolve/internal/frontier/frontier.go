package frontier

// The verb frontier serve.

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"google.golang.org/grpc"

	pb "github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/frontier/urlfrontier"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

const defaultAddress = "127.0.0.1:7071"

// Command is the group of verbs.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "frontier",
		Usage:     "what is due, for crawlers that speak URLFrontier",
		UsageText: "mdpsolve frontier serve [options]",
		Description: `Crawlers such as StormCrawler ask a frontier which URLs to fetch next, and tell it
what came of that.

Examples:
  mdpsolve frontier serve --store pages.db
  mdpsolve frontier serve --store news.db --crawl news --address 127.0.0.1:7072`,
		Subcommands: []*cli.Command{serveCommand()},
	}
}

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "serve a store of pages through URLFrontier's gRPC interface",
		UsageText: "mdpsolve frontier serve --store FILE [--address HOST:PORT]",
		Description: `Serves the store FILE, which mdpsolve store set makes, until it is interrupted, to
crawlers that speak URLFrontier (gRPC without TLS). GetURLs gives the pages that are
due by the best rates, the earliest deadlines first, and keeps the delay of each
host. What PutURLs acknowledges is on disk.

Discovered URLs become pages of the store. Of a known one the metadata say what came
of the fetch; the first of these that is there decides:

  date 0            the URL is never to be fetched again; other dates are ignored:
                    the best rate decides
  changed           true or false
  fetch.statusCode  304: unchanged; any other but 2xx: failed
  signature, etag, last-modified (also behind protocol.)
                    changed if it is not that of the fetch before

Without any of them nothing is learned of how often the page changes: have the
crawler keep one of them with its URLs (StormCrawler: metadata.persist).

One store holds one crawl. SetCrawlLimit and SetLogLevel are not implemented.

Only programs on this computer can connect, unless --address names an address that
others reach. There is no password.

Examples:
  mdpsolve frontier serve --store pages.db
  mdpsolve frontier serve --store news.db --crawl news --address 127.0.0.1:7072`,
		Flags: []cli.Flag{
			ui.ValueFlag("store", "serve the pages of the store `FILE`", ""),
			ui.AddressFlag(defaultAddress),
			ui.ValueFlag("crawl", "`NAME` of the crawl that the store holds", defaultCrawl),
		},
		Action: ui.Action(serve),
	}
}

func serve(a *ui.Arguments) error {
	crawl := a.Text("crawl", "the name of a crawl")
	if crawl == "" || !utf8.ValidString(crawl) {
		a.Fault("crawl", "%q is not valid: use a name in UTF-8, such as %s", crawl, defaultCrawl)
	}
	return lists.WithStore(a, func(pages *store.Store) error {
		listener, err := a.Listen("", defaultAddress)
		if err != nil {
			return err
		}
		server := newServer(&service{store: pages, crawl: crawl, address: listener.Addr().String()})
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(listener) }()
		select {
		case err := <-ended:
			return err
		case <-a.CLI.Done():
			stop(server)
			return nil
		}
	})
}

func newServer(s *service) *grpc.Server {
	server := grpc.NewServer(grpc.UnaryInterceptor(s.unary), grpc.StreamInterceptor(stream))
	pb.RegisterURLFrontierServer(server, s)
	return server
}

// stop lets requests end that are under way, but not streams that clients keep open.
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
