package revisit

// No more fetches than there is bandwidth for.

import (
	"sync"
	"time"
)

// Paced is a chooser that gives out one page in each interval of time, whoever asks and however
// many robots there are. [NewPaced] makes one.
type Paced struct {
	Chooser
	interval time.Duration

	mu    sync.Mutex
	ready time.Time
}

// NewPaced returns a chooser that asks another one at most once in an interval.
func NewPaced(c Chooser, interval time.Duration) *Paced {
	return &Paced{Chooser: c, interval: interval}
}

// Next returns the page to fetch now, or how long it is until the next interval begins.
func (p *Paced) Next(now time.Time) (id string, wait time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Before(p.ready) {
		return "", p.ready.Sub(now), nil
	}
	if id, wait, err = p.Chooser.Next(now); id != "" {
		if p.ready.IsZero() {
			p.ready = now
		}
		// Who asks a little late is not the slower for it; longer times are lost.
		p.ready = maxTime(p.ready.Add(p.interval), now)
	}
	return id, wait, err
}

func maxTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
