package queue

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

// maxPhases is the greatest number of phases of an Erlang law in [PhaseTypeOf].
const maxPhases = 1024

// startTolerance is the largest distance from 1 of the sum of the start probabilities
// of a phase-type law. rowTolerance is the largest sum of a row of rates above 0, relative
// to its diagonal. Both allow for rounding in a file.
const (
	startTolerance = 1e-9
	rowTolerance   = 1e-12
)

// phaseError is a fault in the numbers of a phase-type law. Row 0 is α
// and row i is row i of T; columns count from 0.
type phaseError struct {
	row, column int
	text        string
}

func (f *phaseError) Error() string { return f.text }

func faultAt(row, column int, format string, arguments ...any) error {
	return &phaseError{row, column, fmt.Sprintf(format, arguments...)}
}

// PhaseType is the law of the time until a continuous-time Markov chain on a
// few phases is absorbed: phase i is the first with probability α_i, moves go
// from i to j at rate T_ij, and the service ends from phase i at rate
// −Σ_j T_ij (M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models,
// 1981, chapter 2). Exponential, Erlang and hyperexponential laws are special
// cases. It is scaled to a given mean.
type PhaseType struct {
	name      string
	start     []float64   // α
	moves     [][]float64 // T_ij off the diagonal, 0 on it
	exits     []float64   // −Σ_j T_ij
	remaining []float64   // mean time to the end, from each phase
	mean      float64
	walk      walk
}

// NewPhaseType returns the law with start probabilities α and rates T, scaled
// to the given mean. [PhaseType.String] shows the name, usually that of a file. There
// must be one or more phases; α_i ≥ 0 with sum 1; T square, with T_ij ≥ 0 off the
// diagonal and row sums of at most 0, from which the exit rates −Σ_j T_ij follow; and a
// path to the end from every phase. Errors name the row and the column.
func NewPhaseType(name string, start []float64, rates [][]float64, mean float64) (*PhaseType, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	l := &PhaseType{name: name, mean: mean, start: append([]float64(nil), start...)}
	if err := l.checkStart(); err != nil {
		return nil, err
	}
	l.start = normalized(l.start)
	if len(rates) != len(start) {
		return nil, faultAt(min(len(rates), len(start)+1), 0,
			"%d rows of rates are not valid: use %d, one for each start probability",
			len(rates), len(start))
	}
	for i, row := range rates {
		if err := l.addRow(i, row); err != nil {
			return nil, err
		}
	}
	if i := l.firstEndless(); i >= 0 {
		return nil, faultAt(i+1, i, "row %d: no path from phase %d to the end: use a positive exit rate on some path",
			i+1, i+1)
	}
	if err := l.scale(); err != nil {
		return nil, err
	}
	return l, nil
}

// parsePhaseType reads the law, and puts file, line and column before its faults.
func parsePhaseType(t lawText) (Law, error) {
	name := t.argument
	rows, err := t.rows()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no numbers: use a line of start probabilities, then lines of rates", name)
	}
	values := make([][]float64, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			values[i] = append(values[i], cell.Value)
		}
	}
	law, err := NewPhaseType(name, values[0], values[1:], t.mean)
	if err == nil {
		return law, nil
	}
	var fault *phaseError
	if !errors.As(err, &fault) || fault.row >= len(rows) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	row := rows[fault.row]
	return nil, filepos.Fault(err.Error(), "").At(name, row[min(fault.column, len(row)-1)].Place)
}

// PhaseTypeOf returns a law as a [PhaseType] with the same mean, name and, up to the
// rounding of its rates, distribution: one phase for an exponential law, k phases in a
// row for erlang:k with k ≤ 1024, one phase without moves for each branch of a
// hyperexponential law, the phases of the Erlang laws for a hyper-Erlang law. A law of
// another package is of phase type if it has a method PhaseType() (*PhaseType, error). For
// any other law the error wraps [ErrNotPhaseType].
func PhaseTypeOf(law Law) (*PhaseType, error) {
	if l, ok := law.(interface{ PhaseType() (*PhaseType, error) }); ok {
		return l.PhaseType()
	}
	return nil, errNoPhaseType(law)
}

// ErrNotPhaseType says that a law is not of phase type: see [PhaseTypeOf].
var ErrNotPhaseType = errors.New("use a phase-type law (exponential, erlang:k, hyperexponential:…, hypererlang:… or ph:FILE)")

func errNoPhaseType(law Law) error {
	return fmt.Errorf("%v is not valid: %w", law, ErrNotPhaseType)
}

func (l *PhaseType) checkStart() error {
	sum := 0.0
	for i, probability := range l.start {
		if !(probability >= 0) {
			return faultAt(0, i, "start probability %d is %v: use a number from 0 to 1", i+1, probability)
		}
		sum += probability
	}
	if !(math.Abs(sum-1) <= startTolerance) {
		return faultAt(0, 0, "%d start probabilities with sum %v are not valid: use one or more with sum 1",
			len(l.start), sum)
	}
	return nil
}

// addRow splits a row of T into moves and exit rate.
func (l *PhaseType) addRow(i int, row []float64) error {
	if len(row) != len(l.start) {
		return faultAt(i+1, min(len(row), len(l.start)), "row %d has %d rates: use %d", i+1, len(row), len(l.start))
	}
	moves, sum := make([]float64, len(row)), 0.0
	for j, rate := range row {
		if math.IsNaN(rate) || math.IsInf(rate, 0) || j != i && rate < 0 {
			return faultAt(i+1, j, "row %d, column %d: rate %v is not valid: off the diagonal, use a finite number of 0 or more",
				i+1, j+1, rate)
		}
		if j != i {
			moves[j] = rate
			sum += rate
		}
	}
	exit := -row[i] - sum
	if !(row[i] < 0) || exit < rowTolerance*row[i] || math.IsInf(sum, 1) {
		return faultAt(i+1, i, "row %d, column %d: rate %v is not valid: on the diagonal, use a number below 0 and at most %v",
			i+1, i+1, row[i], -sum)
	}
	if exit <= -rowTolerance*row[i] {
		exit = 0
	}
	l.moves = append(l.moves, moves)
	l.exits = append(l.exits, exit)
	return nil
}

// firstEndless returns a phase from which the service never ends, or −1.
func (l *PhaseType) firstEndless() int {
	ends := make([]bool, len(l.exits))
	for range l.exits { // a path has no more steps than there are phases
		for i := range l.exits {
			ends[i] = ends[i] || l.exits[i] > 0
			for j, rate := range l.moves[i] {
				ends[i] = ends[i] || rate > 0 && ends[j]
			}
		}
	}
	for i, end := range ends {
		if !end {
			return i
		}
	}
	return -1
}

// scale divides the rates by the factor that gives the law its mean.
func (l *PhaseType) scale() error {
	remaining := newKilledChain(l.moves, l.exits, 0).right(slices.Repeat([]float64{1}, len(l.exits)))
	factor := floats.Dot(l.start, remaining) / l.mean
	if !isPositive(factor) || !isPositive(1/factor) {
		return fmt.Errorf("the rates cannot be scaled to a mean of %v", l.mean)
	}
	for i := range l.exits {
		l.exits[i] *= factor
		remaining[i] /= factor
		for j := range l.moves[i] {
			l.moves[i][j] *= factor
		}
	}
	l.remaining, l.walk = remaining, newWalk(l)
	return nil
}

// Phases returns the number of phases.
func (l *PhaseType) Phases() int { return len(l.start) }

// Mean implements [Law].
func (l *PhaseType) Mean() float64 { return l.mean }

// Variance returns 2·α·T^{−2}·1 − mean².
func (l *PhaseType) Variance() float64 {
	return 2*l.resolvent(0, l.remaining) - l.mean*l.mean
}

// resolvent returns α·(xI−T)^{−1}·b.
func (l *PhaseType) resolvent(x float64, b []float64) float64 {
	return floats.Dot(l.start, newKilledChain(l.moves, l.exits, x).right(b))
}

// Laplace implements [Law]: α·(xI−T)^{−1}·t, t the exit rates.
func (l *PhaseType) Laplace(x float64) float64 {
	return transform(x, 0, func() float64 { return l.resolvent(x, l.exits) })
}

// LaplaceComplement implements [Law]: x·α·(xI−T)^{−1}·1.
func (l *PhaseType) LaplaceComplement(x float64) float64 {
	return transform(x, 1, func() float64 { return x * l.resolvent(x, slices.Repeat([]float64{1}, len(l.exits))) })
}

// LaplaceExcess implements [Law]: x²·α·(xI−T)^{−1}·(−T)^{−1}·1.
func (l *PhaseType) LaplaceExcess(x float64) float64 {
	return transform(x, x, func() float64 { return x * (x * l.resolvent(x, l.remaining)) })
}

// Arrivals implements [Law]. With v_0 = α and v_{k+1} = Λ·v_k·(ΛI−T)^{−1}, the
// phases at the k-th arrival, P(A ≥ k) = v_k·1, E[(A−k)⁺] = Λ·v_k·(−T)^{−1}·1
// and P(A = k) = v_k·(ΛI−T)^{−1}·t. It takes time proportional to n times the
// square of the number of phases.
func (l *PhaseType) Arrivals(rate float64, n int) Arrivals {
	counts, ok := newArrivals(rate, n)
	if !ok {
		return counts
	}
	chain := newKilledChain(l.moves, l.exits, rate)
	phases := append([]float64(nil), l.start...)
	for k := range counts.Exactly {
		for i, probability := range phases {
			counts.AtLeast[k] += probability
			counts.Excess[k] += rate * (probability * l.remaining[i])
		}
		phases = chain.left(phases)
		counts.Exactly[k] = floats.Dot(phases, l.exits)
		for i := range phases {
			phases[i] *= rate
		}
	}
	return counts
}

// walk holds the distributions of a walk through the phases.
type walk struct {
	first cumulated   // phases by start probability
	next  []cumulated // phases by the rate of moves, and then the end
	leave []float64   // the rate of leaving a phase
}

func newWalk(l *PhaseType) walk {
	w := walk{first: cumulative(l.start)}
	for i, moves := range l.moves {
		next := cumulative(append(slices.Clone(moves), l.exits[i]))
		w.next, w.leave = append(w.next, next), append(w.leave, next[len(next)-1])
	}
	return w
}

// Draw implements [Law]: it walks from phase to phase until the end.
func (l *PhaseType) Draw(random *rand.Rand) float64 {
	time := 0.0
	for phase := l.walk.first.draw(random); phase < len(l.start); phase = l.walk.next[phase].draw(random) {
		time += random.ExpFloat64() / l.walk.leave[phase]
	}
	return time
}

// PhaseType returns the law itself.
func (l *PhaseType) PhaseType() (*PhaseType, error) { return l, nil }

// Start returns α: the probability that a service starts in each phase.
func (l *PhaseType) Start() []float64 { return slices.Clone(l.start) }

// ExitRates returns −Σ_j T_ij: the rate at which a service in each phase ends,
// per unit of time.
func (l *PhaseType) ExitRates() []float64 { return slices.Clone(l.exits) }

// Generator returns T, scaled to the mean: the rates of moves from phase i to
// phase j, per unit of time, and on the diagonal the negative of the rate of
// leaving i by a move or by the end of the service.
func (l *PhaseType) Generator() [][]float64 {
	generator := make([][]float64, len(l.moves))
	for i, moves := range l.moves {
		generator[i] = slices.Clone(moves)
		generator[i][i] = -l.walk.leave[i]
	}
	return generator
}

// String returns "ph:" and the name.
func (l *PhaseType) String() string { return "ph:" + l.name }
