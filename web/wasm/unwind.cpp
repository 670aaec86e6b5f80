// What compiled code calls when an exception arrives, in the place of Emscripten's libunwind. That of
// version 3.1.6 keeps the place where code and library meet once per thread, while its compiler (clang 14)
// means one place for all: in a module with threads no exception would be caught. Here it is one place for
// all, as the compiler has it.
//
// So two threads must not look for the right one of several catch clauses at the same time. A catch of
// everything, as in the thread pool, does not use this place, and the page reads tables on one thread.
#include <cstdint>

extern "C" {

// The form is the compiler's.
struct LandingPad {
  std::uintptr_t index, table;  // which one of the function, where its table of clauses is
  std::uintptr_t selector;      // what the table says of the exception
};
LandingPad __wasm_lpad_context;

// The head of an exception, as the C++ library lays it out.
struct ExceptionHead {
  std::uint64_t kind;
  void (*clean_up)(int reason, ExceptionHead* head);
};

int __gxx_personality_wasm0(int version, int actions, std::uint64_t kind, ExceptionHead* head,
                            LandingPad* pad);

int _Unwind_CallPersonality(ExceptionHead* head) {
  constexpr int kVersion = 1, kCleanUpPhase = 2;  // the engine has already found its way here
  __wasm_lpad_context.selector = 0;
  return __gxx_personality_wasm0(kVersion, kCleanUpPhase, head->kind, head, &__wasm_lpad_context);
}
int _Unwind_RaiseException(ExceptionHead* head) {
  __builtin_wasm_throw(0, head);
}
void _Unwind_DeleteException(ExceptionHead* head) {
  constexpr int kCaughtElsewhere = 1;
  if (head->clean_up) head->clean_up(kCaughtElsewhere, head);
}

// How the C++ library asks for what it wants to know of a landing pad, and answers.
std::uintptr_t _Unwind_GetIP(LandingPad* pad) {
  return pad->index + 2;  // it counts from 1, and takes off 1 for the length of a call
}
std::uintptr_t _Unwind_GetLanguageSpecificData(LandingPad* pad) {
  return pad->table;
}
void _Unwind_SetGR(LandingPad* pad, int which, std::uintptr_t value) {
  if (which == 1) pad->selector = value;
}
void _Unwind_SetIP(LandingPad*, std::uintptr_t) {}
std::uintptr_t _Unwind_GetRegionStart(LandingPad*) {
  return 0;
}

}  // extern "C"
