package verify

// arithmetic is how numbers are computed with: as balls, or exactly. Rates and
// costs are those of the rows it was made for.
type arithmetic[V any] interface {
	// integer returns 0 or 1.
	integer(i int) V

	// unknown returns a number of which nothing is known.
	unknown() V

	// cost returns the cost of choice k, kill the rate of ending everything.
	cost(k int32) V
	kill() V

	// negative returns −x; plusProduct x + y·z; plusRate x + rate(e); plusRated
	// x + rate(e)·y.
	negative(x V) V
	plusProduct(x, y, z V) V
	plusRate(x V, e int32) V
	plusRated(x V, e int32, y V) V

	// quotient returns x/y for y > 0.
	quotient(x, y V) V

	// least returns the least of one number or more.
	least(numbers []V) V

	// isNegative reports whether x is known to be below 0.
	isNegative(x V) bool

	// values returns the optimal values of a system that is left for sure under
	// the policy, which it replaces by the best one it finds.
	values(sys *system[V], policy []int32) ([]V, error)

	// gain returns the optimal gain of a system that is never left, in which
	// each state can be reached from each other. The policy, which it replaces
	// likewise, has one closed class.
	gain(sys *system[V], policy []int32) (V, error)
}
