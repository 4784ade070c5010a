package serve

// A request: from its query and files to the flags of a verb, and from the output of the
// verb to an answer.

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// request is a request for the answer of a verb.
type request struct {
	Endpoint
	folder      string // of its files; flags and operands have only their names
	flags       []Flag
	named       []string // flags whose values are names of its files
	operands    []string
	output      string // format of the answer
	download    string // key of Downloads for the file that is the answer; "" for none
	product     string // name of that file
	commandLine string // gives the same answer
}

// read reads the query of a request, and stores its files in a folder.
func (s *server) read(r *http.Request, e Endpoint, folder string) (*request, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badRequest("the query is not valid: use key=value&key=value, with %%XX for special characters")
	}
	q := &request{Endpoint: e, folder: folder, output: cmp.Or(query.Get("output"), ui.FormatJSON)}
	if q.flags, err = e.flags(query); err != nil {
		return nil, err
	}
	if q.output != ui.FormatJSON && q.output != ui.FormatCSV {
		return nil, badRequest("--output: %s is not valid here: use json or csv", wording.Quote(q.output))
	}
	q.download = query.Get("download")
	if _, known := e.Downloads[q.download]; !known && (q.download != "" || e.Files == "IN") {
		return nil, badRequest("download: %s is not valid: use %s", wording.Quote(q.download), wording.Alternatives(slices.Sorted(maps.Keys(e.Downloads))))
	}
	if e.Files != "" {
		if err := q.takeFiles(r, s.limits.upload); err != nil {
			return nil, err
		}
	}
	q.flags = append(q.flags, Flag{Name: "output", Value: q.output})
	if q.download != "" {
		q.product = q.newName(q.download)
		if name := e.Downloads[q.download]; name != "" {
			q.addFile(name, q.product)
		} else {
			q.operands = append(q.operands, q.product)
		}
	}
	shown := q.flags
	if e.timed && (e.untimed == "" || !query.Has(e.untimed)) {
		var added bool
		if q.flags, added = limitTime(q.flags, s.limits.time); !added {
			shown = q.flags // without the limit that was added: if it ends the solve, the status says so
		}
	}
	q.commandLine = CommandLine(e.Verb, shown, q.operands)
	return q, nil
}

// limitTime bounds --time-limit by most; added reports that there was none.
func limitTime(flags []Flag, most time.Duration) (limited []Flag, added bool) {
	limit := Flag{Name: "time-limit", Value: fmt.Sprint(most.Seconds())}
	limited = slices.Clone(flags)
	i := slices.IndexFunc(flags, func(f Flag) bool { return f.Name == limit.Name })
	if i < 0 {
		return append(limited, limit), true
	}
	if seconds, err := number.Parse(flags[i].Value); err == nil && seconds > most.Seconds() {
		limited[i] = limit // the verb refuses anything but numbers
	}
	return limited, false
}

// takeFiles stores the files of a form: the parts named file, and other parts that the verb takes.
// It adds their names to the flags and operands.
func (q *request) takeFiles(r *http.Request, most int64) error {
	form, err := r.MultipartReader()
	if err != nil {
		return badRequest("the body is not multipart/form-data: send each file as a part named file")
	}
	var names []string
	others := map[string]string{} // by part
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return bodyFault(err)
		}
		const mostFiles = 8 // a model of PRISM has five
		name, field := part.FileName(), part.FormName()
		isOther := slices.ContainsFunc(q.Uploads, func(upload string) bool { return partOf(upload) == field })
		switch {
		case !isPlainName(name):
			return badRequest("the part %s of the body with file name %s is not valid: name the part file, and use a file name without a folder", wording.Quote(field), wording.Quote(name))
		case isOther && others[field] == "":
			others[field] = name
		case field != "file":
			return badRequest("the part %s of the body is not valid: name the part file", wording.Quote(field))
		case len(names) == mostFiles:
			return badRequest("more than %d files: send fewer", mostFiles)
		default:
			names = append(names, name)
		}
		if err := store(part, filepath.Join(q.folder, name), most); err != nil {
			return err
		}
	}
	_, _ = io.Copy(io.Discard, r.Body) // to the end, or the server does not notice that a client leaves
	switch {
	case len(names) == 0:
		return badRequest("no file: send one as a part named file")
	case slices.Contains(modelOperands, q.Files):
		model, err := modelOf(names)
		if err != nil {
			return err
		}
		for _, name := range names {
			if name != model && !belongs(name, model) {
				return badRequest("file %s is no part of the model %s: leave it out", wording.Quote(name), wording.Quote(model))
			}
		}
		q.operands = []string{model}
	case len(names) > 1:
		return badRequest("more than one file: send one")
	default:
		q.addFile(q.Files, names[0])
	}
	return q.addOthers(others)
}

// addOthers adds the files of parts that are not named file. names has the file name of each part.
// The parts of operands are required.
func (q *request) addOthers(names map[string]string) error {
	for _, upload := range q.Uploads {
		part := partOf(upload)
		switch name := names[part]; {
		case upload != part && name == "":
			return badRequest("no %s: send it as a part named %s", part, part)
		case upload != part:
			q.operands = append(q.operands, name)
		case name != "":
			q.addFile(upload, name)
		}
	}
	return nil
}

// addFile adds a flag whose value is the name of a file of the request.
func (q *request) addFile(flag, name string) {
	q.flags, q.named = append(q.flags, Flag{Name: flag, Value: name}), append(q.named, flag)
}

// isPlainName reports whether a name is that of a file without a folder.
func isPlainName(name string) bool {
	const most = 200
	return name != "" && name[0] != '.' && name[0] != '-' && len(name) <= most && filepath.IsLocal(name) && !strings.ContainsAny(name, `/\:`+"\x00")
}

// store copies a part of a form into a file.
func store(part io.Reader, path string, most int64) error {
	name := wording.Quote(filepath.Base(path))
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return badRequest("file %s was sent twice: send it once", name)
	}
	if err != nil {
		return badRequest("file name %s is not valid here: use another name", name)
	}
	defer file.Close() //nolint:errcheck // all was written, or the request is refused
	if _, err := io.Copy(file, part); err != nil {
		return bodyFault(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return checkUnpacked(file, name, most)
}

// checkUnpacked refuses a file with more than most bytes unpacked, and formats whose size is
// unknown before they are read.
func checkUnpacked(file io.Reader, name string, most int64) error {
	content := bufio.NewReader(file)
	begins := func(magic string) bool {
		head, _ := content.Peek(len(magic)) // a shorter file has a shorter head, which differs
		return string(head) == magic
	}
	if begins("\x1f\x8b") {
		unpacked, err := gzip.NewReader(content)
		if err != nil {
			return nil //nolint:nilerr // the verb reports it
		}
		content = bufio.NewReader(unpacked)
	}
	if begins("\x28\xb5\x2f\xfd") || begins("PAR1") {
		return &refusal{http.StatusUnsupportedMediaType, fmt.Sprintf("file %s is Parquet or packed by zstd: send text, plain or packed by gzip, or use the command line", name)}
	}
	if n, _ := io.CopyN(io.Discard, content, most+1); n > most { // the verb reports damaged files
		return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("file %s has more than %d bytes unpacked: use the command line", name, most)}
	}
	return nil
}

// bodyFault returns the error for a body that cannot be read.
func bodyFault(err error) error {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the files have more than %d bytes: use the command line", tooLarge.Limit)}
	}
	if _, ofSystem := errors.AsType[*fs.PathError](err); ofSystem {
		return err
	}
	return badRequest("the body is incomplete or not valid multipart/form-data")
}

// modelOf returns the name of the model; the other files belong to it. A result is in JSON too, so a
// file of another format is the model.
func modelOf(names []string) (string, error) {
	if len(names) == 1 {
		return names[0], nil
	}
	for _, isJSON := range []bool{false, true} {
		for _, name := range names {
			if f, err := modelfile.FormatOf(name); err == nil && (f.Suffix == ".json") == isJSON {
				return name, nil
			}
		}
	}
	return "", badRequest("none of the files is a model: send one that ends in %s", modelfile.Suffixes())
}

// belongs reports whether a file is one of those beside the file of a model.
func belongs(name, model string) bool {
	format, err := modelfile.FormatOf(model)
	name = strings.TrimSuffix(name, gzfile.Suffix)
	base := strings.TrimSuffix(strings.TrimSuffix(model, gzfile.Suffix), format.Suffix)
	return err == nil && strings.HasPrefix(name, base) && slices.Contains(format.Beside, filepath.Ext(name))
}

// newName names the file of a download; no uploaded file has that name.
func (q *request) newName(download string) string {
	if !strings.Contains(download, ".") {
		download = strings.ReplaceAll(q.Name, "/", "-") + "." + download
	}
	for {
		if _, err := os.Lstat(filepath.Join(q.folder, download)); err != nil {
			return download
		}
		download = "new-" + download
	}
}

// ask runs the verb, and returns what it prints and its file to download, or an error. Messages have the
// names under which files were uploaded. end is the error with which the verb ended, also beside an answer.
func (s *server) ask(ctx context.Context, q *request, told *heard) (answer, file []byte, end error, err error) {
	const grace = 5 * time.Second // for verbs with a time limit of their own
	ctx = ui.WithProcessors(ui.InService(ctx, s.limits.memory), ui.Processors/s.turns.taken())
	ctx, cancel := context.WithTimeout(ctx, s.limits.time+grace)
	defer cancel()
	prefix := q.folder + string(filepath.Separator)
	flags, operands := append(slices.Clone(q.flags), Flag{Name: "log", Value: "json"}), slices.Clone(q.operands)
	for i, f := range flags {
		if slices.Contains(q.named, f.Name) {
			flags[i].Value = prefix + f.Value
		}
	}
	for i, operand := range operands {
		operands[i] = prefix + operand
	}
	answer, end = Ask(ctx, s.run, q.Verb, flags, operands, told)
	if errors.Is(context.Cause(ctx), errTooMany) {
		return nil, nil, end, errTooMany
	}
	answer = bytes.ReplaceAll(answer, []byte(prefix), nil)
	for i, warning := range told.warnings {
		told.warnings[i] = strings.ReplaceAll(warning, prefix, "")
	}
	failure := ""
	if end != nil {
		failure = strings.ReplaceAll(end.Error(), prefix, "")
	}
	switch ui.ExitStatus(end) {
	case ui.ExitFailure:
		s.report.Printf("%s: %s", q.commandLine, failure)
		failure, _, _ = strings.Cut(failure, "\n") // without a stack
		return nil, nil, end, &refusal{http.StatusInternalServerError, failure}
	case ui.ExitUsage:
		if strings.Contains(failure, " of memory") {
			return nil, nil, end, &refusal{http.StatusRequestEntityTooLarge, failure}
		}
		return nil, nil, end, badRequest("%s", failure)
	}
	if q.product != "" {
		if file, err = os.ReadFile(prefix + q.product); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, end, err
		}
	}
	if len(answer) == 0 || q.product != "" && len(file) == 0 {
		return nil, nil, end, &refusal{http.StatusUnprocessableEntity, failure}
	}
	return answer, file, end, nil
}
