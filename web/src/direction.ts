// What in the data tells the direction of an edge, in words.
const lines: Record<string, string> = {
  intervention: "Direction: interventions on the cause move the effect.",
  shape: "Direction: told by the shape of the data; the reverse would need noise that depends on its cause.",
  structure: "Direction: told by a collider that the data bear out.",
  knowledge: "Direction: given by knowledge.",
  reverse: "Direction doubtful: the shape of the data speaks for the reverse.",
  none: "Direction: nothing in the data tells it; take this for a link.",
};

export function directionLine(toldBy: string): string {
  return lines[toldBy] ?? "Direction: could not be tested.";
}
