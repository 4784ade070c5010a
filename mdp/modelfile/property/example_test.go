package property_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

func ExampleProperty() {
	all, err := property.Parse(`const int N = 10; "quick": P>=0.9 [F<=N "done"]`, "die.props")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(all[0].Name, all[0])
	// Output: quick const int N = 10; P>=0.9 [F<=N "done"]
}

func ExampleQuestion() {
	m, err := modelfile.ReadFile("testdata/knuth.drn", modelfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	all, err := property.Parse(`P=? [F "one"]`, "")
	if err != nil {
		log.Fatal(err)
	}
	q, err := all[0].On(m)
	if err != nil {
		log.Fatal(err)
	}
	table, err := q.Model.Table(q.Reward)
	if err != nil {
		log.Fatal(err)
	}
	result, err := mdp.Solve(context.Background(), mdp.Rounded{Table: table}, q.Criterion, mdp.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", result.Optimum(int(m.Initial[0])))
	// Output: 0.222222
}

// A property that needs the answers to several questions is computed from them.
func ExampleProperty_Evaluate() {
	m, err := modelfile.ReadFile("testdata/knuth.drn", modelfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	all, err := property.Parse(`P>=1 [F P>0 [X "one"]]`, "")
	if err != nil {
		log.Fatal(err)
	}
	v, err := all[0].Evaluate(m, func(*property.Question) (lower, upper []float64, exact []*big.Rat, err error) {
		panic("the graph answers P>0 and P>=1")
	})
	fmt.Println(all[0].IsCompound(), v.Lower[m.Initial[0]], v.Upper[m.Initial[0]], err)
	for _, text := range v.Questions {
		fmt.Println(text)
	}
	// Output:
	// true 0 0 <nil>
	// P>0 [X "one"]
	// P>=1 [F P>0 [X "one"]]
}

// What a question answers is a value in each state, with its bounds.
func ExampleValues() {
	v := property.Values{Lower: []float64{0, 1}, Upper: []float64{1, 1}, IsTruth: true}
	for s := range v.Lower {
		fmt.Println(s, v.Lower[s] == 1, v.Lower[s] == v.Upper[s])
	}
	// Output:
	// 0 false false
	// 1 true true
}

// An Ask answers the questions of a property: from a solver, or known values as here.
func ExampleAsk() {
	var ask property.Ask = func(q *property.Question) (lower, upper []float64, exact []*big.Rat, err error) {
		half := slices.Repeat([]float64{0.5}, q.Model.NumStates())
		return half, half, nil, nil
	}
	m, err := modelfile.ReadFile("testdata/knuth.drn", modelfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	all, err := property.Parse(`1 - 3*S=? ["one"]`, "")
	if err != nil {
		log.Fatal(err)
	}
	v, err := all[0].Evaluate(m, ask)
	fmt.Println(v.Lower[0], v.Upper[0], err)
	// Output: -0.5 -0.5 <nil>
}

// A probability is the long-run average of a reward in a model that remembers whether it has come true.
func ExampleObjectives() {
	m, err := modelfile.ReadFile("testdata/knuth.drn", modelfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	all, err := property.Parse(`multi(Pmax=? [F "one"], P>=1/2 [G !"two"])`, "")
	if err != nil {
		log.Fatal(err)
	}
	o, err := all[0].Objectives(m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Criterion, m.NumStates(), o.Model.NumStates())
	for _, x := range o.All {
		fmt.Println(x.Reward, x.Maximize, x.Relation, x.Limit)
	}
	// Output:
	// average 9 9
	// objective 1 true  <nil>
	// objective 2 true >= 1/2
}

func ExampleObjective() {
	fmt.Println(property.Objective{Reward: "plays", Relation: ">=", Limit: big.NewRat(1, 2)}.Limit)
	// Output: 1/2
}

func ExampleUndecidedError() {
	err := error(&property.UndecidedError{States: []int32{2}, Reason: "bounds do not decide a threshold inside of the property in 1 state: 2"})
	open, _ := errors.AsType[*property.UndecidedError](err)
	fmt.Println(open.States, err)
	// Output: [2] bounds do not decide a threshold inside of the property in 1 state: 2
}
