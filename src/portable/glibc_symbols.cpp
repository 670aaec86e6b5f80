// Makes a program built with a newer glibc run with glibc 2.28 and later: the linker option --wrap=NAME,
// which cmake/Portable.cmake gives for every function below, sends all calls of NAME here, those of
// libstdc++'s archive included.
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

// A jump to the older version, in a section of its own: the linker drops those that nobody calls.
#define OLDER_BEGIN(name, version)                 \
  ".section .text.older_" #name                    \
  ",\"ax\",@progbits\n"                            \
  ".symver older_" #name "," #name "@" version     \
  "\n"                                             \
  ".globl __wrap_" #name "\n.hidden __wrap_" #name \
  "\n"                                             \
  ".type __wrap_" #name                            \
  ",@function\n"                                   \
  "__wrap_" #name ":\n"
#define OLDER_END(name) ".size __wrap_" #name ",.-__wrap_" #name "\n.text\n"
#if defined(__x86_64__)
#define OLDER(name, version) \
  __asm__(OLDER_BEGIN(name, #version) "  endbr64\n  jmp *older_" #name "@GOTPCREL(%rip)\n" OLDER_END(name));
#define BASE_VERSION "GLIBC_2.2.5"
#define STAT_VERSION 1
#elif defined(__aarch64__)
#define OLDER(name, version)                                                         \
  __asm__(OLDER_BEGIN(name, "GLIBC_2.17") "  adrp x16, :got:older_" #name            \
                                          "\n"                                       \
                                          "  ldr x16, [x16, #:got_lo12:older_" #name \
                                          "]\n  br x16\n" OLDER_END(name));
#define BASE_VERSION "GLIBC_2.17"
#define STAT_VERSION 0
#else
#error "the portable build knows x86-64 and aarch64"
#endif
#include "older_symbols.def"

extern "C" {

// libstdc++ asks whether it may leave out atomic operations; "no" is always right. Since glibc 2.32.
[[gnu::visibility("hidden")]] char __libc_single_threaded = 0;

// Up to glibc 2.32 these were inline functions around ones that take the version of the structure.
__asm__(".symver older_xstat,__xstat@" BASE_VERSION);
__asm__(".symver older_lxstat,__lxstat@" BASE_VERSION);
__asm__(".symver older_fxstat,__fxstat@" BASE_VERSION);
int older_xstat(int version, const char* path, struct stat* result);
int older_lxstat(int version, const char* path, struct stat* result);
int older_fxstat(int version, int file, struct stat* result);

int __wrap_stat(const char* path, struct stat* result) {
  return older_xstat(STAT_VERSION, path, result);
}
int __wrap_lstat(const char* path, struct stat* result) {
  return older_lxstat(STAT_VERSION, path, result);
}
int __wrap_fstat(int file, struct stat* result) {
  return older_fxstat(STAT_VERSION, file, result);
}
// With 64-bit offsets, as on these processors, they are the same.
int __wrap_stat64(const char* path, struct stat* result) {
  return older_xstat(STAT_VERSION, path, result);
}
int __wrap_lstat64(const char* path, struct stat* result) {
  return older_lxstat(STAT_VERSION, path, result);
}
int __wrap_fstat64(int file, struct stat* result) {
  return older_fxstat(STAT_VERSION, file, result);
}

// std::random_device; since glibc 2.36.
std::uint32_t __wrap_arc4random() {
  std::uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value))
    if (errno != EINTR) std::abort();
  return value;
}

// std::condition_variable with a steady clock; since glibc 2.30. Where somebody sets the wall clock
// meanwhile, the wait ends early or late; its callers ask again, as for any wait.
int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const timespec* until) {
  constexpr long kSecond = 1000000000;
  timespec now{}, wall{};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  wall.tv_sec += until->tv_sec - now.tv_sec;
  wall.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (wall.tv_nsec < 0) {
    wall.tv_nsec += kSecond;
    --wall.tv_sec;
  } else if (wall.tv_nsec >= kSecond) {
    wall.tv_nsec -= kSecond;
    ++wall.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &wall);
}

}  // extern "C"
