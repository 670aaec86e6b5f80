// Colours by certainty. Lightness carries the order, so that it survives greyscale and colour blindness.

export interface CertaintyClass {
  least: number;
  name: string;
  words: string;
}

// From doubtful to almost certain; the last one that fits counts.
export const certaintyClasses: CertaintyClass[] = [
  { least: 0, name: "below 0.5", words: "rather not there" },
  { least: 0.5, name: "0.5 to 0.65", words: "a leaning" },
  { least: 0.65, name: "0.65 to 0.8", words: "fairly sure" },
  { least: 0.8, name: "0.8 to 0.95", words: "sure" },
  { least: 0.95, name: "0.95 and more", words: "almost certain" },
];

// Numbers that only rank have no classes: all edges look like this one.
export const rankedClass = 3;

export function certaintyOf(probability: number): number {
  let found = 0;
  for (let k = 0; k < certaintyClasses.length; ++k) if (probability >= certaintyClasses[k].least) found = k;
  return found;
}

export interface Colors {
  paper: string;
  text: string;
  faint: string;
  line: string;
  node: string;
  nodeLine: string;
  selected: string;
  selectedText: string;
  accent: string;
  edges: string[];
  required: string;
  forbidden: string;
  removed: string;
  positive: string;
  negative: string;
}

export function readColors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: of("paper"),
    text: of("text"),
    faint: of("faint"),
    line: of("line"),
    node: of("node"),
    nodeLine: of("node-line"),
    selected: of("selected"),
    selectedText: of("selected-text"),
    accent: of("accent"),
    edges: certaintyClasses.map((_, k) => of(`edge${k}`)),
    required: of("required"),
    forbidden: of("forbidden"),
    removed: of("removed"),
    positive: of("positive"),
    negative: of("negative"),
  };
}

const heatStops: Record<"light" | "dark", [number, number, number][]> = {
  light: [[255, 255, 255], [205, 220, 240], [120, 160, 214], [47, 95, 165], [11, 42, 91]],
  dark: [[18, 23, 31], [44, 62, 96], [86, 120, 178], [160, 196, 246], [255, 244, 214]],
};

// 256 colours as 32-bit values for ImageData (little-endian RGBA).
export function heatColors(theme: "light" | "dark"): Uint32Array {
  const stops = heatStops[theme];
  const table = new Uint32Array(256);
  for (let value = 0; value < 256; ++value) {
    const at = (value / 255) * (stops.length - 1);
    const low = Math.min(stops.length - 2, Math.floor(at));
    const mix = (k: number) => Math.round(stops[low][k] + (at - low) * (stops[low + 1][k] - stops[low][k]));
    table[value] = (255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0);
  }
  return table;
}
