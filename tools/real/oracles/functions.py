"""Oracles of function problems in the development data, named after the problems."""

from tools.real.oracles.reading import (
    DIGITS,
    LOWER,
    UPPER,
    connected,
    distinct,
    grid,
    integer,
    integers,
    require,
    text,
    values,
)

ASCII = "".join(map(chr, range(33, 127)))


def letter_case_permutation(stdin):
    (s,) = values(stdin, 1)
    text(s, LOWER + UPPER + DIGITS, 1, 12)


def split_and_merge_array_transformation(stdin):
    first, second = values(stdin, 2)
    integers(first, (2, 6), -(10**5), 10**5)
    integers(second, (2, 6), -(10**5), 10**5)
    require(sorted(first) == sorted(second), "not a permutation")


def minimize_maximum_component_cost(stdin):
    n, edges, k = values(stdin, 3)
    integer(n, 1, 5 * 10**4)
    integer(k, 1, n)
    require(isinstance(edges, list) and len(edges) <= 10**5, "too many edges")
    for edge in edges:
        integers(edge, (3, 3), 0, 10**6)
        require(edge[0] < n and edge[1] < n and edge[2] >= 1, "not an edge")
    connected(n, edges)


def minimum_insertions_to_balance_a_parentheses_string(stdin):
    (s,) = values(stdin, 1)
    text(s, "()", 1, 10**5)


def rectangle_overlap(stdin):
    for rectangle in values(stdin, 2):
        integers(rectangle, (4, 4), -(10**9), 10**9)
        require(rectangle[0] < rectangle[2] and rectangle[1] < rectangle[3], "no area")


def maximum_number_of_coins_you_can_get(stdin):
    (piles,) = values(stdin, 1)
    integers(piles, (3, 10**5), 1, 10**4)
    require(len(piles) % 3 == 0, "not a multiple of three")


def sum_of_beauty_of_all_substrings(stdin):
    (s,) = values(stdin, 1)
    text(s, LOWER, 1, 500)


def string_compression(stdin):
    (chars,) = values(stdin, 1)
    require(isinstance(chars, list) and 1 <= len(chars) <= 2000, "not a list of 1 to 2000")
    for char in chars:
        text(char, ASCII, 1, 1)


def longest_palindrome_after_substring_concatenation_i(stdin):
    for argument in values(stdin, 2):
        text(argument, LOWER, 1, 30)


def sum_of_special_evenly_spaced_elements_in_array(stdin):
    nums, queries = values(stdin, 2)
    integers(nums, (1, 5 * 10**4), 0, 10**9)
    require(isinstance(queries, list) and 1 <= len(queries) <= 150_000, "not 1 to 150 000 queries")
    for query in queries:
        integers(query, (2, 2), 0, 5 * 10**4)
        require(query[0] < len(nums) and query[1] >= 1, "not a query")


def lexicographically_smallest_string_after_operations_with_constraint(stdin):
    s, k = values(stdin, 2)
    text(s, LOWER, 1, 100)
    integer(k, 0, 2000)


def map_of_highest_peak(stdin):
    (water,) = values(stdin, 1)
    grid(water, (1, 1000), (1, 1000))
    for row in water:
        integers(row, (1, 1000), 0, 1)
    require(any(1 in row for row in water), "no water")


def remove_k_digits(stdin):
    num, k = values(stdin, 2)
    text(num, DIGITS, 1, 10**5)
    integer(k, 1, len(num))
    require(num == "0" or num[0] != "0", "a leading zero")


def minimum_changes_to_make_k_semi_palindromes(stdin):
    s, k = values(stdin, 2)
    text(s, LOWER, 2, 200)
    integer(k, 1, len(s) // 2)


def divide_chocolate(stdin):
    sweetness, k = values(stdin, 2)
    integers(sweetness, (1, 10**4), 1, 10**5)
    integer(k, 0, len(sweetness) - 1)


def minimum_limit_of_balls_in_a_bag(stdin):
    nums, most = values(stdin, 2)
    integers(nums, (1, 10**5), 1, 10**9)
    integer(most, 1, 10**9)


def greatest_sum_divisible_by_three(stdin):
    (nums,) = values(stdin, 1)
    integers(nums, (1, 4 * 10**4), 1, 10**4)


def robot_collisions(stdin):
    positions, healths, directions = values(stdin, 3)
    integers(positions, (1, 10**5), 1, 10**9)
    integers(healths, (len(positions), len(positions)), 1, 10**9)
    text(directions, "LR", len(positions), len(positions))
    distinct(positions)


def reverse_nodes_in_even_length_groups(stdin):
    (head,) = values(stdin, 1)
    integers(head, (1, 10**5), 0, 10**5)


def parallel_courses(stdin):
    n, relations = values(stdin, 2)
    integer(n, 1, 5000)
    require(isinstance(relations, list) and 1 <= len(relations) <= 5000, "not 1 to 5000 relations")
    for relation in relations:
        integers(relation, (2, 2), 1, n)
        require(relation[0] != relation[1], "a course before itself")
    distinct(relations, "relations")


def count_of_substrings_containing_every_vowel_and_k_consonants_i(stdin):
    word, k = values(stdin, 2)
    text(word, LOWER, 5, 250)
    integer(k, 0, len(word) - 5)


def power_of_four(stdin):
    integer(*values(stdin, 1), -(2**31), 2**31 - 1)


def account_balance_after_rounded_purchase(stdin):
    integer(*values(stdin, 1), 0, 100)


def statistics_from_a_large_sample(stdin):
    (count,) = values(stdin, 1)
    integers(count, (256, 256), 0, 10**9)
    require(1 <= sum(count) <= 10**9, "the sum is out of its bounds")
    require(count.count(max(count)) == 1, "two modes")


def left_and_right_sum_differences(stdin):
    (nums,) = values(stdin, 1)
    integers(nums, (1, 1000), 1, 10**5)


def count_number_of_texts(stdin):
    (keys,) = values(stdin, 1)
    text(keys, "23456789", 1, 10**5)


def check_balanced_string(stdin):
    (num,) = values(stdin, 1)
    text(num, DIGITS, 2, 100)


def number_of_times_binary_string_is_prefix_aligned(stdin):
    (flips,) = values(stdin, 1)
    integers(flips, (1, 5 * 10**4), 1, len(flips))
    distinct(flips)


def number_of_sub_arrays_with_odd_sum(stdin):
    (arr,) = values(stdin, 1)
    integers(arr, (1, 10**5), 1, 100)


def circular_sentence(stdin):
    (sentence,) = values(stdin, 1)
    text(sentence, LOWER + UPPER + " ", 1, 500)
    require(all(sentence.split(" ")), "an extra space")


def longest_substring_with_at_least_k_repeating_characters(stdin):
    s, k = values(stdin, 2)
    text(s, LOWER, 1, 10**4)
    integer(k, 1, 10**5)


def hand_of_straights(stdin):
    hand, size = values(stdin, 2)
    integers(hand, (1, 10**4), 0, 10**9)
    integer(size, 1, len(hand))


def longest_common_prefix(stdin):
    (strs,) = values(stdin, 1)
    require(isinstance(strs, list) and 1 <= len(strs) <= 200, "not 1 to 200 texts")
    for item in strs:
        text(item, LOWER, 0, 200)


def selling_pieces_of_wood(stdin):
    m, n, prices = values(stdin, 3)
    integer(m, 1, 200)
    integer(n, 1, 200)
    require(isinstance(prices, list) and 1 <= len(prices) <= 2 * 10**4, "not 1 to 20 000 prices")
    for price in prices:
        integers(price, (3, 3), 1, 10**6)
        require(price[0] <= m and price[1] <= n, "larger than the wood")
    distinct([price[:2] for price in prices], "shapes")


def sort_array_by_parity_ii(stdin):
    (nums,) = values(stdin, 1)
    integers(nums, (2, 2 * 10**4), 0, 1000)
    require(2 * sum(value % 2 for value in nums) == len(nums), "not half of them are odd")


def destroying_asteroids(stdin):
    mass, asteroids = values(stdin, 2)
    integer(mass, 1, 10**5)
    integers(asteroids, (1, 10**5), 1, 10**5)


def make_array_elements_equal_to_zero(stdin):
    (nums,) = values(stdin, 1)
    integers(nums, (1, 100), 0, 100)
    require(0 in nums, "no zero")


def minimum_obstacle_removal_to_reach_corner(stdin):
    (cells,) = values(stdin, 1)
    grid(cells, (1, 10**5), (1, 10**5))
    require(2 <= len(cells) * len(cells[0]) <= 10**5, "a wrong number of cells")
    for row in cells:
        integers(row, (1, 10**5), 0, 1)
    require(cells[0][0] == 0 == cells[-1][-1], "an obstacle in a corner")


def determine_if_two_events_have_conflict(stdin):
    for event in values(stdin, 2):
        require(isinstance(event, list) and len(event) == 2, "not two times")
        for time in event:
            text(time, DIGITS + ":", 5, 5)
            hours, minutes = time.split(":")
            require(len(hours) == 2 and int(hours) < 24 and int(minutes) < 60, "not a time")
        require(event[0] <= event[1], "ends before it starts")


def russian_doll_envelopes(stdin):
    (envelopes,) = values(stdin, 1)
    grid(envelopes, (1, 10**5), (2, 2))
    for envelope in envelopes:
        integers(envelope, (2, 2), 1, 10**5)
