package trial

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

var study = flag.Bool("study", false, "make the tables and pictures of README.md: some minutes")

// readme is where the study goes.
const readme = "../README.md"

// publish puts a text into the block of the README that a comment with a name begins.
func publish(t *testing.T, name, text string) {
	t.Helper()
	old, err := os.ReadFile(readme)
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)(<!-- " + name + " -->\n```\n).*?(```)")
	require.Len(t, block.FindAllString(string(old), -1), 1, name)
	text = block.ReplaceAllString(string(old), "${1}"+strings.ReplaceAll(strings.Trim(text, "\n"), "$", "$$")+"\n${2}")
	require.NoError(t, os.WriteFile(readme, []byte(text), 0o644)) //nolint:gosec // read by everyone
}

func picture(t *testing.T, name string, draw func(w *bytes.Buffer) error) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, draw(&b))
	require.NoError(t, os.WriteFile("../pictures/"+name, b.Bytes(), 0o644)) //nolint:gosec // read by everyone
}

func needsStudy(t *testing.T) {
	t.Helper()
	if !*study {
		t.Skip("go test ./trial -study makes the tables and pictures of README.md")
	}
}

func TestStudySteady(t *testing.T) {
	needsStudy(t)
	c := virtual(t, settings(t, "steady", 3000), 12, newStub)
	var b bytes.Buffer
	c.Report(&b)
	publish(t, "steady", b.String())
	picture(t, "steady.svg", func(w *bytes.Buffer) error { return c.Plot(w) })
}

func TestStudyVarying(t *testing.T) {
	needsStudy(t)
	for _, load := range []string{"jump", "daily"} {
		c := virtual(t, settings(t, load, 2000), 12, newStub)
		var b bytes.Buffer
		c.Report(&b)
		publish(t, load, b.String())
	}
}

// TestStudyJump draws the first run on a load that jumps.
func TestStudyJump(t *testing.T) {
	needsStudy(t)
	s := settings(t, "jump", 1500)
	var lines [3]plotter.XYs // λ, λ believed, active robots
	synctest.Test(t, func(t *testing.T) {
		c, err := NewComparison(t.Context(), s)
		require.NoError(t, err)
		c.Pools = c.Pools[3:]
		require.NoError(t, c.Run(t.Context(), pipes{}, newStub, func(_ int, sw crawl.Switch, _ *site.Site) crawl.Observer {
			begin := time.Now()
			var next, last, area float64
			active := 1
			return func(e crawl.Event) {
				at := float64(e.At.Sub(begin)) / float64(s.Unit)
				area += (at - last) * float64(active)
				last, active = at, e.Active
				const window = 20
				if at < next {
					return
				}
				belief := sw.(*operate.Adaptive).Belief().ArrivalRates[0]
				for i, y := range []float64{s.RateAt(e.At.Sub(begin)), belief.Mean, area / (window + at - next)} {
					if next > 0 {
						lines[i] = append(lines[i], plotter.XY{X: at, Y: y})
					}
				}
				next, area = at+window, 0
			}
		}))
	})
	picture(t, "belief.svg", func(w *bytes.Buffer) error {
		p := newPlot("time, in mean times of indexing", "λ")
		truth, belief := line(dark, 1.2, lines[0]), line(inks[3], 2, lines[1])
		truth.Dashes = []vg.Length{4, 2}
		truth.StepStyle = plotter.PostStep
		p.Add(truth, belief)
		p.Legend.Add("of the site", truth)
		p.Legend.Add("believed", belief)
		p.Y.Min, p.Y.Max = 0, 0.3
		return write(w, p, 2.2*vg.Inch)
	})
	picture(t, "robots.svg", func(w *bytes.Buffer) error {
		p := newPlot("time, in mean times of indexing", "active robots")
		p.Add(line(inks[3], 1.5, lines[2]))
		p.Y.Min, p.Y.Max = 0, 16
		return write(w, p, 2.2*vg.Inch)
	})
}

// TestStudyReality drops the assumptions of the model, one at a time and all.
func TestStudyReality(t *testing.T) {
	needsStudy(t)
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "departure\tpool\tcost\tpredicted\tmeasured − predicted\twith the law of sizes\tadaptive − pool")
	for _, d := range []struct {
		name    string
		reality Reality
	}{
		{"none", Plain},
		{"log-normal latencies", Latencies},
		{"faults", Faults},
		{"pages that have not changed", Revisits},
		{"service by size", Sizes},
		{"all", Real},
	} {
		s := settings(t, "steady", 1000)
		s.Reality = d.reality
		c := virtual(t, s, 12, newStub)
		for i, pool := range c.Pools {
			if pool.Predict == nil {
				continue
			}
			mean := func(quantity func(Measured) float64) float64 { return c.Of(i, quantity).Mean }
			bySize, less := "", ""
			if d.reality&Sizes != 0 {
				bySize = fmt.Sprintf("%.4f", c.withSizes(t, i))
			}
			if i < 3 {
				less = signed(c.Difference(3, i).Interval)
			}
			fmt.Fprintf(table, "%s\t%s\t%.4f\t%.4f\t%s\t%s\t%s\n", d.name, pool.Name, mean(func(m Measured) float64 { return m.Cost }),
				mean(func(m Measured) float64 { return m.Predicted }), signed(c.Apart(i)), bySize, less)
		}
	}
	require.NoError(t, table.Flush())
	publish(t, "reality", b.String())
}

// withSizes predicts the cost of a pool, at the mean rates that were measured, with services that
// have the law of sizes: exactly for a fixed pool, by simulation for a policy.
func (c *Comparison) withSizes(t *testing.T, pool int) float64 {
	t.Helper()
	mean := func(quantity func(Measured) float64) float64 { return c.Of(pool, quantity).Mean }
	arrivals, services := mean(func(m Measured) float64 { return m.ArrivalRate }), mean(func(m Measured) float64 { return m.ServiceRate })
	random := rand.New(rand.NewPCG(1, 1))
	times := make([]float64, 100_000)
	for i := range times {
		times[i] = site.PageSize.Draw(random)
	}
	law, err := queue.NewSample("sizes", times, 1/services)
	require.NoError(t, err)
	if pool == 0 {
		r, err := static.Parameters{
			ArrivalRate: arrivals, ServiceRate: services, StarvationWeight: c.Settings.StarvationWeight, Buffer: c.Settings.Buffer, Service: law,
		}.Evaluate(int(mean(func(m Measured) float64 { return m.RobotsMean }) + 0.5))
		require.NoError(t, err)
		return r.Cost
	}
	draws, err := operate.LawServices(law)
	require.NoError(t, err)
	policy, err := c.Settings.optimal(t.Context(), arrivals, services)
	require.NoError(t, err)
	simulated, err := operate.Simulation{Horizon: 1e6, Seed: 1, Services: draws}.Run(context.Background(), policy)
	require.NoError(t, err)
	return simulated.Replications.Gain.Mean
}

// TestStudyFixed looks for the best fixed pool in all of reality, by trying them.
func TestStudyFixed(t *testing.T) {
	needsStudy(t)
	s := settings(t, "steady", 1000)
	s.Reality = Real
	var c *Comparison
	synctest.Test(t, func(t *testing.T) {
		var err error
		c, err = NewComparison(t.Context(), s)
		require.NoError(t, err)
		c.Pools = c.Pools[3:]
		var pools []Pool
		for n := 5; n <= 10; n++ {
			pool, err := s.fixedOf(n)
			require.NoError(t, err)
			pools = append(pools, pool)
		}
		c.Pools = append(pools, c.Pools...)
		for range 6 {
			require.NoError(t, c.Run(t.Context(), pipes{}, newStub, nil))
		}
	})
	var b bytes.Buffer
	c.Report(&b)
	publish(t, "fixed", b.String())
}
