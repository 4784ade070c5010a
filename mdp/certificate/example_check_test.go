package certificate_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// machine works (0), or is broken (1) and then waits or is repaired: for 3 a
// step, which succeeds with probability 1/2. Working earns 6, and the machine
// breaks with probability 1/4: so it works 2/3 of the time and earns 3 a step.
const machine = `{"kind": "mdp", "reward_models": ["profit"], "states": [
	{"rewards": [6], "actions": [{"to": [[0, 0.75], [1, 0.25]]}]},
	{"actions": [{"name": "wait", "to": [[1, 1]]}, {"name": "repair", "rewards": [-3], "to": [[0, 0.5], [1, 0.5]]}]}]}`

// claim is a result about it. A machine that works is worth 12 more than one that
// is broken: 6 − 3 = 0.25·12, and −3 − 3 = −0.5·12.
const claim = `{"criterion": "average", "sense": "maximize", "status": "converged", "tolerance": 1e-6,
	"classification": "unichain", "aperiodic": true, "initial": 0, "value": 3, "values": [3, 3],
	"lower": [2.999999, 2.999999], "upper": [3.000001, 3.000001], "policy": [0, 1],
	"certificate": {"lower": {"gain": 3, "value": [12, 0]}, "upper": {"gain": 3, "value": [12, 0]}}}`

// check checks a result about the machine.
func check(claim string) *certificate.Report {
	m, err := modelfile.ReadJSON(strings.NewReader(machine), "machine.json", modelfile.Options{})
	if err != nil {
		panic(err)
	}
	r, err := certificate.Read(strings.NewReader(claim), "result.json")
	if err != nil {
		panic(err)
	}
	report, err := certificate.Check(context.Background(), m, r, certificate.Options{})
	if err != nil {
		panic(err)
	}
	return report
}

func ExampleCheck() {
	report := check(claim)
	fmt.Println(report.Verdict(), report.Optimum[0])

	report = check(strings.ReplaceAll(claim, "2.999999", "3.000001"))
	fmt.Println(report.Verdict())
	fmt.Println(report.Bounds.Faults[0])
	// Output:
	// holds 3
	// refuted
	// state 0: lower bound 3.000001 is refuted: the optimum is 3
}

// A certificate that proves less leaves more undecided, and says where it fails.
func ExampleReport() {
	report := check(strings.ReplaceAll(claim, `"upper": {"gain": 3, "value": [12, 0]}`, `"upper": {"gain": 3, "value": [11, 0]}`))
	fmt.Println("bounds:", report.Bounds.Verdict, "as the optimum lies in", report.Optimum[0])
	fmt.Println("policy:", report.Policy.Verdict)
	fmt.Println(report.Reason)
	// Output:
	// bounds: undecided as the optimum lies in [3, +Inf]
	// policy: holds
	// the upper side of the certificate fails in state 0, action 0
}

func ExampleFinding() {
	report := check(strings.ReplaceAll(claim, "1e-6", "1e-12"))
	fmt.Println(report.Status.Verdict, report.Status.Refuted, report.Status.Undecided)
	fmt.Println(report.Status.Faults[0].Claim)
	// Output:
	// refuted 2 0
	// status converged
}

func ExampleFault() {
	fault := check(strings.ReplaceAll(claim, "unichain", "multichain")).Classification.Faults[0]
	fmt.Println(fault.Claim, "-", fault.Proven)
	// Output: classification multichain - the model is unichain
}

// A policy that the certificate does not follow needs one of its own.
func ExampleOptions() {
	m, err := modelfile.ReadJSON(strings.NewReader(machine), "machine.json", modelfile.Options{})
	if err != nil {
		panic(err)
	}
	r, err := certificate.Read(strings.NewReader(claim), "result.json")
	if err != nil {
		panic(err)
	}
	r.Policy, r.Certificate.Policy = []int32{0, 0}, r.Policy
	report, err := certificate.Check(context.Background(), m, r, certificate.Options{})
	fmt.Println(report.Policy.Verdict, report.Achieved, err)

	nothing := certificate.Witness{Value: certificate.Vector{High: []float64{24, 0}}}
	report, err = certificate.Check(context.Background(), m, r, certificate.Options{Achieved: &certificate.Certificate{Lower: nothing, Upper: nothing}})
	fmt.Println(report.Policy.Verdict, report.Achieved, err)
	// Output:
	// undecided [[-Inf, 3] [-Inf, 3]] <nil>
	// refuted [0 0] <nil>
}

func ExampleVerdict() {
	fmt.Println(certificate.Holds, certificate.Refuted, certificate.Undecided)
	// Output: holds refuted undecided
}

func ExampleInterval() {
	fmt.Println(certificate.Interval{Lower: 0.3, Upper: 0.30000000000000004}, certificate.Interval{Lower: 3, Upper: 3})
	// Output: [0.3, 0.30000000000000004] 3
}
