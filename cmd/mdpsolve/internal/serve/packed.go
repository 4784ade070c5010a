package serve

// Files that hold more than their bytes: packed ones, which are let in where what they
// hold is bounded.

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// How packed files begin.
var (
	gzipMagic    = []byte{0x1f, 0x8b}
	zstdMagic    = []byte{0x28, 0xb5, 0x2f, 0xfd}
	parquetMagic = []byte("PAR1")
)

// checkUnpacked refuses a file that holds more than most bytes, or that would have to be
// read to know.
func checkUnpacked(path, name string, most int64) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	content := bufio.NewReader(file)
	if begins(content, gzipMagic) {
		unpacked, err := gzip.NewReader(content)
		if err != nil {
			return nil //nolint:nilerr // the verb says what is wrong with it
		}
		content = bufio.NewReader(unpacked)
	}
	if begins(content, zstdMagic) || begins(content, parquetMagic) {
		return &refusal{http.StatusUnsupportedMediaType, fmt.Sprintf("file %s is Parquet, or packed by zstd: send text, plain or packed by gzip, or use mdpsolve without the page", wording.Quote(name))}
	}
	_, err = io.CopyN(io.Discard, content, most+1)
	if err == nil {
		return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("file %s has more than %d bytes unpacked, which is the most: use mdpsolve without the page", wording.Quote(name), most)}
	}
	if _, ofSystem := errors.AsType[*os.PathError](err); ofSystem {
		return err
	}
	return nil // it ends, or is damaged: the verb says so
}

func begins(content *bufio.Reader, magic []byte) bool {
	head, _ := content.Peek(len(magic)) // what ends before that begins otherwise
	return bytes.Equal(head, magic)
}
