// This file runs a policy in a crawler.

package operate

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Errors of a [Controller] that was told what cannot have happened. Its counts
// are then unchanged; [Controller.Reset] sets them right.
var (
	// ErrNoActiveRobot is returned for a delivery while no robot is active.
	ErrNoActiveRobot = errors.New("operate: a delivery, but no robot is active")
	// ErrEmptyQueue is returned for an indexed page while the queue is empty.
	ErrEmptyQueue = errors.New("operate: a page was indexed, but the queue is empty")
)

// Delivery is what to do with a page and the robot that has delivered it.
type Delivery struct {
	Accepted   bool // the page is queued; otherwise the queue is full and it is lost
	Reactivate bool // the robot is sent out again; otherwise it rests
}

// Controller runs a policy in a crawler. It counts the pages in the queue and
// the active robots, is told of each delivery and each indexed page, and answers
// from the policy. Its methods may be called by any number of goroutines at
// once: each call is one atomic step, in constant time and without allocation.
//
// Of a decision that the policy leaves to chance, see [robots.Policy.Chance], the
// controller does the other thing in the share of cases that is the probability, spread
// as evenly as can be (by multiples of the golden ratio). Long-run averages are those of
// independent draws, since they depend on that share alone.
//
// A crawler that keeps the counts itself asks [robots.Policy.Activates] instead.
type Controller struct {
	counts     atomic.Uint64 // queue length · 2³² + active robots
	buffer     uint64
	stride     uint64 // N+1
	parameters robots.Parameters
	decisions  []uint8       // by q·stride + r
	chances    atomic.Uint64 // decisions left to chance so far
	threshold  uint64        // of those, the other thing is done below it
}

// The bits of Controller.decisions: what is done at departures and at arrivals, and
// which of the two is left to chance.
const (
	activateBit = 1 << iota
	reactivateBit
	activateChance
	reactivateChance
)

// NewController returns a controller that begins with an empty queue and one
// active robot. It panics if policy is nil, and if it is for several classes of
// robots or looks at phases of services, of which a crawler knows nothing.
func NewController(policy *robots.Policy) *Controller {
	if policy == nil {
		panic("operate: NewController needs a policy")
	}
	p := policy.Parameters()
	if len(p.Classes) > 1 || policy.Phases() > 1 {
		panic("operate: NewController needs a policy for one class of robots and services without phases")
	}
	if len(p.Classes) == 1 {
		p.Robots = p.Classes[0].Robots
	}
	c := &Controller{
		parameters: policy.Parameters(),
		buffer:     uint64(p.Buffer),
		stride:     uint64(p.Robots) + 1,
		decisions:  make([]uint8, (p.Buffer+1)*(p.Robots+1)),
	}
	for state, d := range policy.All() {
		at := uint64(state.Queue)*c.stride + uint64(state.Active[0])
		if d.Activate != robots.NoClass {
			c.decisions[at] |= activateBit
		}
		if d.Reactivate.Has(0) {
			c.decisions[at] |= reactivateBit
		}
	}
	if chance, ok := policy.Chance(); ok {
		bit := uint8(activateChance)
		if chance.Event == robots.Arrival {
			bit = reactivateChance
		}
		c.decisions[uint64(chance.State.Queue)*c.stride+uint64(chance.State.Active[0])] |= bit
		c.threshold = uint64(min(chance.Probability*0x1p64, 0x1p64-0x1p11))
	}
	c.counts.Store(pack(0, 1))
	return c
}

// goldenRatio is 2⁶⁴/φ.
const goldenRatio = 0x9e3779b97f4a7c15

// call is one call of a method that decides; it asks chance once at most.
type call struct {
	asked, other bool
}

// decide returns a decision, by its bit, and by the bit that leaves it to chance.
func (c *Controller) decide(call *call, at uint64, bit, chance uint8) bool {
	usual := c.decisions[at]&bit != 0
	if c.decisions[at]&chance == 0 {
		return usual
	}
	if !call.asked {
		call.asked, call.other = true, c.chances.Add(1)*goldenRatio < c.threshold
	}
	return usual != call.other
}

func pack(queue, active uint64) uint64 { return queue<<32 | active }

func unpack(counts uint64) (queue, active uint64) { return counts >> 32, counts & math.MaxUint32 }

// Deliver tells that an active robot has delivered a page, and returns what to
// do with both. It returns [ErrNoActiveRobot] if no robot is active.
func (c *Controller) Deliver() (Delivery, error) {
	var call call
	for {
		counts := c.counts.Load()
		queue, active := unpack(counts)
		if active == 0 {
			return Delivery{}, ErrNoActiveRobot
		}
		d := Delivery{
			Accepted:   queue < c.buffer,
			Reactivate: c.decide(&call, queue*c.stride+active, reactivateBit, reactivateChance),
		}
		if d.Accepted {
			queue++
		}
		if !d.Reactivate {
			active--
		}
		if c.counts.CompareAndSwap(counts, pack(queue, active)) {
			return d, nil
		}
	}
}

// Indexed tells that a page has been indexed and has left the queue, and
// returns whether an idle robot is to be activated; it counts as active from
// then on. Indexed returns [ErrEmptyQueue] if the queue is empty.
func (c *Controller) Indexed() (activate bool, err error) {
	var call call
	for {
		counts := c.counts.Load()
		queue, active := unpack(counts)
		if queue == 0 {
			return false, ErrEmptyQueue
		}
		left := active
		activate = c.decide(&call, queue*c.stride+active, activateBit, activateChance)
		if activate {
			left++
		}
		if c.counts.CompareAndSwap(counts, pack(queue-1, left)) {
			return activate, nil
		}
	}
}

// Counts returns the pages in the queue and the active robots, at one instant.
func (c *Controller) Counts() (queue, active int) {
	q, r := unpack(c.counts.Load())
	return int(q), int(r)
}

// Reset sets the counts, as after a restart or a fault of a robot. It returns
// an error, and changes nothing, for counts that are no state: queue is 0 … K,
// active is 0 … N, and they are not both 0, as nobody would then ever bring a
// page again.
func (c *Controller) Reset(queue, active int) error {
	if queue < 0 || uint64(queue) > c.buffer || active < 0 || uint64(active) >= c.stride || queue+active == 0 {
		return fmt.Errorf("operate: %d pages and %d active robots are no state: use 0 to %d and 0 to %d, not both 0",
			queue, active, c.buffer, c.stride-1)
	}
	c.counts.Store(pack(uint64(queue), uint64(active)))
	return nil
}

// Parameters returns the parameters of the policy.
func (c *Controller) Parameters() robots.Parameters { return c.parameters }
