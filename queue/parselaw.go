package queue

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/numberfile"
)

// LawSyntax says in one line what [ParseLaw] accepts.
const LawSyntax = "exponential, deterministic (or constant), erlang:k, gamma:shape, uniform:a,b, " +
	"hyperexponential:p1@m1,p2@m2,…, sample:FILE or ph:FILE"

// ParseLaw reads a service law from text and scales it to the given mean:
//
//	exponential                        [Exponential]
//	deterministic or constant          [Deterministic]
//	erlang:k                           [Erlang], k phases
//	gamma:shape                        [Gamma]
//	uniform:a,b                        [Uniform], the ends of its range
//	hyperexponential:p1@m1,p2@m2,…     [Hyperexponential], weights and means
//	sample:FILE                        [Sample], times
//	ph:FILE                            [PhaseType], start probabilities, then rates
//
// Numbers are decimals or fractions (17/15). A file is opened by the function
// open, which may be nil where files are not allowed. It holds numbers set
// apart by spaces, tabs, commas or line ends; # starts a comment that ends
// with the line. A sample's numbers are times. In a phase-type file the first
// line with numbers is α, and each further one is a row of T.
//
// Errors are one line, with what is not valid and what to use in its place; those in a
// file begin with file:line:column, or with the file alone where no place
// can be named.
func ParseLaw(text string, mean float64, open func(name string) (io.ReadCloser, error)) (Law, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	if strings.ContainsFunc(text, unicode.IsControl) { // a line end in a file name, say
		return nil, fmt.Errorf("%q is not valid: use a law without control characters", text)
	}
	kind, argument, hasArgument := strings.Cut(text, ":")
	var law Law
	var err error
	switch {
	case kind == "exponential" && !hasArgument:
		law, err = NewExponential(mean)
	case (kind == "deterministic" || kind == "constant") && !hasArgument:
		law, err = NewDeterministic(mean)
	case kind == "erlang" && hasArgument:
		law, err = parseErlang(argument, mean)
	case kind == "gamma" && hasArgument:
		law, err = parseGamma(argument, mean)
	case kind == "uniform" && hasArgument:
		law, err = parseUniform(argument, mean)
	case kind == "hyperexponential" && hasArgument:
		law, err = parseHyperexponential(argument, mean)
	case kind == "sample" && hasArgument:
		law, err = readSample(argument, mean, open)
	case kind == "ph" && hasArgument:
		law, err = readPhaseType(argument, mean, open)
	default:
		return nil, fmt.Errorf("%q is not valid: use %s", text, LawSyntax)
	}
	if err != nil {
		return nil, err // not law, which would be a typed nil or half made
	}
	return law, nil
}

func parseErlang(argument string, mean float64) (Law, error) {
	phases, err := strconv.ParseUint(argument, 10, 31)
	if err != nil || phases == 0 {
		return nil, fmt.Errorf("%q is not valid: use erlang:k with a whole number k from 1 to %d",
			"erlang:"+argument, 1<<31-1)
	}
	return NewErlang(int(phases), mean)
}

func parseGamma(argument string, mean float64) (Law, error) {
	shape, err := parsePositive(argument)
	if err != nil {
		return nil, fmt.Errorf("gamma: shape %w", err)
	}
	return NewGamma(shape, mean)
}

func parseUniform(argument string, mean float64) (Law, error) {
	first, second, _ := strings.Cut(argument, ",")
	least, leastFault := number.Parse(first)
	greatest, greatestFault := number.Parse(second)
	law, err := NewUniform(least, greatest)
	if err != nil || leastFault != nil || greatestFault != nil {
		return nil, fmt.Errorf("%q is not valid: use uniform:a,b with numbers 0 ≤ a < b", "uniform:"+argument)
	}
	return law.scaledTo(mean)
}

func parseHyperexponential(argument string, mean float64) (Law, error) {
	var weights, means []float64
	for i, branch := range strings.Split(argument, ",") {
		left, right, found := strings.Cut(branch, "@")
		if !found {
			return nil, fmt.Errorf("hyperexponential: branch %d is %q: use weight@mean, such as 0.3@2", i+1, branch)
		}
		weight, err := parsePositive(left)
		if err != nil {
			return nil, fmt.Errorf("hyperexponential: weight of branch %d: %w", i+1, err)
		}
		branchMean, err := parsePositive(right)
		if err != nil {
			return nil, fmt.Errorf("hyperexponential: mean of branch %d: %w", i+1, err)
		}
		weights, means = append(weights, weight), append(means, branchMean)
	}
	return NewHyperexponential(weights, means, mean)
}

func parsePositive(text string) (float64, error) {
	value, err := number.Parse(text)
	if err != nil {
		return 0, err
	}
	if value <= 0 {
		return 0, fmt.Errorf("%q is not valid: use a number above 0", text)
	}
	return value, nil
}

// readRows returns the numbers of a file, line by line.
func readRows(name string, open func(string) (io.ReadCloser, error)) ([][]numberfile.Cell, error) {
	if name == "" {
		return nil, fmt.Errorf("no file name: use sample:FILE or ph:FILE")
	}
	if open == nil {
		return nil, fmt.Errorf("file %q is not valid here: use a law without a file", name)
	}
	file, err := open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	defer func() { _ = file.Close() }() // nothing was written that closing could lose
	return numberfile.Read(file, name)
}

func readSample(name string, mean float64, open func(string) (io.ReadCloser, error)) (Law, error) {
	rows, err := readRows(name, open)
	if err != nil {
		return nil, err
	}
	times, err := numberfile.NotNegative(rows, name, "time")
	if err != nil {
		return nil, err
	}
	law, err := NewSample(name, times, mean)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return law, nil
}

func readPhaseType(name string, mean float64, open func(string) (io.ReadCloser, error)) (Law, error) {
	rows, err := readRows(name, open)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no numbers: use a line of start probabilities, then lines of rates", name)
	}
	values := make([][]float64, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			values[i] = append(values[i], cell.Value)
		}
	}
	law, err := NewPhaseType(name, values[0], values[1:], mean)
	if err != nil {
		return nil, placeRateError(name, rows, err)
	}
	return law, nil
}

// placeRateError puts file, line and column before what is wrong with a
// phase-type law.
func placeRateError(name string, rows [][]numberfile.Cell, err error) error {
	var fault *phaseError
	if !errors.As(err, &fault) || fault.row >= len(rows) {
		return fmt.Errorf("%s: %w", name, err)
	}
	row := rows[fault.row]
	return filepos.Fault(err.Error(), "").At(name, row[min(fault.column, len(row)-1)].Place)
}
