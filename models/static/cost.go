package static

import "fmt"

// Cost is the charge for lost pages, beside γ per unit of time of starvation. The zero value
// charges the loss rate.
type Cost int

const (
	// LossRate charges 1 for each lost page: C = γ·P(X=0) + Nλ·P(X=K).
	LossRate Cost = iota
	// LossProbability charges the fraction of pages lost:
	// C = γ·P(X=0) + P(X=K).
	LossProbability
)

// String returns the name: "loss-rate" or "loss-probability".
func (c Cost) String() string {
	switch c {
	case LossRate:
		return "loss-rate"
	case LossProbability:
		return "loss-probability"
	}
	return fmt.Sprintf("Cost(%d)", int(c))
}
