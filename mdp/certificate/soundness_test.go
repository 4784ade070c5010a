package certificate

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Whatever is done to claims and certificates, what holds is so, and what is
// refuted is not.
func TestVerdictsAreRight(t *testing.T) {
	var holding, refuted, undecided int
	trials(t, 500, func(t *testing.T, random *rand.Rand) {
		x := randomTruth(t, random)
		x.setExact()
		for range 1 + random.IntN(3) {
			x.spoilClaim(random)
		}
		for range random.IntN(4) {
			x.spoilCertificate(random)
		}
		options := Options{}
		if random.IntN(2) == 0 {
			options.Achieved = x.certificateOf(t, x.result.Policy)
		}
		report, err := Check(context.Background(), x.model, x.result, options)
		require.NoError(t, err)
		v := report.Verdict()
		switch v {
		case Holds:
			holding++
		case Refuted:
			refuted++
		default:
			undecided++
		}
		x.assertTrue(t, report)
	})
	t.Logf("%d hold, %d are refuted, %d undecided", holding, refuted, undecided)
	assert.Positive(t, holding)
	assert.Positive(t, refuted)
	assert.Positive(t, undecided)
}

// assertTrue compares a report with the truth, claim by claim.
func (x *truth) assertTrue(t *testing.T, report *Report) {
	t.Helper()
	r := x.result
	for s, v := range x.values {
		i := report.Optimum[s]
		assert.True(t, holds(v, i.Lower, i.Upper), "state %d: %v is not in %v", s, v, i)
	}
	var own []oracleValue
	if report.Achieved != nil {
		own = x.evaluate(r.Policy)
		for s, v := range own {
			i := report.Achieved[s]
			assert.True(t, holds(v, i.Lower, i.Upper), "state %d: the policy achieves %v, not in %v", s, v, i)
		}
	}
	agree := func(name string, f Finding, is bool) {
		t.Helper()
		assert.NotEqual(t, decide(!is), f.Verdict, "%s: %v", name, f.Faults)
	}
	if r.Lower != nil {
		agree("bounds", report.Bounds, !slices.ContainsFunc(indices(len(x.values)), func(s int) bool { return !holds(x.values[s], r.Lower[s], r.Upper[s]) }))
		fine := true
		for s, v := range own {
			claimed := r.Upper[s]
			if x.maximize() {
				claimed = r.Lower[s]
			}
			inside := holds(v, math.Inf(-1), claimed)
			if x.maximize() {
				inside = holds(v, claimed, math.Inf(1))
			}
			fine = fine && (inside || !x.maximize() && x.values[s].Rat == nil && x.values[s].sign < 0)
		}
		if own != nil {
			agree("policy", report.Policy, fine)
		}
		// The status: the scale of the returned policy is that of the oracle.
		absolute := x.scales(r.Policy)
		for s := range own {
			if r.Status == "converged" && report.Status.Verdict == Holds && r.Lower[s] != r.Upper[s] && report.Bounds.Verdict == Holds && report.Policy.Verdict == Holds && absolute[s].Rat != nil {
				width := new(big.Rat).Sub(new(big.Rat).SetFloat64(r.Upper[s]), new(big.Rat).SetFloat64(r.Lower[s]))
				allowed := new(big.Rat).SetFloat64(*r.Tolerance)
				assert.LessOrEqual(t, width.Cmp(allowed.Mul(allowed, absolute[s].Rat)), 0, "state %d", s)
			}
		}
	} else {
		// Values on their own are within the tolerance of the optimum.
		policy := r.Policy
		if c := r.Certificate; c != nil && c.Policy != nil {
			policy = c.Policy
		}
		absolute := x.scales(policy)
		for s, v := range x.values {
			if report.Values.Verdict == Holds && v.Rat != nil && r.Exact == nil && absolute[s].Rat != nil {
				off := new(big.Rat).Sub(v.Rat, new(big.Rat).SetFloat64(r.Values[s]))
				allowed := new(big.Rat).SetFloat64(*r.Tolerance)
				if own := new(big.Rat).Abs(v.Rat); own.Cmp(absolute[s].Rat) > 0 { // that of an optimal policy is as large
					absolute[s].Rat = own
				}
				assert.LessOrEqual(t, off.Abs(off).Cmp(allowed.Mul(allowed, absolute[s].Rat)), 0, "state %d", s)
			}
		}
	}
	if r.Exact != nil {
		same := true
		for s, v := range x.values {
			same = same && (v.Rat == nil) == (r.Exact[s] == nil) && (v.Rat == nil || v.Cmp(r.Exact[s]) == 0)
		}
		if !same {
			assert.NotEqual(t, Holds, report.Values.Verdict)
		}
	}
}

// scales returns what absolute costs come to under a policy.
func (x *truth) scales(policy []int32) []oracleValue {
	y := *x
	y.oracle = &exactModel{rows: x.oracle.rows}
	for _, costs := range x.oracle.costs {
		var absolute []*big.Rat
		for _, c := range costs {
			absolute = append(absolute, new(big.Rat).Abs(c))
		}
		y.oracle.costs = append(y.oracle.costs, absolute)
	}
	scales := y.evaluate(policy)
	if x.result.Criterion == "finite" { // later steps are free to choose: the best ones earn as much at least
		for s, v := range x.values {
			if own := new(big.Rat).Abs(v.Rat); own.Cmp(scales[s].Rat) > 0 {
				scales[s].Rat = own
			}
		}
	}
	return scales
}

// certificateOf returns the exact value of a policy as a certificate, nil for one
// that is none.
func (x *truth) certificateOf(t *testing.T, policy []int32) *Certificate {
	t.Helper()
	if x.result.Criterion == "finite" || x.result.Criterion == "discounted" && x.result.Rate == nil && *x.result.Discount == 0 {
		return nil
	}
	followed, err := x.exactly(t, false).Follow(policy)
	if err != nil {
		return nil
	}
	sense := mdp.Minimize
	if x.maximize() {
		sense = mdp.Maximize
	}
	witness, _ := x.solve(t, followed, sense)
	return &Certificate{Lower: witness, Upper: witness}
}

// spoilClaim changes a claim a little, or much, for better or worse.
func (x *truth) spoilClaim(random *rand.Rand) {
	r, s := x.result, random.IntN(len(x.values))
	moved := func(y float64) float64 {
		if math.IsInf(y, 0) && random.IntN(2) == 0 {
			return float64(random.IntN(9) - 4)
		}
		switch random.IntN(4) {
		case 0:
			return math.Nextafter(y, math.Inf(random.IntN(2)*2-1))
		case 1:
			return y * (1 + 1e-6*(random.Float64()-0.5))
		case 2:
			return math.Inf(random.IntN(2)*2 - 1)
		}
		return y + random.NormFloat64()
	}
	switch random.IntN(7) {
	case 0:
		if r.Lower != nil {
			r.Lower[s] = moved(r.Lower[s])
		}
	case 1:
		if r.Upper != nil {
			r.Upper[s] = moved(r.Upper[s])
		}
	case 2:
		if actions := len(x.oracle.rows[s]); r.Policy != nil {
			r.Policy = slices.Clone(r.Policy)
			r.Policy[s] = int32(random.IntN(actions))
		}
	case 3:
		r.Exact = nil
		r.Values[s] = moved(r.Values[s])
		r.Value = r.Values[r.Initial]
	case 4:
		r.Exact = nil
		r.Lower, r.Upper = nil, nil
	case 5:
		r.Tolerance = new(math.Pow(10, -20*random.Float64()))
	case 6:
		if r.Lower != nil {
			for i := range r.Lower { // wider
				r.Lower[i] = min(r.Lower[i], r.Lower[i]*(1-1e-9), r.Lower[i]*(1+1e-9))
				r.Upper[i] = max(r.Upper[i], r.Upper[i]*(1-1e-9), r.Upper[i]*(1+1e-9))
			}
		}
	}
}

// spoilCertificate changes a number, or an action, of the certificate.
func (x *truth) spoilCertificate(random *rand.Rand) {
	c := x.result.Certificate
	if c == nil {
		return
	}
	n := len(x.values)
	copied := *c
	c = &copied
	x.result.Certificate = c
	vectors := []*Vector{&c.Lower.Value, &c.Upper.Value, &c.Lower.Gain, &c.Upper.Gain}
	if c.Scale != nil {
		scale := *c.Scale
		c.Scale = &scale
		vectors = append(vectors, &scale.Value, &scale.Gain)
	}
	if c.Cycle != nil {
		cycle := *c.Cycle
		c.Cycle = &cycle
		vectors = append(vectors, &cycle.Value)
	}
	v := vectors[random.IntN(len(vectors))]
	s := random.IntN(n)
	switch random.IntN(8) {
	case 0: // as double-doubles, moved
		moved := Vector{}
		for s := range n {
			x := fromVector(v, n, nil).near(int32(s))
			high, low := x.Hi, x.Lo
			if !math.IsInf(high, 0) {
				low += 0x1p-60 * random.NormFloat64() * float64(random.IntN(2))
			}
			moved.High, moved.Low = append(moved.High, high), append(moved.Low, low)
		}
		*v = moved
	case 1:
		v.High, v.Low, v.Exact = []float64{random.NormFloat64()}, nil, nil
	case 2, 3: // one number
		if len(v.High) == n && v.Exact != nil {
			v.High, v.Exact = slices.Clone(v.High), slices.Clone(v.Exact)
			high := v.High[s] + 1e-3*random.NormFloat64()
			if math.IsInf(high, 0) {
				high = float64(random.IntN(5))
			}
			v.High[s], v.Exact[s] = high, new(big.Rat).SetFloat64(high)
		}
	case 4: // an infinity
		if len(v.High) == n {
			v.High = slices.Clone(v.High)
			v.High[s] = math.Inf(random.IntN(2)*2 - 1)
			if v.Exact != nil {
				v.Exact = slices.Clone(v.Exact)
				v.Exact[s] = nil
			}
			if v.Low != nil {
				v.Low = slices.Clone(v.Low)
				v.Low[s] = 0
			}
		}
	case 5: // all of a side
		shift := big.NewRat(random.Int64N(21)-10, 1000)
		if len(v.High) == n && v.Exact != nil {
			v.Exact = slices.Clone(v.Exact)
			for s, y := range v.Exact {
				if y != nil {
					v.Exact[s] = new(big.Rat).Add(y, shift)
				}
			}
		}
	case 6:
		c.Policy = make([]int32, n)
		for s := range n {
			c.Policy[s] = int32(random.IntN(len(x.oracle.rows[s])))
		}
	case 7:
		if c.Cycle != nil {
			c.Cycle.Policy = slices.Clone(c.Cycle.Policy)
			c.Cycle.Policy[s] = int32(random.IntN(len(x.oracle.rows[s]) + 1))
		}
	}
}

func decide(holds bool) Verdict { return judge(holds, !holds) }
