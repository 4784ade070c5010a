package store_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
)

// A file of this machine; gs://bucket/pages.csv and s3://bucket/pages.csv work alike.
func ExampleFile() {
	folder, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	ctx := context.Background()
	file, err := store.Parse(filepath.Join(folder, "pages.csv"))
	if err != nil {
		log.Panic(err)
	}
	err = file.WriteBy(ctx, func(w io.Writer) error {
		_, err := io.WriteString(w, "id,change_rate\n")
		return err
	})
	if err != nil {
		log.Panic(err)
	}
	text, err := file.Read(ctx)
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// id,change_rate
	// <nil>
}
