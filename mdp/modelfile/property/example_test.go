package property_test

import (
	"context"
	"fmt"
	"log"

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
