// The commands of the program that this library carries out.
#pragma once

#include "core/train_library.h"

namespace causcale {

void run_train_command(const TrainCommand& command);
void run_calibrate_command(const CalibrateCommand& command);

}  // namespace causcale
