package main

import (
	"bufio"
	"bytes"
	"container/heap"
	"container/list"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"os"
	"sort"
	"strconv"
	"strings"
)

var _ = bytes.Equal
var _ = json.Valid
var _ = heap.Init
var _ = list.New
var _ = math.MaxInt32
var _ = bits.Len
var _ = sort.Ints
var _ = strconv.Itoa
var _ = strings.Index

// ==Code Submission==

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	line, _ := input.ReadBytes('\n')
	grid := [][]int{}
	depth := 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c == '[' {
			depth++
			if depth == 2 {
				grid = append(grid, []int{})
			}
		} else if c == ']' {
			depth--
		} else if c >= '0' && c <= '9' {
			value := 0
			for ; i < len(line) && line[i] >= '0' && line[i] <= '9'; i++ {
				value = value*10 + int(line[i]-'0')
			}
			i--
			last := len(grid) - 1
			grid[last] = append(grid[last], value)
		}
	}
	fmt.Println(countIslands(grid))
}
