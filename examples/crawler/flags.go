// This file reads command lines.

package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

// readFlags sets flags as words say. It is [flag.FlagSet.Parse] but for its errors: one line that
// says what to write instead. It returns flag.ErrHelp where help is asked for.
func readFlags(flags *flag.FlagSet, words []string) error {
	help := "-help"
	if flags.Name() != "" {
		help = flags.Name() + " " + help
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		name, isFlag := strings.CutPrefix(word, "-")
		if !isFlag {
			return fmt.Errorf("%q is not expected: use flags only, see %s", word, help)
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		if name == "h" || name == "help" {
			return flag.ErrHelp
		}
		f := flags.Lookup(name)
		if f == nil {
			return fmt.Errorf("%q is no flag: use one of those that %s lists", word, help)
		}
		use := useOf(f, help)
		switch {
		case hasValue:
		case use == useSwitch:
			value = "true"
		case len(words) == 0:
			return fmt.Errorf("-%s: it has no value: use %s", name, use)
		default:
			value, words = words[0], words[1:]
		}
		if f.Value.Set(value) != nil {
			return fmt.Errorf("-%s: %q is not valid: use %s", name, value, use)
		}
	}
	return nil
}

const useSwitch = "true or false"

// useOf says what the value of a flag looks like.
func useOf(f *flag.Flag, help string) string {
	var value any = ""
	if getter, ok := f.Value.(flag.Getter); ok {
		value = getter.Get()
	}
	switch value.(type) {
	case bool:
		return useSwitch
	case int:
		return "a whole number"
	case uint64:
		return "a whole number of 0 or more"
	case float64:
		return "a number"
	case time.Duration:
		return "a time such as 20ms or 2s"
	}
	return "what " + help + " says"
}

// checkPicture refuses a name that no picture can have, before the work for it is done.
func checkPicture(name string, endings ...string) error {
	if name == "" {
		return nil
	}
	if !slices.Contains(endings, filepath.Ext(name)) {
		return fmt.Errorf("-plot: %q: use a name that ends in %s", name, strings.Join(endings, " or "))
	}
	if err := wholefile.Check(name); err != nil {
		return fmt.Errorf("-plot: %q is not valid: use a file that can be written (%w)", name, err)
	}
	return nil
}

// writePicture writes what draw draws, if it has a name.
func writePicture(name string, draw func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	var picture bytes.Buffer
	if err := draw(&picture); err != nil {
		return err
	}
	return wholefile.Write(name, 0o644, func(file *wholefile.File) error {
		_, err := file.Write(picture.Bytes())
		return err
	})
}
