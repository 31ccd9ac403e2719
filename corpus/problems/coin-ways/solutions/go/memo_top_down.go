// Recursion on (index, rest) with a memo of rows made on demand.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

var coins []int
var memo [][]int

func count(i, rest int) int {
	if rest == 0 {
		return 1
	}
	if i == len(coins) || rest < 0 {
		return 0
	}
	if memo[i][rest] == 0 {
		memo[i][rest] = 1 + (count(i+1, rest)+count(i, rest-coins[i]))%1000000007
	}
	return memo[i][rest] - 1
}

func main() {
	in := bufio.NewReader(os.Stdin)
	var n, amount int
	fmt.Fscan(in, &n, &amount)
	coins = make([]int, n)
	memo = make([][]int, n)
	for i := range coins {
		fmt.Fscan(in, &coins[i])
		memo[i] = make([]int, amount+1)
	}
	sort.Sort(sort.Reverse(sort.IntSlice(coins)))
	fmt.Println(count(0, amount))
}
