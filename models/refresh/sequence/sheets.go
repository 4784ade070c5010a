package sequence

// A bucket is a bag of appointments on a chain of sheets, of which the first
// has room for more.
type bucket struct {
	sheet int32 // number of the sheet + 1, 0 for none
	used  int32 // on that sheet; the others are full
}

// sheetSize makes a sheet 1 KiB.
const sheetSize = 42

type sheet struct {
	appointments [sheetSize]appointment
	next         int32 // as bucket.sheet
}

// sheets are the memory of buckets: pieces of one size, used again as soon as
// a bucket has been emptied, in slabs that never move.
type sheets struct {
	slabs []*[sheetsPerSlab]sheet
	used  int32 // sheets handed out so far
	free  int32 // chain of sheets handed back
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
		page := s.at(b.sheet)
		for i := range b.used {
			visit(page.appointments[i])
		}
		next := page.next
		page.next, s.free = s.free, b.sheet
		b = bucket{sheet: next, used: sheetSize}
	}
}
