// A program's first step, for glibc before 2.34: there the program, not the library, runs its own
// constructors, and brings the function that does. Later versions keep that agreement with whoever brings
// one.
extern "C" {

using Constructor = void (*)(int, char**, char**);
using Main = int (*)(int, char**, char**);
extern Constructor __init_array_start[] __attribute__((visibility("hidden")));
extern Constructor __init_array_end[] __attribute__((visibility("hidden")));
void _init();

static void run_constructors(int count, char** arguments, char** environment) {
  _init();
  for (Constructor* run = __init_array_start; run != __init_array_end; ++run)
    (*run)(count, arguments, environment);
}

#if defined(__x86_64__)
__asm__(".symver older_libc_start_main,__libc_start_main@GLIBC_2.2.5");
#else
__asm__(".symver older_libc_start_main,__libc_start_main@GLIBC_2.17");
#endif
int older_libc_start_main(Main main, int count, char** arguments, Constructor init, void (*finish)(),
                          void (*finish_loader)(), void* stack_end);

int __wrap___libc_start_main(Main main, int count, char** arguments, Constructor, void (*)(),
                             void (*finish_loader)(), void* stack_end) {
  return older_libc_start_main(main, count, arguments, run_constructors, nullptr, finish_loader, stack_end);
}

}  // extern "C"
