package refresh

import "math"

// Signals is the freshness of pages with changes that are announced, by pings, sitemaps
// or feeds: a change is signalled with probability ν ([Pages].Recalls), and false signals
// come at rate φ ([Pages].FalseRates). After a time τ without an access, in which n
// signals came, the copy is up to date with probability
//
//	e^{−(1−ν)Δτ}·(φ/(φ+νΔ))^n
//
// (Busa-Fekete et al. 2025), see [FreshProbability]. It is best to access the page when
// that has fallen to a threshold, [Signals.AccessAt], and x is the long-run rate of
// access under that rule. The value is w times the freshness that it achieves.
//
// Special cases are:
//
//	without signals (ν = 0), it is that of [FixedOrder];
//	with complete ones (ν = 1, φ = 0), w·min(1, x/Δ): each change is answered, or a
//	share of them (Kolobov et al. 2019, section 5);
//	with ν = 1 < 1+φ, the page is accessed at every k-th signal, or now and then at the
//	one before: its value is linear in between.
//
// Signals of which less than 1/64 are true are ignored: they cost time, and are
// worth next to nothing.
type Signals struct{}

// FreshProbability returns the probability that a copy is up to date after a time since
// its access in which so many signals came.
func FreshProbability(changeRate, recall, falseRate, since float64, signals int) float64 {
	silent := math.Exp(-(1 - recall) * changeRate * since)
	if signals == 0 || recall == 0 || changeRate == 0 {
		return silent
	}
	return silent * math.Pow(falseRate/(falseRate+recall*changeRate), float64(signals))
}

// AccessAt returns the probability of being up to date, see [FreshProbability], at which
// a page that changes is accessed under the best rule that accesses it at a rate: at once
// when the probability has fallen to it or below. It is 0 for a page with rate 0.
func (Signals) AccessAt(changeRate, recall, falseRate, rate float64) float64 {
	s, telling := newSignalled(changeRate, recall, falseRate)
	switch {
	case rate == 0:
		return 0
	case !telling:
		return math.Exp(-changeRate / rate)
	case s.alpha == 0:
		k := math.Max(1, math.Ceil(s.gamma*changeRate/rate-1e-9))
		return math.Exp(-k * s.step)
	}
	return math.Exp(-s.thresholdAt(rate / changeRate))
}

// Demand implements [Objective].
func (Signals) Demand(rates, slopes []float64, pages Pages, multiplier float64) {
	for i, delta := range pages.ChangeRates {
		price := multiplier * delta / weightAt(pages.Weights, i)
		s, telling := newSignalled(delta, pages.Recall(i), pages.FalseRate(i))
		switch {
		case !telling || delta == 0 || !(price > 0 && price < 1):
			rates[i], slopes[i] = evenDemand(delta, price)
		case s.alpha == 0:
			rates[i], slopes[i] = delta*s.gamma/s.everyCount(price), 0
		default:
			z := s.threshold(price)
			sums := s.at(z)
			rates[i] = delta / sums.time
			slopes[i] = rates[i] * (price * sums.density / (sums.time * sums.time * math.Exp(-z)))
		}
	}
}

// Measure implements [Objective].
func (Signals) Measure(values, marginals []float64, pages Pages, rates []float64) {
	for i, delta := range pages.ChangeRates {
		weight := weightAt(pages.Weights, i)
		s, telling := newSignalled(delta, pages.Recall(i), pages.FalseRate(i))
		if !telling || delta == 0 {
			FixedOrder{}.Measure(values[i:i+1], marginals[i:i+1], pages.Slice(i, i+1), rates[i:i+1])
			continue
		}
		freshness, price := s.measure(rates[i] / delta)
		values[i], marginals[i] = weight*freshness, weight/delta*price
	}
}

// measure returns the freshness at a rate, and h: the marginal value.
func (s *signalled) measure(rate float64) (freshness, price float64) {
	switch {
	case rate == 0:
		return 0, 1
	case s.alpha > 0:
		if s.phi == 0 && rate < s.gamma { // some signals are not answered
			return rate, 1
		}
		z := s.thresholdAt(rate)
		sums := s.at(z)
		return sums.price*rate + math.Exp(-z), sums.price
	case rate >= s.gamma:
		return -math.Expm1(-s.step) * s.gamma, 0
	}
	// At rate 1/M(k) the freshness is F_k/M_k; between them it is linear.
	k := math.Floor(s.gamma / rate)
	price = s.everyPrice(k)
	fresh := -math.Expm1(-k*s.step) - price // e^{−kb}·M_k
	return price*rate + fresh*s.gamma/k, price
}

// Corner implements [Cornered]. Where nearly all changes are signalled, accesses at
// every k-th signal are best for a range of prices, and a rate says little of its price.
func (o Signals) Corner(marginals []float64, pages Pages, rates []float64, multiplier float64) {
	wanted, slopes := make([]float64, len(rates)), make([]float64, len(rates))
	o.Demand(wanted, slopes, pages, multiplier)
	for i, rate := range rates {
		if math.Abs(rate-wanted[i]) <= 0x1p-44*rate { // the rounding of M
			marginals[i] = multiplier
		}
	}
}

// Minimizes returns false.
func (Signals) Minimizes() bool { return false }

// String returns "signals".
func (Signals) String() string { return "signals" }
