package sequence

import (
	"math/bits"
	"math/rand/v2"
)

// Random draws the page of each slot independently, page k with probability
// p_k, its share: the randomized policy of Coffman, Liu and Weber (section 4)
// and of Azar et al. (Algorithm 1).
//
// It is the alias method in whole numbers, with no probability rounded: each of
// n columns of one height holds a piece of its own page and a piece of one
// other, and a slot costs two random numbers and O(1). The memory is 16 bytes a
// page.
//
// Source: A.J. Walker, An efficient method for generating discrete random
// variables with general distributions, ACM Transactions on Mathematical
// Software 3 (1977).
type Random struct {
	counted
	seed    uint64
	total   uint64 // height of a column
	columns []column
	source  *rand.PCG
	random  *rand.Rand // on source
}

type column struct {
	own   uint64 // height up to which it is the page of the column
	other uint32 // the page above
}

// NewRandom returns the sequence that belongs to a seed; rates are as for
// [NewEarliestDeadlineFirst].
func NewRandom(rates []float64, seed uint64) (*Random, error) {
	s, err := newPortions(rates)
	if err != nil {
		return nil, err
	}
	r := &Random{
		seed: seed, total: s.total, columns: s.columns(), source: rand.NewPCG(seed, 0),
	}
	r.random = rand.New(r.source)
	return r, nil
}

// columns deals n·parts[k] of each page out to n columns of height total.
func (s *portions) columns() []column {
	n := uint64(len(s.parts))
	columns := make([]column, n)
	// high·2⁶⁴+low is what is left of page large, more than its own column holds
	// or just as much.
	large := -1
	var high, low uint64
	nextLarge := func() {
		for large++; large < len(s.parts); large++ {
			if high, low = bits.Mul64(s.parts[large], n); high > 0 || low >= s.total {
				return
			}
		}
	}
	nextLarge()
	for small, part := range s.parts {
		over, own := bits.Mul64(part, n)
		if over > 0 || own >= s.total {
			continue // a large page: its column is filled when the rest of it is small
		}
		columns[small] = column{own, uint32(large)}
		for {
			var borrow uint64
			low, borrow = bits.Sub64(low, s.total-own, 0)
			if high -= borrow; high > 0 || low >= s.total {
				break
			}
			// The large page has become a small one, and the next fills up its column.
			used := large
			own = low
			nextLarge()
			columns[used] = column{own, uint32(large)}
		}
	}
	// What is left fills whole columns, since all is in whole numbers.
	for ; large < len(s.parts); nextLarge() {
		columns[large] = column{s.total, uint32(large)}
	}
	return columns
}

// Next returns the page of the next slot. Each slot has random numbers of its own, by its
// number, so that a sequence can continue anywhere.
func (r *Random) Next() int {
	r.slot++
	r.source.Seed(r.seed, r.slot)
	page := r.random.Uint64N(uint64(len(r.columns)))
	if c := r.columns[page]; r.random.Uint64N(r.total) >= c.own {
		return int(c.other)
	}
	return int(page)
}
