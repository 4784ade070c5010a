// Package mdptest holds Markov decision processes whose optima are known
// exactly, and tests that rest on them: of solvers, and of models of your own.
//
// # Problems
//
// [Catalogue] returns problems from books, papers and the theory of queues, with
// every criterion of package mdp, both senses, every structure, periodic and
// nearly periodic chains, slow ones, and rates over 12 orders of magnitude. Each
// says where it comes from and how its optimum is known: as a number that the
// source prints, by a formula, or as what a known policy achieves, evaluated in
// exact arithmetic.
//
// A [Problem] is declared once, in rational numbers. Its [Form]s are what a
// solver may be handed: a table, a compiled declaration, a model that lists its
// rows, one that only sweeps, and others. All are the same process in float64.
//
// # Testing a solver
//
// [Form.Verify] holds an [Answer] against the exact optimum: bounds must enclose
// it, and what the policy achieves, evaluated anew; an estimate that is said to
// have converged must be within [Tolerance]. [TestSolver] does so for all
// problems and forms. The package's own test does it for all [Methods] of package
// mdp.
//
// # Testing a model
//
// [TestModel] checks an implementation of mdp.Model, and of the optional
// interfaces that it has, against what package mdp expects of it.
package mdptest
