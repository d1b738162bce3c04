/* The kernels of the model that make_module.py describes: micro-batches of 2 samples, 8 bytes each. */
#include "plc/Runtime/KernelABI.h"

#include <time.h>

enum { samples = 2, length = 8, elements = samples * length, vocabulary = 256 };

/* tok i32[2, 8], w f32[256] -> y f32[2, 8]; a chunk per sample */
int32_t tiny_gather(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                    struct plc_kernel_context *context) {
  const int32_t *tok = operands[0];
  const float *w = operands[1];
  float *y = operands[2];
  for (int64_t i = begin * length; i < end * length; ++i) {
    if (tok[i] < 0 || tok[i] >= vocabulary) {
      context->fault_gather = 0;
      context->fault_position = i;
      context->fault_value = tok[i];
      return 1;
    }
    y[i] = w[tok[i]];
  }
  return 0;
}

/* Does nothing for a minute. */
int32_t tiny_sleep(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                   struct plc_kernel_context *context) {
  struct timespec minute = {60, 0};
  nanosleep(&minute, 0);
  return 0;
}

/* tiny_gather after computing for 1.5 s of CPU time */
int32_t tiny_slow_gather(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                         struct plc_kernel_context *context) {
  struct timespec start, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  do
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - start.tv_sec) * 1e9 + (now.tv_nsec - start.tv_nsec) < 1.5e9);
  return tiny_gather(operands, begin, end, accumulate, context);
}

/* tiny_gather, which after 20 runs does not end */
int32_t tiny_spin(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                  struct plc_kernel_context *context) {
  static volatile int runs;
  for (++runs; runs > 20;)
    ;
  return tiny_gather(operands, begin, end, accumulate, context);
}

/* y f32[2, 8], next i32[2, 8], c f32[1] -> loss f32[], dy f32[2, 8]: mean over the batch of (y + c - next / 256)^2 */
int32_t tiny_loss(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                  struct plc_kernel_context *context) {
  const float *y = operands[0], *c = operands[2];
  const int32_t *next = operands[1];
  float *loss = operands[3], *dy = operands[4], sum = 0;
  for (int64_t i = 0; i < elements; ++i) {
    float difference = y[i] + c[0] - (float)next[i] / 256;
    sum += difference * difference;
    dy[i] = difference * (2.0f / (2 * elements));
  }
  *loss = sum / (2 * elements);
  return 0;
}

/* tiny_loss after half a second */
int32_t tiny_late_loss(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                       struct plc_kernel_context *context) {
  struct timespec half = {0, 500000000};
  nanosleep(&half, 0);
  return tiny_loss(operands, begin, end, accumulate, context);
}

/* tok i32[2, 8], dy f32[2, 8] -> accumulated gradient f32[256] */
int32_t tiny_scatter(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                     struct plc_kernel_context *context) {
  const int32_t *tok = operands[0];
  const float *dy = operands[1];
  float *gradient = operands[2];
  if (!accumulate)
    for (int64_t v = 0; v < vocabulary; ++v)
      gradient[v] = 0;
  for (int64_t i = 0; i < elements; ++i)
    gradient[tok[i]] += dy[i];
  return 0;
}

/* dy f32[2, 8] -> accumulated gradient f32[1] */
int32_t tiny_sum(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                 struct plc_kernel_context *context) {
  const float *dy = operands[0];
  float *gradient = operands[1], sum = 0;
  for (int64_t i = 0; i < elements; ++i)
    sum += dy[i];
  gradient[0] = accumulate ? gradient[0] + sum : sum;
  return 0;
}

/* tok i32[2, 8], w f32[256], c f32[1] -> logits f32[2, 8, 256]: the byte one above is likeliest; a chunk per sample */
int32_t tiny_logits(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                    struct plc_kernel_context *context) {
  const int32_t *tok = operands[0];
  const float *w = operands[1], *c = operands[2];
  float *logits = operands[3];
  for (int64_t i = begin * length; i < end * length; ++i)
    for (int64_t v = 0; v < vocabulary; ++v)
      logits[i * vocabulary + v] = w[v] + c[0] + (v == tok[i] + 1 ? 20.0f : 0.0f);
  return 0;
}

enum { block = 1024 };

/* w, g, rate -> w */
int32_t tiny_update_sgd(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                        struct plc_kernel_context *context) {
  const float *g = operands[1], rate = *(float *)operands[2];
  float *w = operands[0], *w_next = operands[3];
  for (int i = 0; i < block; ++i)
    w_next[i] = w[i] - rate * g[i];
  return 0;
}

/* w, g, m, rate, momentum -> w, m */
int32_t tiny_update_momentum(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                             struct plc_kernel_context *context) {
  const float *g = operands[1], rate = *(float *)operands[3], momentum = *(float *)operands[4];
  float *w = operands[0], *m = operands[2], *w_next = operands[5], *m_next = operands[6];
  for (int i = 0; i < block; ++i) {
    m_next[i] = momentum * m[i] + g[i];
    w_next[i] = w[i] - rate * m_next[i];
  }
  return 0;
}

static void adam(void *const *operands, float decay, const float *power, float **next) {
  const float *g = operands[1], rate = *(float *)operands[4], beta1 = *(float *)operands[5],
              beta2 = *(float *)operands[6], eps = *(float *)operands[7];
  float *w = operands[0], *m = operands[2], *v = operands[3];
  float size = rate / (1 - power[0]), root = __builtin_sqrtf(1 - power[1]);
  for (int i = 0; i < block; ++i) {
    float first = beta1 * m[i] + (1 - beta1) * g[i], second = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
    next[0][i] = w[i] * decay - size * (first / (__builtin_sqrtf(second) / root + eps));
    next[1][i] = first;
    next[2][i] = second;
  }
}

/* w, g, m, v, rate, beta1, beta2, eps, power(beta1, step), power(beta2, step) -> w, m, v */
int32_t tiny_update_adam(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                         struct plc_kernel_context *context) {
  float power[] = {*(float *)operands[8], *(float *)operands[9]};
  adam(operands, 1, power, (float **)operands + 10);
  return 0;
}

/* the same with weight_decay behind eps */
int32_t tiny_update_adamw(void *const *operands, int64_t begin, int64_t end, int32_t accumulate,
                          struct plc_kernel_context *context) {
  float power[] = {*(float *)operands[9], *(float *)operands[10]};
  adam(operands, 1 - *(float *)operands[4] * *(float *)operands[8], power, (float **)operands + 11);
  return 0;
}
