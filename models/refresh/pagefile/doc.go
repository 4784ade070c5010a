// Package pagefile reads and writes the files between which a crawler and
// package refresh work: lists of pages and of rates, histories of accesses, and
// schedules.
//
// # Formats
//
// CSV, JSON lines and Parquet, each plain or compressed by gzip or Zstandard;
// the name "-" is standard input or output. Names of files say what is in them
// (pages.csv, pages.jsonl.zst, pages.parquet.gz); the content decides if the
// name does not tell. Columns of Parquet files may be compressed by Snappy, gzip or
// Zstandard.
//
// A page list has the columns id (or url), change_rate and, optional, weight, recall,
// false_rate and host (see [Hosts]); a list of caps host and cap; a
// list of rates id (or url) and rate; a history id (or url), time, and changed or
// digest. They come in any order, and other columns are skipped. Caps
// may be empty: there is none. CSV has a header and quotes as in RFC 4180, which
// end on their line; JSON
// lines has an object on each line, whose numbers may be strings; blank lines are
// skipped in both. In Parquet, columns may be numbers, texts, dates and timestamps, which are
// seconds since 1970; one of another type, such as a decimal, is an error if it is needed.
//
// Lists are written from structs, whose fields are the columns: see [WriteRows].
//
// # Rows that cannot be used
//
// Nothing is dropped silently. A row that cannot be used (a negative rate, NaN, an id seen
// before, a wrong number of columns) is left out, counted and described by a [FileError]: file, line and column, what
// was found, what was expected. [Options].Strict makes the first one an error. In
// Parquet files lines and columns are those of the table. Where a
// row has another unit, reading ends.
//
// # Limits
//
// A row of a text may have 16 MiB, the window of a Zstandard file 256 MiB, and a list 2³¹−1
// pages; more is an error, before memory is taken for it. There is no limit on the number of
// rows that a small compressed file may hold, nor on what a page of a Parquet file unpacks to.
// A Parquet file that is compressed as a whole, or comes through a pipe, is read into memory.
//
// # Speed and memory
//
// A text is read in pieces of up to 128 KiB, and a Parquet file in batches of 4,096 rows, which
// several goroutines parse; one takes up their rows, in order, and finds the ids seen before:
// the result is the same at any number of workers. A page list takes the bytes of its ids and
// 24 bytes a page, 4 more with hosts, and up to 24 while it is read.
package pagefile
