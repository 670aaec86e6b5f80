// Cairo, the library that paints PNG files, opened when it is first wanted: the program itself does not need
// it, nor the window system that it brings along. The declarations are those of its stable C interface.
#pragma once

namespace causcale {

// Objects of Cairo's own.
struct CairoSurface;
struct CairoContext;

struct CairoTextExtents {
  double x_bearing, y_bearing, width, height, x_advance, y_advance;
};

// Constants of its enumerations.
inline constexpr int kCairoSuccess = 0;
inline constexpr int kCairoRgb24 = 1;
inline constexpr int kCairoRoundCap = 1;
inline constexpr int kCairoPlainFont = 0;  // neither slanted nor bold

struct CairoLibrary {
  using WriteBytes = int (*)(void* closure, const unsigned char* data, unsigned length);

  CairoSurface* (*image_surface_create)(int format, int width, int height);
  void (*surface_destroy)(CairoSurface*);
  int (*surface_write_to_png_stream)(CairoSurface*, WriteBytes, void* closure);
  CairoContext* (*create)(CairoSurface*);
  void (*destroy)(CairoContext*);
  int (*status)(CairoContext*);
  const char* (*status_to_string)(int);
  void (*scale)(CairoContext*, double x, double y);
  void (*set_source_rgb)(CairoContext*, double red, double green, double blue);
  void (*set_line_width)(CairoContext*, double);
  void (*set_line_cap)(CairoContext*, int);
  void (*new_path)(CairoContext*);
  void (*close_path)(CairoContext*);
  void (*move_to)(CairoContext*, double x, double y);
  void (*line_to)(CairoContext*, double x, double y);
  void (*curve_to)(CairoContext*, double x1, double y1, double x2, double y2, double x3, double y3);
  void (*arc)(CairoContext*, double x, double y, double radius, double from, double to);
  void (*paint)(CairoContext*);
  void (*fill)(CairoContext*);
  void (*fill_preserve)(CairoContext*);
  void (*stroke)(CairoContext*);
  void (*select_font_face)(CairoContext*, const char* family, int slant, int weight);
  void (*set_font_size)(CairoContext*, double);
  void (*text_extents)(CairoContext*, const char* text, CairoTextExtents*);
  void (*show_text)(CairoContext*, const char* text);
};

// Null where it is not installed.
const CairoLibrary* find_cairo();

}  // namespace causcale
