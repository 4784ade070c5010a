package sequence

// The memory of a calendar's buckets.

// A bucket is an unordered set of appointments, stored in a linked list of sheets. Only
// the first sheet may have room for more.
type bucket struct {
	sheet int32 // number of the sheet + 1, 0 for none
	used  int32 // on that sheet; the others are full
}

// sheetSize is the number of appointments of a sheet: as many as fit in 1 KiB.
const sheetSize = 42

type sheet struct {
	appointments [sheetSize]appointment
	next         int32 // number of the next sheet + 1, 0 for none
}

// sheets allocates the sheets of all buckets, in slabs that never move. Sheets of an
// emptied bucket are used again.
type sheets struct {
	slabs []*[sheetsPerSlab]sheet
	used  int32 // sheets handed out so far
	free  int32 // first of the list of sheets handed back, as bucket.sheet
}

const sheetsPerSlab = 64

func (s *sheets) at(number int32) *sheet {
	return &s.slabs[(number-1)/sheetsPerSlab][(number-1)%sheetsPerSlab]
}

func (s *sheets) take() int32 {
	if number := s.free; number != 0 {
		s.free = s.at(number).next
		return number
	}
	if int(s.used) == len(s.slabs)*sheetsPerSlab {
		s.slabs = append(s.slabs, new([sheetsPerSlab]sheet))
	}
	s.used++
	return s.used
}

func (s *sheets) add(b *bucket, a appointment) {
	if b.sheet == 0 || b.used == sheetSize {
		number := s.take()
		s.at(number).next = b.sheet
		*b = bucket{sheet: number}
	}
	s.at(b.sheet).appointments[b.used] = a
	b.used++
}

// each calls visit for each appointment of a bucket and takes its sheets back.
// visit may add to other buckets.
func (s *sheets) each(b bucket, visit func(appointment)) {
	for b.sheet != 0 {
		current := s.at(b.sheet)
		for i := range b.used {
			visit(current.appointments[i])
		}
		next := current.next
		current.next, s.free = s.free, b.sheet
		b = bucket{sheet: next, used: sheetSize}
	}
}
