package krylov

// The K-cycle of the multigrid preconditioner.

// firstStepSuffices is the factor by which the first step of a K-cycle must reduce the
// residual for the second one to be left out (Notay 2010).
const firstStepSuffices = 0.25

// cycle sets x of a level to an approximate solution for its right-hand side.
func (g *Multigrid) cycle(i int) {
	l := g.levels[i]
	if l.factors != nil {
		l.factors.solve(l.x, l.right)
		return
	}
	l.forward()
	if l.sets != nil {
		next := g.levels[i+1]
		l.restrict(next.right)
		g.solve(i + 1)
		l.prolong(next.x)
	}
	l.backward()
}

// solve sets x of a level to an approximate solution, by up to two steps of
// conjugate residuals (GCR) preconditioned by a cycle. It overwrites the
// right-hand side.
func (g *Multigrid) solve(i int) {
	l := g.levels[i]
	g.cycle(i)
	if l.factors != nil {
		return
	}
	l.space.copy(l.direction, l.x)
	l.operator(l.first, l.direction)
	before := l.space.product(l.right, l.right)
	ff, fr := l.space.product(l.first, l.first), l.space.product(l.first, l.right)
	if ff == 0 {
		return
	}
	step := fr / ff
	l.space.combine(l.right, []float64{-step}, [][]float64{l.first})
	if l.space.product(l.right, l.right) <= firstStepSuffices*firstStepSuffices*before {
		l.scale(step)
		return
	}
	g.cycle(i)
	l.operator(l.second, l.x)
	fs, ss, sr := l.space.product(l.first, l.second), l.space.product(l.second, l.second), l.space.product(l.second, l.right)
	rest := ss - fs*fs/ff
	if !(rest > 0) {
		l.space.copy(l.x, l.direction)
		l.scale(step)
		return
	}
	l.scale(sr / rest)
	l.space.combine(l.x, []float64{step - fs*sr/(ff*rest)}, [][]float64{l.direction})
}

// scale multiplies x.
func (l *level) scale(by float64) {
	l.space.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			l.x[i] *= by
		}
	})
}

// forward sets x to the result of one Gauss-Seidel sweep that starts from 0 and goes
// through each block from first to last. Blocks do not see each other's new values.
func (l *level) forward() {
	m := l.matrix
	l.space.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			sum := l.right[i]
			for e := m.start[i]; e < m.start[i+1]; e++ {
				if j := int(m.columns[e]); j >= lo && j < i {
					sum += float64(m.weights[e] * l.x[j])
				}
			}
			l.x[i] = sum / m.diagonal[i]
		}
	})
}

// backward improves x by a Gauss-Seidel sweep through each block from last to first.
func (l *level) backward() {
	m := l.matrix
	l.space.copy(l.work, l.x)
	l.space.blocks(func(_, lo, hi int) {
		for i := hi - 1; i >= lo; i-- {
			sum := l.right[i]
			for e := m.start[i]; e < m.start[i+1]; e++ {
				j := m.columns[e]
				y := l.work[j] // of other blocks, before the sweep
				if int(j) >= lo && int(j) < hi {
					y = l.x[j]
				}
				sum += float64(m.weights[e] * y)
			}
			l.x[i] = sum / m.diagonal[i]
		}
	})
}

// restrict sets the right-hand side of the next level to the mean of the residual of
// this one over each set, in which states count by their share.
func (l *level) restrict(right []float64) {
	l.operator(l.work, l.x)
	l.space.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			l.work[i] = l.right[i] - l.work[i]
		}
	})
	l.coarse.blocks(func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			sum := 0.0
			for _, i := range l.sets.of(k) {
				sum += float64(l.sets.share[i] * l.work[i])
			}
			right[k] = sum
		}
	})
}

// prolong adds the correction of each set to its states.
func (l *level) prolong(correction []float64) {
	l.space.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			l.x[i] += correction[l.sets.set[i]]
		}
	})
}
