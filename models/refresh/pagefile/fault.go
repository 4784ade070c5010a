package pagefile

import "github.com/mdpsolve/mdpsolve/internal/filepos"

// A FileError is something in a file that cannot be used.
type FileError struct {
	File         string // as the [Source] names it
	Line, Column int    // from 1; columns count bytes. In Parquet files: row and column of the table
	Found        string // what stands there
	Expected     string // what may stand there
}

// Error returns "file:line:column: found …; expected …".
func (f *FileError) Error() string { return (*filepos.Error)(f).Error() }

// faultAt returns a fault; its file is named when it is reported.
func faultAt(line, column int, found, expected string) *FileError {
	return &FileError{Line: line, Column: column, Found: found, Expected: expected}
}
