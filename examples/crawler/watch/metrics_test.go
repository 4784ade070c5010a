// This file tests the metrics: their names, their values, and the dashboard that shows them.

package watch

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// scrape returns what /metrics answers, by name.
func scrape(t *testing.T, w *Watch) map[string]*dto.MetricFamily {
	t.Helper()
	answer := httptest.NewRecorder()
	w.handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
	require.Equal(t, 200, answer.Code)
	text := expfmt.NewTextParser(model.LegacyValidation)
	families, err := text.TextToMetricFamilies(answer.Body)
	require.NoError(t, err)
	return families
}

// value returns the one value of a metric with all the labels given, as name=value; NaN if there is none.
func value(families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	found := math.NaN()
	for _, m := range families[name].GetMetric() {
		has := map[string]bool{}
		for _, l := range m.GetLabel() {
			has[l.GetName()+"="+l.GetValue()] = true
		}
		matches := true
		for _, l := range labels {
			matches = matches && has[l]
		}
		if matches {
			found = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return found
}

// watched returns a watch of a pool of which everything is known, after 90 seconds.
func watched(t *testing.T) (*Watch, *live) {
	t.Helper()
	policy, gain := solved(t, figure7)
	c := operate.NewController(policy)
	w := New()
	r := runOf("paper", c, 10*time.Millisecond)
	r.Switch = knowing{c, policy}
	r.Expected = func() Expected { return Expected{0.1, 1, gain} }
	r.Pages = func() Pages { return Pages{700, 200, 90, 10} }
	observe := w.Begin(r)
	pools, _ := w.present()
	l := pools[0]
	require.NoError(t, play(c, r.Unit, time.Now(), 90*time.Second, observe, func(time.Time) {}))
	observe(crawl.Event{Kind: crawl.RobotDied, At: l.last, Robot: 15, Queue: l.queue, Active: l.active})
	observe(crawl.Event{Kind: crawl.FetchEnded, At: l.last, Result: crawl.Result{Outcome: crawl.Disallowed}, Queue: l.queue, Active: l.active})
	return w, l
}

// knowing is a controller that tells a belief, as an [operate.Adaptive] does.
type knowing struct {
	*operate.Controller
	policy *robots.Policy
}

func (k knowing) Belief() operate.Belief {
	return operate.Belief{
		ArrivalRates: []operate.Rate{{Mean: 0.11, Lower: 0.09, Upper: 0.13}}, ServiceRate: operate.Rate{Mean: 1.05, Lower: 0.95, Upper: 1.15},
		Policy: k.policy, Gain: 0.26, Policies: 3,
	}
}

func (knowing) Performance() operate.Performance {
	return operate.Performance{Regret: operate.Interval{Mean: 0.02, HalfWidth: 0.01}}
}

func TestMetrics(t *testing.T) {
	w, l := watched(t)
	families := scrape(t, w)
	sums := l.tally.sums(l.last)
	const pool = "pool=paper"
	for name, want := range map[string]float64{
		"crawler_pages_delivered_total":      float64(sums.Delivered),
		"crawler_pages_lost_total":           float64(sums.Lost),
		"crawler_pages_indexed_total":        float64(sums.Indexed),
		"crawler_index_duration_seconds":     float64(sums.Indexed),
		"crawler_fetch_duration_seconds":     float64(sums.Delivered),
		"crawler_run_seconds_total":          sums.Time,
		"crawler_starvation_seconds_total":   sums.Empty,
		"crawler_robot_active_seconds_total": sums.Active,
		"crawler_policies_total":             3,
		"crawler_promised_cost":              0.26,
		"crawler_runs_total":                 1,
		"crawler_queue_pages":                float64(l.queue),
		"crawler_queue_capacity_pages":       5,
		"crawler_starvation_weight":          1.4,
		"crawler_time_unit_seconds":          0.01,
		"crawler_true_delivery_rate":         10,
		"crawler_true_indexing_rate":         100,
	} {
		assert.InEpsilon(t, want, value(families, name, pool), 1e-9, name)
	}
	for outcome, want := range map[string]int{"found": sums.Delivered, "disallowed": 1, "failed": 0} {
		assert.InDelta(t, want, value(families, "crawler_fetches_total", pool, "outcome="+outcome), 0, outcome)
	}
	for state, want := range map[string]int{"active": l.active, "dead": 1, "resting": 15 - l.active} {
		assert.InDelta(t, want, value(families, "crawler_robots", pool, "state="+state), 0, state)
	}
	for bound, want := range map[string]float64{"mean": 11, "lower": 9, "upper": 13} {
		assert.InEpsilon(t, want, value(families, "crawler_believed_delivery_rate", pool, "bound="+bound), 1e-12, bound)
	}
	cost := value(families, "crawler_cost", pool, "window=all")
	assert.InEpsilon(t, 1.4*sums.Empty/sums.Time+float64(sums.Lost)/sums.Time*0.01, cost, 1e-12)
	assert.InEpsilon(t, l.tally.lastMinute(sums), value(families, "crawler_cost", pool, "window=minute"), 1e-12)
	assert.Greater(t, value(families, "crawler_cost_half_width", pool), 0.0)
	assert.InDelta(t, 700, value(families, "crawler_site_pages", pool, "copy=fresh"), 0)
	for bound, want := range map[string]float64{"mean": 0.02, "lower": 0.01, "upper": 0.03} {
		assert.InEpsilon(t, want, value(families, "crawler_regret", pool, "bound="+bound), 1e-12, bound)
	}
	w.Begin(runOf("paper", operate.NewController(l.run.Switch.(knowing).policy), 10*time.Millisecond))
	assert.InDelta(t, sums.Delivered, value(scrape(t, w), "crawler_pages_delivered_total", pool), 0, "another run goes on counting")
	assert.InDelta(t, 2, value(scrape(t, w), "crawler_runs_total", pool), 0)
}

// TestMetricsByConvention has the linter of Prometheus look at names, units and help texts.
func TestMetricsByConvention(t *testing.T) {
	w, _ := watched(t)
	problems, err := testutil.GatherAndLint(w.registry)
	require.NoError(t, err)
	assert.Empty(t, problems)
	scrape(t, w) // sets the gauges
	problems, err = testutil.GatherAndLint(w.registry)
	require.NoError(t, err)
	assert.Empty(t, problems)
}

// dashboard is what the tests read of the dashboard for Grafana.
type dashboard struct {
	Title         string `json:"title"`
	UID           string `json:"uid"`
	SchemaVersion int    `json:"schemaVersion"`
	Templating    struct {
		List []struct {
			Name  string `json:"name"`
			Type  string `json:"type"`
			Query any    `json:"query"`
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		ID         int        `json:"id"`
		Title      string     `json:"title"`
		Datasource datasource `json:"datasource"`
		GridPos    struct{ X, Y, W, H int }
		Targets    []struct {
			Expr       string     `json:"expr"`
			RefID      string     `json:"refId"`
			Datasource datasource `json:"datasource"`
		} `json:"targets"`
	} `json:"panels"`
}

type datasource struct{ Type, UID string }

// TestDashboard holds the dashboard to what Grafana needs to show it: expressions that can be parsed,
// of metrics and labels that there are, from the data source that the reader chooses, on a
// grid of 24 columns without overlaps.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("grafana.json")
	require.NoError(t, err)
	var d dashboard
	require.NoError(t, json.Unmarshal(text, &d))
	assert.Equal(t, "Crawler", d.Title)
	assert.GreaterOrEqual(t, d.SchemaVersion, 36, "of Grafana 9 and later")
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name+": "+v.Type)
	}
	assert.Equal(t, []string{"datasource: datasource", "pool: query"}, variables)

	w, _ := watched(t)
	families := scrape(t, w)
	ids := map[int]bool{}
	taken := map[[2]int]string{}
	shown := map[string]bool{}
	expressions := 0
	for _, p := range d.Panels {
		assert.False(t, ids[p.ID], "%s: id %d is taken", p.Title, p.ID)
		ids[p.ID] = true
		assert.Equal(t, datasource{"prometheus", "${datasource}"}, p.Datasource, p.Title)
		assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				assert.Empty(t, taken[[2]int{x, y}], p.Title)
				taken[[2]int{x, y}] = p.Title
			}
		}
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			assert.Equal(t, datasource{"prometheus", "${datasource}"}, target.Datasource, p.Title)
			expressions++
			for name := range metricsOf(t, families, target.Expr) {
				shown[name] = true
			}
		}
	}
	t.Logf("%d panels, %d expressions", len(d.Panels), expressions)
	for name := range families {
		if name != "crawler_runs_total" {
			assert.True(t, shown[name], "%s is in no panel", name)
		}
	}
}

// TestGuide holds the expressions that WATCHING.md offers to the same.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile("../WATCHING.md")
	require.NoError(t, err)
	w, _ := watched(t)
	families := scrape(t, w)
	found := regexp.MustCompile("`(rate\\([^`]+)`").FindAllSubmatch(text, -1)
	require.Len(t, found, 4)
	for _, match := range found {
		assert.Len(t, metricsOf(t, families, string(match[1])), 2)
	}
}

// metricsOf parses an expression of the dashboard and returns the metrics that it names. Each
// selector is to find something, with the labels that it asks for.
func metricsOf(t *testing.T, families map[string]*dto.MetricFamily, expression string) map[string]bool {
	t.Helper()
	text := strings.NewReplacer("$__rate_interval", "1m", "$pool", ".*").Replace(expression)
	require.NotContains(t, text, "$", expression)
	parsed, err := parser.ParseExpr(text)
	require.NoError(t, err, expression)
	names := map[string]bool{}
	for _, selectors := range parser.ExtractSelectors(parsed) {
		name, found := "", false
		for _, m := range selectors {
			if m.Name == "__name__" {
				name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(m.Value, "")
			}
		}
		require.Contains(t, families, name, expression)
		names[name] = true
		for _, metric := range families[name].GetMetric() {
			matches := true
			for _, m := range selectors {
				if m.Name != "__name__" {
					matches = matches && m.Matches(label(metric, m.Name))
				}
			}
			found = found || matches
		}
		assert.True(t, found, "%s: nothing matches", expression)
	}
	return names
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}
