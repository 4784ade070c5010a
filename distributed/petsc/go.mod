module github.com/mdpsolve/mdpsolve/distributed/petsc

go 1.26.0

require (
	github.com/mdpsolve/mdpsolve v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/sourcegraph/conc v0.3.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace github.com/mdpsolve/mdpsolve => ../..
