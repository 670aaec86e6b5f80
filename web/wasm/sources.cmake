# Which sources of the library the page needs, of the tree at `root`, as `sources`. As a script it prints them, for
# tests/architecture/page_sources_test:   cmake -Droot=FOLDER -P sources.cmake
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(page_depends CONFIGURE_DEPENDS)
endif()
foreach(folder base graph exchange data linalg prior effects core discover report service)
  file(GLOB_RECURSE found ${page_depends} ${root}/src/${folder}/*.cpp)
  list(APPEND sources ${found})
endforeach()
# Other processes, libraries opened at run time and figures of the operating system: platform.cpp stands for them.
list(FILTER sources EXCLUDE REGEX "/(helper_process|peak_memory|train_library|cuda_library|opened_library)\\.cpp$|/core/cuda/")
# Of the other methods only what the network's results use, and no command of the program that works on files.
list(FILTER sources EXCLUDE REGEX "/(graph_check|check_report|compare_report|method_report|method_bootstrap|combine|read_result|total_effect_report|dataset_folder)\\.cpp$")
foreach(name methods/to_result methods/column_codes methods/edge_rules methods/imputation
    methods/widened_columns metrics/adjustment)
  list(APPEND sources ${root}/src/${name}.cpp)
endforeach()
# A second stage is used here, not fitted; its statistics come from these methods.
list(FILTER sources EXCLUDE REGEX "/stacking/(fit_stacking|stacking_examples|stacking_recipe|stacking_score)\\.cpp$")
foreach(name method correlation_matrix dense_product mixed_moments constraint/choose_test constraint/conditional_gaussian_test
    constraint/constraint_problem constraint/contingency_table constraint/contingency_test
    constraint/degenerate_gaussian_test constraint/fisher_z constraint/independence_test constraint/pc
    constraint/pc_search constraint/random_feature_test constraint/skeleton
    continuous/linear_sem order/direct_lingam order/lingam_measure
    score/choose_score score/discrete_score score/gaussian_score score/ges score/ges_graph score/ges_operators
    score/ges_search score/gies score/local_score score/mixed_scores shift/shift_rows shift/shift_statistics strata)
  list(APPEND sources ${root}/src/methods/${name}.cpp)
endforeach()

if(CMAKE_SCRIPT_MODE_FILE)
  foreach(source ${sources})
    message(${source})
  endforeach()
endif()
