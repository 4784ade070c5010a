package property_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

func TestProperties(t *testing.T) {
	for text, want := range map[string]string{
		`P=?[F"a"]`: `P=?[F"a"]`,
		`; "n": Pmax >= 0.9 [ "a" U<=5 ("b"|!"c") ];`: `Pmax >= 0.9 [ "a" U<=5 ("b"|!"c") ]`,
		"const int N = 4;\nP<1e-3 [ G<N \"a\" ] // x": `const int N = 4; P<1e-3 [ G<N "a" ]`,
	} {
		p := parseOne(t, text)
		assert.Equal(t, want, p.String())
		assert.Equal(t, want, parseOne(t, p.String()).String())
	}
	all, err := property.Parse("// two\n\"a\": P=? [F \"x\"];\n\"b\": S=? [\"x\"] R=? [C];", "f")
	require.NoError(t, err)
	require.Len(t, all, 3)
	assert.Equal(t, "b", all[1].Name)
}

// What is not answered is refused by name, in one line with its place.
func TestWhatIsRefused(t *testing.T) {
	long := strings.Repeat("(", 5000)
	for text, want := range map[string]string{
		``:                                   `f:1:1: found the end; expected P, S, LRA, R, E or A, as in P=? [F "goal"]`,
		`Q=? [F "a"]`:                        `f:1:1: found Q; expected P, S, LRA, R, E or A, as in P=? [F "goal"]`,
		`P=? [F "a"`:                         `f:1:11: found the end; expected "]"`,
		`P=0.5 [F "a"]`:                      `f:1:3: found 0.5; expected "?": a value is asked for by =?, and compared by >=, >, <= or <`,
		`P>=1.5 [F "a"]`:                     `f:1:4: found 1.5; expected a probability, from 0 to 1`,
		`P=? [G F "a"]`:                      `f:1:8: F: formulas of LTL, with several operators of time, are not answered: only one F, G, X, U or W`,
		`P=? [F P>0.5 [X "a"]]`:              `f:1:8: P: operators inside of each other are not answered (a label may stand for the states where the inner one holds)`,
		`P=? [F[1,2] "a"]`:                   `f:1:7: [: time intervals are not answered: only bounds such as F<=t`,
		`P=? [F>=2 "a"]`:                     `f:1:7: >=: time intervals are not answered: only bounds such as F<=t`,
		`P=? [F x=3]`:                        `f:1:8: found x; expected a label in quotation marks, true, false, ! or "(": variables are not known`,
		`P=? ["a"]`:                          `f:1:9: found ]; expected an operator of time: F, G, X, U or W`,
		`R=? ["a" U "b"]`:                    `f:1:6: found "a"; expected F, C, C<=t, I=t, S or LRA for rewards`,
		`R=? [F<=3 "b"]`:                     `f:1:7: <=: rewards until F with a bound are not answered`,
		`P=? [F<=N "a"]`:                     `f:1:9: found the constant N without a value; expected a number, or a line "const int N = 5;"`,
		`const int N; P=? [F<=N "a"]`:        `f:1:12: found ;; expected = and a number: give a value to each constant`,
		`const N=1;const N=2; P=? [F "a"]`:   `f:1:17: found N for the second time; expected one value for each constant`,
		`filter(min, P=? [F "a"], "b")`:      `f:1:1: filter: filters are not answered (the answer of a property without one has the values of all states)`,
		`multi(P>=1 [F "a"])`:                `f:1:1: multi: properties with several objectives are not answered`,
		`quantile(min N, P>0.9 [F<=N "a"])`:  `f:1:1: quantile: quantiles are not answered`,
		`E=? [F "a"]`:                        `f:1:2: found =; expected "["`,
		`E [F A [G "a"]]`:                    `f:1:6: A: operators inside of each other are not answered (a label may stand for the states where the inner one holds)`,
		`P=? [(F "a") & (G "b")]`:            `f:1:7: F: formulas of LTL, with several operators of time, are not answered: only one F, G, X, U or W`,
		`P=? F "a"`:                          `f:1:5: found F; expected "["`,
		`P=? [(("a"))]`:                      `f:1:11: found ); expected an operator of time: F, G, X, U or W`,
		`filter(forall, "a")`:                `f:1:1: filter: filters are not answered (the answer of a property without one has the values of all states)`,
		`<<1>> P=? [F "a"]`:                  `f:1:1: <<: games are not answered`,
		`T=? [F "a"]`:                        `f:1:1: T: expected times are asked for by R, with a reward model that earns 1 in each state`,
		`P=? [F "a" R "b"]`:                  `f:1:12: R: operators inside of each other are not answered (for release, a R b is b W (a & b))`,
		"P=? [F \"a\"];\n\"n: P":             `f:2:1: found literal not terminated; expected a property such as P=? [F "goal"]`,
		`"n": P=? [F "a"]; "n": P=? [F "b"]`: `f:1:19: found "n" for the second time; expected a name that no other property has`,
		`P=? [F ` + long + `"a"]`:            `f:1:108: found more than 100 operators inside of each other; expected a shorter formula`,
		"P=? [F \x00]":                       `f:1:6: found invalid character NUL; expected a property such as P=? [F "goal"]`,
	} {
		_, err := property.Parse(text, "f")
		var fault *modelfile.SyntaxError
		require.ErrorAs(t, err, &fault, want)
		assert.Equal(t, want, err.Error())
	}
}

// What a model has no answer to is refused with its place, too.
func TestWhatAModelLacks(t *testing.T) {
	for text, want := range map[string]string{
		`Pmax=? [F "nowhere"]`:      `test:1:11: found label "nowhere", which is not in the model; expected one of "broke", "out", "rich", "trap", "init"`,
		`P=? [F "out"]`:             `test:1:1: found P=? about a model with choices; expected Pmin=? or Pmax=?`,
		`Pmax=? [F<=1.5 "out"]`:     `test:1:1: found a time of 3/2 in a model with steps; expected a whole number of steps, up to 2147483647`,
		`Pmax=? [F<0 "out"]`:        `test:1:1: found a time below 0; expected <= and a time`,
		`R{"gold"}min=? [C]`:        `test:1:1: reward model "gold" is not valid: use one of "fee", "plays"`,
		`R{"plays"}max=? [C]`:       ``,
		`Pmin=? [F "deadlock"]`:     ``,
		`Pmin=? [F ("out"&!"out")]`: ``,
	} {
		_, err := parseOne(t, text).On(readModel(t, "bandit"))
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.EqualError(t, err, want, text)
	}
}

// Where a clock runs and there are choices, no property with a time is answered: also where one step
// of the uniformized model lasts a unit of time, and could be taken for a step.
func TestTimesWithChoices(t *testing.T) {
	for _, kind := range []modelfile.Kind{modelfile.CTMDP, modelfile.SMDP} {
		m := readModel(t, "bandit")
		m.Kind = kind
		for _, text := range []string{`Pmax=? [F<=2 "out"]`, `R{"fee"}min=? [C<=2]`, `R{"fee"}min=? [I=2]`} {
			_, err := parseOne(t, text).On(m)
			require.ErrorContains(t, err, fmt.Sprintf("test:1:1: found a time in a model of kind %v, whose best actions would depend on the time that is left", kind), text)
		}
	}
}

// Thresholds are compared with bounds, and with exact values.
func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		relation     string
		lower, upper float64
		want         string
	}{
		{">=", 0.5, 0.6, "yes"},
		{">", 0.5, 0.6, "undecided"},
		{">=", 0.4, 0.5, "undecided"},
		{">", 0.4, 0.5, "no"},
		{">=", 0.4, 0.49, "no"},
		{"<=", 0.4, 0.5, "yes"},
		{"<", 0.4, 0.5, "undecided"},
		{"<=", 0.5, 0.6, "undecided"},
		{"<", 0.5, 0.6, "no"},
		{"<", 0.3, 0.4, "yes"},
		{"<=", 0.6, 0.7, "no"},
	} {
		assert.Equal(t, test.want, parseOne(t, "P"+test.relation+"0.5 [F true]").Verdict(test.lower, test.upper, nil), test)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`Pmax=? [F "out"]`, `P>=1/2 [!"out" U<=5 ("rich" | "trap")]`, `R{"fee"}min=? [C]`, `R{"plays"}max=? [I=3]`, `"a": LRAmin=? ["out" => true]; // x`,
		"const double x = 2.5;\nPmin=? [G<x \"out\"]", `Pmin=? [X false]`, `Rmax<=3 [F !"init"]`, `Pmax=? ["a" W "b"]`,
	} {
		f.Add(text)
	}
	m := readModel(f, "bandit")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := property.Parse(text, "f")
		if err != nil {
			var fault *modelfile.SyntaxError
			require.ErrorAs(t, err, &fault)
			require.Nil(t, all)
			return
		}
		for _, p := range all {
			again := parseOne(t, p.String())
			require.Equal(t, p.String(), again.String())
			q, err := p.On(m)
			require.Equal(t, err == nil, q != nil)
			if err == nil {
				require.NoError(t, q.Model.Validate())
			}
		}
	})
}
