// Graham scan around the lowest point with exact angular comparison.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
)

type point struct{ x, y int64 }

func cross(a, b, c point) int64 {
	return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x)
}

func distance(a, b point) float64 {
	return math.Hypot(float64(a.x-b.x), float64(a.y-b.y))
}

func perimeter(points []point) float64 {
	low := 0
	for i, p := range points {
		if p.y < points[low].y || p.y == points[low].y && p.x < points[low].x {
			low = i
		}
	}
	points[0], points[low] = points[low], points[0]
	pivot := points[0]
	rest := points[1:]
	sort.Slice(rest, func(i, j int) bool {
		turn := cross(pivot, rest[i], rest[j])
		if turn == 0 {
			return distance(pivot, rest[i]) < distance(pivot, rest[j])
		}
		return turn > 0
	})
	hull := []point{pivot}
	for _, p := range rest {
		if p == hull[len(hull)-1] {
			continue
		}
		for len(hull) > 1 && cross(hull[len(hull)-2], hull[len(hull)-1], p) <= 0 {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, p)
	}
	total := distance(pivot, hull[len(hull)-1])
	for i := 1; i < len(hull); i++ {
		total += distance(hull[i-1], hull[i])
	}
	return total
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Split(bufio.ScanWords)
	next := func() int64 {
		in.Scan()
		value, _ := strconv.ParseInt(in.Text(), 10, 64)
		return value
	}
	points := make([]point, next())
	for i := range points {
		points[i] = point{next(), next()}
	}
	fmt.Printf("%.9f\n", perimeter(points))
}
