package frontier

// What clients report: discovered URLs, and outcomes of fetches.

import (
	"errors"
	"io"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	pb "github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/frontier/urlfrontier"
	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// mostTogether bounds the items that share a write to the disk.
const mostTogether = 1000

// Items of a stream that are not on disk yet wait in memory, which is bounded. It is counted in
// blocks.
const (
	block      = 4 << 10
	mostBlocks = 2000 // twice what gRPC takes as a message
)

func blocksOf(item *pb.URLItem) int { return 1 + proto.Size(item)/block }

// PutURLs stores items, and acknowledges each once it is on disk.
func (s *service) PutURLs(stream grpc.BidiStreamingServer[pb.URLItem, pb.AckMessage]) error {
	items, waiting := make(chan *pb.URLItem, mostBlocks), make(chan struct{}, mostBlocks)
	ended := make(chan error, 1)
	go func() {
		defer close(items)
		for {
			item, err := stream.Recv()
			if err != nil {
				ended <- err
				return
			}
			for range blocksOf(item) {
				select {
				case waiting <- struct{}{}:
				case <-stream.Context().Done():
					ended <- stream.Context().Err()
					return
				}
			}
			items <- item // there is room: each item has a block
		}
	}()
	for item := range items {
		batch := []*pb.URLItem{item}
		for len(batch) < mostTogether && len(items) > 0 {
			batch = append(batch, <-items)
		}
		for i, outcome := range s.take(batch) {
			id := batch[i].GetID()
			if id == "" {
				id = infoIn(batch[i]).GetUrl()
			}
			for range blocksOf(batch[i]) {
				<-waiting
			}
			if err := stream.Send(&pb.AckMessage{ID: id, Status: outcome}); err != nil {
				return err
			}
		}
	}
	if err := <-ended; !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// PutDiscovered stores new pages, a batch at a time.
func (s *service) PutDiscovered(stream grpc.BidiStreamingServer[pb.DiscoveredBatch, pb.BatchAck]) error {
	for {
		batch, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		items := make([]*pb.URLItem, len(batch.GetItems()))
		for i, info := range batch.GetItems() {
			items[i] = &pb.URLItem{Item: &pb.URLItem_Discovered{Discovered: &pb.DiscoveredURLItem{Info: info}}}
		}
		if err := stream.Send(&pb.BatchAck{ID: batch.GetID(), Statuses: s.take(items)}); err != nil {
			return err
		}
	}
}

// infoIn returns the URL of an item and what belongs to it.
func infoIn(item *pb.URLItem) *pb.URLInfo {
	if known := item.GetKnown(); known != nil {
		return known.GetInfo()
	}
	return item.GetDiscovered().GetInfo()
}

// take stores items and returns, once they are on disk, the status of each. An item without a
// URL that has a host is skipped.
func (s *service) take(items []*pb.URLItem) []pb.AckMessage_Status {
	outcomes := make([]pb.AckMessage_Status, len(items)) // OK
	var pages []store.Page
	var visits []store.Visit
	var itemOfVisit []int
	for i, item := range items {
		info := infoIn(item)
		// The crawl, the queue and the URL are kept beside it.
		note, err := proto.MarshalOptions{Deterministic: true}.Marshal(&pb.URLInfo{Metadata: info.GetMetadata()})
		page := store.Page{ID: info.GetUrl(), Host: info.GetKey(), Note: note}
		_, isURL := urlhost.Of([]byte(page.ID))
		if err != nil || !isURL || s.checkCrawl(info.GetCrawlID()) != nil || page.Validate() != nil {
			outcomes[i] = pb.AckMessage_SKIPPED
			continue
		}
		pages = append(pages, page)
		if known := item.GetKnown(); known != nil {
			visit := visitIn(known)
			visit.ID, visit.Note = page.ID, note
			visits, itemOfVisit = append(visits, visit), append(itemOfVisit, i)
		}
	}
	failed := func(err error) {
		if err == nil {
			return
		}
		for i := range outcomes {
			if outcomes[i] == pb.AckMessage_OK {
				outcomes[i] = pb.AckMessage_FAIL
			}
		}
	}
	if _, err := s.store.Add(pages...); err != nil {
		failed(err)
		return outcomes
	}
	refused, err := s.record(visits)
	for _, visit := range refused {
		outcomes[itemOfVisit[visit]] = pb.AckMessage_FAIL
	}
	failed(err)
	return outcomes
}

// record records visits in their order, and returns the indices of those that the store refuses.
// Clients do not say when they fetched a page, so the time is that of the report. Clients may
// report a page at the same time, but the times of its visits must increase: a visit that is not
// later than the last one gets a later time.
func (s *service) record(visits []store.Visit) (refused []int, err error) {
	waiting := make([]int, len(visits)) // indices of visits that are not recorded yet
	for i := range waiting {
		waiting[i] = i
	}
	// Each attempt records one visit of each page at least.
	const attempts, apart = 20, 2 * time.Microsecond // which a store tells apart
	for attempt := 1; len(waiting) > 0; attempt++ {
		now := time.Now()
		batch := make([]store.Visit, len(waiting))
		for i, visit := range waiting {
			batch[i] = visits[visit]
			batch[i].Time = now.Add(time.Duration(i) * apart)
		}
		var faults store.VisitErrors
		if err := s.store.Record(batch...); err != nil && !errors.As(err, &faults) {
			return refused, err
		}
		var again []int
		for _, fault := range faults {
			if errors.Is(fault, store.ErrNotLater) && attempt < attempts {
				again = append(again, waiting[fault.Index])
			} else {
				refused = append(refused, waiting[fault.Index])
			}
		}
		waiting = again
	}
	return refused, nil
}

// digestKeys are the metadata that identify the content of a page, the best first. Crawlers may
// use the prefix protocol. for those that come from the header of an answer.
var digestKeys = []string{"signature", "etag", "protocol.etag", "last-modified", "protocol.last-modified"}

// visitIn returns the outcome of the fetch of a known item. The first of these that is present
// decides:
//
//   - a date of 0: the URL is never to be fetched again;
//   - the metadata changed, which is true or false;
//   - fetch.statusCode: as [estimate.OutcomeOf] has it, where it is not 2xx;
//   - a digest: the page has changed if it differs from that of the fetch before.
//
// Without any of them the fetch says nothing about changes.
func visitIn(known *pb.KnownURLItem) store.Visit {
	metadata := func(key string) string {
		if values := known.GetInfo().GetMetadata()[key].GetValues(); len(values) > 0 {
			return values[0]
		}
		return ""
	}
	if known.GetRefetchableFromDate() == 0 {
		return store.Visit{Outcome: store.Gone, Final: true}
	}
	if changed, err := strconv.ParseBool(metadata("changed")); err == nil {
		if changed {
			return store.Visit{Outcome: store.Changed}
		}
		return store.Visit{Outcome: store.Unchanged}
	}
	if code, err := strconv.Atoi(metadata("fetch.statusCode")); err == nil {
		switch outcome, _ := estimate.OutcomeOf(code); outcome {
		case store.Unchanged:
			return store.Visit{Outcome: store.Unchanged}
		case store.Failed, store.Denied, store.Gone:
			return store.Visit{Outcome: outcome}
		}
	}
	for _, key := range digestKeys {
		if digest := metadata(key); digest != "" {
			if key != "signature" { // pages with different contents may have one tag or date: they are no copies
				key += " of " + known.GetInfo().GetUrl()
			}
			return store.Visit{Outcome: store.Found, Digest: []byte(key + "=" + digest)}
		}
	}
	return store.Visit{Outcome: store.Found}
}
