// Runs in the worker, behind the script that Emscripten made: calls the module for the page.
interface CauscaleModule {
  HEAPU8: Uint8Array;
  wasmMemory?: WebAssembly.Memory; // of the module with threads
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void; mkdir(path: string): void };
  _malloc(bytes: number): number;
  _free(place: number): void;
  _causcale_answer(): number;
  _causcale_answer_bytes(): number;
  _causcale_describe(): number;
  _causcale_load_model(path: number, threads: number): number;
  _causcale_audit(json: number, jsonBytes: number, table: number, tableBytes: number): number;
  _causcale_discover(json: number, jsonBytes: number, table: number, tableBytes: number): number;
  _causcale_format(format: number): number;
}

declare function createCauscale(settings: object): Promise<CauscaleModule>;

interface Message {
  id: number;
  kind: "start" | "audit" | "discover" | "format";
  module: WebAssembly.Module;
  weights: ArrayBuffer;
  model: string;
  threads: number;
  helper: string | null;
  script: string;
  request: string;
  table: Uint8Array;
  name: string;
}

// Another thread may have let shared memory grow, which HEAPU8 does not see.
const heap = (): Uint8Array => (core.wasmMemory ? new Uint8Array(core.wasmMemory.buffer) : core.HEAPU8);

const port = self as unknown as { postMessage(message: unknown, transfer?: Transferable[]): void; onmessage: unknown };
let core: CauscaleModule;
let current = 0;

class Refusal extends Error {
  constructor(message: string, readonly code: number) {
    super(message);
  }
}

function answer(code: number): Uint8Array {
  const begin = core._causcale_answer() >>> 0;
  // A copy that is not shared: the module's memory changes.
  const bytes = heap().slice(begin, begin + (core._causcale_answer_bytes() >>> 0));
  if (code !== 0) throw new Refusal(new TextDecoder().decode(bytes), code);
  return bytes;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

// The bytes in the module's memory, with a zero behind them, as long as `use` runs.
function placed<T>(bytes: Uint8Array, use: (place: number) => T): T {
  const place = core._malloc(bytes.length + 1) >>> 0;
  if (place === 0) throw new Refusal("the browser gives no more memory", 3);
  heap().set(bytes, place);
  heap()[place + bytes.length] = 0;
  try {
    return use(place);
  } finally {
    core._free(place);
  }
}

async function start(message: Message): Promise<unknown> {
  core = await createCauscale({
    helperThreads: message.threads - 1,
    onProgress: (stage: string, share: number) => port.postMessage({ id: current, stage, share }),
    locateFile: (file: string) =>
      message.helper !== null && file.endsWith(".worker.js")
        ? URL.createObjectURL(new Blob([message.helper], { type: "text/javascript" }))
        : file,
    mainScriptUrlOrBlob: new Blob([message.script], { type: "text/javascript" }),
    instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) => {
      void WebAssembly.instantiate(message.module, imports).then((instance) => receive(instance, message.module));
      return {};
    },
  });
  const file = `/${message.model.replace(/^.*\//, "")}`;
  core.FS.writeFile(file, new Uint8Array(message.weights));
  placed(new TextEncoder().encode(file), (place) => answer(core._causcale_load_model(place, message.threads)));
  core.FS.unlink(file);
  return JSON.parse(text(answer(core._causcale_describe())));
}

function onTable(message: Message, call: (json: number, jsonBytes: number, table: number, tableBytes: number) => number): string {
  const json = new TextEncoder().encode(message.request);
  return placed(json, (jsonPlace) =>
    placed(message.table, (tablePlace) => text(answer(call(jsonPlace, json.length, tablePlace, message.table.length)))),
  );
}

port.onmessage = async ({ data }: { data: Message }) => {
  current = data.id;
  try {
    let value: unknown;
    if (data.kind === "start") value = await start(data);
    else if (data.kind === "audit") value = onTable(data, core._causcale_audit);
    else if (data.kind === "discover") value = onTable(data, core._causcale_discover);
    else value = placed(new TextEncoder().encode(data.name), (place) => answer(core._causcale_format(place)));
    port.postMessage({ id: data.id, value });
  } catch (error) {
    // What escapes a module of 32 bits is mostly its memory coming to an end; it cannot be used any more.
    const broken = !(error instanceof Refusal);
    const refusal = broken ? new Refusal(`the browser gives no more memory, or the module failed: ${String(error)}`, 3) : error;
    port.postMessage({ id: data.id, error: refusal.message, code: refusal.code, broken });
  }
};
