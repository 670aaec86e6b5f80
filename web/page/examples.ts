// Tables that are part of the page.
import sachsInterventions from "../../examples/sachs/interventions.csv";
import sachs from "../../examples/sachs/data.csv";

export interface Example {
  name: string;
  title: string;
  table: string;
  interventions: string | null;
}

// Three variables in a chain, with what can go wrong in a table: words, a gap, a column of row numbers.
function untidy(): string {
  let seed = 7;
  const uniform = () => ((seed = (seed * 48271) % 2147483647) / 2147483647);
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const lines = ["id,dose,group,marker,outcome"];
  for (let k = 1; k <= 400; ++k) {
    const dose = normal(), marker = 0.9 * dose + 0.6 * normal(), outcome = -0.8 * marker + 0.6 * normal();
    lines.push(`${k},${k === 17 ? "" : dose.toFixed(3)},${uniform() < 0.5 ? "treated" : "control"},${marker.toFixed(3)},${outcome.toFixed(3)}`);
  }
  return `${lines.join("\n")}\n`;
}

export const examples: Example[] = [
  { name: "sachs.csv", title: "Sachs: 11 proteins in 5846 cells, with interventions", table: sachs, interventions: sachsInterventions },
  { name: "untidy.csv", title: "Untidy: a small table with words, a gap and row numbers", table: untidy(), interventions: null },
];
