// Starts the page: the table comes in, is looked over and corrected; the graph comes out.
import { about, amount, announce, byId, make } from "../src/dom";
import { ColumnTable } from "./columns";
import { cancelled, Engine, EngineError, type Examined } from "./engine";
import { examples } from "./examples";
import { KnowledgePanel } from "./knowledge";
import { choices, emptyState, gibibytes, knowledgeFiles, largestTable, memoryLimit, obstacle, request, setHeader, type State } from "./state";
import { TooLarge, unpacked } from "./unpack";

const engine = new Engine();
const state: State = emptyState();
let running = false;
let stopped = false; // the run was cancelled
let looking: Promise<void> = Promise.resolve(); // the newest audit
// How often each was asked for: an answer to an earlier question than the newest is out of date.
let audits = 0;
let tables = 0;
let interventionFiles = 0;

// One word of a command line.
const shellWord = (text: string): string => (/^[\w.,:+@%=/-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

function startTheme(): void {
  const apply = (theme: string) => {
    document.documentElement.dataset.theme = theme;
    byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
  };
  apply(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  byId("theme").addEventListener("click", () => apply(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
}

function say(text: string, bad = false): void {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", bad);
}

// All but the columns, which only another table or an audit of it changes.
function showChecks(): void {
  const { examined } = state;
  byId("checked").hidden = !state.table;
  const findings = byId("findings");
  findings.replaceChildren();
  byId("audit-summary").textContent = "";
  if (examined?.unreadable) findings.append(make("li", { class: "finding error" }, examined.unreadable));
  if (examined?.audit) {
    const { audit, plan } = examined;
    byId("audit-summary").textContent =
      `${state.table?.name}: ${amount(audit.rows, "row")}, ${amount(audit.columns, "column")}` +
      (audit.intervened_rows ? `, ${amount(audit.intervened_rows, "row")} intervened on (${amount(audit.intervened_columns, "variable")})` : ", no interventions") +
      (plan ? `. Working memory of the network: ${gibibytes(plan.peak_bytes)} of at most ${gibibytes(memoryLimit)}; ${amount(plan.passes, "pass", "passes")}, ${about(plan.tera_flops)} TFLOP.` : ".");
    for (const finding of audit.findings.slice(0, 100))
      findings.append(make("li", { class: `finding ${finding.severity}` }, make("b", {}, finding.severity), ` ${finding.message}`, finding.hint ? make("p", { class: "hint" }, finding.hint) : null));
    if (audit.findings.length === 0) findings.append(make("li", {}, "Nothing to remark."));
  }
  byId("interventions-name").textContent = state.interventions ? state.interventions.name : "none";
  byId("forget-interventions").hidden = !state.interventions;
  knowledge.show();
  const reason = obstacle(state);
  byId<HTMLButtonElement>("discover").disabled = running || reason !== null;
  byId("obstacle").textContent = state.table && reason ? reason : "";
  byId("command").textContent = examined?.command ? examined.command + knowledgeFiles(state) : "";
}

// Reads the table anew with everything that has been said.
function look(): Promise<void> {
  return (looking = lookOver(++audits));
}

async function lookOver(mine: number): Promise<void> {
  const { table } = state;
  if (!table || running) return;
  for (;;) {
    const question = request(state);
    let examined: Examined;
    try {
      examined = await engine.audit(question, table.bytes);
    } catch (error) {
      const lost = error instanceof EngineError && error.code === cancelled;
      // Its worker was ended for the sake of other work: nothing was found out about the table.
      if (lost && mine === audits && !running) continue;
      if (lost) return;
      examined = { command: "", unreadable: (error as Error).message };
    }
    if (mine !== audits || state.table !== table) return;
    state.examined = examined;
    if (examined.audit) state.understood = examined.audit;
    // What the user says about columns may change which of them are variables, of which something is known.
    if (JSON.stringify(request(state).knowledge) === JSON.stringify(question.knowledge)) break;
  }
  columns.show();
  showChecks();
}

const columns = new ColumnTable(byId("columns"), state, () => void look());
const knowledge = new KnowledgePanel(state, () => {
  showChecks();
  void look();
});

// A file that was refused takes the place of the table before it, so that nothing is done with the wrong one.
function refuse(message: string): void {
  Object.assign(state, emptyState(), choices(state));
  closeResult();
  columns.show();
  showChecks();
  say(message, true);
}

function refuseSize(name: string, bytes: number): void {
  const size = bytes > 0 ? `has ${Math.ceil(bytes / 2 ** 20)} MiB` : "unpacks to more";
  refuse(`${name} ${size}, and the page takes ${largestTable / 2 ** 20} MiB. Run instead: causcale discover ${shellWord(name)} -o report.html`);
}

function takeTable(name: string, bytes: Uint8Array, interventions: State["interventions"] = null): void {
  ++tables;
  // What was said of another table's columns is forgotten.
  Object.assign(state, emptyState(), { table: { name, bytes }, interventions, ...choices(state) });
  closeResult();
  const reading = `Reading ${name}`;
  say(reading);
  columns.show();
  showChecks();
  void look().then(() => byId("status").textContent === reading && say(""));
}

async function takeFiles(files: FileList | File[]): Promise<void> {
  const file = files[0];
  if (!file) return say("That was no file", true);
  if (busy()) return;
  const mine = ++tables;
  if (file.size > largestTable) return refuseSize(file.name, file.size);
  // Read by a helper process of the program, which no browser can start.
  if (/\.(h5ad|h5)$/i.test(file.name))
    return refuse(`${file.name}: .h5ad files are left to the program. Run instead: causcale discover ${shellWord(file.name)} -o report.html`);
  say(`Reading ${file.name}`);
  try {
    const bytes = await unpacked(file.name, new Uint8Array(await file.arrayBuffer()), largestTable);
    if (mine === tables && !busy()) takeTable(file.name, bytes);
  } catch (error) {
    // Another table may have been taken meanwhile.
    if (mine !== tables || busy()) return;
    if (error instanceof TooLarge) refuseSize(file.name, 0);
    else refuse((error as Error).message);
  }
}

// Another table in the midst of the work would get the answer of this one.
function busy(): boolean {
  if (running) say("The graph is being found: wait, or cancel first", true);
  return running;
}

async function takeInterventions(file: File): Promise<void> {
  if (file.size > largestTable) return say(`${file.name} has more than the ${largestTable / 2 ** 20} MiB that the page takes`, true);
  const mine = ++interventionFiles, { table } = state;
  try {
    const text = await file.text();
    // Another table or file may have been taken meanwhile, or this one forgotten.
    if (mine !== interventionFiles || state.table !== table) return;
    state.interventions = { name: file.name, text };
    await look();
  } catch (error) {
    say(`${file.name}: ${(error as Error).message}`, true);
  }
}

function startInput(): void {
  // The whole page takes files: one dropped beside the box would make the browser leave the page.
  const area = byId("drop");
  for (const kind of ["dragenter", "dragover"])
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      area.classList.add("over");
    });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && area.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    area.classList.remove("over");
    void takeFiles(event.dataTransfer?.files ?? []);
  });
  byId<HTMLInputElement>("file").addEventListener("change", (event) => {
    const input = event.target as HTMLInputElement;
    // Empty again, so that the same file can be chosen once more after it was corrected.
    void takeFiles([...(input.files ?? [])]).finally(() => (input.value = ""));
  });
  byId<HTMLInputElement>("interventions-file").addEventListener("change", (event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    // Empty again, as above.
    if (file) void takeInterventions(file).finally(() => (input.value = ""));
  });
  byId("forget-interventions").addEventListener("click", () => {
    ++interventionFiles;
    state.interventions = null;
    void look();
  });
  byId("use-pasted").addEventListener("click", () => {
    const text = byId<HTMLTextAreaElement>("pasted").value;
    if (text.trim() === "") return say("Nothing has been pasted", true);
    if (busy()) return;
    takeTable("pasted.csv", new TextEncoder().encode(text));
  });
  for (const example of examples)
    byId("examples").append(
      make(
        "button",
        {
          type: "button",
          click: () => {
            if (busy()) return;
            const interventions = example.interventions === null ? null : { name: "interventions.csv", text: example.interventions };
            takeTable(example.name, new TextEncoder().encode(example.table), interventions);
          },
        },
        example.title,
      ),
    );
  const choice = (id: string, take: (value: string) => void) =>
    byId<HTMLSelectElement>(id).addEventListener("change", (event) => {
      take((event.target as HTMLSelectElement).value);
      void look();
    });
  choice("missing", (value) => (state.missing = value));
  choice("header", (value) => {
    setHeader(state, value === "yes");
    columns.show();
    showChecks();
  });
  choice("dag", (value) => (state.dag = value));
  choice("threshold", (value) => (state.threshold = Math.min(1, Math.max(0, Number(value) || 0))));
  choice("bootstrap", (value) => (state.bootstrap = Number(value)));
  choice("stacking", (value) => (state.stacking = value));
}

function closeResult(): void {
  byId("result").hidden = true;
  byId<HTMLIFrameElement>("report").srcdoc = "";
  byId("downloads").replaceChildren();
}

async function save(name: string, file: string, type: string): Promise<void> {
  try {
    const bytes = await engine.format(name);
    const address = URL.createObjectURL(new Blob([bytes as BlobPart], { type }));
    make("a", { href: address, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    say((error as Error).message, true);
  }
}

async function discover(): Promise<void> {
  const { table } = state;
  if (!table || running || obstacle(state)) return;
  running = true;
  stopped = false;
  closeResult();
  showChecks();
  byId("working").hidden = false;
  const bar = byId<HTMLProgressElement>("progress");
  bar.value = 0;
  const begin = performance.now();
  say("Finding the graph");
  byId("cancel").focus();
  let found = false;
  // Whoever types while the graph is found goes on typing.
  const typing = () => document.activeElement?.matches("input, select, textarea") ?? false;
  try {
    // The audit of what was said last tells which columns are variables.
    await looking;
    if (stopped) throw new EngineError("cancelled", cancelled);
    await engine.discover(request(state), table.bytes, (stage, share) => {
      bar.value = share;
      byId("stage").textContent = `${stage}, ${Math.round(100 * share)} %`;
    });
    const report = new TextDecoder().decode(await engine.format("html"));
    // Shown first: a report that opens in a hidden frame takes its graph's size from nothing.
    byId("result").hidden = false;
    byId<HTMLIFrameElement>("report").srcdoc = report;
    byId("downloads").replaceChildren(
      ...engine.formats.map(({ name, file, media_type }) =>
        make("button", { type: "button", "data-format": name, title: file, click: () => void save(name, file, media_type) }, name),
      ),
    );
    const seconds = (performance.now() - begin) / 1000;
    say(`Done in ${seconds.toFixed(1)} s.`);
    if (!typing()) byId("result").scrollIntoView({ behavior: "auto" });
    found = true;
  } catch (error) {
    const ended = error instanceof EngineError && error.code === cancelled;
    const failed = error instanceof EngineError && error.code === 3;
    const instead = failed && state.examined?.command ? `. Run instead: ${state.examined.command}` : "";
    say(ended ? "Cancelled." : (error as Error).message + instead, !ended);
  } finally {
    running = false;
    byId("working").hidden = true;
    showChecks();
    if (!typing()) byId(found ? "report" : "discover").focus({ preventScroll: true });
    announce(byId("status").textContent ?? "");
    void look(); // what was said meanwhile
  }
}

// From here on the browser itself refuses every request of the page. Policies can only be added, never taken back.
function closeNetwork(): void {
  const policy = "connect-src 'none'; img-src data: blob:; font-src 'none'; media-src 'none'; object-src 'none'; form-action 'none'";
  document.head.append(make("meta", { "http-equiv": "Content-Security-Policy", content: policy }));
}

async function start(): Promise<void> {
  startTheme();
  startInput();
  byId("discover").addEventListener("click", () => void discover());
  byId("cancel").addEventListener("click", () => {
    stopped = true;
    void engine.cancel().catch(() => undefined);
  });
  try {
    await engine.load((arrived, total) => (byId("loading").textContent = `Loading ${(arrived / 2 ** 20).toFixed(0)} of ${(total / 2 ** 20).toFixed(0)} MiB`));
  } catch (error) {
    byId("loading").textContent = `The page could not be loaded: ${(error as Error).message}`;
    return;
  }
  byId("loading").textContent = `Ready (version ${engine.version}, ${amount(engine.threads, "thread")}). Nothing leaves this computer.`;
  closeNetwork();
  document.documentElement.dataset.ready = "yes";
  // For scripts and tests that look at the page from outside.
  Object.assign(window, { causcalePage: { engine, state } });
  void look();
}

void start();
