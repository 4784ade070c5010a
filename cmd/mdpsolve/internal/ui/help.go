package ui

// The layout of help pages.

// The help pages: what, how, what it is about with examples, flags.
const (
	AppHelp = `{{.Name}}: {{.Usage}}

{{.Description}}

Commands:{{range .VisibleCommands}}
  {{join .Names ", "}}{{"\t"}}{{.Usage}}{{range .Subcommands}}
    {{.HelpName}}{{.Name}}{{"\t"}}{{.Usage}}{{end}}{{end}}

Each command explains itself: {{.Name}} robots solve --help

Exit status: 0 solved, 1 internal failure, 2 bad usage or input, 3 stopped at a
limit, 130 interrupted; with 3 and 130 the best answer so far is printed.

Options:{{range .VisibleFlags}}
  {{.}}{{end}}
`
	commandHelp = `{{.HelpName}}: {{.Usage}}

Usage: {{if .UsageText}}{{.UsageText}}{{else}}{{.HelpName}} [options]{{end}}{{if .Description}}

{{.Description}}{{end}}{{if .VisibleCommands}}

Commands:{{range .VisibleCommands}}
  {{join .Names ", "}}{{"\t"}}{{.Usage}}{{end}}{{end}}{{if .VisibleFlags}}

Options:{{range .VisibleFlags}}
  {{.}}{{end}}{{end}}
`
)
