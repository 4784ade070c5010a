package pagefile

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

func TestIntervalsOfPages(t *testing.T) {
	const list = `id,change_rate,least_interval,greatest_interval,label,unit
https://a.example/,1,,10,,day
https://a.example/feed,1,0.5,,feed,day
https://b.example/,1,,,,day
https://b.example/x,1,30,40,,day
`
	read := func(options Options, list string) (*Pages, *Report) {
		pages, report, err := ReadPages(t.Context(), Source{Name: "pages.csv", Reader: strings.NewReader(list)}, options)
		require.NoError(t, err)
		return pages, report
	}
	inf := math.Inf(1)
	pages, _ := read(Options{}, list)
	assert.Equal(t, []float64{0.1, 0, 0, 1. / 40}, pages.LeastRates)
	assert.Equal(t, []float64{inf, 2, inf, 1. / 30}, pages.GreatestRates)

	rules := limits.Rules{{Label: "feed", Intervals: limits.Intervals{Greatest: 7200}}, {Intervals: limits.Intervals{Least: 86400, Greatest: 20 * 86400}}}
	for _, u := range []unit.Unit{unit.Day, unit.Hour} {
		pages, _ = read(Options{Rules: rules, Unit: u, Hosts: u == unit.Hour}, list)
		perDay := 1 / unit.Rate(1, unit.Day, u)
		for i, want := range []float64{0.1, 2, 1. / 20, 1. / 40} { // 2: its own least interval is 12 hours
			assert.InEpsilon(t, want, pages.LeastRates[i]*perDay, 1e-15)
		}
		for i, want := range []float64{1, 2, 1, 1. / 30} {
			assert.InEpsilon(t, want, pages.GreatestRates[i]*perDay, 1e-15)
		}
	}

	// Without a unit rules mean nothing, and limits must not contradict each other.
	_, report := read(Options{Rules: rules}, "id,change_rate\na,1\n")
	assert.ErrorContains(t, report.Faults[0], "a unit")
	_, report = read(Options{}, "id,change_rate,least_interval,greatest_interval\na,1,3,2\nb,1,0,\n")
	assert.ErrorContains(t, report.Faults[0], "pages.csv:2:7:")
	assert.ErrorContains(t, report.Faults[1], "pages.csv:3:5:")
}

func TestReadRules(t *testing.T) {
	read := func(list string) (limits.Rules, error) {
		rules, _, err := ReadRules(t.Context(), Source{Name: "rules.csv", Reader: strings.NewReader(list)}, Options{Strict: true})
		return rules, err
	}
	rules, err := read("host,path,label,least_interval,greatest_interval,unit\nA.example,/news/,,10min,2h,\n,,feed,,15,minute\n")
	require.NoError(t, err)
	assert.Equal(t, limits.Rules{
		{Host: "a.example", Path: "/news/", Intervals: limits.Intervals{Least: 600, Greatest: 7200}},
		{Label: "feed", Intervals: limits.Intervals{Greatest: 900}},
	}, rules)
	rules, err = read("greatest_interval\n14d\n")
	require.NoError(t, err)
	assert.Equal(t, limits.Rules{{Intervals: limits.Intervals{Greatest: 14 * 86400}}}, rules)
	for _, wrong := range []string{
		"host,greatest_interval\na.example,15\n", "host,greatest_interval\na.example,-1d\n", "host,greatest_interval\na.example,\n",
		"least_interval,greatest_interval\n2d,1d\n", "greatest_interval\n9999999d\n",
	} {
		_, err := read(wrong)
		assert.ErrorContains(t, err, "rules.csv:2:", wrong)
	}
}

// TestUnfitRules checks that rules that fit no page, and columns that rules do not have, are told of.
func TestUnfitRules(t *testing.T) {
	list := "id,change_rate\nhttps://a.example/x,1\nhttps://a.example/y,2\n"
	rules := limits.Rules{
		{Host: "b.example", Intervals: limits.Intervals{Least: 1}},
		{Path: "/y", Intervals: limits.Intervals{Least: 1}},
		{Label: "feed", Intervals: limits.Intervals{Least: 1}},
		{Intervals: limits.Intervals{Least: 1}},
	}
	for _, size := range []int{1, 0} {
		_, report := readPages(t, list, Options{Rules: rules, Unit: unit.Day, Workers: 2, blockSize: size})
		assert.Equal(t, []int{0, 2}, report.Unfit)
	}
	_, report, err := ReadRules(t.Context(), Source{Name: "r.csv", Reader: strings.NewReader("hosts,least_interval,Path,x\n,2d,,\n")}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"hosts", "x"}, report.Ignored)
}
