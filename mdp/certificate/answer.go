// This file reads answers from files of any known form.

package certificate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Answer is what a file says about a model: a result, which says its question
// itself, or a policy, values by state, or both, from elsewhere. What it does not
// say is nil.
type Answer struct {
	Result *Result
	Policy *mdp.Policy // that of each step, if there are several
	Values []float64

	// Missing lists the states, ascending, for which a file names no action, in some step, though
	// they have several: schedulers leave out states that they never come to. Policy takes the
	// first action there.
	Missing []int32

	// FirstStep says that Policy is that of the first step of a finite horizon alone.
	FirstStep bool
}

// ReadAnswerFile reads what a file says about a model. Name and content tell
// the format; .json and .csv also compressed, as .gz:
//
//	.npz    a result ([WriteFile])
//	.json   an object: a result ([Read]);
//	        a list: a scheduler that Storm has exported
//	.csv    a header, and a line for each state, with the columns
//	        state, action               a policy
//	        state, action, probability  a randomised one, a line for each action
//	        state, value                values
//
// States and actions are numbers, or names where the model has them. Where names consist of
// digits, a file is refused if it makes sense both as numbers and as names, in different ways. In
// place of the column state, or beside it, a file may have a column for each variable of the model
// ([modelfile.Model.Valuations]), with its values, or a column name, with names alone. In place
// of action, or beside it, it may have a column policy, whose texts are names only where no action
// has them as its number. Columns that say the same thing have to agree. Columns come in any order,
// a file may have both action and value, and other columns are ignored. Values are numbers, fractions,
// or Infinity, inf and -inf. Probabilities of a state sum to 1 up to 1e-9, and are
// divided by their sum.
//
// Policies of a finite horizon have a column step, whole numbers from 1, in ascending order:
// step 1 alone is the policy of the first step. Values are those of step 1. The command line
// writes mixtures with a column component, the number of a policy in the mixture; a file with
// several components is refused.
//
// A CSV file has to have a line for each state. A policy may leave out states without a choice. In
// the line of a state with a choice it may leave the action empty, if that action does not matter
// (see [Answer.Missing]). A scheduler may leave out any state; a scheduler that needs memory is
// refused. Where states are identified by the values of variables, its choices are identified by
// their labels, and otherwise by their number among all choices of the model ("index"). So the
// model must have its choices in the order in which Storm had them, as in files that Storm has
// exported or read.
//
// What is wrong with the text is a [*modelfile.SyntaxError].
//
// Source: printJsonToStream in src/storm/storage/Scheduler.cpp of Storm.
func ReadAnswerFile(path string, m *modelfile.Model) (*Answer, error) {
	var read func(io.Reader, string, *modelfile.Model) (*Answer, error)
	if strings.HasSuffix(path, arrays) {
		r, err := ReadFile(path)
		if err != nil {
			return nil, err
		}
		return &Answer{Result: r}, nil
	}
	switch name := strings.TrimSuffix(path, gzfile.Suffix); {
	case strings.HasSuffix(name, ".csv"):
		read = readCSV
	case strings.HasSuffix(name, ".json"):
		read = readJSON
	default:
		return nil, fmt.Errorf("certificate: %w: %s: use a name that ends in .json, .csv, .json.gz, .csv.gz or .npz", modelfile.ErrFormat, wording.Quote(path))
	}
	a, err := gzfile.Read(path, func(r io.Reader) (*Answer, error) { return read(r, path, m) })
	return a, exported(err)
}

// ReadPolicyFile reads the policy that a file has for a model, and the states for which it has no
// action: see [ReadAnswerFile]. The file may be a result. The mixture of a result with constraints
// must then have a single policy. The policy of a result for a property has no action where the
// property is decided. A policy for only the first of several steps is refused, since later steps may
// take other actions.
func ReadPolicyFile(path string, m *modelfile.Model) (policy mdp.Policy, missing []int32, err error) {
	a, err := ReadAnswerFile(path, m)
	if err != nil {
		return policy, nil, err
	}
	found, missing, isFirst := a.Policy, a.Missing, a.FirstStep
	if r := a.Result; r != nil {
		if found, missing, err = r.PolicyOf(m); err != nil {
			return policy, nil, fmt.Errorf("certificate: %s: %w", path, err)
		}
		isFirst = r.isFirstStep()
	}
	switch {
	case found == nil:
		return policy, nil, fmt.Errorf("certificate: %s has no policy: use a file with a column action, a scheduler, or a result with a policy", path)
	case isFirst:
		return policy, nil, fmt.Errorf("certificate: %s has the policy of the first step of a finite horizon alone, and later steps may take other actions: use a policy for all steps", path)
	}
	return *found, missing, found.Validate(m)
}

// readJSON reads a result or a scheduler.
func readJSON(r io.Reader, name string, m *modelfile.Model) (*Answer, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	start, _ := buffered.Peek(1 << 16) // the reader reports an error again
	a := &Answer{}
	var err error
	if bytes.Contains(start, []byte(`"other_sense":`)) { // no result has it
		return nil, fmt.Errorf("%s: found a trade-off, which has several policies; expected one policy, or a result such as solve --out writes", name)
	}
	if bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte{'['}) {
		a.Policy, a.Missing, err = readScheduler(buffered, name, m)
	} else {
		a.Result, err = Read(buffered, name)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// exported returns an error of a reader as callers get it: faults are of type
// *modelfile.SyntaxError.
func exported(err error) error {
	if fault, ok := errors.AsType[*filepos.Error](err); ok {
		return &modelfile.SyntaxError{File: fault.File, Line: fault.Line, Column: fault.Column, Found: fault.Found, Expected: fault.Expected}
	}
	return err
}
