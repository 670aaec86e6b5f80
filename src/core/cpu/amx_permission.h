// The tile registers of AMX are large, and Linux gives them to a process that asks.
#pragma once

namespace causcale::core {

// By CPUID: tiles, and products of bfloat16 on them.
bool processor_has_amx();

// Asks once; false where processor or system lacks AMX with bfloat16.
bool may_use_amx();

}  // namespace causcale::core
