package store

// What holds for the whole store: the settings.

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

// Settings hold for a whole store.
type Settings struct {
	// Bandwidth is the number of visits per day that the rates add up to. It must be
	// given.
	Bandwidth float64 `json:"bandwidth"`
	// Objective is the name of what the rates are best for, as in
	// [refresh.ParseObjective], of those that need no law of access times and have no
	// slots. "" stands for "fixed-order".
	Objective string `json:"objective"`
	// HostDelay is the least time between two visits to a host. A host may have a longer one
	// of its own.
	HostDelay time.Duration `json:"host_delay"`
	// GroupDelay is the least time between two visits to the hosts of a registered domain,
	// by the public suffix list. Rates are found without it.
	GroupDelay time.Duration `json:"group_delay,omitempty"`
	// Intervals are limits for all pages, and Rules for those whose URLs they fit, which count
	// more; those of a [Page] count most. They limit rates: a page is due one interval, 1/rate,
	// after its last visit. Greatest intervals that do not fit into the bandwidth and the delays
	// are stretched, see [Store.Stretched]. A page has no label here.
	Intervals limits.Intervals `json:"intervals,omitzero"`
	Rules     limits.Rules     `json:"rules,omitempty"`
	// Retries say when pages that were not found are visited again.
	Retries limits.Retries `json:"retries,omitzero"`
	// NormalURLs says that different URLs of one page count as the same ID: IDs of pages that are
	// added, visited, removed or asked for are put into the form of [urlhost.Normal]. It holds for the
	// whole life of a store.
	NormalURLs bool `json:"normal_urls,omitempty"`
}

// limits returns the rules for all pages.
func (s Settings) limits() limits.Rules {
	return append(slices.Clone(s.Rules), limits.Rule{Intervals: s.Intervals})
}

// objective returns what the rates are best for, or says what is wrong with the settings.
func (s Settings) objective() (refresh.Objective, error) {
	objective, err := refresh.ParseObjective(s.Objective, nil)
	if err != nil {
		return nil, err
	}
	if limited, ok := objective.(refresh.Limited); ok {
		if fastest, _ := limited.Limits(); fastest < greatestChangeRate {
			return nil, fmt.Errorf("store: objective %v allows no change rates above %v: use another one, such as fixed-order", objective, fastest)
		}
	}
	if least := min(s.HostDelay, s.GroupDelay); least < 0 {
		return nil, fmt.Errorf("store: delay %v is negative: use 0 or more", least)
	}
	for _, rule := range s.limits() {
		if err := rule.Validate(); err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		if rule.Label != "" {
			return nil, fmt.Errorf("store: a rule for the label %s: use rules for hosts and paths, or give pages intervals of their own", wording.Quote(rule.Label))
		}
	}
	if err := s.Retries.Validate(); err != nil {
		return nil, fmt.Errorf("store: retries: %w", err)
	}
	return objective, (&refresh.Problem{Objective: objective, Bandwidth: s.Bandwidth}).Validate()
}

// withDefaults fills in what may be left out.
func (s Settings) withDefaults() Settings {
	if s.Objective == "" {
		s.Objective = refresh.FixedOrder{}.String()
	}
	return s
}

// settingsKey is the key of the settings in their bucket.
var settingsKey = []byte("settings")

func loadSettings(tx *bbolt.Tx) (s Settings, err error) {
	text, err := tableOf(tx, settingsBucket).get(settingsKey)
	if err != nil {
		return s, err
	}
	err = json.Unmarshal(text, &s)
	return s, err
}

func (s Settings) save(to table) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return to.put(settingsKey, text)
}

// Settings returns the settings.
func (s *Store) Settings() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

// Configure changes the settings. It returns an error, and changes nothing, if they
// are not valid, or the objective is another one: a store keeps its own.
func (s *Store) Configure(settings Settings) error {
	settings = settings.withDefaults()
	if own := s.Settings().Objective; settings.Objective != own {
		return fmt.Errorf("store: the store has the objective %[2]s: make another store for %[1]s", settings.Objective, own)
	}
	if settings.NormalURLs != s.Settings().NormalURLs {
		return errors.New("store: whether URLs are normalised cannot change: make another store")
	}
	if _, err := settings.objective(); err != nil {
		return err
	}
	return s.write(func(c *change) error {
		rules := settings.limits()
		if !slices.Equal(rules, s.Settings().limits()) {
			if err := c.eachPage(func(number uint32, r *record) {
				found := rules.Complete(r.Intervals, []byte(r.ID), nil)
				c.then(func() { s.rates.limit(number, found) })
			}); err != nil {
				return err
			}
		}
		c.then(func() { s.configure(settings) })
		return settings.save(c.settings)
	})
}
