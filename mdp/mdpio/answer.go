package mdpio

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Answer is what a file says about a model: a result, which says its question
// itself, or a policy, values by state, or both, from elsewhere. What it does not
// say is nil.
type Answer struct {
	Result *Result
	Policy *Policy
	Values []float64
}

// ReadAnswerFile reads what a file says about a model. Name and content tell
// the format; each also compressed, as .gz:
//
//	.json   an object: a result ([ReadResult]);
//	        a list: a scheduler that Storm has exported
//	.csv    a header, and a line for each state, with the columns
//	        state, action               a policy
//	        state, action, probability  a randomised one, a line for each action
//	        state, value                values
//
// States and actions are numbers, or names where the model has them. Columns come
// in any order, action and value together too, and others are passed over; policy
// stands for action, as the command line writes it. Values are numbers, fractions,
// or Infinity, inf and -inf. Probabilities of a state sum to 1 up to 1e-9, and are
// divided by their sum.
//
// A CSV file has to have a line for each state, but a policy may leave out those
// without a choice. A scheduler may leave out any (see [Policy.Missing]); one that
// needs memory is refused. Its choices are told by their number among all choices
// of the model ("index"), so the model must have them in the order in which
// Storm had them, as files do that Storm has exported, or has read.
//
// Source: printJsonToStream in src/storm/storage/Scheduler.cpp of Storm.
func ReadAnswerFile(path string, m *Model) (*Answer, error) {
	read := readAnswerJSON
	if strings.HasSuffix(strings.TrimSuffix(path, gzipSuffix), ".csv") {
		read = readAnswerCSV
	} else if !strings.HasSuffix(strings.TrimSuffix(path, gzipSuffix), ".json") {
		return nil, fmt.Errorf("mdpio: %w: %s found; a name that ends in .json, .csv, .json.gz or .csv.gz is allowed", ErrFormat, wording.Quote(path))
	}
	return openAndRead(path, hasGzipName(path), func(r io.Reader) (*Answer, error) { return read(r, path, m) })
}

// ReadPolicyFile reads the policy that a file has for a model, one of a result
// included: see [ReadAnswerFile].
func ReadPolicyFile(path string, m *Model) (*Policy, error) {
	a, err := ReadAnswerFile(path, m)
	if err != nil {
		return nil, err
	}
	p := a.Policy
	if a.Result != nil && a.Result.Policy != nil {
		p = NewPolicy(a.Result.Policy)
	}
	if p == nil {
		return nil, fmt.Errorf("mdpio: %s: no policy found; a column action, a scheduler, or a result with a policy is allowed", path)
	}
	if err := p.fits(m); err != nil {
		return nil, err
	}
	return p, nil
}

// readAnswerJSON reads a result or a scheduler.
func readAnswerJSON(r io.Reader, name string, m *Model) (*Answer, error) {
	buffered := bufio.NewReaderSize(r, bufferSize)
	start, _ := buffered.Peek(bufferSize) // an error comes again
	a := &Answer{}
	var err error
	if bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte{'['}) {
		a.Policy, err = readScheduler(buffered, name, m)
	} else {
		a.Result, err = ReadResult(buffered, name)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}
