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
		`; "n": Pmax >= 0.9 [ "a" U<=5 ("b"|!"c") ];`:                                        `Pmax >= 0.9 [ "a" U<=5 ("b"|!"c") ]`,
		"const int N = 4;\nP<1e-3 [ G<N \"a\" ] // x":                                        `const int N = 4; P<1e-3 [ G<N "a" ]`,
		"formula y = x+N; const int N = 4; const M = 2; label \"l\" = y>3;\nP=? [ F \"l\" ]": `formula y = x+N; const int N = 4; label "l" = y>3; P=? [ F "l" ]`,
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

// Constants are given values by the caller, and named properties stand for themselves in others.
func TestDefinitions(t *testing.T) {
	text := `const int N; const p = 1/(2*N); "a": P>=p [F<=N "x"]; "b": !"a" & P>=p*p [X "x"]`
	all, err := property.Parse(text, "f", "N=2")
	require.NoError(t, err)
	assert.Equal(t, `const int N = 2; const p = 1/(2*N); P>=p [F<=N "x"]`, all[0].String())
	assert.Equal(t, `const int N = 2; const p = 1/(2*N); label "a" = P>=p [F<=N "x"]; !"a" & P>=p*p [X "x"]`, all[1].String())
	for given, want := range map[string]string{
		"K=2": `f:1:29: found the constant N without a value; expected a value, such as "const int N = 5;"`,
		"L=2": `f:1:1: found no constant L; expected a value for a constant of the properties`,
		"N":   `f:1:1: found the constant N; expected a name and a value, as in N=10`,
		"N=x": `f:1:1: found the constant N=x; expected a name and a value, as in N=10`,
		"p=3": `f:1:1: found two values for the constant p; expected one value`,
		"p=2": `f:1:20: found a value for p, beside that of its declaration; expected one value`,
	} {
		values := []string{given}
		if given == "p=3" {
			values = append(values, "p=3")
		}
		if given == "L=2" {
			values = append(values, "N=2")
		}
		_, err := property.Parse(text, "f", values...)
		require.EqualError(t, err, want)
	}
}

// The value of a constant may be given even if only a label names it, and the property does not use that label.
func TestConstantOfAnUnusedLabel(t *testing.T) {
	all, err := property.Parse(`label "low" = x<N; P=? [F x=1]`, "f", "N=2")
	require.NoError(t, err)
	assert.Equal(t, "P=? [F x=1]", all[0].String())
}

// Results state properties with the declarations of their names; tables show them as written.
func TestWritten(t *testing.T) {
	all, err := property.Parse(`const int N; "few": P=? [F<=N x=1]; 2*"few" < 1`, "f", "N=2")
	require.NoError(t, err)
	assert.Equal(t, "P=? [F<=N x=1]", all[0].Written())
	assert.Equal(t, `2*"few" < 1`, all[1].Written())
}

// Several objectives are rewards of one criterion, or become so.
func TestObjectives(t *testing.T) {
	text := `{"kind": "mdp", "reward_models": ["a", "b"], "labels": {"x": [1], "y": [2]}, "states": [
		{"actions": [{"rewards": [1, 0], "to": [[1, 1]]}, {"rewards": [0, 1], "to": [[2, "1/2"], [0, "1/2"]]}]},
		{"actions": [{"to": [[1, 1]]}]}, {"rewards": [0, 1], "actions": [{"to": [[2, 1]]}]}]}`
	m, err := modelfile.ReadJSON(strings.NewReader(text), "m.json", modelfile.Options{Exact: true})
	require.NoError(t, err)
	for text, want := range map[string]string{
		`multi(R{"a"}min=? [S], R{"b"}<=3 [S])`:                 `average 3`,
		`multi(R{"a"}min=? [C<5], R{"b"}max=? [C<=4])`:          `finite 3`,
		`multi(R{"a"}max=? [F "x"], R{"b"}>=-3 [F "x"])`:        `total 3`,
		`multi(R{"a"}<=1 [S], R{"b"}<=3 [S])`:                   `average 3`,
		`multi(Pmax=? [F "x"], LRA>=1/4 ["y"])`:                 `average 3`,
		`multi(Pmax=? [F "x"], R{"a"}<=3 [C], P<=1/2 [G !"x"])`: `total 4`,
		`multi(Pmax=? [F "x"], R{"b"}>=3 [C])`:                  `test:1:23: found R{"b"}>=3 [C] as one of several objectives; expected rewards whose total is finite for all policies`,
		`multi(R{"a"}min=? [S], R{"b"}<3 [S])`:                  `test:1:24: found R{"b"}<3 [S] as one of several objectives; expected P of a path formula without a time, S, or R with [S], [C], [C<=t] or [F "label"], with min=?, max=?, <= or >=`,
		`multi(R{"a"}min=? [S], R{"b"}<=3 [C<=2])`:              `test:1:7: found R{"a"}min=? [S] as one of several objectives; expected objectives of one criterion: totals [C], averages [S], or [C<=t] or [F φ] that is the same for all; P may stand beside [C] and [S]`,
		`multi(R{"a"}min=? [C<=1], R{"b"}<=3 [C<=2])`:           `test:1:27: found R{"b"}<=3 [C<=2] as one of several objectives; expected the same time, from 0, for all`,
		`multi(R{"a"}min=? [F "x"], R{"b"}<=3 [F "y"])`:         `test:1:28: found R{"b"}<=3 [F "y"] as one of several objectives; expected the same target for all`,
		`multi(Pmax=? [F P>=1 [F "x"]], R{"b"}<=3 [S])`:         `test:1:7: found Pmax=? [F P>=1 [F "x"]] as one of several objectives; expected operators without operators inside of them`,
		`multi(Pmax=? [F<=3 "x"], R{"b"}<=3 [S])`:               `test:1:7: found Pmax=? [F<=3 "x"] as one of several objectives; expected P of a path formula without a time, S, or R with [S], [C], [C<=t] or [F "label"], with min=?, max=?, <= or >=`,
	} {
		o, err := parseOne(t, text).Objectives(m)
		if err != nil {
			assert.EqualError(t, err, want)
			continue
		}
		require.NoError(t, o.Model.Validate(), text)
		assert.Equal(t, want, fmt.Sprint(o.Criterion, " ", o.Model.NumStates()), text)
	}
	assert.Equal(t, -1, parseOne(t, `multi(R{"a"}min=? [S])`).Optimized())

	m.Rewards[0].State = modelfile.Numbers{Float: []float64{0, 1, 1}} // every policy pays for ever
	m.Rewards[0].State.Exact = m.Rewards[0].State.Rationals()
	_, err = parseOne(t, `multi(Pmax=? [F "x"], R{"a"}<=3 [C])`).Objectives(m)
	require.EqualError(t, err, `test:1:23: found R{"a"}<=3 [C] as one of several objectives; expected rewards whose total is finite for some policy`)
}

// A name may stand for a variable, another name, or a truth value.
func TestNamesOfSingleWords(t *testing.T) {
	text := `{"kind": "dtmc", "state_variables": "(up,x)", "states": [
		{"name": "(true,0)", "actions": [{"to": [[1, 1]]}]}, {"name": "(false,1)", "actions": [{"to": [[1, 1]]}]}]}`
	m, err := modelfile.ReadJSON(strings.NewReader(text), "m.json", modelfile.Options{Exact: true})
	require.NoError(t, err)
	for text, want := range map[string][]float64{
		`label "fine" = up; "fine"`:                                       {1, 0},
		`label "fine" = up; label "good" = "fine"; filter(print, "good")`: {1, 0},
		`formula y = x; y + 1`:                                            {1, 2},
		`const bool b = true; b & up`:                                     {1, 0},
		`const bool b = false; b | up`:                                    {1, 0},
		`x ^ 2 + 2 ^ -1`:                                                  {0.5, 1.5},
		`-2 ^ 2`:                                                          {-4, -4},
	} {
		v, err := parseOne(t, text).Evaluate(m, nil)
		require.NoError(t, err, text)
		assert.Equal(t, want, v.Lower, text)
	}
}

// Properties with faults keep no others from being read, whether they end at a semicolon or with the line.
func TestParseEach(t *testing.T) {
	text := "const int N = 3;\n\"a\": P=? [G F \"x\"]\nP=? [F<=N\n\"x\"]\nP=? [F x=];P=? [X \"y\"]; R=? [C<=M]"
	all, faults := property.ParseEach(text, "f")
	require.Len(t, all, 2)
	assert.Equal(t, `P=? [X "y"]`, all[1].String())
	var lines []string
	for _, fault := range faults {
		lines = append(lines, fault.Error())
	}
	assert.Equal(t, []string{
		`f:2:13: F: formulas of LTL, with several operators of time, are not answered: use Storm for that`,
		`f:5:10: found ]; expected a label in quotation marks, a variable, a number, true, false, ! or "("`,
		`f:5:33: found the constant M without a value; expected a number, or a line "const int M = 5;"`,
	}, lines)
	all, faults = property.ParseEach(`"a": P>=1 [F "a"]; P=? [F "a"]; P=? [X "b"]`, "f")
	assert.Len(t, all, 1)
	require.Len(t, faults, 2)
	assert.EqualError(t, faults[1], `f:1:14: found "a", which stands for itself; expected another name`)
	all, faults = property.ParseEach(`P=? [F "a"]; const N=1/0; const N=2;`, "f")
	assert.Nil(t, all)
	assert.Len(t, faults, 1)
}

// What is not answered is refused by name, in one line with its place.
func TestWhatIsRefused(t *testing.T) {
	long := strings.Repeat("(", 5000)
	doubled := "const a0 = 1;"
	for i := range 40 {
		doubled += fmt.Sprintf("formula a%d = a%d+a%d;", i+1, i, i)
	}
	for text, want := range map[string]string{
		``:                                      `f:1:1: found the end; expected P, S, LRA, R, E, A, filter or another operand, as in P=? [F "goal"]`,
		`Q=? [F "a"]`:                           `f:1:3: found ?; expected a label in quotation marks, a variable, a number, true, false, ! or "("`,
		`P=? [F "a"`:                            `f:1:11: found the end; expected "]"`,
		`P=0.5 [F "a"]`:                         `f:1:3: found 0.5; expected "?": a value is asked for by =?, and compared by >=, >, <= or <`,
		`P>=1.5 [F "a"]`:                        `f:1:4: found 3/2; expected a probability, from 0 to 1`,
		`P=? [G F "a"]`:                         `f:1:8: F: formulas of LTL, with several operators of time, are not answered: use Storm for that`,
		`P=? [GF "a"]`:                          `f:1:6: GF: formulas of LTL, with several operators of time, are not answered: use Storm for that`,
		`P=? ["a" U ("b" U "a")]`:               `f:1:17: U: formulas of LTL, with several operators of time, are not answered: use Storm for that`,
		`P=? [HOA: {"a.hoa"}]`:                  `f:1:6: HOA: automata are not answered: use Storm for that`,
		`P=? [F[2,1] "a"]`:                      `f:1:7: found an interval of time that ends before it begins; expected another interval`,
		`P=? [F<=-1 "a"]`:                       `f:1:7: found a time below 0; expected a time from 0`,
		`P=? [F{"r"}<=3 "a"]`:                   `f:1:7: {: bounds on rewards are not answered: use Storm for that`,
		`P=? [F<=3 "a" || G "b"]`:               `f:1:6: found F in a conditional operator; expected F, G, U, W or R without a time, as in F a || F b; or Storm`,
		`P=? [!(F "a" || F "b")]`:               `f:1:8: F: formulas of LTL, with several operators of time, are not answered: use Storm for that`,
		`P=? ["a" & F "b" "c"]`:                 `f:1:12: F: formulas of LTL, with several operators of time, are not answered: use Storm for that`,
		`P=? ["a" "b"]`:                         `f:1:10: found "b"; expected an operator of time: F, G, X, U, W or R`,
		`[[1]] P=? [F "a"]`:                     `f:1:1: [[: games are not answered: use PRISM-games`,
		`R=? ["a" U "b"]`:                       `f:1:10: U: co-safe rewards, and rewards until F with a bound, are not answered: use Storm for that`,
		`R=? [F<=3 "b"]`:                        `f:1:6: F: co-safe rewards, and rewards until F with a bound, are not answered: use Storm for that`,
		`R=? [Cdiscount=1]`:                     `f:1:16: found a discount factor of 1; expected a number from 0 and below 1`,
		`P=? [F<=N "a"]`:                        `f:1:9: found the constant N without a value; expected a number, or a line "const int N = 5;"`,
		`const int N; P=? [F<=N "a"]`:           `f:1:22: found the constant N without a value; expected a value, such as "const int N = 5;"`,
		`const N=1;const N=2; P=? [F "a"]`:      `f:1:17: found N for the second time; expected a name that nothing else has`,
		`formula x=y; formula y=x; P=? [F x>1]`: `f:1:24: found x, which stands for itself; expected another name`,
		`const N=1/0; P=? [F<=N "a"]`:           `f:1:22: found N; expected a number`,
		`const b=true; P=? [F<=b "a"]`:          `f:1:23: found b; expected a number`,
		`filter(most, P=? [F "a"], "b")`:        `f:1:8: found most; expected min, max, avg, sum, count, forall, exists, first, state, range, argmin, argmax or print`,
		`multi("a")`:                            `f:1:7: found "a"; expected an objective, such as R{"a"}min=? [S]`,
		`1+multi(R{"r"}min=? [S])`:              `f:1:3: multi: several objectives are answered as a whole property only`,
		`quantile(min N, P>0.9 [F<=N "a"])`:     `f:1:1: quantile: quantiles are not answered: use Storm for that`,
		`E=? [F "a"]`:                           `f:1:1: found E; expected a label in quotation marks, a variable, a number, true, false, ! or "("`,
		`P=? [(F "a") & (G "b")]`:               `f:1:7: F: formulas of LTL, with several operators of time, are not answered: use Storm for that`,
		`P=? F "a"`:                             `f:1:5: found F; expected "["`,
		`F "a"`:                                 `f:1:1: found F without P, E or A; expected P, S, LRA, R, E, A, filter or another operand, as in P=? [F "goal"]`,
		`<<1>> P=? [F "a"]`:                     `f:1:1: <<: games are not answered: use PRISM-games`,
		`pow(1)>0`:                              `f:1:1: found pow of this number of operands; expected min, max, floor, ceil, round, pow or mod`,
		"P=? [F \"a\"];\n\"n: P":                `f:2:1: found literal not terminated; expected a property such as P=? [F "goal"]`,
		`"n": P=? [F "a"]; "n": P=? [F "b"]`:    `f:1:19: found "n" for the second time; expected a name that nothing else has`,
		doubled + `P=? [F a40>1]`:               `f:1:333: found more than 100000 operators and operands, with those of the names in it; expected a shorter formula`,
		`P=? [F ` + long + `"a"]`:               `f:1:105: found more than 100 operators inside of each other; expected a shorter formula`,
		"P=? [F \x00]":                          `f:1:6: found invalid character NUL; expected a property such as P=? [F "goal"]`,
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
		`Pmaxmin=? [F "out"]`:       `test:1:1: found Pmaxmin about a model without intervals; expected Pmax`,
		`Pmin=? [F x>1]`:            `test:1:11: found x and the states of the model have no variables; expected a label in quotation marks, or a model with the values of variables`,
		`Pmin=? [F "out"+1>1]`:      `test:1:11: found "out", which is true or false; expected a number, for +`,
		`Pmin=? [F 1+1]`:            `test:1:12: found +, which is a number; expected what is true or false in a state`,
	} {
		_, err := parseOne(t, text).On(readModel(t, "bandit"))
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.EqualError(t, err, want, text)
	}
}

// PRISM has min and max of one number, too.
func TestLeastOfOne(t *testing.T) {
	v, err := parseOne(t, `min(5/2)+max(1)`).Evaluate(readModel(t, "bandit"), nil)
	require.NoError(t, err)
	assert.Equal(t, "7/2", v.Exact[0].RatString())
}

// A state is final where the property holds or fails, and from where no path leads to such a state.
func TestFinalStates(t *testing.T) {
	text := `{"kind": "dtmc", "labels": {"goal": [3], "bad": [5]}, "states": [
		{"actions": [{"to": [[1, "1/2"], [2, "1/2"]]}]}, {"actions": [{"to": [[3, "1/2"], [5, "1/2"]]}]}, {"actions": [{"to": [[4, 1]]}]},
		{"actions": [{"to": [[0, 1]]}]}, {"actions": [{"to": [[2, 1]]}]}, {"actions": [{"to": [[3, 1]]}]}]}`
	m, err := modelfile.ReadJSON(strings.NewReader(text), "m.json", modelfile.Options{})
	require.NoError(t, err)
	for text, want := range map[string][]int32{
		`P=? [F "goal"]`:         {2, 3, 4},
		`P=? [G !"goal"]`:        {2, 3, 4},
		`P=? [!"bad" U "goal"]`:  {2, 3, 4, 5},
		`P=? [!"bad" W "goal"]`:  {2, 3, 4, 5}, // it holds in state 2
		`P=? [F<=9 "goal"]`:      {3},
		`P=? [F "goal"&!"goal"]`: {0, 1, 2, 3, 4, 5},
	} {
		q, err := parseOne(t, text).On(m)
		require.NoError(t, err)
		assert.Equal(t, want, q.Final, text)
	}
}

// In continuous time with choices, no property with a time is answered: also where one step
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
		`label "l" = "out"; filter(max, 1-Pmax=? [F[1,3] "l"], P>0 [X "rich"])`, `Pmax=? ["out" R>=2 "rich"] > 1/3 ? 1 : mod(3, 2)`, `Pmin=? [F "out" {"init"}{min}{max}]`,
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
			if p.IsCompound() {
				continue
			}
			q, err := p.On(m)
			require.Equal(t, err == nil, q != nil)
			if err == nil {
				require.NoError(t, q.Model.Validate())
			}
		}
	})
}
