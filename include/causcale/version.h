// The version of the headers, the one place where it is written; docs/versioning.md says what it promises.
#pragma once

#define CAUSCALE_VERSION "0.2.0"
