package verify

// link is an edge of the matrix at hand.
type link struct {
	node   int32
	weight float64
}

// matrix is what is left of a system while it is eliminated.
type matrix struct {
	out    [][]link  // to nodes that are left
	in     [][]int32 // from nodes, of which some may be gone
	inward []int32   // how many of them are left
	leave  []float64
	gone   []bool
	at     []int32   // of the row at hand: 1 + the place of each node
	queue  [][]int32 // nodes by what their elimination adds; some out of date
	key    []int32
	keep   int32 // the node that is to go last, or outside
}

// eliminate returns the elimination of a policy, in which one node, unless it is
// outside, goes last.
func eliminate(sys *system[ball], rates *numbers, policy []int32, keep int32, heavy bool, b *budget) (*elimination, error) {
	m := newMatrix(sys, rates, policy, keep)
	n := len(policy)
	e := &elimination{
		order: make([]int32, 0, n), exit: make([]float64, n), root: outside, budget: b,
		later: edges{start: make([]int32, n), end: make([]int32, n)},
		above: edges{start: make([]int32, n), end: make([]int32, n)},
	}
	fill, work := limits(sys, policy, heavy)
	start := b.left
	for range n {
		s := m.pop()
		if err := b.spend(len(m.in[s]) + 1); err != nil {
			return nil, err
		}
		m.gone[s] = true
		exit := m.leave[s]
		for _, l := range m.out[s] {
			exit += l.weight
		}
		if exit == 0 {
			if e.root != outside {
				return nil, errSingular
			}
			e.root = s
			continue
		}
		e.order = append(e.order, s)
		e.exit[s] = exit
		if err := m.leadOn(e, s, b); err != nil {
			return nil, err
		}
		e.later.start[s] = int32(len(e.later.node))
		for _, l := range m.out[s] {
			e.later.add(l.node, l.weight)
			m.inward[l.node]--
			m.push(l.node)
		}
		e.later.end[s] = int32(len(e.later.node))
		m.out[s], m.in[s] = nil, nil
		if len(e.later.node)+len(e.above.node) > fill || start-b.left > work {
			return nil, errFill
		}
	}
	if e.root != outside {
		e.time = make([]float64, n)
		for i := range e.time {
			e.time[i] = 1
		}
		for _, s := range e.order {
			for at := e.above.start[s]; at < e.above.end[s]; at++ {
				e.time[e.above.node[at]] += e.above.weight[at] * e.time[s]
			}
		}
	}
	return e, nil
}

// limits returns how many entries an elimination may have and how much work it
// may do.
func limits(sys *system[ball], policy []int32, heavy bool) (fill int, work int64) {
	entries := 0
	for _, k := range policy {
		entries += len(sys.next(k))
	}
	if heavy {
		return min(1<<21+60*entries, 1<<27), min(1<<26+int64(entries)<<11, 1<<31)
	}
	return 1<<16 + 4*entries, 1<<20 + int64(entries)<<4
}

func newMatrix(sys *system[ball], rates *numbers, policy []int32, keep int32) *matrix {
	n := len(policy)
	m := &matrix{
		out: make([][]link, n), in: make([][]int32, n), inward: make([]int32, n), leave: make([]float64, n),
		gone: make([]bool, n), at: make([]int32, n), key: make([]int32, n), keep: keep,
	}
	for i, k := range policy {
		m.leave[i] = sys.leave[k].high
		for at := sys.rowStart[k]; at < sys.rowStart[k+1]; at++ {
			m.link(int32(i), sys.columns[at], rates.high[sys.entry[at]])
		}
		m.clear(int32(i))
	}
	for i := range policy {
		m.key[i] = -1
		m.push(int32(i))
	}
	return m
}

// link adds to the weight of an edge of the row at hand.
func (m *matrix) link(from, to int32, weight float64) {
	if at := m.at[to]; at > 0 {
		m.out[from][at-1].weight += weight
		return
	}
	m.out[from] = append(m.out[from], link{to, weight})
	m.at[to] = int32(len(m.out[from]))
	m.in[to] = append(m.in[to], from)
	m.inward[to]++
}

// clear ends the work on a row.
func (m *matrix) clear(row int32) {
	for _, l := range m.out[row] {
		m.at[l.node] = 0
	}
}

// leadOn replaces the edges to node s by edges to where it leads.
func (m *matrix) leadOn(e *elimination, s int32, b *budget) error {
	e.above.start[s] = int32(len(e.above.node))
	for _, i := range m.in[s] {
		if m.gone[i] {
			continue
		}
		if err := b.spend(len(m.out[i]) + len(m.out[s])); err != nil {
			return err
		}
		row := m.out[i]
		for at, l := range row {
			m.at[l.node] = int32(at) + 1
		}
		at, last := m.at[s]-1, len(row)-1
		share := row[at].weight / e.exit[s]
		row[at] = row[last]
		m.at[row[at].node] = at + 1
		m.at[s] = 0
		m.out[i] = row[:last]
		m.leave[i] += share * m.leave[s]
		for _, l := range m.out[s] {
			if l.node != i {
				m.link(i, l.node, share*l.weight)
			}
		}
		m.clear(i)
		m.push(i)
		e.above.add(i, share)
	}
	e.above.end[s] = int32(len(e.above.node))
	return nil
}

// push puts a node in the queue of those that are left.
func (m *matrix) push(i int32) {
	key := m.inward[i] + int32(len(m.out[i]))
	if m.gone[i] || key == m.key[i] || i == m.keep {
		return
	}
	m.key[i] = key
	for int(key) >= len(m.queue) {
		m.queue = append(m.queue, nil)
	}
	m.queue[key] = append(m.queue[key], i)
}

// pop returns a node that adds few edges when it is eliminated.
func (m *matrix) pop() int32 {
	for key := range m.queue {
		for len(m.queue[key]) > 0 {
			last := len(m.queue[key]) - 1
			i := m.queue[key][last]
			m.queue[key] = m.queue[key][:last]
			if !m.gone[i] && m.key[i] == int32(key) {
				return i
			}
		}
	}
	return m.keep
}
