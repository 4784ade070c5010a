package petsc

import "github.com/mdpsolve/mdpsolve/internal/wholefile"

// WriteValues writes the values of all states to a file that all ranks can reach, as a
// binary vector of PETSc (VecView). The file appears under its name when it is complete.
func (r *Result) WriteValues(name string) error {
	w := r.sweeper.world
	var (
		whole *wholefile.File
		err   error
		place string
	)
	if w.Rank == 0 {
		if whole, err = wholefile.Create(name, 0o644); err == nil {
			place = whole.Name()
		}
	}
	if err := w.Agree(err); err != nil {
		return err
	}
	w.write(w.broadcast(place, 0), r.Values())
	if whole != nil {
		err = whole.Commit()
	}
	return w.Agree(err)
}
