package estimate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots/estimate"
	"github.com/mdpsolve/mdpsolve/queue"
)

// TestIntervalsCover draws logs with known rates: the intervals of 90 % have to contain the rate in
// about that share of them. The limits are those of five standard errors of the binomial law.
func TestIntervalsCover(t *testing.T) {
	const logs, active = 1000, 4.
	law, err := queue.ParseLaw("hyperexponential:0.9@1,0.1@11", 0.5, nil)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 42))
	for _, events := range []int{60, 2000} {
		lambdas, mus, uneven, dispersions := 0, 0, 0, 0.0
		for range logs {
			times, services := []float64{0}, make([]float64, events)
			for range events {
				times = append(times, times[len(times)-1]+random.ExpFloat64()/(3*active))
			}
			for i := range services {
				services[i] = law.Draw(random)
			}
			lambda, err := estimate.Arrivals(times, active, math.Inf(1), 0.9)
			require.NoError(t, err)
			mu, err := estimate.Services(services, 0.9)
			require.NoError(t, err)
			if lambda.Lower <= 3 && 3 <= lambda.Upper {
				lambdas++
			}
			if mu.Lower <= 2 && 2 <= mu.Upper {
				mus++
			}
			if lambda.IsUneven() {
				uneven++
			}
			dispersions += lambda.Dispersion / logs
		}
		least := 0.9 - 5*math.Sqrt(0.09/logs)
		if events < 100 {
			least -= 0.05 // the normal law is rough for few times that vary much
		}
		assert.Greater(t, float64(lambdas)/logs, least, events)
		assert.Greater(t, float64(mus)/logs, least, events)
		assert.Less(t, float64(lambdas)/logs, 0.98, events)
		assert.InDelta(t, 1, dispersions, 0.05, events)
		assert.Less(t, uneven, 30, events) // 10 are expected
	}
}

// TestBurstsWidenIntervals compares a log whose rate alternates between 1 and 9 with one of rate 5:
// in parts of which half have each rate, the variance of the counts is about 16 times the
// square of the mean number per unit of rate.
func TestBurstsWidenIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var times, services []float64
	for hour := range 200 {
		rate := []float64{1, 9}[hour/10%2]
		for at := float64(hour) * 10; at < float64(hour+1)*10; at += random.ExpFloat64() / rate {
			times = append(times, at)
			services = append(services, random.ExpFloat64()/rate)
		}
	}
	lambda, err := estimate.Arrivals(times, 1, math.Inf(1), 0.95)
	require.NoError(t, err)
	assert.InEpsilon(t, 5, lambda.Rate, 0.05)
	assert.InEpsilon(t, 20*16/5., lambda.Dispersion, 0.3) // parts of 20 units: variance (20·4)² over mean 100
	mu, err := estimate.Services(services, 0.95)
	require.NoError(t, err)
	assert.Greater(t, mu.Dispersion, 5.)
	assert.True(t, lambda.IsUneven())
	assert.True(t, mu.IsUneven())
}

// Equal gaps are no independent events.
func TestRegularArrivals(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var regular, independent []float64
	at := 0.0
	for i := range 2000 {
		regular = append(regular, float64(i)+0.1*random.Float64())
		at += random.ExpFloat64()
		independent = append(independent, at)
	}
	scheduled, err := estimate.Arrivals(regular, 1, math.Inf(1), 0.95)
	require.NoError(t, err)
	assert.True(t, scheduled.IsRegular())
	assert.False(t, scheduled.IsUneven())
	free, err := estimate.Arrivals(independent, 1, math.Inf(1), 0.95)
	require.NoError(t, err)
	assert.False(t, free.IsRegular())
}

func TestPauses(t *testing.T) {
	var times []float64
	for i := range 100 {
		times = append(times, float64(i)/10, 1000+float64(i)/10) // in no order
	}
	lambda, err := estimate.Arrivals(times, 2, 5, 0.95)
	require.NoError(t, err)
	assert.InEpsilon(t, 5, lambda.Rate, 1e-9)
	assert.Equal(t, 198, lambda.Count)
	lambda, err = estimate.Arrivals(times, 2, math.Inf(1), 0.95)
	require.NoError(t, err)
	assert.InEpsilon(t, 199/1009.9/2, lambda.Rate, 1e-9)
}

func TestRefusals(t *testing.T) {
	ten := make([]float64, 12)
	for i := range ten {
		ten[i] = float64(i)
	}
	for argument, call := range map[string]func() (estimate.Rate, error){
		"active":     func() (estimate.Rate, error) { return estimate.Arrivals(ten, 0, 1, 0.9) },
		"pause":      func() (estimate.Rate, error) { return estimate.Arrivals(ten, 1, math.NaN(), 0.9) },
		"arrivals":   func() (estimate.Rate, error) { return estimate.Arrivals(ten[:5], 1, 1, 0.9) },
		"confidence": func() (estimate.Rate, error) { return estimate.Arrivals(ten, 1, 1, 1) },
		"services":   func() (estimate.Rate, error) { return estimate.Services(make([]float64, 20), 0.9) },
	} {
		_, err := call()
		var fault *estimate.Error
		require.ErrorAs(t, err, &fault, argument)
		assert.Equal(t, argument, fault.Argument)
		assert.Contains(t, err.Error(), "estimate: "+argument)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		_, err := estimate.Arrivals(append([]float64{bad}, ten...), 1, 1, 0.9)
		require.Error(t, err)
		_, err = estimate.Services(append([]float64{bad}, ten...), 0.9)
		require.Error(t, err)
	}
	_, err := estimate.Arrivals(make([]float64, 20), 1, 1, 0.9)
	require.ErrorContains(t, err, "19 gaps between pages, 0 units of time in all")
}

// Two robots deliver a page every half second between them: each has rate 1.
func ExampleRate() {
	var times []float64
	for i := range 401 {
		times = append(times, float64(i)/2)
	}
	lambda, err := estimate.Arrivals(times, 2, math.Inf(1), 0.95)
	fmt.Printf("%.3f, %.3f to %.3f from %d pages, dispersion %.2f, %v\n", lambda.Rate, lambda.Lower, lambda.Upper, lambda.Count, lambda.Dispersion, err)
	// Output: 1.000, 0.907 to 1.103 from 400 pages, dispersion 0.01, <nil>
}

func ExampleError() {
	_, err := estimate.Services([]float64{1, 2}, 0.95)
	fmt.Println(err)
	// Output: estimate: services: 2 times is not valid: use at least 10, of which one is above 0
}
