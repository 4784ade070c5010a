package verify

import "slices"

// reduction solves the equations of a policy on a system as elimination does,
// but in an arithmetic that says what is right: exactly, or in balls, whose
// relative accuracy is kept whatever the numbers are, as nothing is subtracted.
type reduction[V any] struct {
	arithmetic[V]
	budget *budget
	system *system[V]
	rows   []*reducedRow[V]
}

// reducedRow is the equation of a node while nodes are eliminated.
type reducedRow[V any] struct {
	to          map[int32]V // rates to nodes that are left
	leave       V
	leaves      bool // leave is positive
	right, time V    // right-hand sides: costs, and 1
	gone        bool
	exit        V // the rate at which the node is left when it is its turn
}

// reduce returns the gain of a policy, 0 for a system that is left, and its
// values.
func reduce[V any](a arithmetic[V], sys *system[V], policy []int32, b *budget) (gain V, values []V, err error) {
	r := &reduction[V]{arithmetic: a, budget: b, system: sys, rows: make([]*reducedRow[V], len(policy))}
	for i, k := range policy {
		r.rows[i] = r.row(k)
	}
	gain = r.integer(0)
	var order []int32
	for range policy {
		turn := r.lightest()
		row := r.rows[turn]
		row.gone = true
		if len(row.to) == 0 && !row.leaves {
			if len(order) < len(policy)-1 {
				return gain, nil, errSingular
			}
			gain = r.quotient(row.right, row.time)
			break
		}
		row.exit = row.leave
		for _, j := range row.next() {
			row.exit = r.plus(row.exit, row.to[j])
		}
		order = append(order, turn)
		for i := range r.rows {
			r.leadOn(int32(i), turn)
		}
		if err := b.spend(len(policy)); err != nil {
			return gain, nil, err
		}
	}
	values = slices.Repeat([]V{r.integer(0)}, len(policy)) // that of the root stays 0
	for _, i := range slices.Backward(order) {
		row := r.rows[i]
		sum := r.plusProduct(row.right, r.negative(gain), row.time)
		for _, j := range row.next() {
			sum = r.plusProduct(sum, row.to[j], values[j])
		}
		values[i] = r.quotient(sum, row.exit)
	}
	return gain, values, nil
}

// next returns the nodes that a row leads to, in their order, so that sums are
// the same every time.
func (r *reducedRow[V]) next() []int32 {
	next := make([]int32, 0, len(r.to))
	for j := range r.to {
		next = append(next, j)
	}
	slices.Sort(next)
	return next
}

func (r *reduction[V]) plus(x, y V) V  { return r.plusProduct(x, r.integer(1), y) }
func (r *reduction[V]) times(x, y V) V { return r.plusProduct(r.integer(0), x, y) }

// row returns the equation of a choice.
func (r *reduction[V]) row(k int32) *reducedRow[V] {
	sys := r.system
	row := &reducedRow[V]{
		to: make(map[int32]V), leave: sys.leave[k], leaves: sys.leaves[k],
		right: sys.constant[k], time: r.integer(1),
	}
	for e := sys.rowStart[k]; e < sys.rowStart[k+1]; e++ {
		r.link(row, sys.columns[e], r.plusRate(r.integer(0), sys.entry[e]))
	}
	return row
}

// link adds to the rate to a node.
func (r *reduction[V]) link(row *reducedRow[V], to int32, rate V) {
	if before, ok := row.to[to]; ok {
		rate = r.plus(before, rate)
	}
	row.to[to] = rate
}

// lightest returns the node whose elimination makes the fewest new rates; one
// that leads nowhere only if there is no other.
func (r *reduction[V]) lightest() int32 {
	inward := make([]int, len(r.rows))
	for _, row := range r.rows {
		for j := range row.to {
			inward[j]++
		}
	}
	best, least := int32(outside), 0
	for i, row := range r.rows {
		if row.gone {
			continue
		}
		count := inward[i] * len(row.to)
		if len(row.to) == 0 && !row.leaves {
			count = len(r.rows) * len(r.rows)
		}
		if best == outside || count < least {
			best, least = int32(i), count
		}
	}
	return best
}

// leadOn replaces the rate of node i to a node by rates to where that leads.
func (r *reduction[V]) leadOn(i, eliminated int32) {
	row, gone := r.rows[i], r.rows[eliminated]
	rate, ok := row.to[eliminated]
	if !ok || row.gone {
		return
	}
	delete(row.to, eliminated)
	share := r.quotient(rate, gone.exit)
	for j, onward := range gone.to {
		if j != i {
			r.link(row, j, r.times(share, onward))
		}
	}
	if gone.leaves {
		row.leave, row.leaves = r.plusProduct(row.leave, share, gone.leave), true
	}
	row.right = r.plusProduct(row.right, share, gone.right)
	row.time = r.plusProduct(row.time, share, gone.time)
}
