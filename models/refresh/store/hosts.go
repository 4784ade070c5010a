package store

// Hosts and their politeness delays.

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
)

// A Host is what the store knows of a host.
type Host struct {
	Name string
	// Delay is the least time between two visits: the longer of the store's and its own.
	Delay time.Duration
	// Ready is the time before which the host is not to be visited, the zero time where
	// there is none.
	Ready time.Time
	// Until is what the last [Store.Block] has asked for.
	Until time.Time
	// Pages of the host, those that are Gone and those that are HandedOut among them.
	Pages, Gone, HandedOut int
}

// A host is what is kept in memory of it, or of a group of hosts.
type host struct {
	asked       askedByHost
	name        string
	group       int32   // number of the group that the host is in; 0 for a group
	tried       float64 // last visit, or when the last page was handed out; 0: none
	pages, gone int
	handedOut   int
}

// askedByHost is what stands on disk for a host that asks for something.
type askedByHost struct {
	Delay *time.Duration `json:"delay,omitempty"`
	Until time.Time      `json:"until,omitzero"`
}

func (s *Store) loadHosts(tx *bbolt.Tx) error {
	s.hosts, s.hostOf, s.groupOf = []host{{}}, map[string]int32{"": 0}, map[string]int32{}
	return tx.Bucket(hostsBucket).ForEach(func(name, sealed []byte) error {
		number := s.hostNumber(string(name))
		text, err := unseal(name, sealed)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &s.hosts[number].asked); err != nil {
			return err
		}
		s.applyDelay(int(number))
		return nil
	})
}

// hostNumber returns the number of a host, which it gets if it has none. Pages without
// a host have number 0, for which nothing waits.
func (s *Store) hostNumber(name string) int32 {
	number, known := s.hostOf[name]
	if !known {
		domain := urlhost.Domain(name)
		group, known := s.groupOf[domain]
		if !known {
			group = s.addHost(host{name: domain})
			s.groupOf[domain] = group
		}
		number = s.addHost(host{name: name, group: group})
		s.hostOf[name] = number
	}
	return number
}

// addHost adds a host, or a group of hosts, and returns its number.
func (s *Store) addHost(h host) int32 {
	number := s.queue.AddGroup(int(h.group), 0)
	s.hosts = append(s.hosts, h)
	s.applyDelay(number)
	return int32(number)
}

// delay returns the delay of a host or group.
func (s *Store) delay(h *host) time.Duration {
	switch {
	case h.group == 0:
		return s.settings.GroupDelay
	case h.asked.Delay != nil:
		return max(*h.asked.Delay, s.settings.HostDelay)
	}
	return s.settings.HostDelay
}

// applyDelay tells the queue the delay of a host or group.
func (s *Store) applyDelay(number int) {
	if number == 0 {
		return
	}
	h := &s.hosts[number]
	delay := days(int64(s.delay(h)))
	s.queue.SetDelay(number, delay)
	ready := 0.
	if h.tried != 0 && delay > 0 {
		ready = h.tried + delay
	}
	if !h.asked.Until.IsZero() {
		ready = max(ready, days(h.asked.Until.UnixNano()))
	}
	s.queue.SetReady(number, ready)
}

// hostTried notes a visit, or that one begins.
func (s *Store) hostTried(number int32, at float64) {
	for ; number != 0; number = s.hosts[number].group {
		if h := &s.hosts[number]; at > h.tried {
			h.tried = at
			if delay := s.delay(h); delay > 0 {
				s.queue.SetReady(int(number), max(s.queue.Ready(int(number)), at+days(int64(delay))))
			}
		}
	}
}

// Hosts returns the hosts that pages have named, in the order in which they came up.
func (s *Store) Hosts() []Host {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Host, 0, len(s.hosts))
	for number, h := range s.hosts {
		if number != 0 && h.pages > 0 {
			all = append(all, s.hostStatus(number))
		}
	}
	return all
}

// Host returns the status of a host, and whether it has pages.
func (s *Store) Host(name string) (Host, bool) {
	name = urlhost.Canonical(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	number, known := s.hostOf[name]
	if !known || s.hosts[number].pages == 0 {
		return Host{Name: name}, false
	}
	return s.hostStatus(int(number)), true
}

func (s *Store) hostStatus(number int) Host {
	h := &s.hosts[number]
	status := Host{Name: h.name, Delay: s.delay(h), Until: h.asked.Until, Pages: h.pages, Gone: h.gone, HandedOut: h.handedOut}
	if ready := max(s.queue.Ready(number), s.queue.Ready(int(h.group))); number != 0 && ready > 0 {
		status.Ready = time.Unix(0, nanoseconds(ready)).UTC()
	}
	return status
}

// SetDelay sets the least time between two visits to a host, such as the crawl-delay of
// its robots.txt. It holds if it is longer than that of the store. A negative delay takes it
// back.
func (s *Store) SetDelay(name string, delay time.Duration) error {
	return s.SetDelays([]string{name}, []time.Duration{delay})
}

// SetDelays is [Store.SetDelay] for many hosts at a time: for all or, if it returns an
// error, for none.
func (s *Store) SetDelays(names []string, delays []time.Duration) error {
	return s.askFor(names, func(i int, asked *askedByHost) {
		asked.Delay = nil
		if delays[i] >= 0 {
			asked.Delay = &delays[i]
		}
	})
}

// Block pauses visits to a host until a time, such as that of a header Retry-After. The
// zero time, or one that has passed, ends that.
func (s *Store) Block(name string, until time.Time) error {
	if seconds := until.Unix(); seconds <= 0 {
		until = time.Time{}
	} else if last := time.Unix(0, math.MaxInt64); seconds > last.Unix() {
		until = last // in the year 2262
	}
	return s.askFor([]string{name}, func(_ int, asked *askedByHost) { asked.Until = until })
}

// askFor changes what hosts ask for.
func (s *Store) askFor(names []string, set func(i int, asked *askedByHost)) error {
	canonical := make([]string, len(names))
	for i, name := range names {
		if name = urlhost.Canonical(name); name == "" || len(name) > longestHost {
			return fmt.Errorf("%w: this one has %d", ErrHostName, len(name))
		}
		canonical[i] = name
	}
	return s.write(func(c *change) error {
		for i, name := range canonical {
			var asked askedByHost
			text, err := c.hosts.get([]byte(name))
			if err == nil && text != nil {
				err = json.Unmarshal(text, &asked)
			}
			if err != nil {
				return err
			}
			set(i, &asked)
			if text, err = json.Marshal(asked); err != nil {
				return err
			}
			if err := c.hosts.put([]byte(name), text); err != nil {
				return err
			}
			c.then(func() {
				number := s.hostNumber(name)
				before := s.delay(&s.hosts[number])
				s.hosts[number].asked = asked
				s.applyDelay(int(number))
				if h := &s.hosts[number]; s.delay(h) != before {
					s.rates.touch(float64(h.pages) / float64(max(s.counts.Pages, 1)))
				}
			})
		}
		return nil
	})
}
