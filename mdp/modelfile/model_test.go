package modelfile_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

func readFile(t *testing.T, path string, options modelfile.Options) *modelfile.Model {
	t.Helper()
	m, err := modelfile.ReadFile(path, options)
	require.NoError(t, err)
	require.NoError(t, m.Validate())
	return m
}

// average solves for the least long-run average of a reward model.
func average(t *testing.T, m *modelfile.Model, reward string) float64 {
	t.Helper()
	table, err := m.Table(reward)
	require.NoError(t, err)
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Tolerance: 1e-12})
	require.NoError(t, err)
	return result.Gain
}

func TestReadDRN(t *testing.T) {
	m := readFile(t, "testdata/queue.drn", modelfile.Options{})
	assert.Equal(t, modelfile.CTMC, m.Kind)
	assert.Equal(t, []int32{0, 1, 2, 3, 4}, m.StateStart)
	assert.Equal(t, []int32{0, 1, 3, 5, 7}, m.RowStart)
	assert.Equal(t, []int32{1, 0, 2, 1, 3, 2, 3}, m.Columns)
	assert.Equal(t, []float64{1, 2, 1, 2, 1, 2, 1}, m.Values.Float)
	assert.Nil(t, m.Values.Exact)
	assert.Equal(t, []int32{0}, m.Initial)
	assert.Equal(t, map[string][]int32{"empty": {0}, "no room": {3}}, m.Labels)
	assert.Equal(t, []string{"arrival", "", "", ""}, m.ActionNames)
	require.Len(t, m.Rewards, 2)
	assert.Equal(t, modelfile.RewardModel{Name: "length", State: modelfile.Numbers{Float: []float64{0, 1, 2, 3}}}, m.Rewards[0])
	assert.Equal(t, modelfile.RewardModel{Name: "events", Action: modelfile.Numbers{Float: []float64{1, 1, 1, 1}}}, m.Rewards[1])
	assert.Equal(t, []float64{1, 3, 3, 3}, m.ExitRates().Float)
	// Σ i·2^(3−i)/15 and, each event counted, 1·8/15 + 3·7/15.
	assert.InEpsilon(t, 11.0/15, average(t, m, "length"), 1e-11)
	assert.InEpsilon(t, 29.0/15, average(t, m, "events"), 1e-11)
}

func TestReadExactDRN(t *testing.T) {
	m := readFile(t, "testdata/die.drn", modelfile.Options{Exact: true})
	assert.True(t, m.IsExact())
	assert.Equal(t, "1/2", m.Values.Exact[0].String())
	done, err := m.Labelled("done")
	require.NoError(t, err)
	assert.Equal(t, []int32{7, 8, 9, 10, 11, 12}, done)

	// Expected flips x = reward + P·x by substitution, over the states that
	// have not ended: x1 = 1 + x3/2 + x4/2, x3 = 1 + x1/2, x4 = 1, and twice so.
	rewards, err := m.ExpectedRewards("flips")
	require.NoError(t, err)
	x := make([]*big.Rat, m.NumStates())
	for s := range x {
		x[s] = new(big.Rat)
	}
	for range 200 { // converges as 4^−k to the solution
		for s := range x {
			if slices.Contains(done, int32(s)) {
				continue
			}
			x[s].Set(rewards.Exact[s])
			for e := m.RowStart[s]; e < m.RowStart[s+1]; e++ {
				x[s].Add(x[s], new(big.Rat).Mul(m.Values.Exact[e], x[m.Columns[e]]))
			}
		}
	}
	flips, _ := x[0].Float64()
	assert.Equal(t, 11.0/3, flips)
}

// TestToymaker solves Howard's example, whose gain is 2 (R.A. Howard, Dynamic
// Programming and Markov Processes, 1960, chapter 4).
func TestToymaker(t *testing.T) {
	m := readFile(t, "testdata/toymaker.json", modelfile.Options{})
	for _, folded := range []bool{false, true} {
		if folded {
			m.FoldTransitionRewards()
			assert.Empty(t, m.Rewards[0].Transition)
		}
		rewards, err := m.ExpectedRewards("profit")
		require.NoError(t, err)
		assert.InDeltaSlice(t, []float64{6, 4, -3, -5}, rewards.Float, 1e-14)
		assert.Equal(t, 4.0, rewards.Float[1])
		arrays, err := m.TableArrays("")
		require.NoError(t, err)
		for k := range arrays.Costs {
			arrays.Costs[k] = -arrays.Costs[k]
		}
		table, err := mdp.NewTable(arrays)
		require.NoError(t, err)
		result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Tolerance: 1e-12})
		require.NoError(t, err)
		assert.InEpsilon(t, -2, result.Gain, 1e-11)
		assert.Equal(t, []int32{1, 1}, result.Policy)
	}
}

func TestToymakerExactly(t *testing.T) {
	m := readFile(t, "testdata/toymaker.json", modelfile.Options{Exact: true})
	assert.Equal(t, "4/5", m.Values.Exact[2].String())
	before, err := m.ExpectedRewards("")
	require.NoError(t, err)
	m.FoldTransitionRewards()
	after, err := m.ExpectedRewards("")
	require.NoError(t, err)
	for k, want := range []int64{6, 4, -3, -5} {
		assert.Zero(t, before.Exact[k].Cmp(big.NewRat(want, 1)))
		assert.Zero(t, after.Exact[k].Cmp(big.NewRat(want, 1)))
		assert.Equal(t, float64(want), before.Float[k])
	}
}

// randomModel makes a model of any kind, with names for everything that every
// format can hold. Probabilities are dyadic fractions and their complement, so
// that exact ones sum to 1 exactly; floats are rounded thirds too.
func randomModel(random *rand.Rand, exact bool) *modelfile.Model {
	kind := []modelfile.Kind{modelfile.DTMC, modelfile.CTMC, modelfile.MDP}[random.IntN(3)]
	n := 1 + random.IntN(12)
	m := &modelfile.Model{Kind: kind, StateStart: []int32{0}, RowStart: []int32{0}}
	var list []*big.Rat
	for range n {
		choices := 1
		if kind == modelfile.MDP {
			choices += random.IntN(3)
		}
		for range choices {
			size := 1 + random.IntN(min(n, 4))
			if kind == modelfile.CTMC && random.IntN(5) == 0 {
				size = 0
			}
			targets := random.Perm(n)[:size]
			if random.IntN(4) > 0 {
				slices.Sort(targets)
			}
			weights := make([]int64, size)
			total := int64(0)
			for i := range weights {
				weights[i] = 1 + random.Int64N(1000)
				total += weights[i]
			}
			if kind == modelfile.CTMC {
				total = 1 + random.Int64N(1e6)
			}
			for i, j := range targets {
				m.Columns = append(m.Columns, int32(j))
				list = append(list, big.NewRat(weights[i], total))
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
		}
		m.StateStart = append(m.StateStart, int32(len(m.RowStart)-1))
	}
	m.Values = numbers(list, exact)
	if exact && m.Values.Exact == nil {
		m.Values.Exact = []*big.Rat{}
	}
	m.Initial = subset(random, n, true)
	for _, name := range []string{"a", "deadlock", "two words", "ü\\"} {
		if states := subset(random, n, false); len(states) > 0 {
			if m.Labels == nil {
				m.Labels = map[string][]int32{}
			}
			m.Labels[name] = states
		}
	}
	for i := range random.IntN(4) {
		r := modelfile.RewardModel{Name: "reward_" + strconv.Itoa(i)}
		r.State = numbers(rationals(random, n), exact)
		actions := rationals(random, m.NumChoices())
		for k := range actions {
			if m.RowStart[k] == m.RowStart[k+1] {
				actions[k] = new(big.Rat)
			}
		}
		r.Action = numbers(actions, exact)
		m.Rewards = append(m.Rewards, r)
	}
	if random.IntN(2) == 0 {
		m.ActionNames = make([]string, m.NumChoices())
		named := false
		for k := range m.ActionNames {
			if m.RowStart[k] < m.RowStart[k+1] && random.IntN(2) == 0 {
				m.ActionNames[k], named = "act"+strconv.Itoa(random.IntN(3)), true
			}
		}
		if !named {
			m.ActionNames = nil
		}
	}
	return m
}

// numbers returns a list as a reader would: empty where all are 0.
func numbers(list []*big.Rat, exact bool) modelfile.Numbers {
	result := modelfile.Numbers{}
	some := false
	for _, x := range list {
		float, _ := x.Float64()
		some = some || float != 0
		result.Float = append(result.Float, float)
	}
	if !some {
		return modelfile.Numbers{}
	}
	if exact {
		result.Exact = list
	}
	return result
}

func rationals(random *rand.Rand, n int) []*big.Rat {
	list := make([]*big.Rat, n)
	for i := range list {
		list[i] = new(big.Rat)
		if random.IntN(2) == 0 {
			list[i] = big.NewRat(random.Int64N(2001)-1000, 1+random.Int64N(1e9))
		}
	}
	return list
}

func subset(random *rand.Rand, n int, some bool) []int32 {
	var states []int32
	for s := range int32(n) {
		if random.IntN(3) == 0 {
			states = append(states, s)
		}
	}
	if some && len(states) == 0 {
		return []int32{int32(random.IntN(n))}
	}
	return states
}

// folder collects the files of a PRISM model in memory.
type folder struct{ files fstest.MapFS }

type memoryFile struct {
	bytes.Buffer
	close func(content []byte)
}

func (f *memoryFile) Close() error {
	f.close(f.Bytes())
	return nil
}

func (f folder) create(suffix string) (io.WriteCloser, error) {
	return &memoryFile{close: func(content []byte) {
		f.files["model"+suffix] = &fstest.MapFile{Data: content}
	}}, nil
}

func throughPRISM(t *testing.T, m *modelfile.Model, options modelfile.Options) *modelfile.Model {
	t.Helper()
	f := folder{fstest.MapFS{}}
	require.NoError(t, modelfile.WritePRISM(f.create, m))
	got, err := modelfile.ReadPRISM(fs.FS(f.files), "model", options)
	require.NoError(t, err)
	require.NoError(t, got.Validate())
	return got
}

func throughJSON(t *testing.T, m *modelfile.Model, options modelfile.Options) *modelfile.Model {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, modelfile.WriteJSON(&text, m))
	got, err := modelfile.ReadJSON(&text, "model.json", options)
	require.NoError(t, err)
	require.NoError(t, got.Validate())
	return got
}

func throughUMB(t *testing.T, m *modelfile.Model, options modelfile.Options) *modelfile.Model {
	t.Helper()
	got, err := modelfile.ReadUMB(bytes.NewReader(umb(t, m)), "model.umb", options)
	require.NoError(t, err)
	require.NoError(t, got.Validate())
	return got
}

func throughDRN(t *testing.T, m *modelfile.Model, options modelfile.Options) *modelfile.Model {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, modelfile.WriteDRN(&text, m))
	got, err := modelfile.ReadDRN(&text, "model.drn", options)
	require.NoError(t, err)
	require.NoError(t, got.Validate())
	return got
}

// plain makes models comparable by assert.Equal: a big.Rat may hold equal
// numbers in slices of different capacity.
func plain(m *modelfile.Model) any {
	type numbers struct {
		float []float64
		exact []string
	}
	of := func(n modelfile.Numbers) numbers {
		p := numbers{float: n.Float}
		for _, x := range n.Exact {
			p.exact = append(p.exact, x.String())
		}
		return p
	}
	copied := modelfile.Model{ // without what belongs to the file
		Kind: m.Kind, StateStart: m.StateStart, RowStart: m.RowStart, Columns: append([]int32{}, m.Columns...), Initial: m.Initial,
		Labels: m.Labels, Unread: m.Unread, ActionNames: m.ActionNames, Variables: m.Variables, StateNames: m.StateNames,
	}
	lists := []any{m.IsExact(), of(m.Values), of(m.High), of(m.Distance)}
	for _, r := range m.Rewards {
		lists = append(lists, r.Name, of(r.State), of(r.Action), of(r.Transition))
	}
	return []any{copied, lists}
}

func TestRoundTripsAreExact(t *testing.T) {
	const seed = 20240601
	for i := range 400 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		exact := i%2 == 1
		want := randomModel(random, exact)
		require.NoError(t, want.Validate(), "seed %d, model %d", seed, i)
		options := modelfile.Options{Exact: exact, Kind: want.Kind}
		m := want
		for _, through := range []func(*testing.T, *modelfile.Model, modelfile.Options) *modelfile.Model{
			throughDRN, throughUMB, throughPRISM, throughJSON, throughDRN,
		} {
			m = through(t, m, options)
			require.Equal(t, plain(want), plain(m), "seed %d, model %d", seed, i)
		}
	}
}

// TestRoundTripsOfTheRest is about what DRN cannot hold.
func TestRoundTripsOfTheRest(t *testing.T) {
	for _, exact := range []bool{false, true} {
		options := modelfile.Options{Exact: exact}
		want := readFile(t, "testdata/toymaker.json", options)
		want.Variables, want.StateNames = "(x,y)", []string{"(0,1)", "(0,2)"}
		want.Labels["nowhere"] = []int32{}
		assert.Equal(t, plain(want), plain(throughJSON(t, want, options)))
		assert.Equal(t, plain(want), plain(throughUMB(t, want, options)))
		got := throughPRISM(t, want, options)
		got.Labels["nowhere"] = []int32{} // nil there
		assert.Equal(t, plain(want), plain(got))
		assert.ErrorContains(t, modelfile.WriteDRN(io.Discard, want), "transition rewards")
	}
}

func TestKindOfPRISMModel(t *testing.T) {
	read := func(tra string, kind modelfile.Kind) *modelfile.Model {
		m, err := modelfile.ReadPRISM(fstest.MapFS{"m.tra": {Data: []byte(tra)}}, "m", modelfile.Options{Kind: kind})
		require.NoError(t, err)
		return m
	}
	assert.Equal(t, modelfile.DTMC, read("2 3\n0 1 1\n1 0 0.5\n1 1 0.5\n", 0).Kind)
	assert.Equal(t, modelfile.CTMC, read("2 3\n0 1 1\n1 0 0.5\n1 1 0.5\n", modelfile.CTMC).Kind)
	assert.Equal(t, modelfile.CTMC, read("2 2\n0 1 1\n1 0 0.5\n", modelfile.CTMC).Kind)
	assert.Equal(t, modelfile.CTMC, read("# Transitions (CTMC)\n2 2\n0 1 1\n1 1 0\n", 0).Kind)
	assert.Equal(t, modelfile.CTMC, read("# a queue\n#Transitions( ctmc )\n\n2 3\n0 1 1\n1 0 0.5\n1 1 0.5\n", 0).Kind)
	assert.Equal(t, modelfile.DTMC, read("# Transitions (DTMC)\n2 3\n0 1 1\n1 0 0.5\n1 1 0.5\n", modelfile.DTMC).Kind)
	assert.Equal(t, modelfile.MDP, read("1 1 1\n0 0 0 1\n", 0).Kind)
	assert.False(t, read("# Transitions (IDTMC)\n1 1\n0 0 [1,1]\n", 0).IsUncertain(), "of width 0")
	_, err := modelfile.ReadPRISM(fstest.MapFS{"m.tra": {Data: []byte("# Transitions (IDTMC)\n1 1\n0 0 1\n")}}, "m", modelfile.Options{Kind: modelfile.CTMC})
	assert.EqualError(t, err, `m.tra:1:3: found "DTMC"; expected CTMC, as was asked for`)
	// A state without a line stays where it is.
	m := read("3 2\n1 0 0.25\n1 2 0.75", 0)
	assert.Equal(t, []int32{0, 0, 2, 2}, m.Columns)
	assert.Equal(t, []float64{1, 0.25, 0.75, 1}, m.Values.Float)
	// A line of value 0 says that nothing leaves a state of a CTMC.
	m = read("2 2\n0 1 3\n1 1 0\n", modelfile.CTMC)
	assert.Equal(t, []int32{0, 1, 1}, m.RowStart)
	assert.Equal(t, []float64{3, 0}, m.ExitRates().Float)
}

func TestChoosingRewardsAndLabels(t *testing.T) {
	m := readFile(t, "testdata/queue.drn", modelfile.Options{})
	_, err := m.Table("")
	assert.EqualError(t, err, `modelfile: no reward model is named, and the model has several: use one of "length", "events"`)
	_, err = m.Reward("size")
	assert.EqualError(t, err, `modelfile: reward model "size" is not valid: use one of "length", "events"`)
	_, err = m.Labelled("full")
	assert.EqualError(t, err, `modelfile: label "full" is not valid: use one of "empty", "no room", "init"`)
	states, err := m.Labelled("init")
	require.NoError(t, err)
	assert.Equal(t, []int32{0}, states)
	m.Rewards = nil
	rewards, err := m.ExpectedRewards("")
	require.NoError(t, err)
	assert.Equal(t, make([]float64, 4), rewards.Float)
	_, err = m.Reward("")
	assert.EqualError(t, err, "modelfile: the model has no reward model")
}
