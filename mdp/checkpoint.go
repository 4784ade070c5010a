package mdp

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc64"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

// DefaultCheckpointInterval is the time between two checkpoints where none is
// set.
const DefaultCheckpointInterval = time.Minute

// ErrCheckpoint is reported where a checkpoint cannot be used: it is of another
// solve, or damaged.
var ErrCheckpoint = errors.New("checkpoint not usable")

// Checkpoint says where a solve keeps how far it is, so that it can go on after
// the process was killed: [Solve] with the same model, criterion, method and
// start values then returns what it would have returned without that, to the
// bit (but for Elapsed).
//
// The file is written between rounds when the interval has passed, and when a
// limit or an interruption ends the solve. It is replaced as a whole, so that
// there is a good one at any time, and removed when the solve converges.
//
// What is kept is the part at hand: a model that is divided into end components
// has those before it solved again, and of a [TotalCost] the strongly connected
// component at hand is begun again.
type Checkpoint struct {
	// Path is the name of the file; "" for no checkpoints. If the file exists
	// the solve goes on from there.
	Path string

	// Interval is the least time between two checkpoints; 0 stands for
	// DefaultCheckpointInterval.
	Interval time.Duration
}

// resumable is an iteration whose state between rounds can be kept.
type resumable interface {
	// state returns a pointer to a struct of exported fields: of the present
	// state when it is to be kept, to be filled in when it is to be restored.
	state() any

	// restore takes over the state.
	restore(state any)
}

// keeper keeps the checkpoints of a run.
type keeper struct {
	Checkpoint
	question uint64 // what is solved, hashed
	part     int    // parts of the run so far
	written  time.Time
	found    *stand // that is still to be taken up
}

// stand is what a checkpoint holds.
type stand struct {
	Question   uint64
	Part       int
	Rounds     int
	Strictness float64
	State      []byte
}

// checkpointSeal begins every checkpoint. Its number changes with what is kept,
// so that no state is taken for that of another version.
const checkpointSeal = "mdpsolve checkpoint 1\n"

var checksums = crc64.MakeTable(crc64.ECMA)

// seal returns the text of a checkpoint: the seal, a checksum and the stand.
func (s stand) seal() ([]byte, error) {
	var body bytes.Buffer
	err := gob.NewEncoder(&body).Encode(s)
	text := binary.LittleEndian.AppendUint64([]byte(checkpointSeal), crc64.Checksum(body.Bytes(), checksums))
	return append(text, body.Bytes()...), err
}

// unseal reads the text of a checkpoint.
func unseal(text []byte) (*stand, error) {
	body, ok := bytes.CutPrefix(text, []byte(checkpointSeal))
	if !ok || len(body) < 8 {
		return nil, errors.New("not a checkpoint")
	}
	if crc64.Checksum(body[8:], checksums) != binary.LittleEndian.Uint64(body) {
		return nil, errors.New("damaged")
	}
	s := &stand{}
	return s, gob.NewDecoder(bytes.NewReader(body[8:])).Decode(s)
}

// newKeeper reads the checkpoint that there is.
func newKeeper(model Model, criterion Criterion, settings Settings) (*keeper, error) {
	k := &keeper{Checkpoint: settings.Checkpoint, written: time.Now()}
	if k.Path == "" {
		return k, nil
	}
	if k.Interval == 0 {
		k.Interval = DefaultCheckpointInterval
	}
	k.question = fingerprint(model, criterion, settings)
	text, err := os.ReadFile(k.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, fmt.Errorf("mdp: %w: %w", ErrCheckpoint, err)
	}
	if k.found, err = unseal(text); err != nil {
		return nil, fmt.Errorf("mdp: %w: %s: %w; a whole file written by this version, or none, is allowed", ErrCheckpoint, k.Path, err)
	}
	if k.found.Question != k.question {
		return nil, fmt.Errorf("mdp: %w: %s is of another model, criterion, method or start; its own, or none, is allowed", ErrCheckpoint, k.Path)
	}
	return k, nil
}

// fingerprint hashes what the rounds of a solve depend on: of a model that lists
// its rows all of them, of any other what a backup makes of some values.
func fingerprint(model Model, criterion Criterion, settings Settings) uint64 {
	if finite, ok := criterion.(FiniteHorizon); ok {
		finite.Stage = nil // whoever watches may change
		criterion = finite
	}
	hash := crc64.New(checksums)
	write := func(x any) { _ = binary.Write(hash, binary.LittleEndian, x) } // a hash takes everything
	n := model.NumStates()
	fmt.Fprintf(hash, "%d %v %v %#v %#v %v", n, rateOf(model), relativeError(model), criterion, settings.Method, settings.Policy)
	write(settings.Values)
	explicit, ok := model.(Explicit)
	if !ok {
		v, backup := make([]float64, n), make([]float64, n)
		for s := range v {
			v[s] = math.Sin(float64(s))
		}
		model.Backup(backup, nil, v, 0, n)
		write(backup)
		return hash.Sum64()
	}
	var row []Entry
	for s := range n {
		for a := range explicit.NumActions(s) {
			var cost float64
			row, cost = explicit.AppendRow(row[:0], s, a)
			write(cost)
			write(row)
		}
	}
	return hash.Sum64()
}

// next numbers the parts of a run.
func (k *keeper) next() int {
	k.part++
	return k.part
}

// resume takes up what was found, if it is of this part.
func (k *keeper) resume(r *run, part int, of resumable) error {
	if k.found == nil || k.found.Part != part || r.ended() {
		return nil
	}
	state := of.state()
	if err := gob.NewDecoder(bytes.NewReader(k.found.State)).Decode(state); err != nil {
		return fmt.Errorf("mdp: %w: %s: %w", ErrCheckpoint, k.Path, err)
	}
	of.restore(state)
	r.rounds, r.strictness = k.found.Rounds, k.found.Strictness
	k.found = nil
	return nil
}

// keep writes a checkpoint if it is time, or at last.
func (k *keeper) keep(r *run, part, rounds int, of resumable, last bool) error {
	if k.Path == "" || !last && time.Since(k.written) < k.Interval {
		return nil
	}
	if k.found != nil {
		return nil // the file is of a later part
	}
	var state bytes.Buffer
	err := gob.NewEncoder(&state).Encode(of.state())
	var text []byte
	if err == nil {
		text, err = stand{Question: k.question, Part: part, Rounds: rounds, Strictness: r.strictness, State: state.Bytes()}.seal()
	}
	if err == nil {
		err = wholefile.WriteDurably(k.Path, 0o666, text) // users' own masks apply
	}
	k.written = time.Now()
	if err != nil {
		return fmt.Errorf("mdp: writing a checkpoint: %w", err)
	}
	return nil
}

// done removes the checkpoint of a run that has converged.
func (k *keeper) done() error {
	if k.Path == "" {
		return nil
	}
	if err := os.Remove(k.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("mdp: removing a checkpoint: %w", err)
	}
	return nil
}
