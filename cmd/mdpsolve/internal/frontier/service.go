// Package frontier serves a store of pages to crawlers, through the interface of URLFrontier.
package frontier

// The service: methods about pages and queues. put.go has those that store pages.

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/frontier/urlfrontier"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// service answers URLFrontier's methods from a store: a URL is the ID of a page, a queue
// a host, and metadata are its note.
type service struct {
	pb.UnimplementedURLFrontierServer

	store   *store.Store
	crawl   string // the one in the store
	address string
	paused  atomic.Bool
	plain   func() // called once the store has a plain prior, for want of a better one
}

// defaultCrawl is the crawl that clients mean by "".
const defaultCrawl = "DEFAULT"

// checkCrawl refuses requests for other crawls.
func (s *service) checkCrawl(asked string) error {
	if asked == "" {
		asked = defaultCrawl
	}
	if asked != s.crawl {
		return status.Errorf(codes.NotFound, "this server has the crawl %s: start another server, with its own store, for the crawl %s", s.crawl, wording.Quote(asked))
	}
	return nil
}

// unary refuses a request for another crawl, and words errors for its client.
func (s *service) unary(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if of, has := request.(interface{ GetCrawlID() string }); has {
		if err := s.checkCrawl(of.GetCrawlID()); err != nil {
			return nil, err
		}
	}
	answer, err := handle(ctx, request)
	return answer, fault(err)
}

// stream words errors for a client.
func stream(service any, messages grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	return fault(handle(service, messages))
}

// fault words an error of the store for a client.
func fault(err error) error {
	if _, isWorded := status.FromError(err); isWorded { // or nil
		return err
	}
	switch {
	case errors.Is(err, store.ErrNoPage):
		return status.Error(codes.NotFound, err.Error())
	case errors.Is(err, store.ErrHostName):
		return status.Error(codes.InvalidArgument, err.Error())
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return status.FromContextError(err).Err()
	case errors.Is(err, store.ErrClosed):
		return status.Error(codes.Unavailable, err.Error())
	}
	return status.Error(codes.Internal, err.Error())
}

// ListNodes returns the address of this server: there is no cluster.
func (s *service) ListNodes(context.Context, *pb.Empty) (*pb.StringList, error) {
	return &pb.StringList{Values: []string{s.address}}, nil
}

// ListCrawls returns the only crawl.
func (s *service) ListCrawls(context.Context, *pb.Local) (*pb.StringList, error) {
	return &pb.StringList{Values: []string{s.crawl}}, nil
}

// DeleteCrawl removes all pages.
func (s *service) DeleteCrawl(ctx context.Context, r *pb.DeleteCrawlMessage) (*pb.Long, error) {
	if err := s.checkCrawl(r.GetValue()); err != nil {
		return nil, err
	}
	return s.remove(ctx, "", func(store.Status) bool { return true })
}

// DeleteQueue removes the pages of a host.
func (s *service) DeleteQueue(ctx context.Context, r *pb.QueueWithinCrawlParams) (*pb.Long, error) {
	if r.GetKey() == "" {
		return nil, status.Error(codes.InvalidArgument, "key is empty: name the queue, or use DeleteCrawl")
	}
	return s.remove(ctx, r.GetKey(), func(store.Status) bool { return true })
}

// PurgeURLs removes the pages that were added some days ago or earlier.
func (s *service) PurgeURLs(ctx context.Context, r *pb.PurgeUrlParams) (*pb.Long, error) {
	before := time.Now().AddDate(0, 0, -int(r.GetDays()))
	return s.remove(ctx, r.GetKey(), func(page store.Status) bool { return page.Added.Before(before) })
}

// remove removes those pages of a host, or of all for "", that are chosen.
func (s *service) remove(ctx context.Context, host string, chosen func(store.Status) bool) (*pb.Long, error) {
	var ids []string
	for page, err := range s.store.Pages(host) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if chosen(page) {
			ids = append(ids, page.ID)
		}
	}
	removed, err := s.store.Remove(ids...)
	return &pb.Long{Value: uint64(removed)}, err
}

// defaultSize is the size of lists by default.
const defaultSize = 100

// ListQueues returns the names of hosts.
func (s *service) ListQueues(_ context.Context, r *pb.Pagination) (*pb.QueueList, error) {
	size := int(r.GetSize())
	if size == 0 {
		size = defaultSize
	}
	var names []string
	for _, host := range s.store.Hosts() {
		if r.GetIncludeInactive() || isActive(host) {
			names = append(names, host.Name)
		}
	}
	first := min(int(r.GetStart()), len(names))
	values := names[first:min(first+size, len(names))]
	return &pb.QueueList{Values: values, Total: uint64(len(names)), Start: r.GetStart(), Size: uint32(len(values)), CrawlID: s.crawl}, nil
}

// isActive reports whether a host has pages that may be fetched, now or later, and is not
// blocked.
func isActive(host store.Host) bool { return host.Pages > host.Gone && !host.Until.After(time.Now()) }

// GetStats counts the pages of a host, or of all.
func (s *service) GetStats(_ context.Context, r *pb.QueueWithinCrawlParams) (*pb.Stats, error) {
	hosts, counts := s.store.Hosts(), s.store.Counts() // which has pages without a host, too
	if r.GetKey() != "" {
		host, known := s.store.Host(r.GetKey())
		if !known {
			return nil, status.Errorf(codes.NotFound, "no queue %s", wording.Quote(r.GetKey()))
		}
		hosts, counts = []store.Host{host}, store.Counts{Pages: host.Pages, Gone: host.Gone, HandedOut: host.HandedOut}
	}
	active := uint64(0)
	for _, host := range hosts {
		if isActive(host) {
			active++
		}
	}
	return &pb.Stats{
		Size: uint64(counts.Pages - counts.Gone), InProcess: uint32(counts.HandedOut),
		Counts:         map[string]uint64{"completed": uint64(counts.Gone), "active_queues": active},
		NumberOfQueues: uint64(len(hosts)), CrawlID: s.crawl,
	}, nil
}

// BlockQueueUntil blocks a host until a time.
func (s *service) BlockQueueUntil(_ context.Context, r *pb.BlockQueueParams) (*pb.Empty, error) {
	return &pb.Empty{}, s.store.Block(r.GetKey(), time.Unix(int64(min(r.GetTime(), math.MaxInt64)), 0))
}

// SetDelay sets the delay of a host, or the one of all that have none of their own.
func (s *service) SetDelay(_ context.Context, r *pb.QueueDelayParams) (*pb.Empty, error) {
	delay := time.Duration(r.GetDelayRequestable()) * time.Second
	if r.GetKey() != "" {
		return &pb.Empty{}, s.store.SetDelay(r.GetKey(), delay)
	}
	settings := s.store.Settings()
	settings.HostDelay = delay
	return &pb.Empty{}, s.store.Configure(settings)
}

// SetActive has GetURLs give URLs, or none.
func (s *service) SetActive(_ context.Context, r *pb.Active) (*pb.Empty, error) {
	s.paused.Store(!r.GetState())
	return &pb.Empty{}, nil
}

// GetActive says whether GetURLs gives URLs.
func (s *service) GetActive(context.Context, *pb.Local) (*pb.Boolean, error) {
	return &pb.Boolean{State: !s.paused.Load()}, nil
}

// SetLogLevel is refused.
func (s *service) SetLogLevel(context.Context, *pb.LogLevelParams) (*pb.Empty, error) {
	return nil, status.Error(codes.Unimplemented, "this server has no log levels")
}

// SetCrawlLimit is refused.
func (s *service) SetCrawlLimit(context.Context, *pb.CrawlLimitParams) (*pb.Empty, error) {
	return nil, status.Error(codes.Unimplemented, "a crawl limit is for URLs that are fetched once, and this server has pages fetched again")
}

// GetURLs hands out what is due.
func (s *service) GetURLs(r *pb.GetParams, out grpc.ServerStreamingServer[pb.URLInfo]) error {
	if _, asked := r.GetItem().(*pb.GetParams_CrawlID); asked {
		if err := s.checkCrawl(r.GetCrawlID()); err != nil {
			return err
		}
	}
	if s.paused.Load() {
		return nil
	}
	const defaultLease = 30
	request := store.Request{
		Most: s.store.Counts().Pages, MostOfHost: int(r.GetMaxUrlsPerQueue()), MostHosts: int(r.GetMaxQueues()),
		Host: r.GetKey(), Lease: time.Duration(r.GetDelayRequestable()) * time.Second,
	}
	if request.Lease == 0 {
		request.Lease = defaultLease * time.Second
	}
	pages, err := s.store.Due(out.Context(), request)
	if err != nil {
		return err
	}
	if s.store.Plain() {
		s.plain()
	}
	for _, page := range pages {
		if err := out.Send(s.infoOf(page)); err != nil {
			return err
		}
	}
	return nil
}

// infoOf returns a page as clients see it.
func (s *service) infoOf(page store.Page) *pb.URLInfo {
	info := &pb.URLInfo{}
	_ = proto.Unmarshal(page.Note, info) // a note of another kind is no metadata
	info.Url, info.Key, info.CrawlID = page.ID, page.Host, s.crawl
	return info
}

// GetURLStatus returns the status of a page.
func (s *service) GetURLStatus(_ context.Context, r *pb.URLStatusRequest) (*pb.URLItem, error) {
	page, err := s.store.Page(r.GetUrl())
	if err != nil {
		return nil, err
	}
	return s.itemOf(page), nil
}

// itemOf returns a page as an item. A page that was visited is a known item; its date is that of
// the last visit plus 1/rate.
func (s *service) itemOf(page store.Status) *pb.URLItem {
	item := &pb.URLItem{ID: page.ID, CreationDate: uint64(page.Added.Unix())}
	info := s.infoOf(page.Page)
	if page.Visited.IsZero() {
		item.Item = &pb.URLItem_Discovered{Discovered: &pb.DiscoveredURLItem{Info: info}}
		return item
	}
	known := &pb.KnownURLItem{Info: info}
	if page.Rate > 0 {
		const day = 24 * 60 * 60
		known.RefetchableFromDate = uint64(float64(page.Visited.Unix()) + min(day/page.Rate, 1e12))
	}
	item.Item = &pb.URLItem_Known{Known: known}
	return item
}

// ListURLs lists pages, whether due or not.
func (s *service) ListURLs(r *pb.ListUrlParams, out grpc.ServerStreamingServer[pb.URLItem]) error {
	if err := s.checkCrawl(r.GetCrawlID()); err != nil {
		return err
	}
	size := int(r.GetSize())
	if size == 0 {
		size = defaultSize
	}
	skip := int(r.GetStart())
	for page, err := range s.store.Pages(r.GetKey()) {
		if err == nil {
			err = out.Context().Err()
		}
		if err != nil {
			return err
		}
		switch {
		case !contains(page.ID, r.GetFilter(), r.GetIgnoreCase()):
		case skip > 0:
			skip--
		case size == 0:
			return nil
		default:
			size--
			if err := out.Send(s.itemOf(page)); err != nil {
				return err
			}
		}
	}
	return nil
}

// CountURLs counts pages.
func (s *service) CountURLs(ctx context.Context, r *pb.CountUrlParams) (*pb.Long, error) {
	if r.GetFilter() == "" {
		count := s.store.Counts().Pages
		if r.GetKey() != "" {
			host, _ := s.store.Host(r.GetKey())
			count = host.Pages
		}
		return &pb.Long{Value: uint64(count)}, nil
	}
	count := uint64(0)
	for page, err := range s.store.Pages(r.GetKey()) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if contains(page.ID, r.GetFilter(), r.GetIgnoreCase()) {
			count++
		}
	}
	return &pb.Long{Value: count}, nil
}

func contains(url, part string, ignoreCase bool) bool {
	if ignoreCase {
		url, part = strings.ToLower(url), strings.ToLower(part)
	}
	return strings.Contains(url, part)
}
