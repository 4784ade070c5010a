package graph

// Members lists the states of each set, ascending, given the set of each state;
// states of a negative set are in none.
func Members(set []int32, count int) [][]int32 {
	size, total := make([]int, count), 0
	for _, k := range set {
		if k >= 0 {
			size[k]++
			total++
		}
	}
	all, at := make([]int32, total), 0
	members := make([][]int32, count)
	for k := range members {
		members[k] = all[at : at : at+size[k]]
		at += size[k]
	}
	for s, k := range set {
		if k >= 0 {
			members[k] = append(members[k], int32(s))
		}
	}
	return members
}
