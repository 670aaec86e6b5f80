// What the shared library promises: functions and classes marked so stay, within a major version, as they
// are. src/public_symbols.txt lists their symbols; programs need no other.
#pragma once

#if defined(__GNUC__)
#define CAUSCALE_API __attribute__((visibility("default")))
#else
#define CAUSCALE_API
#endif
