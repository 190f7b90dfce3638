/* SPDX-License-Identifier: BSD-3-Clause */

#include "solo_scenario.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS,
    COLUMNS,
    PLANES,
    EVEN_ODD,
    REVERSED,
    RANDOM_PERMUTATION,
    RANDOM_COLOURS,
    SAME,
    TRANSPOSED,
    HALVING,
    FROM_FILE
};

static const struct {
    const char *name;
    int numbers;
} kinds[] = {[ROWS] = {"rows", 0},
             [COLUMNS] = {"columns", 0},
             [PLANES] = {"planes", 0},
             [EVEN_ODD] = {"even_odd", 0},
             [REVERSED] = {"reversed", 0},
             [RANDOM_PERMUTATION] = {"random_permutation", 1},
             [RANDOM_COLOURS] = {"random_colours", 2},
             [SAME] = {"same", 0},
             [TRANSPOSED] = {"transposed", 0},
             [HALVING] = {"halving", 0}};

/* The next number of a text; false when there is none below `limit`. */
static bool take_number(const char **text, unsigned long long limit, unsigned long long *number)
{
    char *end;

    errno = 0;
    if (**text != ' ' || (*text)[1] < '0' || (*text)[1] > '9')
        return false;
    *number = strtoull(*text + 1, &end, 10);
    *text = end;
    return errno == 0 && *number <= limit;
}

static bool parse_numbers(const char *text, solo_scenario *scenario)
{
    unsigned long long colours = 1, seed = 0;

    if (scenario->kind == RANDOM_COLOURS &&
        (!take_number(&text, INT_MAX, &colours) || colours == 0))
        return false;
    if (kinds[scenario->kind].numbers > 0 && !take_number(&text, ULLONG_MAX, &seed))
        return false;
    scenario->colours = (int) colours;
    scenario->seed = seed;
    return *text == '\0';
}

bool MPIR_Solo_scenario_parse(const char *text, solo_scenario *scenario)
{
    size_t length = strcspn(text, " ");

    memset(scenario, 0, sizeof(*scenario));
    if (!strncmp(text, "file ", 5)) {
        scenario->kind = FROM_FILE;
        return snprintf(scenario->file, sizeof(scenario->file), "%s", text + 5) <
               (int) sizeof(scenario->file);
    }
    for (int kind = 0; kind < (int) (sizeof(kinds) / sizeof(kinds[0])); kind++) {
        if (strlen(kinds[kind].name) == length && !strncmp(text, kinds[kind].name, length)) {
            scenario->kind = kind;
            return parse_numbers(text + length, scenario);
        }
    }
    return false;
}

/* The largest divisor of n up to its root of this order. */
static int divisor_below_root(int n, int order)
{
    int best = 1;

    for (int d = 1; order == 2 ? (long long) d * d <= n : (long long) d * d * d <= n; d++) {
        if (n % d == 0)
            best = d;
    }
    return best;
}

/* Spreads a counter over 64 bits: each turn multiplies the low bits into the high ones and folds
 * these back. */
static uint64_t mix(uint64_t x)
{
    for (int turn = 0; turn < 3; turn++) {
        x = (x + 1) * 11400714819323198485u; /* the golden ratio of 2^64 */
        x ^= x >> 32;
    }
    return x;
}

static void permute(uint64_t seed, int n, solo_call *calls)
{
    for (int r = n - 1; r > 0; r--) {
        int other = (int) (mix(mix(seed) + (uint64_t) r) % ((uint64_t) r + 1));
        int key = calls[r].key;

        calls[r].key = calls[other].key;
        calls[other].key = key;
    }
}

/* The next number of a file; what is wrong with it, or NULL. */
static const char *read_int(FILE *file, int *number)
{
    char word[64], *end;
    long value;

    if (fscanf(file, "%63s", word) != 1)
        return "the scenario does not give a colour and a key for each rank";
    errno = 0;
    value = strtol(word, &end, 10);
    if (*end)
        return "the scenario gives a colour or key that is no integer";
    if (errno || value < INT_MIN || value > INT_MAX)
        return "the scenario gives a colour or key beyond the range of int";
    *number = (int) value;
    return NULL;
}

static const char *read_calls(const char *name, int n, solo_call *calls)
{
    FILE *file = fopen(name, "r");
    const char *wrong = NULL;
    char rest;

    if (!file)
        return "the scenario's file cannot be opened";
    rewind(file); /* where /dev/fd/N is the same open file, it was read before */
    for (int r = 0; r < n && !wrong; r++) {
        wrong = read_int(file, &calls[r].colour);
        if (!wrong)
            wrong = read_int(file, &calls[r].key);
        if (!wrong && calls[r].colour < 0 && calls[r].colour != SOLO_UNDEFINED)
            wrong = "the scenario gives a negative colour";
    }
    if (!wrong && fscanf(file, " %c", &rest) == 1)
        wrong = "the scenario has more lines than there are ranks";
    fclose(file);
    return wrong;
}

/* In a grid with rows of `width` */
static int colour_of(const solo_scenario *scenario, int width, int n, int r)
{
    switch (scenario->kind) {
        case ROWS:
        case PLANES: return r / width;
        case COLUMNS: return r % width;
        case EVEN_ODD: return r % 2;
        case HALVING: return r >= n / 2;
        case RANDOM_COLOURS:
            return (int) (mix(mix(scenario->seed) + (uint64_t) r) % (uint64_t) scenario->colours);
        default: return 0;
    }
}

static int key_of(const solo_scenario *scenario, int width, int n, int r)
{
    switch (scenario->kind) {
        case REVERSED: return n - 1 - r;
        case TRANSPOSED: return r % width * (n / width) + r / width;
        default: return r;
    }
}

const char *MPIR_Solo_scenario_calls(const solo_scenario *scenario, int n, solo_call *calls)
{
    int width = n / divisor_below_root(n, scenario->kind == PLANES ? 3 : 2);

    if (scenario->kind == FROM_FILE)
        return read_calls(scenario->file, n, calls);
    for (int r = 0; r < n; r++) {
        calls[r].colour = colour_of(scenario, width, n, r);
        calls[r].key = key_of(scenario, width, n, r);
    }
    if (scenario->kind == RANDOM_PERMUTATION)
        permute(scenario->seed, n, calls);
    return NULL;
}
