# Turns the file INPUT into OUTPUT: a C++ file that defines NAMESPACE::FUNCTION(), which HEADER declares and which
# returns the bytes; causcale::report_page() where these are not given. Run with cmake -P.
if(NOT DEFINED FUNCTION)
  set(FUNCTION report_page)
  set(HEADER report/html.h)
  set(NAMESPACE causcale)
endif()
get_filename_component(name ${INPUT} NAME)
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made from ${name} by cmake/EmbedPage.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {

constexpr unsigned char kBytes[] = {
${bytes}
};

}  // namespace

std::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes)}; }

}  // namespace ${NAMESPACE}
")
