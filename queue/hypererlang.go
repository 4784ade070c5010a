package queue

import (
	"fmt"
	"strconv"
	"strings"
)

// hyperErlang is a mixture of Erlang laws, as phases.
type hyperErlang struct {
	*phases
	text string
}

// phases is another name for PhaseType: hyperErlang embeds it, and a field named PhaseType would hide
// the method of that name.
type phases = PhaseType

// NewHyperErlang returns the mixture of Erlang laws with probabilities proportional to weights,
// numbers of phases, and means proportional to means, scaled to the given mean. Such laws come as
// close as one likes to any law of service times. It returns an error if the slices are empty or
// of different lengths, if a weight or a mean is not positive and finite, or if there are no
// phases or more than 1024 in all.
func NewHyperErlang(weights []float64, orders []int, means []float64, mean float64) (Law, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	if len(weights) != len(means) || len(weights) != len(orders) || len(weights) == 0 {
		return nil, fmt.Errorf("%d weights, %d numbers of phases and %d means are not valid: use one or more of each, equally many",
			len(weights), len(orders), len(means))
	}
	branches, total := make([]string, len(weights)), 0
	for i, weight := range weights {
		if !isPositive(weight) || !isPositive(means[i]) || orders[i] < 1 {
			return nil, fmt.Errorf("branch %d has weight %v, %d phases and mean %v: use finite numbers above 0", i+1, weight, orders[i], means[i])
		}
		if total += orders[i]; orders[i] > maxPhases || total > maxPhases {
			return nil, fmt.Errorf("hypererlang: more than %d phases are not valid: use fewer", maxPhases)
		}
		branches[i] = formatNumber(weight) + "@" + strconv.Itoa(orders[i]) + "@" + formatNumber(means[i])
	}
	text := "hypererlang:" + strings.Join(branches, ",")
	start, rates := make([]float64, total), make([][]float64, total)
	shares, scaled, first := normalized(weights), normalized(means), 0
	for i, k := range orders {
		start[first] = shares[i]
		for j := first; j < first+k; j++ {
			rates[j] = make([]float64, total)
			rates[j][j] = -float64(k) / scaled[i]
			if j+1 < first+k {
				rates[j][j+1] = -rates[j][j]
			}
		}
		first += k
	}
	law, err := NewPhaseType(text, start, rates, mean)
	if err != nil {
		return nil, err
	}
	return hyperErlang{law, text}, nil
}

func parseHyperErlang(t lawText) (Law, error) {
	var weights, means []float64
	var orders []int
	for i, branch := range strings.Split(t.argument, ",") {
		parts := strings.Split(branch, "@")
		if len(parts) != 3 {
			return nil, fmt.Errorf("hypererlang: branch %d is %q: use weight@phases@mean, such as 0.3@4@2", i+1, branch)
		}
		weight, err := parsePositive(parts[0])
		if err != nil {
			return nil, fmt.Errorf("hypererlang: weight of branch %d: %w", i+1, err)
		}
		k, err := strconv.ParseUint(parts[1], 10, 31)
		if err != nil || k == 0 {
			return nil, fmt.Errorf("hypererlang: phases of branch %d: %q is not valid: use a whole number of 1 or more", i+1, parts[1])
		}
		mean, err := parsePositive(parts[2])
		if err != nil {
			return nil, fmt.Errorf("hypererlang: mean of branch %d: %w", i+1, err)
		}
		weights, orders, means = append(weights, weight), append(orders, int(k)), append(means, mean)
	}
	return NewHyperErlang(weights, orders, means, t.mean)
}

// String implements [Law], with the numbers as they were given.
func (l hyperErlang) String() string { return l.text }
