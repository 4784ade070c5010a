package limits_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

const minute, hour, day = 60., 3600., 86400.

func TestComplete(t *testing.T) {
	rules := limits.Rules{
		{Host: "News.example.", Path: "/live/", Intervals: limits.Intervals{Greatest: 5 * minute}},
		{Host: "news.example", Intervals: limits.Intervals{Least: 10 * minute, Greatest: hour}},
		{Label: "feed", Intervals: limits.Intervals{Greatest: 15 * minute}},
		{Intervals: limits.Intervals{Least: hour, Greatest: 14 * day}},
	}
	for _, test := range []struct {
		url, label string
		own, want  limits.Intervals
	}{
		{"https://news.example/sport", "", limits.Intervals{}, limits.Intervals{10 * minute, hour}},
		{"https://www.news.example:443/sport", "", limits.Intervals{}, limits.Intervals{10 * minute, hour}},
		{"https://oldnews.example/", "", limits.Intervals{}, limits.Intervals{hour, 14 * day}},
		// The first rule gives the greatest interval, to which the least one of the next gives way.
		{"https://news.example/live/1", "", limits.Intervals{}, limits.Intervals{5 * minute, 5 * minute}},
		{"https://a.example/feed.xml", "feed", limits.Intervals{}, limits.Intervals{15 * minute, 15 * minute}},
		{"https://a.example", "", limits.Intervals{Greatest: minute}, limits.Intervals{minute, minute}},
		{"https://a.example", "", limits.Intervals{Least: 30 * day}, limits.Intervals{30 * day, 30 * day}},
		{"page 7", "", limits.Intervals{}, limits.Intervals{hour, 14 * day}},
	} {
		assert.Equal(t, test.want, rules.Complete(test.own, []byte(test.url), []byte(test.label)), test.url)
	}
	assert.Equal(t, limits.Intervals{}, limits.Rules(nil).Complete(limits.Intervals{}, []byte("https://a.example/"), nil))
	root := limits.Rules{{Path: "/", Intervals: limits.Intervals{Least: 1}}}
	assert.Equal(t, 1., root.Complete(limits.Intervals{}, []byte("https://a.example"), nil).Least)
}

func TestRates(t *testing.T) {
	least, greatest := limits.Intervals{Least: hour}.Rates(day)
	assert.Equal(t, []float64{0, 24}, []float64{least, greatest})
	least, greatest = limits.Intervals{Greatest: hour}.Rates(day)
	assert.Equal(t, []float64{24, math.Inf(1)}, []float64{least, greatest})
}

func TestValidate(t *testing.T) {
	for _, wrong := range []limits.Intervals{{-1, 0}, {math.NaN(), 0}, {0, math.Inf(1)}, {2, 1}} {
		assert.Error(t, wrong.Validate())
	}
	for _, right := range []limits.Intervals{{}, {2, 0}, {0, 1}, {1, 1}} {
		assert.NoError(t, right.Validate())
	}
}

func ExampleRules() {
	rules := limits.Rules{
		{Label: "feed", Intervals: limits.Intervals{Greatest: 900}},
		{Intervals: limits.Intervals{Least: 600, Greatest: 14 * 86400}},
	}
	fmt.Println(rules.Complete(limits.Intervals{}, []byte("https://a.example/feed.xml"), []byte("feed")))
	// Output: {600 900}
}

func ExampleRule() {
	news := limits.Rule{Host: "a.example", Path: "/news/", Intervals: limits.Intervals{Greatest: 3600}}
	found := limits.Rules{news}.Complete(limits.Intervals{}, []byte("https://www.a.example/news/1"), nil)
	fmt.Println(found.Greatest, "s")
	// Output: 3600 s
}

func ExampleIntervals() {
	least, greatest := limits.Intervals{Least: 600, Greatest: 14 * 86400}.Rates(86400)
	fmt.Printf("%.4f to %.0f accesses a day\n", least, greatest)
	// Output: 0.0714 to 144 accesses a day
}
