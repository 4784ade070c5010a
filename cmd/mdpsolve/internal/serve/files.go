package serve

// Files that come with a request, kept in a folder of their own while it is answered.

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// mostFiles is how many files a request may have: a model of PRISM has five.
const mostFiles = 8

// workplace is a folder for one request.
type workplace struct {
	folder string
	names  []string // of the files that came
	policy string   // the name of that which is a policy; "" for none
	bytes  int64    // of them
}

// openWorkplace makes a folder and stores there the files of a request.
func (s *server) openWorkplace(w http.ResponseWriter, r *http.Request, e Endpoint) (*workplace, error) {
	folder, err := os.MkdirTemp(s.folder, "")
	if err != nil {
		return nil, err
	}
	place := &workplace{folder: folder}
	if e.Files != "" {
		r.Body = http.MaxBytesReader(w, r.Body, s.limits.upload)
		if err := s.receive(r, place, e.Policy); err != nil {
			s.close(place)
			return nil, err
		}
	}
	return place, nil
}

// close removes a folder.
func (s *server) close(place *workplace) {
	_ = os.RemoveAll(place.folder) // the folder around it is removed in the end
	s.held.giveBack(place.bytes)
}

// receive stores the parts of a form that are named file, or policy where one is wanted.
func (s *server) receive(r *http.Request, place *workplace, wantsPolicy bool) error {
	form, err := r.MultipartReader()
	if err != nil {
		return badRequest("the body is not multipart/form-data: send each file as a part named file")
	}
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return bodyFault(err)
		}
		name := part.FileName()
		isPolicy := wantsPolicy && part.FormName() == "policy" && place.policy == ""
		switch {
		case part.FormName() != "file" && !isPolicy || !isPlainName(name):
			return badRequest(fmt.Sprintf("the part %s of the body, file name %s, is not valid: name it file, with a file name and without a folder",
				wording.Quote(part.FormName()), wording.Quote(name)))
		case len(place.names) == mostFiles:
			return badRequest(fmt.Sprintf("more than %d files are not valid: send fewer", mostFiles))
		case place.has(name):
			return badRequest(fmt.Sprintf("file %s was sent twice: send it once", wording.Quote(name)))
		}
		if isPolicy {
			place.policy = name
		} else {
			place.names = append(place.names, name)
		}
		if err := s.store(part, place, name); err != nil {
			return err
		}
		if err := checkUnpacked(filepath.Join(place.folder, name), name, s.limits.upload); err != nil {
			return err
		}
	}
	if len(place.names) == 0 {
		return badRequest("no file: send one as a part named file")
	}
	return nil
}

// store copies a part of a form into a file.
func (s *server) store(part io.Reader, place *workplace, name string) (err error) {
	file, err := os.Create(filepath.Join(place.folder, name))
	if err != nil {
		return badRequest(fmt.Sprintf("file name %s is not valid here: use another name", wording.Quote(name)))
	}
	defer func() {
		if closing := file.Close(); err == nil {
			err = closing
		}
	}()
	const piece = 1 << 18
	for {
		if !s.held.take(piece) {
			return &refusal{http.StatusServiceUnavailable, "too many files are being sent: try again later"}
		}
		n, err := io.CopyN(file, part, piece)
		s.held.giveBack(piece - n)
		place.bytes += n
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return bodyFault(err)
		}
	}
}

// isPlainName reports whether a name is that of a file in the folder where it is put.
func isPlainName(name string) bool {
	const most = 200
	return name != "" && name[0] != '.' && name[0] != '-' && len(name) <= most && filepath.IsLocal(name) && !strings.ContainsAny(name, `/\:`+"\x00")
}

// bodyFault says what is wrong with the body of a request.
func bodyFault(err error) error {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the files have more than %d bytes, which is the most: use mdpsolve without the page", tooLarge.Limit)}
	}
	return badRequest("the body ended, or is not valid multipart/form-data")
}

func (place *workplace) has(name string) bool {
	return name == place.policy || slices.Contains(place.names, name)
}

// model returns which of the files is the model: the others stand beside it.
func (place *workplace) model() (string, error) {
	if len(place.names) == 1 {
		return place.names[0], nil
	}
	for _, end := range []string{".tra", ".drn", ".json", ".drn.gz", ".json.gz"} {
		for _, name := range place.names {
			if strings.HasSuffix(name, end) {
				return name, nil
			}
		}
	}
	return "", badRequest("none of the files is a model: send a file .drn, .json or .tra")
}
