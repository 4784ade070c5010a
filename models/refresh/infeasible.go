package refresh

import "fmt"

// An InfeasibleError says that [Problem.Least] does not fit into the bandwidth or
// into the cap of a host: no rates keep to all of them.
type InfeasibleError struct {
	Host    int     // whose cap it is, an index of [Problem.HostCaps]; −1: the bandwidth
	Least   float64 // the sum of the least rates
	Allowed float64 // the cap or the bandwidth
}

// Error returns a line with the sum of the least rates and what is allowed.
func (e *InfeasibleError) Error() string {
	if e.Host < 0 {
		return fmt.Sprintf("refresh: the pages ask for %v at least; the bandwidth is %v", e.Least, e.Allowed)
	}
	return fmt.Sprintf("refresh: the pages of host %d ask for %v at least; its cap is %v", e.Host, e.Least, e.Allowed)
}
