package robots

import (
	"fmt"
	"slices"
	"sync"
)

// FleetState is a state of a [Fleet] after an event and its decision: the queue
// length, the phase of the service that is going on (0 where the queue is
// empty) and the number of active robots of each class. There is always an
// active robot where the queue is empty.
type FleetState struct {
	Queue  int   // q = 0 … K
	Phase  int   // i = 0 … P−1
	Active []int // r_c = 0 … N_c
}

// NoClass is the class of no robot: a departure activates none.
const NoClass = -1

// ClassSet is a set of classes of robots.
type ClassSet uint8

// Has reports whether the class is in the set.
func (s ClassSet) Has(class int) bool { return s>>class&1 == 1 }

// With returns the set with the class in it.
func (s ClassSet) With(class int) ClassSet { return s | 1<<class }

// Decisions are what is done at the next event, whichever it is.
type Decisions struct {
	Activate   int      // class of the idle robot that a departure activates, or NoClass
	Reactivate ClassSet // classes of which a robot that delivers is sent out again
}

// FleetModel is the decision process of a [Fleet] on the states after a
// decision, without any table. It generalises [PairModel], whose indexes,
// actions and values it has for one class and exponential services.
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
// FleetModel implements [mdp.Model], [mdp.Sweeper], [mdp.Explicit],
// [mdp.Blocked], [mdp.Timed] and [mdp.Inexact]; its methods are safe for
// concurrent use. Values are finite, and slices as [mdp.Model] wants them. The
// work for part of the states of a queue length is nearly that for all of them.
type FleetModel struct {
	layout
	fleet        Fleet
	service      *service
	rate         float64   // ν
	slack        []float64 // rate of no event on the side of the service, by phase; that of an empty queue is last
	activeRobots []float64 // Σ_c r_c, by mix
	activeRate   []float64 // Σ_c λ_c·r_c, by mix
	idleRate     []float64 // Σ_c λ_c·(N_c−r_c), by mix
	options      []uint8   // ways to decide at a departure, by mix
	blocks       []int
	scratch      sync.Pool // of *fleetScratch, for the length of a call
}

// NewFleetModel returns the model of a valid fleet whose service is of phase
// type ([queue.PhaseTypeOf]); phases that no service reaches are left out.
// Else it returns an error, a [*ParameterError] or, where there is more than can
// be held, a [*SizeError].
func NewFleetModel(f Fleet) (*FleetModel, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	s, err := newService(f)
	if err != nil {
		return nil, err
	}
	if err := f.checkSize(s); err != nil {
		return nil, err
	}
	f.Classes = slices.Clone(f.Classes)
	m := &FleetModel{
		layout:  layout{newMixes(f.Classes), f.Buffer, s.phases()},
		fleet:   f,
		service: s,
	}
	for _, class := range f.Classes {
		m.rate += class.ArrivalRate * float64(class.Robots)
	}
	fastest := slices.Max(s.leave)
	m.rate += fastest
	for _, leave := range s.leave {
		m.slack = append(m.slack, fastest-leave)
	}
	m.slack = append(m.slack, fastest)
	m.tabulate()
	m.blocks = rowBlocks(f.Buffer+1, pairBlockStates, func(queue int) int { return m.begin(m.row(queue, 0)) })
	m.scratch.New = func() any { return newFleetScratch(m.count) }
	return m, nil
}

// tabulate fills what depends on the mix alone.
func (m *FleetModel) tabulate() {
	m.activeRobots, m.activeRate, m.idleRate = make([]float64, m.count), make([]float64, m.count), make([]float64, m.count)
	m.options = make([]uint8, m.count)
	for code := range m.count {
		if code > 0 {
			m.options[code] = 1 // none need be activated
		}
		for c, class := range m.fleet.Classes {
			r := m.active(code, c)
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

// Fleet returns the fleet that the model is of.
func (m *FleetModel) Fleet() Fleet {
	f := m.fleet
	f.Classes = slices.Clone(f.Classes)
	return f
}

// Phases returns P, the number of phases of the service that are reached.
func (m *FleetModel) Phases() int { return m.phases }

// valid reports whether s is a state.
func (l layout) valid(s FleetState) bool {
	if s.Queue < 0 || s.Queue > l.buffer || len(s.Active) != len(l.robots) ||
		s.Phase < 0 || s.Phase >= l.phases || s.Queue == 0 && s.Phase > 0 {
		return false
	}
	active := 0
	for c, r := range s.Active {
		if r < 0 || r > l.robots[c] {
			return false
		}
		active += r
	}
	return s.Queue+active > 0
}

// code returns the code of the numbers of active robots.
func (m mixes) code(active []int) int {
	code := 0
	for c, r := range active {
		code += r * m.stride[c]
	}
	return code
}

// Index returns the index of s. It panics if s is not a state of the model.
func (m *FleetModel) Index(s FleetState) int {
	if !m.valid(s) {
		panic(fmt.Sprintf("robots: %+v is not a state of the fleet", s))
	}
	return m.index(m.row(s.Queue, s.Phase), m.code(s.Active))
}

// State returns the state with the given index. It panics if there is none.
func (m *FleetModel) State(index int) FleetState {
	if index < 0 || index >= m.NumStates() {
		panic(fmt.Sprintf("robots: index %d of a fleet with %d states", index, m.NumStates()))
	}
	row, code := m.split(index)
	return m.state(row, code)
}

func (l layout) state(row, code int) FleetState {
	s := FleetState{Active: make([]int, len(l.robots))}
	s.Queue, s.Phase = l.place(row)
	for c := range s.Active {
		s.Active[c] = l.active(code, c)
	}
	return s
}

// departureOptions returns the number of ways to decide at the next departure:
// 1 where there is none, or none that makes a difference.
func (m *FleetModel) departureOptions(queue, phase, code int) int {
	switch {
	case queue == 0 || m.service.exits[phase] == 0:
		return 1
	case queue == 1 && code == 0:
		return int(m.options[0]) - 1
	}
	return int(m.options[code])
}

// NumActions returns the number of actions of a state, see
// [FleetModel.Decisions].
func (m *FleetModel) NumActions(s int) int {
	row, code := m.split(s)
	queue, phase := m.place(row)
	n := m.departureOptions(queue, phase, code)
	for c := range m.fleet.Classes {
		if m.active(code, c) > 0 {
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
func (m *FleetModel) Decisions(index, action int) Decisions {
	if index < 0 || index >= m.NumStates() || action < 0 || action >= m.NumActions(index) {
		panic(fmt.Sprintf("robots: no action %d of state %d of a fleet with %d states", action, index, m.NumStates()))
	}
	row, code := m.split(index)
	queue, phase := m.place(row)
	return m.decide(queue, phase, code, action)
}

func (m *FleetModel) decide(queue, phase, code, action int) Decisions {
	d := Decisions{Activate: NoClass}
	options := m.departureOptions(queue, phase, code)
	choice, rest := action%options, action/options
	if queue > 0 && m.service.exits[phase] > 0 {
		if queue > 1 || code > 0 {
			choice-- // the first is none
		}
		for c := 0; choice >= 0; c++ {
			if m.idle(code, c) {
				d.Activate = c
				choice--
			}
		}
	}
	for c := range m.fleet.Classes {
		if m.active(code, c) > 0 {
			if rest&1 == 1 {
				d.Reactivate = d.Reactivate.With(c)
			}
			rest >>= 1
		}
	}
	return d
}

// action is the inverse of decide. Decisions without effect are not looked at.
func (m *FleetModel) action(queue, phase, code int, d Decisions) int {
	options, action := m.departureOptions(queue, phase, code), 0
	if queue > 0 && m.service.exits[phase] > 0 && d.Activate != NoClass {
		if queue > 1 || code > 0 {
			action++
		}
		for c := range d.Activate {
			if m.idle(code, c) {
				action++
			}
		}
	}
	weight := options
	for c := range m.fleet.Classes {
		if m.active(code, c) > 0 {
			if d.Reactivate.Has(c) {
				action += weight
			}
			weight *= 2
		}
	}
	return action
}

// NumStates returns (1+KP)·Π(N_c+1) − 1.
func (m *FleetModel) NumStates() int { return m.begin(m.rows()) }

// Rate returns the uniformization rate ν.
func (m *FleetModel) Rate() float64 { return m.rate }

// RelativeError returns the relative error of rates and costs, one unit of 2⁻⁵³
// for each rounding of a parameter, a product, a sum over classes or of costs,
// and a division: bounds on the gain hold for any fleet that rounds to the one
// given, its phases being those of [queue.PhaseTypeOf].
func (m *FleetModel) RelativeError() float64 {
	return (8 + float64(len(m.fleet.Classes))) * 1.0000001 * 0x1p-53
}

// Blocks returns cuts between queue lengths.
func (m *FleetModel) Blocks() []int { return slices.Clone(m.blocks) }
