// Random123 stops at processors that its authors have not tried. Its plain C++ needs nothing of any of those
// that they have; the tests of the module compare its random numbers with the program's.
#pragma once

#define __riscv 1
#include_next <Random123/philox.h>
#undef __riscv
