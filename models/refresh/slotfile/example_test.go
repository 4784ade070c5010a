package slotfile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mdpsolve/mdpsolve/models/refresh/slotfile"
)

func ExampleFile() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	name := filepath.Join(folder, "slots.csv")
	file, err := slotfile.Create(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprint(file, "slot,id\n1,a\n")
	size := file.Size() // saved with the state of the sequence
	fmt.Fprint(file, "2,b\n3,")
	_ = file.Close() // the program is killed

	file, err = slotfile.Resume(name, size)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprint(file, "2,b\n3,a\n4,c\n") // the slots behind those of the state
	_ = file.Close()
	text, _ := os.ReadFile(name)
	fmt.Printf("%s", text)
	// Output:
	// slot,id
	// 1,a
	// 2,b
	// 3,a
	// 4,c
}
