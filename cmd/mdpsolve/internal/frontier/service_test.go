package frontier

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	pb "github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/frontier/urlfrontier"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// serveStore returns a client of a frontier, and the store that it serves.
func serveStore(t *testing.T, settings store.Settings) (pb.URLFrontierClient, *store.Store) {
	t.Helper()
	address, pages := serveAtPort(t, settings)
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, connection.Close()) })
	return pb.NewURLFrontierClient(connection), pages
}

// put sends items and returns the status of each.
func put(t *testing.T, client pb.URLFrontierClient, items ...*pb.URLItem) (outcomes []pb.AckMessage_Status) {
	t.Helper()
	stream, err := client.PutURLs(t.Context())
	require.NoError(t, err)
	go func() { // what cannot be sent has no answer
		for _, item := range items {
			_ = stream.Send(item)
		}
		_ = stream.CloseSend()
	}()
	for i := range items {
		ack, err := stream.Recv()
		require.NoError(t, err)
		assert.Equal(t, infoIn(items[i]).GetUrl(), ack.GetID())
		outcomes = append(outcomes, ack.GetStatus())
	}
	_, err = stream.Recv()
	require.ErrorIs(t, err, io.EOF)
	return outcomes
}

func discovered(url, key string) *pb.URLItem {
	return &pb.URLItem{Item: &pb.URLItem_Discovered{Discovered: &pb.DiscoveredURLItem{Info: &pb.URLInfo{Url: url, Key: key}}}}
}

// known returns an item for a URL that was fetched, with metadata: key, value and so on.
func known(url string, date uint64, metadata ...string) *pb.URLItem {
	info := &pb.URLInfo{Url: url, Metadata: map[string]*pb.StringList{}}
	for i := 0; i < len(metadata); i += 2 {
		info.Metadata[metadata[i]] = &pb.StringList{Values: metadata[i+1 : i+2]}
	}
	return &pb.URLItem{Item: &pb.URLItem_Known{Known: &pb.KnownURLItem{Info: info, RefetchableFromDate: date}}}
}

// all reads a stream to its end.
func all[T any](t *testing.T, stream grpc.ServerStreamingClient[T], err error) (values []*T) {
	t.Helper()
	require.NoError(t, err)
	for {
		value, err := stream.Recv()
		if err == io.EOF { //nolint:errorlint // as gRPC returns it
			return values
		}
		require.NoError(t, err)
		values = append(values, value)
	}
}

func urls(infos []*pb.URLInfo) (urls []string) {
	for _, info := range infos {
		urls = append(urls, info.GetUrl())
	}
	return urls
}

func TestURLsComeAndGo(t *testing.T) {
	client, pages := serveStore(t, store.Settings{Bandwidth: 1e6})
	ctx := t.Context()
	a1, a2, b1 := "https://a.example/1", "https://a.example/2", "https://b.example/1"
	assert.Equal(t, []pb.AckMessage_Status{pb.AckMessage_OK, pb.AckMessage_OK, pb.AckMessage_OK, pb.AckMessage_SKIPPED, pb.AckMessage_OK},
		put(t, client, discovered(a1, ""), discovered(a2, "a.example"), discovered(b1, "queue b"), discovered("", ""), discovered(a1, "")))
	assert.Equal(t, 3, pages.Counts().Pages)

	get := func(r *pb.GetParams) []string {
		stream, err := client.GetURLs(ctx, r)
		return urls(all(t, stream, err))
	}
	_, err := client.SetActive(ctx, &pb.Active{})
	require.NoError(t, err)
	assert.Empty(t, get(&pb.GetParams{}))
	active, err := client.GetActive(ctx, &pb.Local{})
	require.NoError(t, err)
	assert.False(t, active.GetState())
	_, err = client.SetActive(ctx, &pb.Active{State: true})
	require.NoError(t, err)

	assert.Equal(t, []string{b1}, get(&pb.GetParams{Key: "queue b", DelayRequestable: 1000}))
	assert.Len(t, get(&pb.GetParams{MaxUrlsPerQueue: 1, MaxQueues: 5}), 1)
	assert.Len(t, get(&pb.GetParams{MaxUrlsPerQueue: 1, MaxQueues: 5}), 1)
	assert.Empty(t, get(&pb.GetParams{}))
	stats, err := client.GetStats(ctx, &pb.QueueWithinCrawlParams{})
	require.NoError(t, err)
	assert.Equal(t, []uint64{3, 3, 2, 0, 2}, []uint64{stats.GetSize(), uint64(stats.GetInProcess()), stats.GetNumberOfQueues(), stats.GetCounts()["completed"], stats.GetCounts()["active_queues"]})

	put(t, client, known(a1, 1, "signature", "x", "title", "One"))
	put(t, client, known(a1, 1, "signature", "y", "title", "Two"), known(a2, 0), known("https://c.example/", 1, "changed", "true"))
	item, err := client.GetURLStatus(ctx, &pb.URLStatusRequest{Url: a1})
	require.NoError(t, err)
	assert.Equal(t, "Two", item.GetKnown().GetInfo().GetMetadata()["title"].GetValues()[0])
	page, err := pages.Page(a1)
	require.NoError(t, err)
	assert.Equal(t, []int64{2, 1}, []int64{page.Visits, page.Changes})
	assert.Equal(t, store.Counts{Pages: 4, Unvisited: 1, Gone: 1, HandedOut: 1}, pages.Counts())

	listed, err := client.ListURLs(ctx, &pb.ListUrlParams{Key: "a.example"})
	assert.Len(t, all(t, listed, err), 2)
	ignore, part := true, "C.EXAMPLE"
	count, err := client.CountURLs(ctx, &pb.CountUrlParams{Filter: &part, IgnoreCase: &ignore})
	require.NoError(t, err)
	assert.Equal(t, uint64(1), count.GetValue())
	for key, want := range map[string]uint64{"": 4, "a.example": 2, "none.example": 0} {
		count, err = client.CountURLs(ctx, &pb.CountUrlParams{Key: key})
		require.NoError(t, err)
		assert.Equal(t, want, count.GetValue(), key)
	}

	batches, err := client.PutDiscovered(ctx)
	require.NoError(t, err)
	require.NoError(t, batches.Send(&pb.DiscoveredBatch{ID: "7", Items: []*pb.URLInfo{{Url: "https://d.example/"}, {Url: ""}, {Url: "https://d.example/2", CrawlID: "other"}}}))
	ack, err := batches.Recv()
	require.NoError(t, err)
	assert.Equal(t, "7", ack.GetID())
	assert.Equal(t, []pb.AckMessage_Status{pb.AckMessage_OK, pb.AckMessage_SKIPPED, pb.AckMessage_SKIPPED}, ack.GetStatuses())
	require.NoError(t, batches.CloseSend())

	number := func(count *pb.Long, err error) int {
		require.NoError(t, err)
		return int(count.GetValue())
	}
	assert.Equal(t, 2, number(client.DeleteQueue(ctx, &pb.QueueWithinCrawlParams{Key: "a.example"})))
	assert.Equal(t, 0, number(client.PurgeURLs(ctx, &pb.PurgeUrlParams{Days: 1})))
	assert.Equal(t, 3, number(client.DeleteCrawl(ctx, &pb.DeleteCrawlMessage{})))
	assert.Zero(t, pages.Counts())
}

// What the metadata of a fetched URL say of it.
func TestOutcomes(t *testing.T) {
	client, pages := serveStore(t, store.Settings{Bandwidth: 1})
	for i, test := range []struct {
		first, second *pb.URLItem
		outcome       store.Outcome
		changes       int64
	}{
		{known("", 1, "changed", "false"), known("", 1, "changed", "true", "fetch.statusCode", "304"), store.Changed, 1},
		{known("", 1, "changed", "false"), known("", 1, "changed", "0"), store.Unchanged, 0},
		{known("", 1, "changed", "false"), known("", 1, "fetch.statusCode", "304"), store.Unchanged, 0},
		{known("", 1, "signature", "x"), known("", 1, "signature", "x", "fetch.statusCode", "200"), store.Unchanged, 0},
		{known("", 1, "signature", "x"), known("", 1, "signature", "y", "fetch.statusCode", "200"), store.Changed, 1},
		{known("", 1, "signature", "x"), known("", 1, "signature", "y", "fetch.statusCode", "500"), store.Failed, 0},
		{known("", 1, "protocol.etag", "x"), known("", 1, "protocol.etag", "y"), store.Changed, 1},
		{known("", 1), known("", 1), store.Found, 0},
		{known("", 1, "signature", "x"), known("", 0, "signature", "y"), store.Gone, 0},
	} {
		url := fmt.Sprintf("https://a.example/%d", i)
		for _, item := range []*pb.URLItem{test.first, test.second} {
			infoIn(item).Url = url
			require.Equal(t, []pb.AckMessage_Status{pb.AckMessage_OK}, put(t, client, item))
		}
		page, err := pages.Page(url)
		require.NoError(t, err)
		assert.Equal(t, test.outcome, page.Outcome, "test %d", i)
		assert.Equal(t, test.changes, page.Changes, "test %d", i)
	}
}

func TestQueues(t *testing.T) {
	client, _ := serveStore(t, store.Settings{Bandwidth: 1e6})
	ctx := t.Context()
	for i := range 6 {
		put(t, client, discovered(fmt.Sprintf("https://h%d.example/%d", i%3, i), ""))
	}
	queues := func(r *pb.Pagination) []string {
		list, err := client.ListQueues(ctx, r)
		require.NoError(t, err)
		assert.Equal(t, uint32(len(list.GetValues())), list.GetSize())
		return list.GetValues()
	}
	assert.Equal(t, []string{"h0.example", "h1.example", "h2.example"}, queues(&pb.Pagination{}))
	assert.Equal(t, []string{"h1.example"}, queues(&pb.Pagination{Start: 1, Size: 1}))
	assert.Empty(t, queues(&pb.Pagination{Start: 9}))
	_, err := client.BlockQueueUntil(ctx, &pb.BlockQueueParams{Key: "h0.example", Time: uint64(time.Now().Unix()) + 1000})
	require.NoError(t, err)
	assert.Equal(t, []string{"h1.example", "h2.example"}, queues(&pb.Pagination{}))
	assert.Len(t, queues(&pb.Pagination{IncludeInactive: true}), 3)
	_, err = client.SetDelay(ctx, &pb.QueueDelayParams{Key: "h1.example", DelayRequestable: 1000})
	require.NoError(t, err)
	stream, err := client.GetURLs(ctx, &pb.GetParams{})
	assert.ElementsMatch(t, []string{"https://h1.example/1", "https://h2.example/2", "https://h2.example/5"}, urls(all(t, stream, err)))
	_, err = client.SetDelay(ctx, &pb.QueueDelayParams{DelayRequestable: 1000})
	require.NoError(t, err)
	_, err = client.BlockQueueUntil(ctx, &pb.BlockQueueParams{Key: "h0.example"})
	require.NoError(t, err)
	stream, err = client.GetURLs(ctx, &pb.GetParams{})
	assert.Len(t, all(t, stream, err), 1)
}

// Numbers that are as great as messages can hold.
func TestExtremes(t *testing.T) {
	client, _ := serveStore(t, store.Settings{Bandwidth: 1e6})
	ctx := t.Context()
	put(t, client, discovered("https://a.example/", ""), discovered("https://b.example/", ""))
	for time, want := range map[uint64]int{math.MaxUint64: 1, 1 << 63: 1, math.MaxInt64: 1, 1: 2, 0: 2} {
		_, err := client.BlockQueueUntil(ctx, &pb.BlockQueueParams{Key: "a.example", Time: time})
		require.NoError(t, err)
		stream, err := client.GetURLs(ctx, &pb.GetParams{DelayRequestable: 1, MaxUrlsPerQueue: math.MaxUint32, MaxQueues: math.MaxUint32})
		assert.Len(t, all(t, stream, err), want, "blocked until %d", time)
		_, err = client.DeleteCrawl(ctx, &pb.DeleteCrawlMessage{})
		require.NoError(t, err)
		put(t, client, discovered("https://a.example/", ""), discovered("https://b.example/", ""))
	}
	stats, err := client.GetStats(ctx, &pb.QueueWithinCrawlParams{})
	require.NoError(t, err)
	assert.Equal(t, []uint64{2, 2}, []uint64{stats.GetSize(), stats.GetNumberOfQueues()})
	list, err := client.ListQueues(ctx, &pb.Pagination{Start: math.MaxUint32, Size: math.MaxUint32})
	require.NoError(t, err)
	assert.Empty(t, list.GetValues())
}

// A stream takes items of any number and size, though it keeps few in memory.
func TestLargeItems(t *testing.T) {
	client, pages := serveStore(t, store.Settings{Bandwidth: 1})
	var items []*pb.URLItem
	for i := range 20 {
		items = append(items, known(fmt.Sprintf("https://a.example/%d", i), 1, "text", strings.Repeat("x", 3_000_000)))
	}
	for i := range 3 * mostBlocks {
		items = append(items, discovered(fmt.Sprintf("https://b.example/%d", i), ""))
	}
	for _, outcome := range put(t, client, items...) {
		require.Equal(t, pb.AckMessage_OK, outcome)
	}
	assert.Equal(t, len(items), pages.Counts().Pages)
}

func TestRefusals(t *testing.T) {
	client, _ := serveStore(t, store.Settings{Bandwidth: 1})
	ctx := t.Context()
	code := func(_ any, err error) codes.Code { return status.Code(err) }
	assert.Equal(t, codes.Unimplemented, code(client.SetCrawlLimit(ctx, &pb.CrawlLimitParams{})))
	assert.Equal(t, codes.Unimplemented, code(client.SetLogLevel(ctx, &pb.LogLevelParams{})))
	assert.Equal(t, codes.NotFound, code(client.GetURLStatus(ctx, &pb.URLStatusRequest{Url: "x"})))
	assert.Equal(t, codes.NotFound, code(client.GetStats(ctx, &pb.QueueWithinCrawlParams{Key: "x"})))
	assert.Equal(t, codes.NotFound, code(client.GetStats(ctx, &pb.QueueWithinCrawlParams{CrawlID: "x"})))
	assert.Equal(t, codes.InvalidArgument, code(client.DeleteQueue(ctx, &pb.QueueWithinCrawlParams{})))
	assert.Equal(t, codes.InvalidArgument, code(client.BlockQueueUntil(ctx, &pb.BlockQueueParams{})))
	assert.Equal(t, codes.InvalidArgument, code(client.SetDelay(ctx, &pb.QueueDelayParams{Key: strings.Repeat("k", 40_000)})))
	crawls, err := client.ListCrawls(ctx, &pb.Local{})
	require.NoError(t, err)
	assert.Equal(t, []string{defaultCrawl}, crawls.GetValues())
	nodes, err := client.ListNodes(ctx, &pb.Empty{})
	require.NoError(t, err)
	assert.Len(t, nodes.GetValues(), 1)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	assert.Equal(t, codes.Canceled, code(client.ListNodes(cancelled, &pb.Empty{})))
}

// If the last visit of a page is in the future, by a wrong clock, reports of later visits are
// still recorded.
func TestReportAfterAVisitInTheFuture(t *testing.T) {
	client, pages := serveStore(t, store.Settings{Bandwidth: 10})
	url := "https://a.example/"
	put(t, client, discovered(url, ""))
	for _, ahead := range []time.Duration{time.Minute, 20 * time.Hour, 100_000 * time.Hour} {
		require.NoError(t, pages.Record(store.Visit{ID: url, Time: time.Now().Add(ahead), Outcome: store.Found}))
		assert.Equal(t, []pb.AckMessage_Status{pb.AckMessage_OK}, put(t, client, known(url, 1, "signature", "x")))
		page, err := pages.Page(url)
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now(), page.Visited, 30*time.Second)
	}
}

// Pages with one content have one digest; pages with one tag or date may have any contents.
func TestTagsOfPagesDiffer(t *testing.T) {
	digest := func(url, key string) string {
		info := &pb.URLInfo{Url: url, Metadata: map[string]*pb.StringList{key: {Values: []string{"1"}}}}
		return string(visitIn(&pb.KnownURLItem{Info: info, RefetchableFromDate: 1}).Digest)
	}
	assert.Equal(t, digest("https://a.example/1", "signature"), digest("https://a.example/2", "signature"))
	for _, key := range digestKeys[1:] {
		again := digest("https://a.example/1", key)
		assert.Equal(t, again, digest("https://a.example/1", key))
		assert.NotEqual(t, digest("https://a.example/1", key), digest("https://a.example/2", key))
	}
}
