// This file reads and writes files, whose names tell the format.

package modelfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/gzfile"
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

	// Normalize divides probabilities by their sum where that is within 1e-6 of 1, as
	// those of float32 and of truncated distributions are; otherwise such a sum is an error.
	Normalize bool

	// Announced, if not nil, is called once with what the file says before it comes
	// to its states, such as how many there are. Its error ends the reading.
	Announced func(Header) error
}

// format is a file format.
type format int

const (
	drnFormat format = iota + 1
	jsonFormat
	prismFormat
	umbFormat
)

const traSuffix = ".tra"

// Suffixes lists the ends of the names of model files, for messages.
const Suffixes = ".json, .drn, .umb, .json.gz, .drn.gz, .umb.gz or .tra"

// CheckName returns an error that wraps [ErrFormat] unless the name of a file tells its format.
func CheckName(path string) error {
	_, err := formatOf(path)
	return err
}

// formatOf tells the format of a file from its name.
func formatOf(path string) (format, error) {
	name, packed := strings.CutSuffix(path, gzfile.Suffix)
	switch ext := filepath.Ext(name); {
	case ext == ".drn":
		return drnFormat, nil
	case ext == ".json":
		return jsonFormat, nil
	case ext == ".umb":
		return umbFormat, nil
	case ext == traSuffix && !packed:
		return prismFormat, nil
	}
	return 0, fmt.Errorf("modelfile: %w: %s: use a name that ends in %s", ErrFormat, wording.Quote(path), Suffixes)
}

// ReadFile reads a model from a file whose format its name tells: .drn
// ([ReadDRN]), .json ([ReadJSON]), .umb ([ReadUMB]), all also compressed, as .drn.gz,
// or .tra with the files beside it ([ReadPRISM]).
func ReadFile(path string, options Options) (*Model, error) {
	format, err := formatOf(path)
	if err != nil {
		return nil, err
	}
	read := ReadJSON
	switch format {
	case prismFormat:
		folder, base := splitTra(path)
		m, err := ReadPRISM(os.DirFS(folder), base, options)
		return m, inFolder(folder, err)
	case umbFormat:
		return readUMBFile(path, options)
	case drnFormat:
		read = ReadDRN
	}
	return gzfile.Read(path, func(r io.Reader) (*Model, error) { return read(r, path, options) })
}

// Read reads a model in JSON if its first character is "{", in the unified Markov binary
// format if its first bytes are those of gzip or tar, and otherwise in Storm's explicit
// format; name is what errors call it.
func Read(r io.Reader, name string, options Options) (*Model, error) {
	text := bufio.NewReader(r)
	start, _ := text.Peek(text.Size()) // an error comes again
	if bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte{'{'}) {
		return ReadJSON(text, name, options)
	}
	if isUMB(start) {
		return ReadUMB(text, name, options)
	}
	return ReadDRN(text, name, options)
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

// splitTra returns the folder of the files of a PRISM model, and how their names
// begin.
func splitTra(path string) (folder, base string) {
	return filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), traSuffix)
}

// inFolder returns an error with the file of its place named in its folder, as the
// folder was named.
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
	format, err := formatOf(path)
	if err != nil {
		return err
	}
	write := WriteJSON
	switch format {
	case prismFormat:
		return writePRISMFiles(strings.TrimSuffix(path, traSuffix), m)
	case umbFormat:
		write = WriteUMB
	case drnFormat:
		write = WriteDRN
	}
	return gzfile.Write(path, func(w io.Writer) error { return write(w, m) })
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
			return fmt.Errorf("modelfile: %s%s exists, and would be read as part of the model: remove it, or use another name", base, suffix)
		}
	}
	var files []*wholefile.File
	err := WritePRISM(func(suffix string) (io.WriteCloser, error) {
		file, err := wholefile.Create(base+suffix, 0o666) // users' own masks apply
		if err == nil {
			files = append(files, file)
		}
		return unnamed{file}, err
	}, m)
	for _, file := range files {
		if err == nil {
			err = file.Commit()
		} else {
			file.Abort()
		}
	}
	return err
}

// unnamed is a file that gets its name when all files of a model are written.
type unnamed struct{ *wholefile.File }

// Close implements [io.Closer].
func (unnamed) Close() error { return nil }
