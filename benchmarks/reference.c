/* A fixed amount of work to compare machines by: means and maxima over the lattice of the dice that may be held.
   cc -O2 reference.c -o reference && ./reference     prints a checksum, which is the same everywhere */
#include <stdio.h>

enum { FACES = 6, DICE = 5, SETS = 462, TURNS = 40000 };

static int counts[SETS][FACES], size_of[SETS], more[SETS][FACES], sets;

static void add_sets(int *dice, int face, int left, int size) {
  if (face == FACES) {
    if (left) return;
    for (int f = 0; f < FACES; f++) counts[sets][f] = dice[f];
    size_of[sets++] = size;
    return;
  }
  for (dice[face] = 0; dice[face] <= left; dice[face]++) add_sets(dice, face + 1, left - dice[face], size);
  dice[face] = 0;
}

static int find(const int *dice) {
  for (int s = 0; s < SETS; s++) {
    int same = 1;
    for (int f = 0; f < FACES; f++) same &= counts[s][f] == dice[f];
    if (same) return s;
  }
  return -1;
}

int main(void) {
  int dice[FACES] = {0};
  for (int size = 0; size <= DICE; size++) add_sets(dice, 0, size, size);
  for (int s = 0; s < SETS; s++)
    for (int f = 0; f < FACES; f++) {
      for (int g = 0; g < FACES; g++) dice[g] = counts[s][g] + (f == g);
      more[s][f] = size_of[s] < DICE ? find(dice) : -1;
    }
  double sum = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    static double stop[SETS], value[SETS];
    for (int s = 0; s < SETS; s++) value[s] = stop[s] = (s * 37 + turn) % 101;
    for (int reroll = 0; reroll < 2; reroll++) {
      for (int s = SETS - 1; s >= 0; s--) {
        if (size_of[s] == DICE) continue;
        double total = 0;
        for (int f = 0; f < FACES; f++) total += value[more[s][f]];
        value[s] = total / FACES;
      }
      for (int s = 0; s < SETS; s++)
        for (int f = 0; f < FACES; f++)
          if (size_of[s] < DICE && value[s] > stop[more[s][f]]) stop[more[s][f]] = value[s];
      for (int s = 0; s < SETS; s++)
        if (size_of[s] == DICE) value[s] = stop[s];
    }
    sum += value[0];
  }
  printf("%.6f\n", sum);
  return 0;
}
