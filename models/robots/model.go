package robots

import (
	"fmt"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/sweep"
)

// State is a state after an event and its decision: the queue length, the phase
// of the service that is going on (0 where the queue is empty) and the number of
// active robots of each class. There is always an active robot where the queue is
// empty. What follows depends on the state alone, so it is also what a decision at
// the next event sees.
type State struct {
	Queue  int   // q = 0 … K
	Phase  int   // i = 0 … P−1; P = 1 for exponential services
	Active []int // r_c = 0 … N_c
}

// NoClass is the class of no robot: a departure activates none.
const NoClass = -1

// ClassSet is a set of classes of robots: a bit 1<<class for each.
type ClassSet uint8

// Has reports whether the class is in the set.
func (s ClassSet) Has(class int) bool { return s>>class&1 == 1 }

// Decisions are the decisions for the next event: one field for each kind of event.
type Decisions struct {
	Activate   int      // class of the idle robot that a departure activates, or NoClass
	Reactivate ClassSet // classes of which a robot that delivers is sent out again
}

// Model is the decision process on the states after a decision, without any
// table. For the plain process its values W(q,r) are a third of those of the
// paper's states (q,r,s), and one step of its Bellman operator is
//
//	(T W)(q,r) = γ·1(q=0) + λr·1(q=K)
//	           + (μ/ν)·1(q>0)·min{W(q−1,r), W(q−1,min(r+1,N))}
//	           + (λr/ν)·min{W(min(q+1,K),r−1), W(min(q+1,K),r)}
//	           + (1 − (μ·1(q>0) + λr)/ν)·W(q,r)
//
// with ν = λN+μ, where the first minimum is W(0,1) at (1,0): the robot must be
// activated. This is the step of the paper seen one moment later: with W the
// expectation of its h over the next event, T W is the expectation of T h. The
// gain is the same.
//
// # Derivation
//
// With α the probabilities with which a service starts in the phases, T_ij the
// rates of moves between them and t_i those of its end, the process moves from
// (q,i,r), r = (r_1,…,r_m), in continuous time:
//
//   - at rate t_i, where q > 0, a page leaves: one idle robot of any class is
//     activated, or none, then the next service starts in phase j with
//     probability α_j if there is a page left;
//   - at rate T_ij, where q > 0, the phase changes;
//   - at rate λ_c·r_c a robot of class c brings a page, which is lost where
//     q = K and starts a service where q = 0; the robot is sent out again, or
//     not.
//
// The phase in which a service starts is drawn after the decision. With
// V(0,r) = W(0,r), V(q,r) = Σ_j α_j·W(q,j,r) and e_c the unit vector, the values
// satisfy
//
//	θ = γ·1(q=0) + h·q + c·Σ_c r_c + 1(q=K)·Σ_c λ_c·r_c
//	  + t_i·[min{V(q−1,r), min_c: r_c<N_c {a + V(q−1,r+e_c)}} − W(q,i,r)]
//	  + Σ_j T_ij·[W(q,j,r) − W(q,i,r)]
//	  + Σ_c λ_c·r_c·[min{U(r), U(r−e_c)} − W(q,i,r)]
//
// where U(r) is V(1,r) for q = 0, W(q+1,i,r) for 0 < q < K and W(K,i,r) for
// q = K, and V(0,0), where nobody would ever bring a page again, is infinite.
// The cost a is paid at the instant of an activation; in the table form it is
// the rate t_i·a of the action. The model is uniformized with
// ν = Σ_c λ_c·N_c + max_i (t_i + Σ_j T_ij).
//
// Model implements [mdp.Model], [mdp.Sweeper], [mdp.Explicit],
// [mdp.Blocked], [mdp.Timed] and [mdp.Approximate]; its methods are safe for
// concurrent use. Values are finite, and slices as [mdp.Model] wants them. The
// work for part of the states of a queue length is nearly that for all of them.
//
// Source: Talim, Liu, Nain and Coffman, section 3.1, equations (18)-(21) and
// (24), with h replaced by its expectation over the next event.
type Model struct {
	layout       layout
	parameters   Parameters
	classes      []Class
	service      *phases.Service
	plain        *sweep.Law // of the plain process; nil for variants
	rate         float64    // ν
	slack        []float64  // rate of no event on the side of the service, by phase; that of an empty queue is last
	activeRobots []float64  // Σ_c r_c, by mix
	activeRate   []float64  // Σ_c λ_c·r_c, by mix
	idleRate     []float64  // Σ_c λ_c·(N_c−r_c), by mix
	options      []uint8    // ways to decide at a departure, by mix
	blocks       []int
	scratch      sync.Pool // of *scratch, for the length of a call
}

// blockStates is the size of a block: 128 KiB of values stay in a second-level
// cache, and outweigh by far the cost of handing a block out.
const blockStates = 1 << 14

// NewModel returns the model of valid parameters whose service is of phase type
// ([queue.PhaseTypeOf]); phases that no service reaches are left out. Otherwise it returns
// a [*ParameterError], or [mdp.ErrTooLarge] if there are too many states.
func NewModel(p Parameters) (*Model, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	service, err := phases.Of(p.Service, p.ServiceRate)
	if err != nil {
		return nil, fmt.Errorf("robots: Service: %w", err)
	}
	if err := p.checkSize(service.Count()); err != nil {
		return nil, err
	}
	p = p.clone()
	classes := p.ClassList()
	m := &Model{
		layout:     layout{newMixes(classes), p.Buffer, service.Count()},
		parameters: p,
		classes:    classes,
		service:    service,
	}
	for _, class := range classes {
		m.rate += class.ArrivalRate * float64(class.Robots)
	}
	fastest := slices.Max(service.Leave)
	m.rate += fastest
	for _, leave := range service.Leave {
		m.slack = append(m.slack, fastest-leave)
	}
	m.slack = append(m.slack, fastest)
	m.tabulate()
	if p.IsPlain() {
		m.plain = sweep.NewLaw(classes[0].Robots, p.Buffer, classes[0].ArrivalRate, p.ServiceRate, p.StarvationWeight)
	}
	m.blocks = sweep.Blocks(p.Buffer+1, blockStates, func(queue int) int { return m.layout.begin(m.layout.row(queue, 0)) })
	m.scratch.New = func() any { return newScratch(m.layout.mixes.count) }
	return m, nil
}

// tabulate fills what depends on the mix alone.
func (m *Model) tabulate() {
	m.activeRobots, m.activeRate, m.idleRate = make([]float64, m.layout.mixes.count), make([]float64, m.layout.mixes.count), make([]float64, m.layout.mixes.count)
	m.options = make([]uint8, m.layout.mixes.count)
	for code := range m.layout.mixes.count {
		if code > 0 {
			m.options[code] = 1 // none need be activated
		}
		for c, class := range m.classes {
			r := m.layout.mixes.active(code, c)
			m.activeRobots[code] += float64(r)
			m.activeRate[code] += class.ArrivalRate * float64(r)
			m.idleRate[code] += class.ArrivalRate * float64(class.Robots-r)
			if r < class.Robots {
				m.options[code]++
			}
		}
	}
	m.options[0]++ // of which one is no option where the queue becomes empty
}

// Parameters returns the parameters of the model.
func (m *Model) Parameters() Parameters { return m.parameters.clone() }

// Index returns the index of s. It panics if s is not a state of the model.
func (m *Model) Index(s State) int {
	row, code, ok := m.layout.find(s)
	if !ok {
		panic(fmt.Sprintf("robots: %+v is not a state of the model", s))
	}
	return m.layout.index(row, code)
}

// State returns the state with the given index. It panics if there is none.
func (m *Model) State(index int) State {
	if index < 0 || index >= m.NumStates() {
		panic(fmt.Sprintf("robots: index %d of a model with %d states", index, m.NumStates()))
	}
	row, code := m.layout.split(index)
	return m.layout.state(make([]int, len(m.classes)), row, code)
}

// departureOptions returns the number of ways to decide at the next departure:
// 1 where there is none, or none that makes a difference.
func (m *Model) departureOptions(queue, phase, code int) int {
	switch {
	case queue == 0 || m.service.Exits[phase] == 0:
		return 1
	case queue == 1 && code == 0:
		return int(m.options[0]) - 1
	}
	return int(m.options[code])
}

// NumActions returns the number of actions of a state, see
// [Model.Decisions].
func (m *Model) NumActions(s int) int {
	row, code := m.layout.split(s)
	queue, phase := m.layout.place(row)
	n := m.departureOptions(queue, phase, code)
	for c := range m.classes {
		if m.layout.mixes.active(code, c) > 0 {
			n *= 2
		}
	}
	return n
}

// Decisions returns what an action of the state with the given index does at the
// next event. Its lowest digit is the place, among none (where that is allowed)
// and the classes with an idle robot, of what a departure activates; the
// following binary digits say for each class with an active robot whether the
// one that delivers is sent out again. Decisions that make no difference take
// up no digit and are returned as NoClass and not in the set; so is the
// activation in a phase that ends no service. It panics if there is no such
// state or action.
func (m *Model) Decisions(index, action int) Decisions {
	if index < 0 || index >= m.NumStates() || action < 0 || action >= m.NumActions(index) {
		panic(fmt.Sprintf("robots: no action %d of state %d of a model with %d states", action, index, m.NumStates()))
	}
	row, code := m.layout.split(index)
	queue, phase := m.layout.place(row)
	return m.decide(queue, phase, code, action)
}

func (m *Model) decide(queue, phase, code, action int) Decisions {
	d := Decisions{Activate: NoClass}
	options := m.departureOptions(queue, phase, code)
	choice, rest := action%options, action/options
	if queue > 0 && m.service.Exits[phase] > 0 {
		if queue > 1 || code > 0 {
			choice-- // the first is none
		}
		for c := 0; choice >= 0; c++ {
			if m.layout.mixes.idle(code, c) {
				d.Activate = c
				choice--
			}
		}
	}
	for c := range m.classes {
		if m.layout.mixes.active(code, c) > 0 {
			if rest&1 == 1 {
				d.Reactivate |= 1 << c
			}
			rest >>= 1
		}
	}
	return d
}

// action is the inverse of decide. Decisions without effect are ignored.
func (m *Model) action(queue, phase, code int, d Decisions) int {
	options, action := m.departureOptions(queue, phase, code), 0
	if queue > 0 && m.service.Exits[phase] > 0 && d.Activate != NoClass {
		if queue > 1 || code > 0 {
			action++
		}
		for c := range d.Activate {
			if m.layout.mixes.idle(code, c) {
				action++
			}
		}
	}
	weight := options
	for c := range m.classes {
		if m.layout.mixes.active(code, c) > 0 {
			if d.Reactivate.Has(c) {
				action += weight
			}
			weight *= 2
		}
	}
	return action
}

// NumStates returns (1+KP)·Π(N_c+1) − 1.
func (m *Model) NumStates() int { return m.layout.begin(m.layout.rows()) }

// Rate returns the uniformization rate ν.
func (m *Model) Rate() float64 { return m.rate }

// RelativeError returns the relative error of rates and costs, one unit of 2⁻⁵³
// for each rounding of a parameter, a product, a sum over classes or of costs,
// and a division: bounds on the gain hold for any parameters that round to those
// given, the phases being those of [queue.PhaseTypeOf].
func (m *Model) RelativeError() float64 {
	if m.plain != nil {
		return sweep.RelativeError
	}
	return (8 + float64(len(m.classes))) * 1.0000001 * 0x1p-53
}

// Blocks returns cuts between queue lengths.
func (m *Model) Blocks() []int { return slices.Clone(m.blocks) }
