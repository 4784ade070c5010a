package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Models whose paths lead to a goal. Each goal is an absorbing state without costs.

// goalModels returns families of them. The last size of the grids is only there with -long.
func goalModels() []comparedModel {
	models := []comparedModel{}
	add := func(name string, sense mdp.Sense, goals []int32, discounts []float64, table func(t testing.TB) *mdp.Table) *comparedModel {
		m := comparedModel{name: name, make: func(t testing.TB) mdp.Model { return table(t) }}
		for _, discount := range discounts {
			m.criteria = append(m.criteria, mdp.Discounted{Discount: discount, Sense: sense})
		}
		m.criteria = append(m.criteria, mdp.TotalCost{Target: goals, Sense: sense})
		models = append(models, m)
		return &models[len(models)-1]
	}
	low, high, patient := mdp.Minimize, mdp.Maximize, []float64{0.99, 0.999}
	widths := []int32{100, 300}
	if *long {
		widths = append(widths, 1000)
	}
	for _, width := range widths {
		m := add(fmt.Sprintf("grid of %d × %d", width, width), low, []int32{width * width}, []float64{0.95, 0.99, 0.999}, func(t testing.TB) *mdp.Table { return goalGrid(t, int(width), 0.2, 0) })
		m.reference = func(c comparison, criterion mdp.Criterion, _ *mdp.Result) float64 {
			if discounted, ok := criterion.(mdp.Discounted); ok {
				return c.grid(int(width), discounted.Discount)
			}
			return c.grid(int(width), 1)
		}
	}
	add("very slippery grid of 300 × 300", low, []int32{300 * 300}, patient, func(t testing.TB) *mdp.Table { return goalGrid(t, 300, 0.6, 0) })
	add("maze of 400 × 400", low, []int32{400 * 400}, patient, func(t testing.TB) *mdp.Table { return goalGrid(t, 400, 0, 0.3) })
	add("slippery maze of 400 × 400", low, []int32{400 * 400}, patient, func(t testing.TB) *mdp.Table { return goalGrid(t, 400, 0.2, 0.3) })
	add("frozen lake of 100 × 100", high, []int32{100 * 100, 100*100 + 1}, patient, func(t testing.TB) *mdp.Table { return frozenLake(t, 100) })
	add("mountain car of 200 × 200", low, []int32{200 * 200}, patient, func(t testing.TB) *mdp.Table { return mountainCar(t, 200) })
	add("cart pole of 12⁴", low, []int32{12 * 12 * 12 * 12}, patient, func(t testing.TB) *mdp.Table { return cartPole(t, 12) })
	add("gambler of 1000", high, []int32{1001}, patient, func(t testing.TB) *mdp.Table { return gambler(t, 1000) })
	add("corridor of 10000", low, []int32{10_000}, patient, func(t testing.TB) *mdp.Table { return corridor(t, 10_000) })
	add("cliff of 200 × 400", low, []int32{200 * 400}, patient, func(t testing.TB) *mdp.Table { return cliff(t, 200, 400) })
	add("taxi of 50 × 50", low, []int32{50 * 50 * 20}, patient, func(t testing.TB) *mdp.Table { return taxi(t, 50) })
	add("pursuit on 16 × 16", low, []int32{16 * 16 * 16 * 16}, patient, func(t testing.TB) *mdp.Table { return pursuit(t, 16) })
	add("machine that wears", low, []int32{300 * 60}, patient, func(t testing.TB) *mdp.Table { return wear(t, 300, 60) })
	add("job shop of 40³", low, []int32{41 * 41 * 41}, patient, func(t testing.TB) *mdp.Table { return jobShop(t, 40) })
	return models
}

// goalBuilder builds a model with one goal, its last state.
type goalBuilder struct {
	mdp.TableBuilder
	goal int
}

// end adds the goal and builds the model.
func (b *goalBuilder) end(t testing.TB) *mdp.Table {
	t.Helper()
	b.AddState()
	b.AddAction(0)
	b.AddTransition(b.goal, 1)
	return build(t, &b.TableBuilder)
}

// moves are the four directions, in the order of a clock.
var moves = [4][2]int{{-1, 0}, {0, 1}, {1, 0}, {0, -1}}

// goalGrid is a walk on a square to its last corner, of which the share slip of the steps goes to
// either side. Each step costs 1; a step against the border or a wall stays. The share walls of
// the places are walls.
func goalGrid(t testing.TB, width int, slip, walls float64) *mdp.Table {
	random := splitmix(1)
	isWall := make([]bool, width*width)
	for s := range len(isWall) - 1 {
		isWall[s] = random.float() < walls && min(s/width+s%width, 2*width-s/width-s%width) > 20
	}
	b := goalBuilder{goal: width * width}
	to := func(s, move int) int {
		y, x := s/width+moves[move%4][0], s%width+moves[move%4][1]
		switch next := y*width + x; {
		case y < 0 || y >= width || x < 0 || x >= width || isWall[next]:
			return s
		case next == b.goal-1:
			return b.goal
		default:
			return next
		}
	}
	for s := range width * width {
		b.AddState()
		for move := range 4 {
			b.AddAction(1)
			b.AddTransition(to(s, move), 1-slip)
			if slip > 0 {
				b.AddTransition(to(s, move+1), slip/2)
				b.AddTransition(to(s, move+3), slip/2)
			}
		}
	}
	return b.end(t)
}

// frozenLake is a walk on ice, where a step goes ahead or to either side with the same
// probability: a fifth of the places are holes in which it ends. Reaching the goal is worth 1.
func frozenLake(t testing.TB, width int) *mdp.Table {
	random := splitmix(1)
	b := goalBuilder{goal: width*width + 1}
	for s := range width * width {
		b.AddState()
		isHole := s > 0 && s < width*width-1 && random.float() < 0.2
		for move := range 4 {
			b.AddAction(0)
			for _, side := range []int{0, 1, 3} {
				y, x := s/width+moves[(move+side)%4][0], s%width+moves[(move+side)%4][1]
				next := min(max(y, 0), width-1)*width + min(max(x, 0), width-1)
				switch {
				case isHole:
					next = width * width // the end of those who fell
				case s == width*width-1:
					next = b.goal
				}
				b.AddTransition(next, 1.0/3)
			}
			if s == width*width-1 {
				b.AddCost(1)
			}
		}
	}
	b.AddState()
	b.AddAction(0)
	b.AddTransition(width*width, 1)
	return b.end(t)
}

// axis is a coordinate on points in equal distances.
type axis struct {
	low, high float64
	points    int
}

// at returns the coordinate of a point.
func (a axis) at(i int) float64 { return a.low + (a.high-a.low)*float64(i)/float64(a.points-1) }

// addPlace adds transitions to the corners of the cell with a place, with the weights of
// multilinear interpolation.
func (b *goalBuilder) addPlace(axes []axis, place []float64, base int, probability float64) {
	if len(axes) == 0 {
		if probability > 1e-12 {
			b.AddTransition(base, probability)
		}
		return
	}
	a := axes[0]
	x := min(max((place[0]-a.low)/(a.high-a.low), 0), 1) * float64(a.points-1)
	i := min(int(x), a.points-2)
	for corner, weight := range []float64{1 - (x - float64(i)), x - float64(i)} {
		b.addPlace(axes[1:], place[1:], base*a.points+i+corner, probability*weight)
	}
}

// mountainCar is the car that swings out of a valley (Moore 1990), by bilinear interpolation.
func mountainCar(t testing.TB, points int) *mdp.Table {
	axes := []axis{{-1.2, 0.5, points}, {-0.07, 0.07, points}}
	b := goalBuilder{goal: points * points}
	for s := range points * points {
		b.AddState()
		for force := -1.0; force <= 1; force++ {
			b.AddAction(1)
			x, v := axes[0].at(s/points), axes[1].at(s%points)
			v = min(max(v+0.001*force-0.0025*math.Cos(3*x), -0.07), 0.07)
			switch x += v; {
			case x >= 0.5:
				b.AddTransition(b.goal, 1)
				continue
			case x < -1.2:
				x, v = -1.2, 0
			}
			b.addPlace(axes, []float64{x, v}, 0, 1)
		}
	}
	return b.end(t)
}

// cartPole is a pole on a cart (Barto, Sutton and Anderson 1983), by interpolation in four
// dimensions. It costs 1 when the pole falls.
func cartPole(t testing.TB, points int) *mdp.Table {
	axes := []axis{{-2.4, 2.4, points}, {-3, 3, points}, {-0.21, 0.21, points}, {-3.5, 3.5, points}}
	n := points * points * points * points
	b := goalBuilder{goal: n}
	for s := range n {
		b.AddState()
		var z [4]float64
		for rest, i := s, 3; i >= 0; i, rest = i-1, rest/points {
			z[i] = axes[i].at(rest % points)
		}
		for _, force := range []float64{-10, 10} {
			const step, mass, poleMass, half = 0.05, 1.1, 0.1, 0.5
			sin, cos := math.Sincos(z[2])
			pushed := (force + poleMass*half*z[3]*z[3]*sin) / mass
			turn := (9.8*sin - cos*pushed) / (half * (4.0/3 - poleMass*cos*cos/mass))
			move := pushed - poleMass*half*turn*cos/mass
			next := []float64{z[0] + step*z[1], z[1] + step*move, z[2] + step*z[3], z[3] + step*turn}
			if math.Abs(next[0]) > 2.4 || math.Abs(next[2]) > 0.21 {
				b.AddAction(1)
				b.AddTransition(n, 1)
				continue
			}
			b.AddAction(0)
			b.addPlace(axes, next, 0, 1)
		}
	}
	return b.end(t)
}

// gambler stakes capital on a coin that falls in favour with probability 0.4, until it is 0 or the
// target, which is worth 1.
func gambler(t testing.TB, target int) *mdp.Table {
	b := goalBuilder{goal: target + 1}
	for s := range target + 1 {
		b.AddState()
		if s == 0 || s == target {
			b.AddAction(float64(s / target))
			b.AddTransition(b.goal, 1)
			continue
		}
		for stake := 1; stake <= min(s, target-s); stake++ {
			b.AddAction(0)
			b.AddTransition(s+stake, 0.4)
			b.AddTransition(s-stake, 0.6)
		}
	}
	return b.end(t)
}

// corridor is a walk on a line to its end, against a drift that effort outweighs.
func corridor(t testing.TB, length int) *mdp.Table {
	b := goalBuilder{goal: length}
	for s := range length {
		b.AddState()
		for i, ahead := range []float64{0.45, 0.52, 0.6} {
			b.AddAction(1 + float64(i*i))
			b.AddTransition(s+1, ahead)
			b.AddTransition(max(s-1, 0), 1-ahead)
		}
	}
	return b.end(t)
}

// cliff is a walk along a cliff in gusts of wind: who falls is back at the start.
func cliff(t testing.TB, height, width int) *mdp.Table {
	start := (height - 1) * width
	b := goalBuilder{goal: height * width}
	for s := range height * width {
		b.AddState()
		for _, move := range moves {
			b.AddAction(1)
			for gust, p := range []float64{0.9, 0.1} {
				y, x := min(max(s/width+move[0]+gust, 0), height-1), min(max(s%width+move[1], 0), width-1)
				switch {
				case y < height-1 || x == 0:
					b.AddTransition(y*width+x, p)
				case x == width-1:
					b.AddTransition(b.goal, p)
				default:
					b.AddTransition(start, p)
					b.AddCost(100 * p)
				}
			}
		}
	}
	return b.end(t)
}

// taxi takes a passenger from one corner to another (Dietterich 2000); a tenth of the moves
// fail.
func taxi(t testing.TB, width int) *mdp.Table {
	places := width * width
	corners := []int{0, width - 1, places - width, places - 1}
	b := goalBuilder{goal: places * 5 * 4}
	for s := range b.goal {
		b.AddState()
		place, passenger, destination := s/20, s/4%5, s%4
		for _, move := range moves {
			y, x := min(max(place/width+move[0], 0), width-1), min(max(place%width+move[1], 0), width-1)
			b.AddAction(1)
			b.AddTransition((y*width+x)*20+passenger*4+destination, 0.9)
			b.AddTransition(s, 0.1)
		}
		switch {
		case passenger < 4 && place == corners[passenger]:
			b.AddAction(1)
			b.AddTransition(place*20+16+destination, 1)
		case passenger == 4 && place == corners[destination]:
			b.AddAction(1)
			b.AddTransition(b.goal, 1)
		}
	}
	return b.end(t)
}

// pursuit is a hunter who catches prey that walks at random.
func pursuit(t testing.TB, width int) *mdp.Table {
	places := width * width
	b := goalBuilder{goal: places * places}
	to := func(place int, move [2]int) int {
		return min(max(place/width+move[0], 0), width-1)*width + min(max(place%width+move[1], 0), width-1)
	}
	for s := range places * places {
		b.AddState()
		for _, move := range append([][2]int{{0, 0}}, moves[:]...) {
			b.AddAction(1)
			hunter := to(s/places, move)
			for i, flight := range append([][2]int{{0, 0}}, moves[:]...) {
				next, p := hunter*places+to(s%places, flight), []float64{0.2, 0.3, 0.1, 0.2, 0.2}[i]
				if next/places == next%places {
					next = b.goal
				}
				b.AddTransition(next, p)
			}
		}
	}
	return b.end(t)
}

// jobShop has jobs of three kinds, of which one at a time is worked on: a step finishes it with a
// probability of its kind, and each job costs until it is finished.
func jobShop(t testing.TB, jobs int) *mdp.Table {
	finish, price := []float64{0.2, 0.5, 0.05}, []float64{1, 2, 0.5}
	size := jobs + 1
	b := goalBuilder{goal: size * size * size}
	for s := range b.goal {
		b.AddState()
		left := []int{s / size / size, s / size % size, s % size}
		cost := 0.0
		for kind, n := range left {
			cost += price[kind] * float64(n)
		}
		if s == 0 {
			b.AddAction(0)
			b.AddTransition(b.goal, 1)
		}
		for kind, step := range []int{size * size, size, 1} {
			if left[kind] > 0 {
				b.AddAction(cost)
				b.AddTransition(s-step, finish[kind])
				b.AddTransition(s, 1-finish[kind])
			}
		}
	}
	return b.end(t)
}

// wear is a machine that has jobs to finish: it wears and, the more it is worn, the more often it
// breaks. Maintenance halves the wear.
func wear(t testing.TB, levels, jobs int) *mdp.Table {
	b := goalBuilder{goal: levels * jobs}
	for s := range b.goal {
		b.AddState()
		level, job := s/jobs, s%jobs
		next := s + 1
		if job == jobs-1 {
			next = b.goal
		}
		breaks := float64(level) / float64(levels) / 2
		b.AddAction(1)
		b.AddTransition(next, (1-breaks)/2)
		b.AddTransition(min(level+1, levels-1)*jobs+job, (1-breaks)/2)
		b.AddTransition((levels-1)*jobs+job, breaks)
		b.AddAction(5 + float64(level)/10)
		b.AddTransition(level/2*jobs+job, 0.8)
		b.AddTransition(s, 0.2)
	}
	return b.end(t)
}
