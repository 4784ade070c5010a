package pagefile

// This file holds the options of reading, and what it reports.

import (
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// KeptFaults is the number of faults that a [Report] keeps.
const KeptFaults = 20

// A Report says how much of a file could be used.
type Report struct {
	Rows     int64        // rows that could be used
	Unusable int64        // rows left out
	Faults   []*FileError // what is wrong with the first KeptFaults of these
	Former   bool         // the file seems to have the columns least_rate or greatest_rate, which are ignored
	Ignored  []string     // columns of a CSV file that the list does not have
	Unfit    []int        // rules of the [Options] that fit no page
}

// Options say how to read a file. The zero value works on one goroutine and
// leaves out rows that cannot be used.
type Options struct {
	// Strict makes the first row that cannot be used an error, a *FileError.
	Strict bool
	// Workers is the number of goroutines that parse blocks of the file; 0 is 1.
	// The result does not depend on it.
	Workers int
	// Hosts asks [ReadPages] and [ReadRates] for the host of each page, and [ReadFetches] for
	// those of pages that are not in its list.
	Hosts bool
	// StandardErrors asks [ReadPages] for the standard errors of change rates.
	StandardErrors bool
	// Copies asks [ReadFetches] for the times and digests of copies: a fetch that has not found the page leaves a
	// copy as it is. Only fetches up to Until count then, in seconds since 1970; 0 stands for no limit.
	Copies bool
	Until  float64
	// Unit is the unit of rates and gaps in the result. Those of a file with another unit
	// are converted; those of a file without one are in this unit.
	Unit unit.Unit
	// Rules give [ReadPages] the limits of pages that have none of their own. Then the list
	// must have a unit, and may have the columns url and label, which rules fit.
	Rules limits.Rules

	blockSize int // of text files; 0 for the default; tests cut files into small blocks
}
