// The legend of the graph: colours where there are probabilities, otherwise the marks and what they mean.
import type { Report } from "./data";
import { byId, make } from "./dom";
import { sizeClasses } from "./effects";
import { parseMarks, type Mark } from "./marks";
import { certaintyClasses, rankedClass } from "./palette";

const space = "http://www.w3.org/2000/svg";

function shape(name: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function legendLine(color: string, width: number, dash: string, marks: [Mark, Mark] | null = null): SVGElement {
  const paint = `var(--${color})`;
  const picture = shape("svg", { width: "30", height: "10", class: "mark" });
  picture.append(shape("line", { x1: "2", y1: "5", x2: "28", y2: "5", stroke: paint, "stroke-width": String(width), "stroke-dasharray": dash }));
  marks?.forEach((mark, end) => {
    const tip = end ? 29 : 1;
    const inwards = end ? -1 : 1;
    if (mark === "arrow") picture.append(shape("path", { d: `M${tip},5 l${8 * inwards},-4 l0,8 Z`, fill: paint }));
    if (mark === "circle")
      picture.append(shape("circle", { cx: String(tip + 4 * inwards), cy: "5", r: "3.2", fill: "var(--paper)", stroke: paint, "stroke-width": "1.3" }));
  });
  return picture;
}

export function fillLegend(report: Report, paintBy: "probability" | "effect" = "probability"): void {
  const row = (line: SVGElement, text: string) => make("div", {}, line, text);
  const ranked = (marks: string) => legendLine(`edge${rankedClass}`, 1.6, "", parseMarks(marks));
  const bySize = [
    row(legendLine("positive", 2.5, ""), "positive: more of the cause, more of the effect"),
    row(legendLine("negative", 2.5, ""), "negative: more of the cause, less of the effect"),
    ...sizeClasses.map(({ name, width }) => row(legendLine("faint", width, ""), `size ${name}`)).reverse(),
    row(legendLine("edge0", 0.8, ""), "no size"),
  ];
  const rows = paintBy === "effect" ? bySize : report.legend?.length
    ? report.legend.map((entry) => row(ranked(entry.edge), entry.meaning))
    : report.scoresRank
      ? [row(ranked("-->"), "from a cause to its direct effect")]
      : certaintyClasses.map((entry, k) => row(legendLine(`edge${k}`, 0.9 + 0.45 * k, ""), `${entry.name}: ${entry.words}`)).reverse();
  if (report.knowledge.required.length) rows.push(row(legendLine("required", 2.6, ""), "required"));
  if (report.knowledge.forbidden.length) rows.push(row(legendLine("forbidden", 1.4, "6 4"), "forbidden"));
  if (report.removed.length) rows.push(row(legendLine("removed", 1.6, "2 3"), "removed: closed a cycle"));
  if (report.struck?.length) rows.push(row(legendLine("removed", 1.1, "1 4"), "struck out: no dependence in the data"));
  byId("legend-rows").replaceChildren(...rows);
  byId("legend-title").textContent = paintBy === "effect" ? "Colours: sign and size of effects" : "Colours: probability";
  if (report.scoresRank && paintBy === "probability") byId("legend-title").textContent = report.hasMarks ? "Marks at the ends" : "Edges";
}
