// One pass with a hand-made hash table that doubles when half full.
type pairTable struct {
	values []int
	counts []int32
	used   int
	shift  uint
}

func newPairTable(log uint) *pairTable {
	return &pairTable{make([]int, 1<<log), make([]int32, 1<<log), 0, 64 - log}
}

func (t *pairTable) slot(x int) int {
	h := int(uint64(x) * 0x9E3779B97F4A7C15 >> t.shift)
	for t.counts[h] != 0 && t.values[h] != x {
		h = (h + 1) & (len(t.values) - 1)
	}
	return h
}

func (t *pairTable) add(x int, c int32) {
	h := t.slot(x)
	if t.counts[h] == 0 {
		t.values[h] = x
		t.used++
	}
	t.counts[h] += c
}

func countPairs(nums []int, target int) int64 {
	t := newPairTable(10)
	var result int64
	for _, x := range nums {
		result += int64(t.counts[t.slot(target-x)])
		t.add(x, 1)
		if 2*t.used > len(t.values) {
			bigger := newPairTable(64 - t.shift + 1)
			for h, c := range t.counts {
				if c != 0 {
					bigger.add(t.values[h], c)
				}
			}
			t = bigger
		}
	}
	return result
}
