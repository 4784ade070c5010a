package static_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/static"
)

func TestSweep(t *testing.T) {
	p := static.Parameters{ArrivalRate: 1 / 5.7, ServiceRate: 1, StarvationWeight: 1.4, Buffer: 10}
	for axis, values := range map[static.Axis][]float64{
		static.OverWeight: {0.1, 1, 5}, static.OverBuffer: {2, 3, 100}, static.OverRatio: {0.5, 5.7, 31},
	} {
		points, err := static.Sweep(p, axis, values)
		require.NoError(t, err)
		require.Len(t, points, len(values))
		for i, point := range points {
			q := p
			switch axis {
			case static.OverWeight:
				q.StarvationWeight = values[i]
			case static.OverBuffer:
				q.Buffer = int(values[i])
			case static.OverRatio:
				q.ArrivalRate = 1 / values[i]
			}
			result, err := q.Optimize()
			require.NoError(t, err)
			unlimited := q
			unlimited.Unlimited = true
			limit, err := unlimited.Optimize()
			require.NoError(t, err)
			assert.Equal(t, static.Point{Value: values[i], Parameters: q, Result: result, Unlimited: limit}, point)
		}
	}
}

func TestSweepRefuses(t *testing.T) {
	p := static.Parameters{ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4, Buffer: 10}
	for _, c := range []struct {
		axis  static.Axis
		value float64
		field string
	}{
		{static.OverWeight, 0, "StarvationWeight"},
		{static.OverBuffer, 1, "Buffer"},
		{static.OverBuffer, 2.5, "Buffer"},
		{static.OverBuffer, math.NaN(), "Buffer"},
		{static.OverRatio, -1, "Ratio"},
		{static.OverRatio, math.Inf(1), "Ratio"},
		{static.OverRatio, 1e300, "ArrivalRate"},
		{static.Axis(5), 1, "Axis"},
	} {
		_, err := static.Sweep(p, c.axis, []float64{2, c.value})
		var fault *static.ParameterError
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, c.field, fault.Field)
	}
}

// TestSweepWithoutLimit: the best number is within range, that for K → ∞ is
// not.
func TestSweepWithoutLimit(t *testing.T) {
	p := static.Parameters{ArrivalRate: 1e-18, ServiceRate: 1, StarvationWeight: 1e-30, Buffer: 2}
	_, err := p.Optimize()
	require.NoError(t, err)
	_, err = static.Sweep(p, static.OverBuffer, []float64{2})
	require.Error(t, err)
}

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		axis     static.Axis
		from, to float64
		count    int
		want     []float64
	}{
		{static.OverWeight, 0.5, 2, 4, []float64{0.5, 1, 1.5, 2}},
		{static.OverWeight, 0.5, 3, 6, []float64{0.5, 1, 1.5, 2, 2.5, 3}},
		{static.OverWeight, 0.1, 0.7, 7, []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}},
		{static.OverRatio, 1.0 / 3, 2.0 / 3, 3, []float64{1.0 / 3, 0.5, 2.0 / 3}},
		{static.OverRatio, math.MaxFloat64 / 2, math.MaxFloat64, 2, []float64{math.MaxFloat64 / 2, math.MaxFloat64}},
		{static.OverBuffer, 2, 5, 100, []float64{2, 3, 4, 5}},
		{static.OverBuffer, 2, 10, 3, []float64{2, 6, 10}},
		{static.OverRatio, 3, 3, 1, []float64{3}},
		{static.OverRatio, 3, 3, 5, []float64{3}},
	} {
		got, err := static.Grid(c.axis, c.from, c.to, c.count)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	for field, f := range map[string]func() ([]float64, error){
		"From":  func() ([]float64, error) { return static.Grid(static.OverWeight, math.NaN(), 1, 3) },
		"To":    func() ([]float64, error) { return static.Grid(static.OverWeight, 2, 1, 3) },
		"Count": func() ([]float64, error) { return static.Grid(static.OverWeight, 1, 2, 1) },
	} {
		_, err := f()
		var fault *static.ParameterError
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, field, fault.Field)
	}
}
