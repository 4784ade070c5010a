package freshness

// What is supposed of pages and of the crawler, and where it has been published.

import "github.com/mdpsolve/mdpsolve/examples/crawler/site"

// A Scenario says what pages are like and how much a crawler can fetch.
type Scenario struct {
	Name     string
	Pages    int     // at any time
	Days     float64 // that are played
	Every    float64 // days between two fetches of a page if all were fetched equally often
	Lifetime float64 // of a page in days, on average, with an exponential law; 0: for ever
	Failures float64 // share of fetches that fail, at random
	// Weighted pages have weights from 1 to 10,000, k with probability proportional to 1/k², as
	// Azar et al. (PNAS 2018) draw them; others have weight 1.
	Weighted bool
}

// Bandwidth returns the number of fetches a day.
func (s Scenario) Bandwidth() float64 { return float64(s.Pages) / s.Every }

// Scenarios returns those that are played: with so many pages, for so many days. Change rates
// are those of [site.ChoGarciaMolina].
//
//	monthly   all pages could be fetched once in 30 days, as in their comparison
//	weekly    once in 7 days
//	living    once in 7 days; pages come and go, and fetches fail
//	weighted  the same, and some pages are worth more than others
func Scenarios(pages int, days float64) []Scenario {
	return []Scenario{
		{Name: "monthly", Pages: pages, Days: days, Every: 30},
		{Name: "weekly", Pages: pages, Days: days, Every: 7},
		{Name: "living", Pages: pages, Days: days, Every: 7, Lifetime: lifetime, Failures: failures},
		{Name: "weighted", Pages: pages, Days: days, Every: 7, Lifetime: lifetime, Failures: failures, Weighted: true},
	}
}

var changeRates = site.ChoGarciaMolina(1)

const (
	// lifetime is such that 20 % of the pages are left after a year: A. Ntoulas, J. Cho and
	// C. Olston, What's new on the web?, Proc. WWW 2004.
	lifetime = 226.8
	// failures is such that 49.2 % of the pages can be fetched each time in 11 fetches: D.
	// Fetterly, M. Manasse, M. Najork and J. Wiener, A large-scale study of the evolution of
	// web pages, Proc. WWW 2003, where failures that last are among them.
	failures = 0.0625
)
