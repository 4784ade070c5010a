package site

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLaws compares means of draws with the formulas, and the formulas with the papers.
func TestLaws(t *testing.T) {
	for name, l := range map[string]struct {
		law  Law
		mean float64
	}{
		"exponential":  {Exponential(3), 3},
		"log-normal":   {LogNormal{Mu: -0.5, Sigma: 1}, 1},
		"change rates": {ChoGarciaMolina(0.5), 2 * (0.23 + 0.15/7 + 0.16/30 + 0.16/120 + 0.30/365)},
		// What is cut off takes 1 % from the mean of 10,710 before.
		"page sizes": {PageSize, PageSize.Mean()},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		const n = 100_000
		sum, squares := 0.0, 0.0
		for range n {
			x := l.law.Draw(random)
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / n
		deviation := math.Sqrt((squares/n - mean*mean) / n)
		assert.InDelta(t, l.mean, mean, 4*deviation, name)
		assert.InEpsilon(t, l.mean, l.law.Mean(), 1e-12, name)
	}
	assert.InEpsilon(t, 10_710, PageSize.Mean(), 0.02)
	// 3GPP2 gives the same law by its parameters: 8.37 and 1.37 (1xEV-DV Evaluation Methodology).
	assert.InDelta(t, 8.37, PageSize.Mu, 0.05)
	assert.InDelta(t, 1.37, PageSize.Sigma, 0.01)
}

// answer is what a crawler gets to see.
type answer struct {
	status int
	header http.Header
	body   string
}

func get(s *Site, url string, headers ...string) answer {
	r := httptest.NewRequest(http.MethodGet, url, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// TestChanges compares what is served with the versions, and these with a Poisson process.
func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		s := New(Settings{
			Hosts: 3, PagesPerHost: 100, Seed: 7, Begin: begin,
			Latency: Exponential(0.1), Size: Exponential(500), ChangeRate: Exponential(1),
		})
		bodies := map[string]string{} // by URL and version
		for range 3 {
			time.Sleep(time.Second)
			for i, p := range s.Pages() {
				response := get(s, p.URL)
				require.Equal(t, http.StatusOK, response.status)
				body := response.body
				version := s.Version(i, time.Now())
				key := fmt.Sprintln(p.URL, version)
				if before, ok := bodies[key]; ok {
					assert.Equal(t, before, body)
				}
				bodies[key] = body
				assert.True(t, strings.HasPrefix(body, fmt.Sprintf("Version %d", version)), "%.20s", body)
				tag := response.header.Get("ETag")
				assert.Equal(t, i%3 != 2, tag != "", "two hosts of three have tags")
				if tag != "" {
					again := get(s, p.URL, "If-None-Match", fmt.Sprintf(`"%d"`, s.Version(i, time.Now())))
					assert.Contains(t, []int{http.StatusNotModified, http.StatusOK}, again.status)
					if s.Version(i, time.Now()) == version {
						assert.Equal(t, http.StatusNotModified, again.status)
					}
				}
			}
		}
		// Changes in 1000 s: their number has mean and variance rate·1000.
		sum := 0.0
		for i, p := range s.Pages() {
			expected := p.ChangeRate * 1000
			sum += (float64(s.Version(i, begin.Add(1000*time.Second))) - expected) / math.Sqrt(expected)
		}
		assert.Less(t, math.Abs(sum)/math.Sqrt(300), 4.0)
	})
}

// TestFaults counts answers.
func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Settings{
			Hosts: 10, PagesPerHost: 200, Seed: 3, Begin: time.Now(), Latency: Exponential(0.1), Size: Exponential(100), ChangeRate: Exponential(1),
			Load:   func(time.Duration) float64 { return 2 },
			Faults: &Faults{Moved: 0.1, Gone: 0.2, Error: 0.3, Disallowed: 0.25, Delayed: 0.5, CrawlDelay: 2 * time.Second},
		})
		counts := map[int]int{}
		disallowed := 0
		begin := time.Now()
		for _, p := range s.Pages() {
			response := get(s, p.URL)
			counts[response.status/100]++
			if strings.Contains(p.URL, "/private") {
				disallowed++
				assert.False(t, p.Lasts)
			}
			if location := response.header.Get("Location"); location != "" {
				host := strings.SplitAfter(p.URL, ".test")[0]
				assert.NotEqual(t, http.StatusFound, get(s, host+location).status)
			}
		}
		// Shares of 2000 with 4 standard deviations.
		near := func(share float64, count int) {
			t.Helper()
			assert.InDelta(t, share, float64(count)/2000, 4*math.Sqrt(share*(1-share)/2000))
		}
		near(0.3, counts[5])
		near(0.7*0.2, counts[4])
		near(0.7*0.8*0.1, counts[3])
		near(0.7*0.8*0.9, counts[2])
		near(0.25, disallowed)
		took := time.Since(begin).Seconds() / float64(2000+counts[3])
		assert.InDelta(t, 0.05, took, 4*0.05/math.Sqrt(2000), "twice as fast as 0.1 s")
		for host, want := range map[int]bool{0: true, 4: true, 5: false} {
			body := get(s, fmt.Sprintf("http://host%d.test/robots.txt", host)).body
			assert.Equal(t, want, strings.Contains(body, "Crawl-delay: 2\n"))
			assert.Contains(t, body, "Disallow: /private\n")
		}
	})
	s := New(Settings{Hosts: 1, PagesPerHost: 1, Size: Exponential(1), ChangeRate: Exponential(1), Latency: Exponential(1e-9)})
	assert.Equal(t, http.StatusMisdirectedRequest, get(s, "http://host1.test/pages/0").status)
	for _, path := range []string{"/pages/1", "/pages/x", "/", "/pages/-1"} {
		assert.Equal(t, http.StatusNotFound, get(s, "http://host0.test"+path).status, path)
	}
}
