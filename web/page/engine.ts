// The core of the program as a WebAssembly module in a worker. Everything it needs is fetched once, when the page
// loads; a worker that was stopped is made anew from what is in memory, without a request.

export interface ResultFormat {
  name: string;
  file: string;
  media_type: string;
}

export interface Variable {
  name: string;
  kind: string;
  reason: string;
  told: boolean;
  set_aside: boolean;
  missing: number;
}

export interface Audit {
  source: string;
  rows: number;
  columns: number;
  regimes: number;
  intervened_rows: number;
  intervened_columns: number;
  errors: number;
  warnings: number;
  variables: Variable[];
  findings: { severity: string; code: string; message: string; hint?: string }[];
}

export interface Plan {
  rows: number;
  columns: number;
  passes: number;
  peak_bytes: number;
  tera_flops: number;
}

export interface Examined {
  command: string;
  audit?: Audit;
  plan?: Plan | null;
  unreadable?: string;
}

// What the module is asked, as src/service/table_request.h reads it.
export interface Request {
  name: string;
  interventions?: string;
  reading: Record<string, unknown>;
  options: Record<string, unknown>;
  knowledge: Record<string, unknown>;
}

interface Asset {
  file: string;
  bytes: number;
  sha256: string;
}

interface Manifest {
  version: string;
  model: Asset;
  worker: Asset;
  plain: { script: Asset; module: Asset };
  threads?: { script: Asset; module: Asset; helper: Asset };
}

// Refusals in the program's words; `code` is the exit code that it would have.
export class EngineError extends Error {
  constructor(message: string, readonly code: number) {
    super(message);
  }
}

type Progress = (stage: string, share: number) => void;

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  progress?: Progress;
}

export class Engine {
  readonly formats: ResultFormat[] = [];
  version = "";
  kernels = "";
  threads = 1;
  private parts: Record<string, unknown> = {};
  private scripts: string[] = [];
  private worker: Worker | null = null;
  private ready: Promise<unknown> = Promise.resolve();
  private waiting = new Map<number, Waiting>();
  private next = 0;

  async load(progress: (arrived: number, total: number) => void): Promise<void> {
    const manifest = (await (await fetch("manifest.json", { cache: "no-cache" })).json()) as Manifest;
    // Threads share memory, which browsers allow only where a page is isolated from other origins.
    const threads = self.crossOriginIsolated ? manifest.threads : undefined;
    const set = threads ?? manifest.plain;
    const helper = threads?.helper;
    const assets = [manifest.worker, set.script, set.module, manifest.model, ...(helper ? [helper] : [])];
    const total = assets.reduce((sum, asset) => sum + asset.bytes, 0);
    let arrived = 0;
    const take = (asset: Asset) =>
      fetchAsset(asset, (bytes) => {
        arrived += bytes;
        progress(arrived, total);
      });
    const [worker, script, module, weights, helperBytes] = await Promise.all(assets.map(take));
    const text = new TextDecoder();
    this.version = manifest.version;
    this.threads = helper ? Math.max(1, Math.min(navigator.hardwareConcurrency || 1, 16)) : 1;
    this.scripts = [text.decode(script), text.decode(worker)];
    this.parts = {
      module: await WebAssembly.compile(module),
      weights,
      model: manifest.model.file,
      threads: this.threads,
      helper: helperBytes ? text.decode(helperBytes) : null,
      script: this.scripts[0],
    };
    await this.start();
  }

  // Another worker in the place of the present one, whose work is lost.
  async start(): Promise<void> {
    this.worker?.terminate();
    for (const { reject } of this.waiting.values()) reject(new EngineError("cancelled", -1));
    this.waiting.clear();
    const address = URL.createObjectURL(new Blob(this.scripts, { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.onmessage = (event: MessageEvent) => this.receive(event.data);
    this.worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new EngineError(event.message || "the worker failed", 3));
      this.waiting.clear();
    };
    const described = (await (this.ready = this.send("start", this.parts))) as { formats: ResultFormat[]; kernels: string };
    URL.revokeObjectURL(address);
    this.formats.splice(0, this.formats.length, ...described.formats);
    this.kernels = described.kernels;
  }

  cancel(): Promise<void> {
    return this.start();
  }

  async audit(request: Request, table: Uint8Array): Promise<Examined> {
    await this.ready;
    return JSON.parse((await this.send("audit", { request: JSON.stringify(request), table })) as string) as Examined;
  }

  async discover(request: Request, table: Uint8Array, progress: Progress): Promise<{ seconds: Record<string, number> }> {
    await this.ready;
    return JSON.parse((await this.send("discover", { request: JSON.stringify(request), table }, progress)) as string);
  }

  async format(name: string): Promise<Uint8Array> {
    return (await this.send("format", { name })) as Uint8Array;
  }

  private send(kind: string, message: object, progress?: Progress): Promise<unknown> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, progress });
      (this.worker as Worker).postMessage({ id, kind, ...message });
    });
  }

  private receive(data: { id: number; value?: unknown; error?: string; code?: number; stage?: string; share?: number }): void {
    const waiting = this.waiting.get(data.id);
    if (!waiting) return;
    if (data.stage !== undefined) return waiting.progress?.(data.stage, data.share ?? 0);
    this.waiting.delete(data.id);
    if (data.error !== undefined) waiting.reject(new EngineError(data.error, data.code ?? 3));
    else waiting.resolve(data.value);
  }
}

// From the browser's cache where it has this very content.
async function fetchAsset(asset: Asset, arrived: (bytes: number) => void): Promise<ArrayBuffer> {
  const store = "caches" in self ? await caches.open("causcale").catch(() => null) : null;
  const address = `${asset.file}?${asset.sha256.slice(0, 16)}`;
  const kept = await store?.match(address);
  const response = kept ?? (await fetch(address));
  if (!response.ok) throw new Error(`${asset.file} did not arrive: ${response.status}`);
  const content = await response.arrayBuffer();
  arrived(content.byteLength);
  if (!kept && store) {
    for (const old of await store.keys()) if (new URL(old.url).pathname.endsWith(`/${asset.file}`)) await store.delete(old);
    await store.put(address, new Response(content.slice(0))).catch(() => undefined);
  }
  return content;
}
