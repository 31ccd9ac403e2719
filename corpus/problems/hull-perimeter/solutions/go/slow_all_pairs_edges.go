// Tests for every ordered pair of points whether all others lie on one side.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
)

type point struct{ x, y int64 }

func cross(a, b, c point) int64 {
	return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x)
}

func distance(a, b point) float64 {
	return math.Hypot(float64(a.x-b.x), float64(a.y-b.y))
}

func perimeter(points []point) float64 {
	seen := map[point]bool{}
	var distinct []point
	for _, p := range points {
		if !seen[p] {
			seen[p] = true
			distinct = append(distinct, p)
		}
	}
	total := 0.0
	for _, a := range distinct {
		for _, b := range distinct {
			edge := a != b
			for k := 0; edge && k < len(distinct); k++ {
				c := distinct[k]
				turn := cross(a, b, c)
				if turn < 0 || turn == 0 && (c.x-a.x)*(c.x-b.x)+(c.y-a.y)*(c.y-b.y) > 0 {
					edge = false
				}
			}
			if edge {
				total += distance(a, b)
			}
		}
	}
	return total
}

func main() {
	in := bufio.NewReader(os.Stdin)
	var n int
	fmt.Fscan(in, &n)
	points := make([]point, n)
	for i := range points {
		fmt.Fscan(in, &points[i].x, &points[i].y)
	}
	fmt.Printf("%.9f\n", perimeter(points))
}
