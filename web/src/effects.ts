// The size of an edge's effect in words and classes.
import type { Effect } from "./data";

const kindWords: Record<string, string> = {
  standardized_coefficient: "standard deviations per standard deviation of the cause",
  risk_difference: "difference in probability",
  correlation_ratio: "correlation ratio, which has no sign",
};

const curvedBelow = 0.01; // probability of a straight line

export function signed(size: number): string {
  return `${size < 0 ? "\u2212" : "+"}${Math.abs(size).toFixed(2)}`;
}

export const hasSign = (effect: Effect): boolean => effect.kind !== "correlation_ratio";

// Sizes of this kind may be multiplied along a path of a linear model.
export const isLinear = (effect: Effect): boolean => effect.kind === "standardized_coefficient";

export function sizeText(effect: Effect): string {
  return hasSign(effect) ? signed(effect.size) : effect.size.toFixed(2);
}

function rangeText(low: number | null, high: number | null): string {
  return low !== null && high !== null ? ` (${signed(low)} to ${signed(high)})` : "";
}

// "+0.41 (+0.35 to +0.47)"
export function effectText(effect: Effect): string {
  return sizeText(effect) + rangeText(effect.low, effect.high);
}

// All that is known about the effect of an edge, a sentence each.
export function effectLines(effect: Effect): string[] {
  const lines = [`Effect ${effectText(effect)}: ${kindText(effect)}.`];
  if (signIsOpen(effect)) lines.push("Its interval holds zero: the sign is open.");
  if (effect.graphLow !== null && effect.graphHigh !== null)
    lines.push(`Over repeated runs, each with a graph of its own:${rangeText(effect.graphLow, effect.graphHigh)}.`);
  if (effect.nonlinearP !== null && effect.nonlinearP < curvedBelow) lines.push("A straight line does not describe it.");
  if (effect.shift !== null)
    lines.push(`Measured where the cause was intervened on: a shift of ${signed(effect.shift)}${rangeText(effect.shiftLow, effect.shiftHigh)}.`);
  return lines;
}

export function kindText(effect: Effect): string {
  return kindWords[effect.kind] ?? effect.kind.replace(/_/g, " ");
}

export interface SizeClass {
  least: number;
  name: string;
  width: number;
}

export const sizeClasses: SizeClass[] = [
  { least: 0, name: "below 0.1", width: 0.8 },
  { least: 0.1, name: "0.1 to 0.3", width: 1.5 },
  { least: 0.3, name: "0.3 to 0.5", width: 2.5 },
  { least: 0.5, name: "0.5 and more", width: 3.8 },
];

export function sizeClassOf(size: number): number {
  let found = 0;
  for (let k = 0; k < sizeClasses.length; ++k) if (Math.abs(size) >= sizeClasses[k].least) found = k;
  return found;
}

// The interval of an effect holds zero: its sign is open.
export function signIsOpen(effect: Effect): boolean {
  return effect.low !== null && effect.high !== null && effect.low <= 0 && effect.high >= 0;
}
