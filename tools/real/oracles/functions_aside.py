"""Oracles of function problems that the authors of the readers have not seen."""

from tools.real.oracles.reading import (
    DIGITS,
    LOWER,
    acyclic,
    binary_tree,
    distinct,
    grid,
    increasing,
    integer,
    integers,
    pairwise,
    require,
    rows,
    search_tree,
    simple,
    text,
    tree,
    values,
)


def number_of_alternating_xor_partitions(stdin):
    nums, first, second = values(stdin, 3)
    integers(nums, (1, 10**5), 0, 10**5)
    integer(first, 0, 10**5)
    integer(second, 0, 10**5)
    require(first != second, "the targets are equal")


def count_unhappy_friends(stdin):
    n, preferences, pairs = values(stdin, 3)
    integer(n, 2, 500)
    require(n % 2 == 0, "n is odd")
    rows(preferences, (n, n), n - 1, 0, n - 1)
    for person, preferred in enumerate(preferences):
        require(person not in preferred, "prefers itself")
        distinct(preferred)
    rows(pairs, (n // 2, n // 2), 2, 0, n - 1)
    distinct([person for pair in pairs for person in pair], "persons")


def minimize_the_total_price_of_the_trips(stdin):
    n, edges, price, trips = values(stdin, 4)
    integer(n, 1, 50)
    rows(edges, (n - 1, n - 1), 2, 0, n - 1)
    tree(n, edges)
    integers(price, (n, n), 1, 1000)
    require(all(value % 2 == 0 for value in price), "an odd price")
    rows(trips, (1, 100), 2, 0, n - 1)


def sequence_reconstruction(stdin):
    nums, sequences = values(stdin, 2)
    require(isinstance(nums, list), "not a list")
    n = len(nums)
    integers(nums, (1, 10**4), 1, n)
    distinct(nums)
    require(isinstance(sequences, list) and 1 <= len(sequences) <= 10**4, "not 1 to 10^4 sequences")
    place = {value: index for index, value in enumerate(nums)}
    for sequence in sequences:
        integers(sequence, (1, 10**4), 1, n)
        increasing([place[value] for value in sequence])
    require(sum(map(len, sequences)) <= 10**5, "too long together")
    distinct(sequences, "sequences")


def minimum_operations_to_sort_a_string(stdin):
    (s,) = values(stdin, 1)
    text(s, LOWER, 1, 10**5)


def two_sum_iv_input_is_a_bst(stdin):
    root, k = values(stdin, 2)
    search_tree(binary_tree(root, (1, 10**4), -(10**4), 10**4))
    integer(k, -(10**5), 10**5)


def find_champion_ii(stdin):
    n, edges = values(stdin, 2)
    integer(n, 1, 100)
    rows(edges, (0, n * (n - 1) // 2), 2, 0, n - 1)
    require(all(u != v for u, v in edges), "a loop")
    acyclic(n, edges)


def number_of_distinct_islands_ii(stdin):
    (cells,) = values(stdin, 1)
    grid(cells, (1, 50), (1, 50))
    for row in cells:
        integers(row, (1, 50), 0, 1)


def second_minimum_node_in_a_binary_tree(stdin):
    (root,) = values(stdin, 1)
    nodes = binary_tree(root, (1, 25), 1, 2**31 - 1)
    for value, left, right in nodes:
        require((left is None) == (right is None), "one child alone")
        require(
            left is None or value == min(nodes[left][0], nodes[right][0]),
            "not the least of the children",
        )


def find_the_kth_largest_integer_in_the_array(stdin):
    nums, k = values(stdin, 2)
    require(isinstance(nums, list) and 1 <= len(nums) <= 10**4, "not 1 to 10^4 numbers")
    for number in nums:
        text(number, DIGITS, 1, 100)
        require(number == "0" or number[0] != "0", "a leading zero")
    integer(k, 1, len(nums))


def find_if_path_exists_in_graph(stdin):
    n, edges, source, destination = values(stdin, 4)
    integer(n, 1, 2 * 10**5)
    rows(edges, (0, 2 * 10**5), 2, 0, n - 1)
    simple(edges)
    integer(source, 0, n - 1)
    integer(destination, 0, n - 1)


def search_in_rotated_sorted_array_ii(stdin):
    nums, target = values(stdin, 2)
    integers(nums, (1, 5000), -(10**4), 10**4)
    require(sum(a > b for a, b in pairwise([*nums, nums[0]])) <= 1, "not a rotated sorted list")
    integer(target, -(10**4), 10**4)


def find_the_lexicographically_smallest_valid_sequence(stdin):
    longer, shorter = values(stdin, 2)
    text(longer, LOWER, 2, 3 * 10**5)
    text(shorter, LOWER, 1, len(longer) - 1)


def k_divisible_elements_subarrays(stdin):
    nums, k, p = values(stdin, 3)
    integers(nums, (1, 200), 1, 200)
    integer(k, 1, len(nums))
    integer(p, 1, 200)


def find_maximal_uncovered_ranges(stdin):
    n, ranges = values(stdin, 2)
    integer(n, 1, 10**9)
    rows(ranges, (0, 10**6), 2, 0, n - 1)
    require(all(start <= end for start, end in ranges), "ends before it starts")


def course_schedule_ii(stdin):
    n, pairs = values(stdin, 2)
    integer(n, 1, 2000)
    rows(pairs, (0, n * (n - 1)), 2, 0, n - 1)
    require(all(a != b for a, b in pairs), "a course before itself")
    distinct(pairs, "pairs")


def count_connected_subgraphs_with_even_node_sum(stdin):
    nums, edges = values(stdin, 2)
    integers(nums, (1, 13), 0, 1)
    n = len(nums)
    rows(edges, (0, n * (n - 1) // 2), 2, 0, n - 1)
    require(all(u < v for u, v in edges), "u is not below v")
    distinct(edges, "edges")


def minimum_cost_to_partition_a_binary_string(stdin):
    s, *costs = values(stdin, 3)
    text(s, "01", 1, 10**5)
    for cost in costs:
        integer(cost, 1, 10**5)


def brick_wall(stdin):
    (wall,) = values(stdin, 1)
    require(isinstance(wall, list) and 1 <= len(wall) <= 10**4, "not 1 to 10^4 rows")
    for row in wall:
        integers(row, (1, 10**4), 1, 2**31 - 1)
    require(sum(map(len, wall)) <= 2 * 10**4, "too many bricks")
    require(len(set(map(sum, wall))) == 1, "rows of different widths")


def maximum_height_by_stacking_cuboids(stdin):
    (cuboids,) = values(stdin, 1)
    rows(cuboids, (1, 100), 3, 1, 100)


def number_of_orders_in_the_backlog(stdin):
    (orders,) = values(stdin, 1)
    rows(orders, (1, 10**5), 3, 0, 10**9)
    require(all(price and amount and kind < 2 for price, amount, kind in orders), "not an order")


def find_the_winning_player_in_coin_game(stdin):
    for coins in values(stdin, 2):
        integer(coins, 1, 100)


def perfect_rectangle(stdin):
    (rectangles,) = values(stdin, 1)
    rows(rectangles, (1, 2 * 10**4), 4, -(10**5), 10**5)
    require(all(x < a and y < b for x, y, a, b in rectangles), "no area")


def possible_bipartition(stdin):
    n, dislikes = values(stdin, 2)
    integer(n, 1, 2000)
    rows(dislikes, (0, 10**4), 2, 1, n)
    require(all(a < b for a, b in dislikes), "a is not below b")
    distinct(dislikes, "pairs")


def get_the_maximum_score(stdin):
    for nums in values(stdin, 2):
        integers(nums, (1, 10**5), 1, 10**7)
        increasing(nums)


def get_biggest_three_rhombus_sums_in_a_grid(stdin):
    (cells,) = values(stdin, 1)
    grid(cells, (1, 50), (1, 50))
    for row in cells:
        integers(row, (1, 50), 1, 10**5)


def range_sum_of_bst(stdin):
    root, low, high = values(stdin, 3)
    search_tree(binary_tree(root, (1, 2 * 10**4), 1, 10**5))
    integer(high, 1, 10**5)
    integer(low, 1, high)


def all_paths_from_source_to_target(stdin):
    (graph,) = values(stdin, 1)
    require(isinstance(graph, list) and 2 <= len(graph) <= 15, "not 2 to 15 nodes")
    n = len(graph)
    for followers in graph:
        integers(followers, (0, n), 0, n - 1)
        distinct(followers)
    acyclic(n, [(u, v) for u, followers in enumerate(graph) for v in followers])


def coin_change_ii(stdin):
    amount, coins = values(stdin, 2)
    integer(amount, 0, 5000)
    integers(coins, (1, 300), 1, 5000)
    distinct(coins)
    ways = [1] + [0] * amount
    for coin in coins:
        for total in range(coin, amount + 1):
            ways[total] += ways[total - coin]
    require(ways[amount] < 2**31, "the answer is too large")


def beautiful_arrangement_ii(stdin):
    n, k = values(stdin, 2)
    integer(n, 2, 10**4)
    integer(k, 1, n - 1)


def binary_search_tree_to_greater_sum_tree(stdin):
    (root,) = values(stdin, 1)
    search_tree(binary_tree(root, (1, 100), 0, 100))


def choose_edges_to_maximize_score_in_a_tree(stdin):
    (edges,) = values(stdin, 1)
    rows(edges, (1, 10**5), 2, -(10**6), 10**6)
    require(edges[0] == [-1, -1], "the root has a parent")
    n = len(edges)
    require(all(0 <= parent < n for parent, _ in edges[1:]), "not a parent")
    tree(n, [(parent, child) for child, (parent, _) in enumerate(edges)][1:])


def palindrome_partitioning_iii(stdin):
    s, k = values(stdin, 2)
    text(s, LOWER, 1, 100)
    integer(k, 1, len(s))


def total_hamming_distance(stdin):
    (nums,) = values(stdin, 1)
    integers(nums, (1, 10**4), 0, 10**9)


def equal_sum_grid_partition_ii(stdin):
    (cells,) = values(stdin, 1)
    grid(cells, (1, 10**5), (1, 10**5))
    require(2 <= len(cells) * len(cells[0]) <= 10**5, "a wrong number of cells")
    for row in cells:
        integers(row, (1, 10**5), 1, 10**5)


def string_matching_in_an_array(stdin):
    (words,) = values(stdin, 1)
    require(isinstance(words, list) and 1 <= len(words) <= 100, "not 1 to 100 words")
    for word in words:
        text(word, LOWER, 1, 30)
    distinct(words)


def convert_sorted_list_to_binary_search_tree(stdin):
    (head,) = values(stdin, 1)
    integers(head, (0, 2 * 10**4), -(10**5), 10**5)
    require(head == sorted(head), "not sorted")


def count_pairs_of_connectable_servers_in_a_weighted_tree_network(stdin):
    edges, speed = values(stdin, 2)
    rows(edges, (1, 999), 3, 0, 10**6)
    n = len(edges) + 1
    require(all(a < n and b < n and weight for a, b, weight in edges), "not an edge")
    tree(n, edges)
    integer(speed, 1, 10**6)


def reorder_data_in_log_files(stdin):
    (logs,) = values(stdin, 1)
    require(isinstance(logs, list) and 1 <= len(logs) <= 100, "not 1 to 100 logs")
    for log in logs:
        require(isinstance(log, str) and 3 <= len(log) <= 100, "not a text of 3 to 100 characters")
        _, *words = log.split(" ")
        require(words and all(log.split(" ")), "a word is missing")
        used = set("".join(words))
        require(used <= set(LOWER) or used <= set(DIGITS), "neither letters nor digits")


def maximum_split_of_positive_even_integers(stdin):
    integer(*values(stdin, 1), 1, 10**10)


def summary_ranges(stdin):
    (nums,) = values(stdin, 1)
    integers(nums, (0, 20), -(2**31), 2**31 - 1)
    increasing(nums)


def find_the_town_judge(stdin):
    n, trust = values(stdin, 2)
    integer(n, 1, 1000)
    rows(trust, (0, 10**4), 2, 1, n)
    require(all(a != b for a, b in trust), "trusts itself")
    distinct(trust, "pairs")


def find_the_sum_of_subsequence_powers(stdin):
    nums, k = values(stdin, 2)
    integers(nums, (2, 50), -(10**8), 10**8)
    integer(k, 2, len(nums))


def number_of_strings_that_appear_as_substrings_in_word(stdin):
    patterns, word = values(stdin, 2)
    require(isinstance(patterns, list) and 1 <= len(patterns) <= 100, "not 1 to 100 patterns")
    for item in (*patterns, word):
        text(item, LOWER, 1, 100)


def split_array_with_equal_sum(stdin):
    (nums,) = values(stdin, 1)
    integers(nums, (1, 2000), -(10**6), 10**6)


def reordered_power_of_2(stdin):
    integer(*values(stdin, 1), 1, 10**9)


def swim_in_rising_water(stdin):
    (cells,) = values(stdin, 1)
    require(isinstance(cells, list), "not a list")
    n = len(cells)
    rows(cells, (1, 50), n, 0, n * n - 1)
    distinct([value for row in cells for value in row])


def get_equal_substrings_within_budget(stdin):
    s, t, most = values(stdin, 3)
    text(s, LOWER, 1, 10**5)
    text(t, LOWER, len(s), len(s))
    integer(most, 0, 10**6)
