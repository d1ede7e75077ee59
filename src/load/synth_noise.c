#include "obstream/load/synth_weather.h"

#include <math.h>

uint64_t synth_hash(uint64_t a, uint64_t b)
{
    /* SplitMix64's finalizer (Steele, Lea, Flood 2014) over a Weyl step of both words */
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t synth_hash_text(uint64_t a, const char *text)
{
    for (; *text != '\0'; text++)
        a = synth_hash(a, (unsigned char)*text);
    return a;
}

/* The sum of four uniform numbers is near enough to a Gaussian, and bounded. */
static double gaussian(uint64_t h)
{
    int64_t sum = (int64_t)(h & 0xffff) + (int64_t)(h >> 16 & 0xffff) +
                  (int64_t)(h >> 32 & 0xffff) + (int64_t)(h >> 48);
    return (double)(sum - 2 * 65535) * (1.7320508075688772 / 65536);
}

static double smooth(double x)
{
    return x * x * (3 - 2 * x);
}

void synth_noise_init(struct synth_noise *n, uint64_t key, double lat, double lon, double cell,
                      double step, double drift)
{
    *n = (struct synth_noise){ .step = 1 / step, .shift = lon * drift, .node = INT64_MIN };
    if (cell <= 0) {
        n->cell[0] = synth_hash(key, (uint64_t)llround(lat * 1e4) << 32 ^
                                         (uint64_t)(llround(lon * 1e4) & 0xffffffff));
        n->weight[0] = 1;
        return;
    }
    double x = lon / cell, y = lat / cell, fx = floor(x), fy = floor(y);
    double ux = smooth(x - fx), uy = smooth(y - fy), squares = 0;
    for (int i = 0; i < 4; i++) {
        int dx = i & 1, dy = i >> 1;
        n->weight[i] = (dx ? ux : 1 - ux) * (dy ? uy : 1 - uy);
        n->cell[i] =
            synth_hash(synth_hash(key, (uint64_t)((int64_t)fx + dx)), (uint64_t)((int64_t)fy + dy));
        squares += n->weight[i] * n->weight[i];
    }
    for (int i = 0; i < 4; i++)
        n->weight[i] /= sqrt(squares);
}

static double node_value(const struct synth_noise *n, int64_t node)
{
    double v = 0;
    for (int i = 0; i < 4; i++)
        if (n->weight[i] > 0)
            v += n->weight[i] * gaussian(synth_hash(n->cell[i], (uint64_t)node));
    return v;
}

static void move_to(struct synth_noise *n, int64_t node)
{
    if (node == n->node + 1) {
        for (int i = 0; i < 3; i++)
            n->value[i] = n->value[i + 1];
        n->value[3] = node_value(n, node + 2);
    } else {
        for (int i = 0; i < 4; i++)
            n->value[i] = node_value(n, node - 1 + i);
    }
    n->node = node;
}

double synth_noise_at(struct synth_noise *n, double t)
{
    double x = (t - n->shift) * n->step, f = floor(x), u = x - f;
    if ((int64_t)f != n->node)
        move_to(n, (int64_t)f);
    const double *v = n->value;
    double y =
        v[1] +
        0.5 * u *
            (v[2] - v[0] +
             u * (2 * v[0] - 5 * v[1] + 4 * v[2] - v[3] + u * (3 * (v[1] - v[2]) + v[3] - v[0])));
    return y * 1.1; /* interpolation takes a fifth of the variance */
}
