// What this machine can stream: the time of the simplest loops that read two
// arrays, one or none and write one or none, at working sets from L1 to memory,
// with ordinary stores and with stores that bypass the caches (amd64 only).
//
//   cc -O3 -march=native -fno-tree-loop-distribute-patterns -o limit limit.c
//   ./limit [milliseconds per line]
//
// prints lines {"kernel":…, "bytes_read":…, "bytes_written":…, "min_ns":…}.

#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

#define FLOATS 8   // in a vector
#define UNROLL 4   // vectors a turn
#define ROUNDS 9

typedef float vec __attribute__((vector_size(4 * FLOATS)));

// Every kernel is this loop with the sources and the kind of store fixed, so
// that the compiler leaves only loads, at most one addition, and stores.
static inline __attribute__((always_inline)) void
stream(vec *restrict dst, const vec *a, const vec *b, size_t n, int sources, int bypass)
{
	vec constant = a[0];
	for (size_t i = 0; i < n; i += UNROLL)
		for (int k = 0; k < UNROLL; k++) {
			vec x = sources == 0 ? constant : sources == 1 ? a[i + k] : a[i + k] + b[i + k];
#ifdef __AVX__
			if (bypass) {
				_mm256_stream_ps((float *)&dst[i + k], (__m256)x);
				continue;
			}
#endif
			dst[i + k] = x;
		}
#ifdef __AVX__
	if (bypass)
		_mm_sfence();
#endif
}

#define KERNEL(name, sources, bypass) \
	static __attribute__((noinline)) void name(vec *dst, const vec *a, const vec *b, size_t n) \
	{ stream(dst, a, b, n, sources, bypass); }

KERNEL(add, 2, 0)
KERNEL(copy, 1, 0)
KERNEL(fill, 0, 0)
#ifdef __AVX__
KERNEL(add_nt, 2, 1)
KERNEL(copy_nt, 1, 1)
KERNEL(fill_nt, 0, 1)
#endif

// Reading alone needs a use of what was read: eight independent sums.
static __attribute__((noinline)) void sum(vec *dst, const vec *a, const vec *b, size_t n)
{
	vec s[8] = {0};
	(void)b;
	for (size_t i = 0; i < n; i += 8)
		for (int k = 0; k < 8; k++)
			s[k] += a[i + k];
	for (int k = 1; k < 8; k++)
		s[0] += s[k];
	*(volatile vec *)dst = s[0];
}

static const struct {
	const char *name;
	void (*run)(vec *, const vec *, const vec *, size_t);
	int reads, writes;
} kernels[] = {
	{"add", add, 2, 1}, {"copy", copy, 1, 1}, {"fill", fill, 0, 1}, {"read", sum, 1, 0},
#ifdef __AVX__
	{"add_nt", add_nt, 2, 1}, {"copy_nt", copy_nt, 1, 1}, {"fill_nt", fill_nt, 0, 1},
#endif
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

// Memory that was never written is one page of zeros: fill it.
static vec *array(size_t floats)
{
	void *p;
	if (posix_memalign(&p, 64, floats * sizeof(float))) {
		fprintf(stderr, "limit: out of memory\n");
		exit(1);
	}
	for (size_t i = 0; i < floats; i++)
		((float *)p)[i] = 0.25f + (float)(i % 97) / 48;
	return p;
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { // floats per array, each a multiple of 64
		1 << 10, 2560, 1 << 13, 1 << 15, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 22, 1 << 25};
	double ms = argc > 1 ? atof(argv[1]) : 40;

	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		size_t bytes = sizes[s] * sizeof(float), n = sizes[s] / FLOATS;
		vec *dst = array(sizes[s]), *a = array(sizes[s]), *b = array(sizes[s]);
		for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
			kernels[k].run(dst, a, b, n);
			double t = now();
			kernels[k].run(dst, a, b, n);
			t = now() - t;
			long calls = (long)(ms * 1e6 / ROUNDS / (t < 20 ? 20 : t)) + 1;
			double best = 1e300;
			for (int round = 0; round < ROUNDS; round++) {
				double start = now();
				for (long i = 0; i < calls; i++)
					kernels[k].run(dst, a, b, n);
				double each = (now() - start) / calls;
				if (each < best)
					best = each;
			}
			printf("{\"kernel\":\"%s\",\"bytes_read\":%zu,\"bytes_written\":%zu,\"min_ns\":%.1f}\n",
				kernels[k].name, bytes * kernels[k].reads, bytes * kernels[k].writes, best);
			fflush(stdout);
		}
		free(dst);
		free(a);
		free(b);
	}
	return 0;
}
