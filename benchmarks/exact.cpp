// Yatzy in exact integers: the recursion of solver/perfect_yatzy/tablebase/exact_kernel.py in plain C++, to compare times with.
//
//   g++ -O3 -march=native -std=c++17 -pthread exact.cpp && ./a.out THREADS
//
// Prints the expected score times 6^225 in hexadecimal, and the wall and processor seconds of the solve. A value of a
// layer with t turns left is an integer, in 64-bit limbs, that counts 6^(-15 t) points; the number of limbs follows t.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <thread>
#include <vector>

using Limb = std::uint64_t;
using Wide = unsigned __int128;
using Counts = std::vector<int>;

constexpr int BOXES = 15, FACES = 6, DICE = 5, GOAL = 63, LANES = GOAL + 1;

// Multisets of at most five dice, fewest dice first.
std::vector<Counts> sets;
std::vector<int> size_of, orderings;
std::vector<std::vector<int>> more, less;
int first_roll;
int points[BOXES][252];

int group(const Counts& counts, int size, int but = -1) {
  for (int f = FACES - 1; f >= 0; f--)
    if (f != but && counts[f] >= size) return f;
  return -1;
}

int score(int box, const Counts& c) {
  int sum = 0;
  for (int f = 0; f < FACES; f++) sum += (f + 1) * c[f];
  if (box < 6) return (box + 1) * c[box];
  if (box == 6 || box == 8 || box == 9) {
    int size = box == 6 ? 2 : box - 5;
    return size * (group(c, size) + 1);
  }
  if (box == 7 || box == 12) {
    int best = 0, size = box == 7 ? 2 : 3;
    for (int f = 0; f < FACES; f++) {
      int pair = c[f] >= size ? group(c, 2, f) : -1;
      if (pair >= 0) best = std::max(best, size * (f + 1) + 2 * (pair + 1));
    }
    return best;
  }
  if (box == 10 || box == 11) {
    for (int f = box - 10; f < box - 5; f++)
      if (c[f] != 1) return 0;
    return sum;
  }
  if (box == 13) return sum;
  return group(c, DICE) >= 0 ? 50 : 0;
}

void make_dice() {
  std::map<Counts, int> index;
  for (int size = 0; size <= DICE; size++) {
    if (size == DICE) first_roll = int(sets.size());
    for (int code = 0; code < 46656; code++) {
      Counts counts(FACES);
      int rest = code, total = 0;
      for (int f = 0; f < FACES; f++, rest /= 6) total += counts[f] = rest % 6;
      if (total != size) continue;
      index[counts] = int(sets.size());
      sets.push_back(counts);
      size_of.push_back(size);
    }
  }
  more.resize(sets.size()), less.resize(sets.size()), orderings.resize(sets.size());
  for (int i = 0; i < int(sets.size()); i++) {
    int ways = 120;
    for (int f = 0; f < FACES; f++) {
      for (int k = 2; k <= sets[i][f]; k++) ways /= k;
      Counts next = sets[i];
      next[f]++;
      if (size_of[i] < DICE) more[i].push_back(index[next]), less[index[next]].push_back(i);
    }
    orderings[i] = ways;
  }
  for (int box = 0; box < BOXES; box++)
    for (int r = 0; r < 252; r++) points[box][r] = score(box, sets[first_roll + r]);
}

template <int N> bool below(const Limb* a, const Limb* b) {
  for (int k = N - 1; k >= 0; k--)
    if (a[k] != b[k]) return a[k] < b[k];
  return false;
}

// to = a * factor + b
template <int N> void multiply_add(Limb* to, const Limb* a, Limb factor, const Limb* b) {
  Wide carry = 0;
  for (int k = 0; k < N; k++) {
    carry += Wide(a[k]) * factor + b[k];
    to[k] = Limb(carry), carry >>= 64;
  }
}

struct Layer {
  int limbs = 0;
  std::vector<int> place;  // of each card, -1 outside the layer
  std::vector<Limb> values;
  const Limb* at(int card, int upper) const { return &values[(std::size_t(place[card]) * LANES + upper) * limbs]; }
};

template <int N> struct Worker {
  Limb value[462][N], scaled[462][N], made[BOXES][64][N];
  Limb unit[N], zero[N] = {};

  explicit Worker(const Limb* scale) { std::copy(scale, scale + N, unit); }

  void solve(const Layer& after, int card, int upper, Limb* target) {
    static const Limb powers[] = {1, 6, 36, 216, 1296, 7776};
    int open[BOXES], count = 0;
    for (int box = 0; box < BOXES; box++) {
      if (card >> box & 1) continue;
      open[count++] = box;
      bool known[64] = {};
      for (int r = 0; r < 252; r++) {
        int p = points[box][r];
        if (known[p]) continue;
        known[p] = true;
        Limb child[N] = {};
        const Limb* later = after.at(card | 1 << box, box < 6 ? std::min(GOAL, upper + p) : upper);
        std::copy(later, later + after.limbs, child);
        multiply_add<N>(made[box][p], unit, Limb(p), child);
      }
    }
    for (int r = 0; r < 252; r++) {
      const Limb* best = made[open[0]][points[open[0]][r]];
      for (int i = 1; i < count; i++) {
        const Limb* option = made[open[i]][points[open[i]][r]];
        if (below<N>(best, option)) best = option;
      }
      std::copy(best, best + N, value[first_roll + r]);
    }
    for (int reroll = 0; reroll < 2; reroll++) {
      for (int i = first_roll - 1; i >= 0; i--) {
        const int* next = more[i].data();
        Wide carry = 0;
        for (int k = 0; k < N; k++) {
          for (int f = 0; f < FACES; f++) carry += value[next[f]][k];
          value[i][k] = Limb(carry), carry >>= 64;
        }
      }
      int best[462];
      for (int i = 0; i < 462; i++) {
        multiply_add<N>(scaled[i], value[i], powers[size_of[i]], zero);
        best[i] = i;
        for (int hold : less[i])
          if (below<N>(scaled[best[i]], scaled[best[hold]])) best[i] = best[hold];
      }
      for (int i = first_roll; i < 462; i++) std::copy(scaled[best[i]], scaled[best[i]] + N, value[i]);
    }
    Limb sum[N] = {};
    for (int i = first_roll; i < 462; i++) multiply_add<N>(sum, value[i], Limb(orderings[i]), sum);
    std::copy(sum, sum + N, target);
  }
};

// The upper sums that a card can have.
std::vector<std::vector<char>> reachable_sums() {
  std::vector<std::vector<char>> found(64, std::vector<char>(LANES));
  found[0][0] = 1;
  for (int mask = 0; mask < 64; mask++)
    for (int upper = 0; upper < LANES; upper++)
      for (int box = 0; box < 6 && found[mask][upper]; box++)
        for (int n = 0; n <= DICE && !(mask >> box & 1); n++)
          found[mask | 1 << box][std::min(GOAL, upper + n * (box + 1))] = 1;
  return found;
}

template <int N> Layer solve_layer(const Layer& after, int filled, const std::vector<Limb>& scale, int threads) {
  static const auto sums = reachable_sums();
  Layer layer;
  layer.limbs = N, layer.place.assign(1 << BOXES, -1);
  std::vector<int> cards;
  for (int card = 0; card < 1 << BOXES; card++)
    if (__builtin_popcount(unsigned(card)) == filled) layer.place[card] = int(cards.size()), cards.push_back(card);
  layer.values.assign(cards.size() * LANES * N, 0);
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    auto worker = new Worker<N>(scale.data());
    for (std::size_t i; (i = next++) < cards.size();)
      for (int upper = 0; upper < LANES; upper++)
        if (sums[cards[i] & 63][upper]) worker->solve(after, cards[i], upper, &layer.values[(i * LANES + upper) * N]);
    delete worker;
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++) all.emplace_back(work);
  for (auto& thread : all) thread.join();
  return layer;
}

int main(int, char** argv) {
  int threads = std::atoi(argv[1]);
  auto begin = std::chrono::steady_clock::now();
  make_dice();
  Layer layer;
  layer.limbs = 1, layer.place.assign(1 << BOXES, 0), layer.values.assign(LANES, 0);
  layer.values[GOAL] = 50;
  std::vector<Limb> scale(11, 0);
  scale[0] = 1;
  for (int filled = BOXES - 1; filled >= 0; filled--) {
    int turns = BOXES - filled, limbs = int((turns * 38.775 + 10) / 64) + 1;
    switch (limbs) {
      case 1: layer = solve_layer<1>(layer, filled, scale, threads); break;
      case 2: layer = solve_layer<2>(layer, filled, scale, threads); break;
      case 3: layer = solve_layer<3>(layer, filled, scale, threads); break;
      case 4: layer = solve_layer<4>(layer, filled, scale, threads); break;
      case 5: layer = solve_layer<5>(layer, filled, scale, threads); break;
      case 6: layer = solve_layer<6>(layer, filled, scale, threads); break;
      case 7: layer = solve_layer<7>(layer, filled, scale, threads); break;
      case 8: layer = solve_layer<8>(layer, filled, scale, threads); break;
      case 9: layer = solve_layer<9>(layer, filled, scale, threads); break;
      default: layer = solve_layer<10>(layer, filled, scale, threads);
    }
    std::vector<Limb> none(11, 0);
    for (int i = 0; i < 3; i++) multiply_add<11>(scale.data(), scale.data(), 7776, none.data());
  }
  std::printf("0x");
  for (int k = layer.limbs - 1; k >= 0; k--) std::printf("%016llx", static_cast<unsigned long long>(layer.values[k]));
  double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf(" %.3f %.3f\n", wall, double(std::clock()) / CLOCKS_PER_SEC);
}
