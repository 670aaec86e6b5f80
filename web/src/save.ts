// Tables that the reader keeps.
import { make } from "./dom";

function quote(text: string): string {
  return /[",;\t\r\n]|^#|^ | $/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvText(rows: (string | number)[][]): string {
  return rows.map((row) => row.map((cell) => quote(String(cell))).join(",")).join("\n") + "\n";
}

export function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = make("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
