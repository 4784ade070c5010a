package exact

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// randomSystem returns equations Σ_j w_ij·(x_i − x_j) + x_i = b_i, whose weights
// have up to a number of bits.
func randomSystem(random *rand.Rand, n, bits int) *system {
	s := &system{rows: make([][]term, n), right: zeros(n)}
	number := func() *big.Int {
		x := new(big.Int)
		for range (bits + 63) / 64 {
			x.Lsh(x, 64).Add(x, new(big.Int).SetUint64(random.Uint64()))
		}
		return x.Rsh(x, uint((bits+63)/64*64-bits))
	}
	for i := range n {
		sum := big.NewInt(1)
		for range random.IntN(4) {
			if j := random.IntN(n); j != i {
				w := number()
				sum.Add(sum, w)
				s.rows[i] = append(s.rows[i], term{int32(j), w.Neg(w)})
			}
		}
		s.rows[i] = append(s.rows[i], term{int32(i), sum})
		if s.right[i] = number(); random.IntN(2) == 0 {
			s.right[i].Neg(s.right[i])
		}
	}
	return s
}

// gauss solves a system by fractions of big.Rat, dense.
func (s *system) gauss() []*big.Rat {
	n := len(s.rows)
	a := make([][]*big.Rat, n)
	for i, row := range s.rows {
		a[i] = make([]*big.Rat, n+1)
		for j := range a[i] {
			a[i][j] = new(big.Rat)
		}
		for _, t := range row {
			a[i][t.column].Add(a[i][t.column], new(big.Rat).SetInt(t.factor))
		}
		a[i][n].SetInt(s.right[i])
	}
	product := new(big.Rat)
	for k := range n {
		for i := range n {
			if i == k {
				continue
			}
			factor := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k; j <= n; j++ {
				a[i][j].Sub(a[i][j], product.Mul(factor, a[k][j]))
			}
		}
	}
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = new(big.Rat).Quo(a[i][n], a[i][i])
	}
	return x
}

func TestSystemsAgainstDenseElimination(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		s := randomSystem(random, 1+random.IntN(20), 1+random.IntN(200))
		v, err := s.solve(context.Background())
		require.NoError(t, err, "seed %d", seed)
		for i, x := range s.gauss() {
			require.Zero(t, x.Cmp(new(big.Rat).SetFrac(v.numerators[i], v.denominator)), "seed %d, unknown %d", seed, i)
		}
	}
}

// If a pivot is a multiple of the first prime, the second one serves.
func TestPivotThatIsThePrime(t *testing.T) {
	p := newField(primes[0]).prime
	s := &system{rows: [][]term{{{0, p}}, {{1, big.NewInt(3)}, {0, big.NewInt(-1)}}}, right: []*big.Int{big.NewInt(1), big.NewInt(0)}}
	v, err := s.solve(context.Background())
	require.NoError(t, err)
	first, second := new(big.Rat).SetFrac(v.numerators[0], v.denominator), new(big.Rat).SetFrac(v.numerators[1], v.denominator)
	assert.Equal(t, "1/"+p.String(), first.RatString())
	assert.Zero(t, first.Cmp(second.Mul(second, big.NewRat(3, 1))))
}

func TestSingularSystem(t *testing.T) {
	s := &system{rows: [][]term{{{0, big.NewInt(0)}}}, right: []*big.Int{big.NewInt(1)}}
	_, err := s.solve(context.Background())
	require.ErrorContains(t, err, "singular")
}

func TestSystemStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := randomSystem(rand.New(rand.NewPCG(1, 0)), 20, 100).solve(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestForecast(t *testing.T) {
	require.NoError(t, checkForecast(t.Context(), "this", MemoryLimit))
	err := checkForecast(t.Context(), "this", 3*MemoryLimit)
	require.ErrorIs(t, err, mdp.ErrTooLarge)
	assert.EqualError(t, err, "exact: too large: this would take 3072 MiB: the limit is 1024 MiB")
}

// The fields against big.Int, at numbers next to 0 and to the prime.
func TestField(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, k := range primes {
		f := newField(k)
		require.True(t, f.prime.ProbablyPrime(20))
		numbers := []uint64{0, 1, 2, f.p - 1, f.p - 2, f.p / 2}
		for range 50 {
			numbers = append(numbers, random.Uint64N(f.p))
		}
		modulo := func(x *big.Int) uint64 { return f.of(x, new(big.Int)) }
		for _, a := range numbers {
			x := new(big.Int).SetUint64(a)
			for _, b := range numbers {
				y := new(big.Int).SetUint64(b)
				require.Equal(t, modulo(new(big.Int).Mul(x, y)), f.times(a, b))
				require.Equal(t, modulo(new(big.Int).Add(x, y)), f.plus(a, b))
				require.Equal(t, modulo(new(big.Int).Sub(x, y)), f.minus(a, b))
			}
			if a != 0 {
				require.EqualValues(t, 1, f.times(f.reciprocal(a), a))
			}
		}
	}
}

// Fractions whose numerator and denominator have up to half as many digits as the
// modulus are found; others are not.
func TestFraction(t *testing.T) {
	modulus := new(big.Int).Exp(newField(primes[0]).prime, big.NewInt(10), nil)
	random := rand.New(rand.NewPCG(1, 0))
	number := func(bits int) *big.Int {
		x := big.NewInt(1)
		for range bits - 1 {
			x.Lsh(x, 1).Add(x, big.NewInt(int64(random.IntN(2))))
		}
		return x
	}
	for _, bits := range [][2]int{{1, 1}, {1, 280}, {280, 1}, {280, 280}, {100, 270}} {
		want := new(big.Rat).SetFrac(number(bits[0]), number(bits[1]))
		want.Neg(want)
		x := new(big.Int).ModInverse(want.Denom(), modulus)
		a, b := fraction(x.Mul(x, want.Num()), modulus)
		require.NotNil(t, b, "%v bits", bits)
		assert.Equal(t, want.RatString(), new(big.Rat).SetFrac(a, b).RatString())
	}
	a, b := fraction(new(big.Int), modulus)
	assert.Equal(t, "0/1", a.String()+"/"+b.String())
	for range 100 {
		_, b := fraction(number(620), modulus)
		require.Nil(t, b)
	}
}

// A fraction over a power of 2 with a short numerator looks like a whole number modulo powers of
// 2^61 − 1.
func TestFractionsOverPowersOfTwo(t *testing.T) {
	r := big.NewRat
	m, err := NewModel(Arrays{
		StateStart: []int32{0, 1, 3, 4}, RowStart: []int32{0, 1, 2, 4, 5}, Columns: []int32{2, 0, 0, 1, 2},
		Probabilities: []*big.Rat{r(1, 1), r(1, 1), r(1, 2), r(1, 2), r(1, 1)}, Costs: []*big.Rat{r(7, 8), r(0, 1), r(0, 1), r(4, 1)},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	beta := new(big.Rat).SetFloat64(0.9)
	answer, err := m.Discounted(ctx, mdp.Maximize, beta)
	require.NoError(t, err)
	// v₂ = 4/(1−β), v₀ = 7/8 + β·v₂, and state 1 goes to state 0 at once.
	v := new(big.Rat).Quo(r(4, 1), new(big.Rat).Sub(r(1, 1), beta))
	v.Add(v.Mul(v, beta), r(7, 8))
	assert.Equal(t, v.RatString(), answer.Values[0].String())
	assert.Equal(t, v.Mul(v, beta).RatString(), answer.Values[1].String())
}
