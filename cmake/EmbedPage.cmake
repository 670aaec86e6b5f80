# Turns INPUT into OUTPUT: a C++ file that defines causcale::report_page(). Run with cmake -P.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made from web/dist/report.html by cmake/EmbedPage.cmake.
#include \"report/html.h\"

namespace causcale {
namespace {

constexpr unsigned char kPage[] = {
${bytes}
};

}  // namespace

std::string_view report_page() { return {reinterpret_cast<const char*>(kPage), sizeof(kPage)}; }

}  // namespace causcale
")
