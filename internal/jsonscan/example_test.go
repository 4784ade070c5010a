package jsonscan_test

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
)

func ExampleNew() {
	document := "{\n  \"robots\": 16,\n  \"rates\": [\"1/10\", fast]\n}"
	s := jsonscan.New(strings.NewReader(document), "policy.json")
	err := s.Object("a policy in curly brackets", func(name string) error {
		switch name {
		case "robots":
			n, err := s.Int(1000, "a number of robots")
			fmt.Println(name, n)
			return err
		case "rates":
			return s.Array("a list of rates", func(int) error {
				rate, err := s.Text("a rate in quotation marks")
				if err == nil {
					fmt.Printf("%s %s\n", name, rate)
				}
				return err
			})
		}
		return s.Fail(name, "robots or rates")
	})
	fmt.Println(err)
	// Output:
	// robots 16
	// rates 1/10
	// policy.json:3:21: found "fast"; expected a rate in quotation marks
}

func ExampleScanner() {
	var s jsonscan.Scanner
	for i, line := range []string{`{"id": "a", "rate": 0.5}`, `{"id": "b", "rate": 1e}`} {
		s.Line([]byte(line), i+1)
		s.Accept('{')
		for member := 0; ; member++ {
			name, more, err := s.Member(member)
			if !more {
				fmt.Println("end:", s.End())
				break
			}
			place := s.Token()
			_, value, fault := s.Value()
			if err = cmp.Or(err, fault); err != nil {
				fmt.Println(err)
				break
			}
			fmt.Printf("%v %s=%s\n", place, name, value)
		}
	}
	// Output:
	// {1 2} id=a
	// {1 13} rate=0.5
	// end: <nil>
	// {2 2} id=b
	// :2:21: found "1e"; expected a value
}
