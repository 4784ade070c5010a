package robots

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// phaseStrokes tell phases apart; from the fourth on they come again, dashed.
var phaseStrokes = []color.Color{ui.Blue, ui.Orange, color.NRGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}}

// phasePanels draws the switching curves of a fleet of one class, one for each
// phase of the service.
func phasePanels(s *robots.FleetSolution) []*plot.Plot {
	p := plain(s.Fleet)
	parameters := fmt.Sprintf("N = %d, K = %d, λ = %s, μ = %s, γ = %s, service %s; cost %s", p.Robots, p.Buffer,
		ui.ShortText(p.ArrivalRate, 6), ui.ShortText(p.ServiceRate, 6), ui.ShortText(p.StarvationWeight, 6),
		serviceWords(s.Fleet.Service), ui.ShortText(s.Gain, 6))
	curves := s.Policy.Curves()
	ends := endingPhases(s.Policy)
	departures := curveFrame(p, "When a page leaves, activate a robot up to f₀(r)\n"+parameters)
	arrivals := curveFrame(p, "When a robot delivers, send it out again up to f₁(r)")
	for phase, c := range curves {
		name := ""
		if len(curves) > 1 {
			name = fmt.Sprintf("phase %d", phase+1)
		}
		if ends[phase] {
			addCurve(departures, name, c.Departure, phase, len(curves))
		}
		addCurve(arrivals, name, c.Arrival, phase, len(curves))
	}
	return []*plot.Plot{departures, arrivals}
}

// addCurve shifts curves a little from each other, so that none is hidden.
func addCurve(panel *plot.Plot, name string, curve []int, phase, phases int) {
	const spread = 0.3
	shift := 0.0
	if phases > 1 {
		shift = spread * (0.5 - float64(phase)/float64(phases-1))
	}
	points := make(plotter.XYs, len(curve))
	for r, q := range curve {
		points[r].X, points[r].Y = float64(r), float64(q)+shift
	}
	var dashes []vg.Length
	if round := phase / len(phaseStrokes); round > 0 {
		dashes = []vg.Length{vg.Points(5 / float64(round)), vg.Points(3)}
	}
	ui.AddLine(panel, name, points, plotter.MidStep, phaseStrokes[phase%len(phaseStrokes)], dashes...)
}
