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
			value, fault := s.Value()
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

// Decode refuses repeated members, null, and members that are not declared.
func ExampleDecode() {
	for _, text := range []string{
		`{"robots": 16, "rates": [0.1, 0.2]}`,
		`{"robots": 16, "robots": 17}`,
		`{"robots": null}`,
		`{"robots": "many"}`,
		`{"Robots": 16}`,
		`{"robot": 16}`,
		`{"robots": 16} 17`,
		"{\"robots\": 16,\n}",
	} {
		var policy struct {
			Robots int       `json:"robots"`
			Rates  []float64 `json:"rates"`
		}
		fmt.Println(jsonscan.Decode(strings.NewReader(text), "policy.json", true, &policy), policy.Robots)
	}
	// Output:
	// <nil> 16
	// policy.json:1:16: found "robots" for the second time; expected each member once 0
	// policy.json:1:12: found null; expected a value, or no such member 0
	// policy.json: robots: found string; expected a whole number 0
	// policy.json:1:2: member "Robots" is not known 0
	// policy.json: member "robot" is not known 0
	// policy.json:1:16: found "17"; expected the end of the file 0
	// policy.json:2:1: found "}"; expected the name of a member in quotation marks 0
}
