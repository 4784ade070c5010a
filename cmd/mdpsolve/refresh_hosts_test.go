package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostedRow is a page of the lists of these tests.
type hostedRow struct {
	id             string
	change, weight float64
	host           int
}

var hostedRows = []hostedRow{
	{"https://a.example/1", 1, 3, 0},
	{"https://a.example/2", 4, 1, 0},
	{"https://a.example/3", 2, 2, 0},
	{"https://A.Example:443/4", 0.5, 2, 0},
	{"https://b.example/1", 3, 1, 1},
	{"https://b.example/2", 1, 1, 1},
	{"http://b.example/3", 0.1, 5, 1},
	{"https://b.example/4", 9, 0.1, 1},
}

// writeHosted writes a page list in a format.
func writeHosted(t *testing.T, name string, rows []hostedRow) {
	t.Helper()
	var text strings.Builder
	if strings.HasSuffix(name, ".csv") {
		text.WriteString("url,weight,change_rate\n")
	}
	for _, r := range rows {
		if strings.HasSuffix(name, ".csv") {
			fmt.Fprintf(&text, "%s,%v,%v\n", r.id, r.weight, r.change)
			continue
		}
		fmt.Fprintf(&text, `{"url":%q,"weight":%v,"change_rate":%v}`+"\n", r.id, r.weight, r.change)
	}
	writeFile(t, name, text.String())
}

// bisect returns the root of a falling function.
func bisect(f func(x float64) float64) float64 {
	low, high := 1e-12, 1e12
	for range 200 {
		if middle := math.Sqrt(low * high); f(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Sqrt(low * high)
}

// nestedOptimum solves for accesses at random times by bisection in bisection:
// at a price λ a page asks for √(wΔ/λ) − Δ (Azar et al.,
// Algorithm 2), and a host for its cap at most.
func nestedOptimum(rows []hostedRow, bandwidth float64, caps []float64) (rates []float64, price float64, prices []float64) {
	ask := func(r hostedRow, price float64) float64 {
		return max(math.Sqrt(r.weight*r.change/price)-r.change, 0)
	}
	total := func(host int, price float64) float64 {
		sum := 0.0
		for _, r := range rows {
			if r.host == host {
				sum += ask(r, price)
			}
		}
		return sum
	}
	price = bisect(func(price float64) float64 {
		sum := -bandwidth
		for host, most := range caps {
			sum += min(total(host, price), most)
		}
		return sum
	})
	for host, most := range caps {
		own := bisect(func(price float64) float64 { return total(host, price) - most })
		prices = append(prices, max(price, own))
	}
	for _, r := range rows {
		rates = append(rates, ask(r, prices[r.host]))
	}
	return rates, price, prices
}

func TestHostCapsAgainstBisection(t *testing.T) {
	refreshFolder(t)
	writeHosted(t, "hosted.csv", hostedRows)
	writeHosted(t, "hosted.jsonl", hostedRows)
	writeFile(t, "caps.csv", "host,cap\nb.example,1.5\n")
	for _, test := range []struct {
		flags     string
		bandwidth float64
		caps      []float64
	}{
		{"--bandwidth 4 --host-cap 1.25", 4, []float64{1.25, 1.25}}, // less than the bandwidth in all
		{"--bandwidth 4 --host-cap 5/2", 4, []float64{2.5, 2.5}},
		{"--bandwidth 4 --host-caps caps.csv", 4, []float64{math.Inf(1), 1.5}},
		{"--bandwidth 4 --host-caps caps.csv --host-cap 3", 4, []float64{3, 1.5}},
		{"--bandwidth 2 --host-cap 10", 2, []float64{10, 10}},
		{"--bandwidth 1 --host-caps caps.csv --host-cap 0.5", 1, []float64{0.5, 1.5}},
	} {
		want, price, prices := nestedOptimum(hostedRows, test.bandwidth, test.caps)
		for _, name := range []string{"hosted.csv", "hosted.jsonl"} {
			line := "refresh rates --objective random --input " + name + " --hosts-out hosts.csv --out rates.csv " + test.flags
			got := answer(t, line)
			for i, rate := range column(t, readFile(t, "rates.csv"), 1) {
				assert.InDelta(t, want[i], rate, 1e-9, "%s: page %d", line, i)
			}
			assert.InEpsilon(t, got["value"], got["bound"], 1e-12, line)
			assert.Equal(t, 2.0, got["hosts"])
			hosts := readFile(t, "hosts.csv")
			capped := 0.0
			for host, multiplier := range column(t, hosts, 4) {
				used := column(t, hosts, 3)[host]
				assert.LessOrEqual(t, used, test.caps[host]*(1+1e-12))
				if prices[host] > price*(1+1e-9) {
					capped++
					assert.InEpsilon(t, test.caps[host], used, 1e-12)
					assert.InEpsilon(t, prices[host], multiplier, 1e-9)
				}
				assert.Equal(t, 4.0, column(t, hosts, 1)[host])
			}
			assert.Equal(t, capped, got["hosts_capped"], line)
		}
	}
}

// marginal is the derivative of freshness at even distances,
// weight·(1−e^{−z}(1+z))/Δ with z = Δ/x.
func (r hostedRow) marginal(rate float64) float64 {
	if rate == 0 {
		return r.weight / r.change
	}
	z := r.change / rate
	return r.weight * (1 - math.Exp(-z)*(1+z)) / r.change
}

// With accesses at even distances, every page of a host has the marginal value of
// the host, and one without accesses no higher one.
func TestHostCapsAreOptimal(t *testing.T) {
	refreshFolder(t)
	writeHosted(t, "hosted.csv", hostedRows)
	require.NotEmpty(t, answer(t, "refresh rates --input hosted.csv --bandwidth 5 --host-cap 2 --hosts-out hosts.jsonl --out rates.csv"))
	multipliers := map[int]float64{}
	for host, line := range strings.Split(strings.TrimSpace(readFile(t, "hosts.jsonl")), "\n") {
		multipliers[host] = object(t, line)["multiplier"].(float64)
	}
	sums := [2]float64{}
	for i, rate := range column(t, readFile(t, "rates.csv"), 1) {
		r := hostedRows[i]
		sums[r.host] += rate
		require.GreaterOrEqual(t, rate, 0.0)
		marginal := r.marginal(rate)
		if rate > 0 {
			assert.GreaterOrEqual(t, marginal, multipliers[r.host]*(1-1e-9), r.id)
		}
		assert.LessOrEqual(t, marginal, multipliers[r.host]*(1+1e-9), r.id)
	}
	assert.InEpsilon(t, 2, sums[0], 1e-12)
	assert.InEpsilon(t, 2, sums[1], 1e-12)
}

// Every objective keeps to caps.
func TestCapsOfAllObjectives(t *testing.T) {
	refreshFolder(t)
	rows := slices.Clone(hostedRows)
	for i := range rows { // probabilities, for discrete
		rows[i].change /= 10
	}
	writeHosted(t, "slow.csv", rows)
	for _, objective := range objectiveNames {
		if objective == "signals" {
			continue // it needs columns of its own
		}
		line := "refresh rates --input slow.csv --bandwidth 1/2 --host-cap 0.2 --out rates.csv --objective " + objective
		got := answer(t, line)
		assert.InEpsilon(t, got["value"], got["bound"], 1e-12, objective)
		assert.Equal(t, 2.0, got["hosts_capped"], objective)
		sums := [2]float64{}
		for i, rate := range column(t, readFile(t, "rates.csv"), 1) {
			assert.GreaterOrEqual(t, rate, 0.0, objective)
			sums[rows[i].host] += rate
		}
		for _, sum := range sums {
			assert.InEpsilon(t, 0.2, sum, 1e-12, objective)
		}
		assert.NotContains(t, answer(t, "refresh rates --input slow.csv --bandwidth 1/2 --objective "+objective), "hosts")
	}
}

// From a log of addresses to what a schedule within the caps costs.
func TestFromHistoryToScheduleWithCaps(t *testing.T) {
	refreshFolder(t)
	var log strings.Builder
	log.WriteString("url,time,changed\n")
	for i := range 40 {
		page := fmt.Sprintf("https://%c.example/%d", 'a'+i%2, i%8)
		fmt.Fprintf(&log, "%s,%d,%d\n", page, i, i%3%2)
	}
	writeFile(t, "log.csv", log.String())
	require.NotEmpty(t, answer(t, "refresh estimate --input log.csv --out estimated.csv"))
	lines := strings.Split(strings.TrimSpace(readFile(t, "estimated.csv")), "\n")
	for i := range lines {
		lines[i] += []string{",", ",", ",x"}[i%3]
	}
	lines[0] += "host"
	writeFile(t, "hosted.csv", strings.Join(lines, "\n"))
	for list, hosts := range map[string]float64{"estimated.csv": 2, "hosted.csv": 3} {
		got := answer(t, "refresh rates --input "+list+" --bandwidth 3 --host-cap 0.5 --objective coffman --out rates.csv")
		assert.Equal(t, 8.0, got["pages"])
		assert.Equal(t, hosts, got["hosts"])
		assert.InEpsilon(t, hosts/2, got["used"], 1e-12)
		require.NotEmpty(t, answer(t, "refresh schedule --input rates.csv --length 200 --out slots.csv"))
		evaluated := answer(t, "refresh evaluate --input "+list+" --schedule slots.csv --bandwidth "+strconv.FormatFloat(hosts/2, 'g', -1, 64))
		assert.Equal(t, 8.0, evaluated["pages"])
		assert.GreaterOrEqual(t, evaluated["ratio"], 1.0)
		status, _, stderr := execute(t, "refresh compare --input "+list+" --steps 2")
		assert.Zero(t, status, stderr)
	}
}

func TestRowsWithUnusableNumbers(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "rows.csv", "id,change_rate,recall,false_rate\nhttps://a.example/,1,,\nb,1,2,1\nc,1,-1,\nd,1,,NaN\ne,1,,\n")
	status, stdout, stderr := execute(t, "refresh rates --input rows.csv --bandwidth 1 --allow-left-out 100% -o json")
	assert.Zero(t, status)
	assert.Equal(t, 3.0, object(t, stdout)["unusable"])
	for _, place := range []string{"rows.csv:3:5: found \"2\"; expected 0 or a number from 1e-100 to 1, or nothing", "rows.csv:4:5: ", "rows.csv:5:6: ", "3 of 5 rows"} {
		assert.Contains(t, stderr, place)
	}
	status, stdout, stderr = execute(t, "refresh rates --input rows.csv --bandwidth 1 --allow-left-out 100% -o json --host-cap 1")
	assert.Zero(t, status)
	assert.Equal(t, 4.0, object(t, stdout)["unusable"], "e has no host")
	assert.Contains(t, stderr, `rows.csv:6:1: found "e"; expected a URL with a host, or a name in the column host`)
	writeFile(t, "caps.csv", "cap,host\n1,A.example\n2,y\n3,z\n")
	status, _, stderr = execute(t, "refresh rates --input rows.csv --bandwidth 1 --allow-left-out 100% -o json --host-caps caps.csv")
	assert.Zero(t, status)
	assert.Contains(t, stderr, `warning: --host-caps: 2 hosts without a page ignored, such as "y"`)
	for _, name := range []string{"hosts.csv", "rates.csv"} {
		_, err := os.Stat(name + ".partial")
		assert.ErrorIs(t, err, os.ErrNotExist)
	}
}
