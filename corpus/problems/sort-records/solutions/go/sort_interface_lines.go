// Implements sort.Interface on pointers; ties are decided by the stored input position.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

type entry struct {
	line  string
	score int64
	at    int
}

type entries []*entry

func (e entries) Len() int      { return len(e) }
func (e entries) Swap(a, b int) { e[a], e[b] = e[b], e[a] }
func (e entries) Less(a, b int) bool {
	if e[a].score == e[b].score {
		return e[a].at < e[b].at
	}
	return e[a].score > e[b].score
}

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Scan()
	var all entries
	for scanner.Scan() {
		line := scanner.Text()
		gap := strings.IndexByte(line, ' ')
		if gap < 0 {
			continue
		}
		score, _ := strconv.ParseInt(strings.TrimSpace(line[gap+1:]), 10, 64)
		all = append(all, &entry{line, score, len(all)})
	}
	sort.Sort(all)
	var text strings.Builder
	for i, e := range all {
		text.WriteString(fmt.Sprintf("%d %s\n", i+1, e.line))
	}
	os.Stdout.WriteString(text.String())
}
