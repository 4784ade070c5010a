// This file reads and writes files, whose names tell the format.

package modelfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Options say how to read a model. The zero value is useful.
type Options struct {
	// Exact keeps every number as a *big.Rat too, as the file says it.
	Exact bool

	// KeepFloats, beside Exact, reads a model without fractions if its file has no number but
	// float64, which fractions would only repeat: see [Model.HasAllDigits].
	KeepFloats bool

	// Kind is the kind of a PRISM model with two counts and no comment, which do not
	// say it: DTMC or CTMC. Where Kind is 0 it is read as a DTMC, and values that do
	// not sum to 1 are an error. (A CTMC whose exit rates are all 1 has the same
	// long-run averages and totals as that DTMC.) Other files say the kind
	// themselves; a Kind that differs is an error.
	Kind Kind

	// Normalize divides probabilities by their sum where that is within 1e-6 of 1, as
	// those of float32 and of truncated distributions are; otherwise such a sum is an error.
	Normalize bool

	// Digits, if not nil, is told which digits of the file are lost unless Exact is set.
	Digits *Digits

	// Announced, if not nil, is called once with what the file says before it comes
	// to its states, such as how many there are. Its error ends the reading.
	Announced func(Header) error
}

// ReadFile reads a model from a file, in the format of [Formats] that its name tells, which
// may end in .gz too, as in model.drn.gz.
func ReadFile(path string, options Options) (*Model, error) {
	format, err := FormatOf(path)
	if err != nil {
		return nil, err
	}
	return format.read(path, options)
}

// Read reads a model in one of [Formats], which it tells by the first bytes. name is what errors call
// the text.
func Read(r io.Reader, name string, options Options) (*Model, error) {
	text := bufio.NewReader(r)
	start, err := text.Peek(text.Size())
	var names []string
	for _, format := range Formats() {
		if format.begins != nil && format.begins(start) {
			return format.readText(text, name, options)
		}
		if format.readText != nil {
			names = append(names, format.Name)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("modelfile: %s: %w", name, err)
	}
	found := "nothing: the input is empty"
	if words := bytes.Fields(start); len(words) > 0 {
		found = quote(words[0])
	}
	fault := filepos.Fault(found, "a model in "+wording.Alternatives(names))
	return nil, exported(fault.At(name, filepos.Place{Line: 1, Column: 1}), outside)
}

// readPRISMFiles reads a model from a .tra file and those beside it.
func readPRISMFiles(path string, options Options) (*Model, error) {
	folder, name := filepath.Dir(path), filepath.Base(path)
	base, packed := splitTra(name)
	m, err := readPRISM(os.DirFS(folder), base, packed, options)
	return m, inFolder(folder, err)
}

// readUMBFile reads a file that gzip has packed or not, whatever its name says.
func readUMBFile(path string, options Options) (m *Model, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	unchanged := gzfile.Watch(file, path)
	defer func() {
		if change := unchanged(); change != nil {
			err = change
		}
		err = errors.Join(err, file.Close())
	}()
	return ReadUMB(file, path, options)
}

// traSuffix ends the name of a PRISM model.
const traSuffix = ".tra"

// splitTra returns how the names of the files of a PRISM model begin, and what ends them
// beside the suffix of each: ".gz" or nothing.
func splitTra(path string) (base, packed string) {
	name, isPacked := strings.CutSuffix(path, gzfile.Suffix)
	if isPacked {
		packed = gzfile.Suffix
	}
	return strings.TrimSuffix(name, traSuffix), packed
}

// inFolder puts the name of the folder, as it was given, before the name of the file in which
// an error is.
func inFolder(folder string, err error) error {
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		syntax.File = filepath.Join(folder, syntax.File)
	}
	return err
}

// WriteFile writes a model to a file in the format that its name tells, as in
// [ReadFile]. It replaces files of those names once all is written. For PRISM, a file beside
// them that does not belong to the model, but would be read with it, is an error
// before anything is written.
func WriteFile(path string, m *Model) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	return format.write(path, m)
}

// writePRISMFiles writes the files of a model beside each other. They take their names when
// all are whole.
func writePRISMFiles(path string, m *Model) (err error) {
	if err := m.Validate(); err != nil {
		return err
	}
	base, packed := splitTra(path)
	suffixes := []string{".sta", ".srew", ".trew"}
	for i := 1; i <= len(m.Rewards)+1; i++ {
		suffixes = append(suffixes, strconv.Itoa(i)+".srew", strconv.Itoa(i)+".trew")
	}
	own := m.prismFiles()
	for _, suffix := range suffixes {
		if slices.ContainsFunc(own, func(f prismFile) bool { return f.suffix == suffix }) {
			continue
		}
		for _, name := range []string{base + suffix, base + suffix + gzfile.Suffix} {
			if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("modelfile: %s exists, and would be read as part of the model: remove it, or use another name", name)
			}
		}
	}
	var files []*wholefile.File
	err = WritePRISM(func(suffix string) (io.WriteCloser, error) {
		file, err := wholefile.Create(base+suffix+packed, 0o666) // users' own masks apply
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		if packed == "" {
			return uncommitted{file}, nil
		}
		return gzip.NewWriter(file), nil // closing it leaves the file open
	}, m)
	for _, file := range files {
		if err != nil {
			file.Abort()
		} else {
			err = file.Commit()
		}
	}
	return err
}

// uncommitted is a file that is complete, but not yet to take its name.
type uncommitted struct{ io.Writer }

// Close leaves the file open.
func (uncommitted) Close() error { return nil }
