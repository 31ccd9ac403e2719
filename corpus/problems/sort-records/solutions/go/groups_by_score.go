// Groups the names by score in a map and walks the distinct scores from the largest down.
package main

import (
	"bufio"
	"bytes"
	"os"
	"sort"
	"strconv"
	"strings"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	in.ReadString('\n')
	groups := map[int][]string{}
	for {
		line, err := in.ReadString('\n')
		fields := strings.Fields(line)
		if len(fields) == 2 {
			score, _ := strconv.Atoi(fields[1])
			groups[score] = append(groups[score], fields[0])
		}
		if err != nil {
			break
		}
	}
	var distinct []int
	for score := range groups {
		distinct = append(distinct, score)
	}
	sort.Ints(distinct)
	var out bytes.Buffer
	place := 0
	for d := len(distinct) - 1; d >= 0; d-- {
		for _, name := range groups[distinct[d]] {
			place++
			out.WriteString(strconv.Itoa(place) + " " + name + " " + strconv.Itoa(distinct[d]) + "\n")
		}
	}
	os.Stdout.Write(out.Bytes())
}
