package freshness

// Freshness found by looking every hour, which shares no code with the scores.

import (
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/revisit"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

type looker struct {
	revisit.Chooser
	world              *World
	copied             map[int]float64
	looked             float64
	fresh, age, weight float64
}

func (l *looker) Fetched(id string, now time.Time, outcome store.Outcome) error {
	days := now.Sub(began).Hours() / 24
	l.lookUntil(days)
	if outcome != store.Failed && outcome != store.Gone {
		l.copied[l.world.index[id]] = days
	}
	return l.Chooser.Fetched(id, now, outcome)
}

func (l *looker) lookUntil(days float64) {
	const hour = 1. / 24
	for ; l.looked+hour/2 < days; l.looked += hour {
		now := l.looked + hour/2
		for i, p := range l.world.pages {
			if now < p.born || now >= p.dies {
				continue
			}
			l.weight += p.Weight
			stale := p.born
			if copied, has := l.copied[i]; has {
				stale = now
				for _, change := range p.changes {
					if change > copied && change <= now {
						stale = change
						break
					}
				}
			}
			if stale == now {
				l.fresh += p.Weight
			}
			l.age += p.Weight * (now - stale)
		}
	}
}
