package refresh

import (
	"math"

	"github.com/mdpsolve/mdpsolve/queue"
)

// accessLaw is what the formulas need of a law of access times X.
type accessLaw struct {
	queue.Law
	mean float64
}

func newAccessLaw(law queue.Law) accessLaw {
	if law == nil {
		panic("refresh: nil law of access times")
	}
	return accessLaw{Law: law, mean: law.Mean()}
}

// exponent returns ln(1/h) for h = E[e^{−xX}].
func (l accessLaw) exponent(x float64) float64 {
	complement := l.LaplaceComplement(x)
	if complement < 0.5 {
		return -math.Log1p(-complement)
	}
	return -math.Log(l.Laplace(x))
}

// deficit returns xE[X] − ln(1/h) ≥ 0: with S the excess and C = 1 − h the
// complement, xE[X] = C + S and the deficit is S + (C + ln(1−C)).
func (l accessLaw) deficit(x, exponent float64) float64 {
	complement := l.LaplaceComplement(x)
	if complement > 0.25 {
		return max(0, x*l.mean-exponent)
	}
	// C + ln(1−C) = −C²·(1/2 + C/3 + C²/4 + …)
	sum := 0.0
	for k := 30; k >= 2; k-- {
		sum = 1/float64(k) + complement*sum
	}
	return max(0, l.LaplaceExcess(x)-complement*complement*sum)
}

// odds returns 1/h − 1.
func (l accessLaw) odds(x float64) float64 { return l.LaplaceComplement(x) / l.Laplace(x) }

// obsolescence returns r = 1 − (f/y)·(1−e^{−z}) for y = μE[X] and z = L/f,
// L = ln(1/h). For small y it is the sum of (y−L)/y and of L/y times what the
// mean of e^{−u} over 0 … z lacks of 1.
func (l accessLaw) obsolescence(mu, exponent, share float64, d decay) float64 {
	y := mu * l.mean
	switch {
	case share == 0:
		return 1
	case y >= 1:
		return 1 - share*(1-d.exp)/y
	}
	return l.deficit(mu, exponent)/y + exponent/y*d.lack()
}

// randomObsolescence returns r = 1 − (f/y)·A/(f+A) for y = μE[X] and
// A = 1/h − 1. For small y it is (A + f(y−A)/y)/(f+A).
func (l accessLaw) randomObsolescence(mu, odds, share float64) float64 {
	y := mu * l.mean
	switch {
	case share == 0:
		return 1
	case y >= 1:
		return 1 - share*oddsShare(odds, share)/y
	}
	return max(0, (odds+share*(l.lead(mu, odds)/y))/(share+odds))
}

// lead returns y − A = (S(1+y) − y²)/h.
func (l accessLaw) lead(mu, odds float64) float64 {
	y := mu * l.mean
	return (l.LaplaceExcess(mu)*(1+y) - y*y) * (1 + odds)
}

// oddsShare returns A/(f+A), 1 for A = +Inf.
func oddsShare(odds, share float64) float64 {
	if math.IsInf(odds, 1) {
		return 1
	}
	return odds / (share + odds)
}
