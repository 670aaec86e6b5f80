#include "report/cairo_library.h"

#include <optional>
#include <string>

#if __has_include(<dlfcn.h>) && !defined(__EMSCRIPTEN__)
#include <dlfcn.h>
#define CAUSCALE_DLOPEN
#endif

namespace causcale {

namespace {

std::optional<CairoLibrary> load() {
#ifdef CAUSCALE_DLOPEN
#ifdef __APPLE__
  constexpr const char* kFile = "libcairo.2.dylib";
#else
  constexpr const char* kFile = "libcairo.so.2";
#endif
  void* handle = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return std::nullopt;
  CairoLibrary library{};
  bool complete = true;
  const auto find = [&]<class Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, (std::string("cairo_") + name).c_str()));
    complete &= function != nullptr;
  };
  find(library.image_surface_create, "image_surface_create");
  find(library.surface_destroy, "surface_destroy");
  find(library.surface_write_to_png_stream, "surface_write_to_png_stream");
  find(library.create, "create");
  find(library.destroy, "destroy");
  find(library.status, "status");
  find(library.status_to_string, "status_to_string");
  find(library.scale, "scale");
  find(library.set_source_rgb, "set_source_rgb");
  find(library.set_line_width, "set_line_width");
  find(library.set_line_cap, "set_line_cap");
  find(library.new_path, "new_path");
  find(library.close_path, "close_path");
  find(library.move_to, "move_to");
  find(library.line_to, "line_to");
  find(library.curve_to, "curve_to");
  find(library.arc, "arc");
  find(library.paint, "paint");
  find(library.fill, "fill");
  find(library.fill_preserve, "fill_preserve");
  find(library.stroke, "stroke");
  find(library.select_font_face, "select_font_face");
  find(library.set_font_size, "set_font_size");
  find(library.text_extents, "text_extents");
  find(library.show_text, "show_text");
  if (complete) return library;
#endif
  return std::nullopt;
}

}  // namespace

const CairoLibrary* find_cairo() {
  static const std::optional<CairoLibrary> library = load();
  return library ? &*library : nullptr;
}

}  // namespace causcale
