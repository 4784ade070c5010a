package exact

import (
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// builder collects the choices of a model.
type builder struct {
	made  *Model
	costs [][]*big.Rat // by state and action, until the unit is known
	named []int        // the number of the choice that last named each state, from 1
	count int          // of choices
	sum   big.Rat      // of the probabilities of the last choice
}

func newBuilder(n int, rate *big.Rat) *builder {
	if rate == nil {
		rate = one
	}
	return &builder{
		made:  &Model{states: make([][]choice, n), unit: big.NewInt(1), rate: new(big.Rat).Set(rate)},
		costs: make([][]*big.Rat, n),
		named: make([]int, n),
	}
}

// add checks a row, but for its sum, and adds a choice to state s. A nil
// number stands for what is no finite number.
func (b *builder) add(s int, columns []int32, probabilities []*big.Rat, cost *big.Rat) error {
	b.count++
	b.sum.SetInt64(0)
	if cost == nil {
		return mdp.ErrCost
	}
	n := int32(len(b.named))
	scale := big.NewInt(1)
	for i, j := range columns {
		p := probabilities[i]
		switch {
		case j < 0 || j >= n:
			return fmt.Errorf("%w: next state %d, of states 0 … %d", mdp.ErrNotDistribution, j, n-1)
		case b.named[j] == b.count:
			return fmt.Errorf("%w: next state %d is named twice", mdp.ErrNotDistribution, j)
		case p == nil || p.Sign() < 0:
			return fmt.Errorf("%w: the probability of next state %d is %v; numbers from 0 to 1 are allowed", mdp.ErrNotDistribution, j, p)
		}
		b.named[j] = b.count
		b.sum.Add(&b.sum, p)
		if int(j) != s {
			scale = commonMultiple(scale, p.Denom())
		}
	}
	c := choice{leave: new(big.Int), scale: scale}
	for i, j := range columns {
		p := probabilities[i]
		if int(j) == s || p.Sign() == 0 {
			continue
		}
		weight := new(big.Int).Quo(scale, p.Denom())
		weight.Mul(weight, p.Num())
		c.columns, c.weights = append(c.columns, j), append(c.weights, weight)
		c.leave.Add(c.leave, weight)
	}
	b.made.states[s] = append(b.made.states[s], c)
	b.costs[s] = append(b.costs[s], cost)
	b.made.unit = commonMultiple(b.made.unit, cost.Denom())
	return nil
}

// rowSumTolerance is that of [mdp.NewTable]: 1e-9, and what rounding may add.
const rowSumTolerance = 1e-9 * (1 + 0x1p-20)

// checkSum says what is wrong with the sum of the last row.
func (b *builder) checkSum() error {
	excess, _ := new(big.Rat).Sub(&b.sum, one).Float64()
	if math.Abs(excess) > rowSumTolerance {
		sum, _ := b.sum.Float64()
		return fmt.Errorf("%w: probabilities sum to %v; 1 is allowed", mdp.ErrNotDistribution, sum)
	}
	return nil
}

// divideBySum divides the last choice, which is one of state s, by the sum of its
// probabilities.
func (b *builder) divideBySum(s int) error {
	if err := b.checkSum(); err != nil || b.sum.Cmp(one) == 0 {
		return err
	}
	choices := b.made.states[s]
	c := &choices[len(choices)-1]
	for _, weight := range c.weights {
		weight.Mul(weight, b.sum.Denom())
	}
	c.leave.Mul(c.leave, b.sum.Denom())
	c.scale = new(big.Int).Mul(c.scale, b.sum.Num())
	return nil
}

// model puts all costs over one denominator.
func (b *builder) model() *Model {
	for s, costs := range b.costs {
		for a, cost := range costs {
			b.made.states[s][a].cost = over(cost, b.made.unit)
		}
	}
	return b.made
}

// over returns the numerator of x over a multiple of its denominator.
func over(x *big.Rat, multiple *big.Int) *big.Int {
	numerator := new(big.Int).Quo(multiple, x.Denom())
	return numerator.Mul(numerator, x.Num())
}

// commonMultiple returns the least common multiple of positive integers, one of
// them itself where it is that.
func commonMultiple(x, y *big.Int) *big.Int {
	if x.Cmp(y) == 0 {
		return x
	}
	divisor := new(big.Int).GCD(nil, nil, x, y)
	return divisor.Mul(new(big.Int).Quo(x, divisor), y)
}
