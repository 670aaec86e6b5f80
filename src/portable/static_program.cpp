// A program with glibc inside must not open libraries: theirs would be another glibc. What would be opened
// counts as not installed.
extern "C" {

void* __wrap_dlopen(const char*, int) {
  return nullptr;
}

}  // extern "C"
