package mdpio

import (
	"bufio"
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
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Options say how to read a model. The zero value is useful.
type Options struct {
	// Exact keeps every number as a *big.Rat too, as the file says it.
	Exact bool

	// Kind is the kind of a PRISM model whose first line has two numbers, which
	// does not say it: DTMC or CTMC. Where Kind is 0 the model is a DTMC if the
	// values of every state sum to 1, a CTMC otherwise. (A CTMC whose exit rates
	// are all 1 has the same long-run averages and totals as that DTMC.) Other
	// formats say the kind themselves; a Kind that differs is an error.
	Kind Kind
}

// format is a file format.
type format int

const (
	drnFormat format = iota + 1
	jsonFormat
	prismFormat
)

const gzipSuffix = ".gz"

func hasGzipName(path string) bool { return strings.HasSuffix(path, gzipSuffix) }

// formatOf tells the format of a file from its name.
func formatOf(path string) (f format, compressed bool, err error) {
	name, compressed := strings.CutSuffix(path, gzipSuffix)
	switch ext := filepath.Ext(name); {
	case ext == ".drn":
		return drnFormat, compressed, nil
	case ext == ".json":
		return jsonFormat, compressed, nil
	case ext == ".tra" && !compressed:
		return prismFormat, false, nil
	}
	return 0, false, fmt.Errorf("mdpio: %w: %s found; a name that ends in .drn, .json, .drn.gz, .json.gz or .tra is allowed",
		ErrFormat, wording.Quote(path))
}

// ReadFile reads a model from a file whose format its name tells: .drn
// ([ReadDRN]), .json ([ReadJSON]), both also compressed, as .drn.gz and .json.gz,
// or .tra with the files beside it ([ReadPRISM]).
func ReadFile(path string, options Options) (*Model, error) {
	format, compressed, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	switch format {
	case prismFormat:
		return readPRISMFiles(path, options)
	case drnFormat:
		return openAndRead(path, compressed, func(r io.Reader) (*Model, error) { return ReadDRN(r, path, options) })
	default:
		return openAndRead(path, compressed, func(r io.Reader) (*Model, error) { return ReadJSON(r, path, options) })
	}
}

// readPRISMFiles names files in errors as their folder was named.
func readPRISMFiles(path string, options Options) (*Model, error) {
	folder := filepath.Dir(path)
	m, err := ReadPRISM(os.DirFS(folder), strings.TrimSuffix(filepath.Base(path), ".tra"), options)
	return m, inFolder(folder, err)
}

// inFolder returns an error with the file of its place named in its folder.
func inFolder(folder string, err error) error {
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		syntax.File = filepath.Join(folder, syntax.File)
	}
	return err
}

// openAndRead reads one file, compressed or not.
func openAndRead[T any](path string, compressed bool, read func(io.Reader) (T, error)) (result T, err error) {
	file, err := os.Open(path)
	if err != nil {
		return result, fmt.Errorf("mdpio: %w", err)
	}
	defer func() {
		if closing := file.Close(); err == nil && closing != nil {
			err = fmt.Errorf("mdpio: %w", closing)
		}
	}()
	if !compressed {
		return read(withoutMark(file))
	}
	unpacked, err := gzip.NewReader(bufio.NewReaderSize(file, bufferSize))
	if err != nil {
		return result, fmt.Errorf("mdpio: %s: %w", path, damaged(err))
	}
	// Unpacking takes as long as reading: it goes on while the last piece is read.
	var ahead sync.WaitGroup
	pieces, sink := io.Pipe()
	ahead.Go(func() {
		_, err := io.CopyBuffer(sink, unpacked, make([]byte, bufferSize))
		_ = sink.CloseWithError(damaged(err)) // nil by contract; the reader gets the error, or io.EOF for nil
	})
	defer ahead.Wait()
	defer func() { _ = pieces.Close() }() // nil by contract; ends the copying
	return read(withoutMark(pieces))
}

// damaged words what gzip says of data that it has not packed, or not to its end.
func damaged(err error) error {
	if err == nil || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("damaged gzip data found (%w); a whole file that gzip has packed is allowed", err)
}

// withoutMark returns a text without the byte order mark with which some programs
// begin it.
func withoutMark(r io.Reader) io.Reader {
	const mark = "\ufeff"
	text := bufio.NewReader(r)
	if start, _ := text.Peek(len(mark)); string(start) == mark { // an error comes again
		_, _ = text.Discard(len(mark)) // is there
	}
	return text
}

// WriteFile writes a model to a file in the format that its name tells, as in
// [ReadFile]. Files of those names are overwritten. For PRISM, a file beside
// them that is none of the model's, but would be read with it, is an error
// before anything is written.
func WriteFile(path string, m *Model) error {
	format, compressed, err := formatOf(path)
	if err != nil {
		return err
	}
	switch format {
	case prismFormat:
		return writePRISMFiles(strings.TrimSuffix(path, ".tra"), m)
	case drnFormat:
		return createAndWrite(path, compressed, func(w io.Writer) error { return WriteDRN(w, m) })
	default:
		return createAndWrite(path, compressed, func(w io.Writer) error { return WriteJSON(w, m) })
	}
}

// writePRISMFiles writes the files of a model beside each other.
func writePRISMFiles(base string, m *Model) error {
	if err := m.Validate(); err != nil {
		return err
	}
	suffixes := []string{".sta", ".srew", ".trew"}
	for i := 1; i <= len(m.Rewards)+1; i++ {
		suffixes = append(suffixes, strconv.Itoa(i)+".srew", strconv.Itoa(i)+".trew")
	}
	own := m.prismFiles()
	for _, suffix := range suffixes {
		if slices.ContainsFunc(own, func(f prismFile) bool { return f.suffix == suffix }) {
			continue
		}
		if _, err := os.Stat(base + suffix); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("mdpio: %s%s exists, and would be read as part of the model, which it is not; another name, or removing it, is allowed", base, suffix)
		}
	}
	return WritePRISM(func(suffix string) (io.WriteCloser, error) {
		file, err := os.Create(base + suffix)
		if err != nil {
			return nil, fmt.Errorf("mdpio: %w", err)
		}
		return file, nil
	}, m)
}

// createAndWrite writes one file, compressed or not, under another name until it
// is complete: what was there before is not lost to a fault.
func createAndWrite(path string, compressed bool, write func(io.Writer) error) error {
	var failed error
	err := wholefile.Write(path, 0o666, func(file *wholefile.File) error { // users' own masks apply
		failed = writePacked(file, compressed, write)
		return failed
	})
	if err != nil && failed == nil {
		err = fmt.Errorf("mdpio: %w", err)
	}
	return err
}

func writePacked(w io.Writer, compressed bool, write func(io.Writer) error) error {
	if !compressed {
		return write(w)
	}
	packed := gzip.NewWriter(w)
	if err := write(packed); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("mdpio: writing: %w", err)
	}
	return nil
}
