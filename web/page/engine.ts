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

interface ModuleFiles {
  script: Asset;
  module: Asset;
  helper?: Asset; // what starts a thread
}

interface Manifest {
  version: string;
  model: Asset;
  worker: Asset;
  plain: ModuleFiles;
  threads: ModuleFiles;
}

// More would cost memory and gain little.
const mostThreads = 16;

// The code of work that was cancelled.
export const cancelled = -1;

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
    const answer = await fetch("manifest.json", { cache: "no-cache" });
    if (!answer.ok) throw new Error(`manifest.json did not arrive: ${answer.status}`);
    const manifest = (await answer.json()) as Manifest;
    this.version = manifest.version;
    // Threads share memory, which browsers allow only where a page is isolated from other origins.
    const cores = Math.max(1, Math.min(navigator.hardwareConcurrency || 1, mostThreads));
    if (self.crossOriginIsolated && cores > 1) {
      try {
        return await this.loadModule(manifest, manifest.threads, cores, progress);
      } catch {
        // A device that gives no shared memory still has the other module.
      }
    }
    await this.loadModule(manifest, manifest.plain, 1, progress);
  }

  private async loadModule(manifest: Manifest, set: ModuleFiles, threads: number, progress: (arrived: number, total: number) => void): Promise<void> {
    const assets = [manifest.worker, set.script, set.module, manifest.model, ...(set.helper ? [set.helper] : [])];
    const total = assets.reduce((sum, asset) => sum + asset.bytes, 0);
    let arrived = 0;
    const take = (asset: Asset) =>
      fetchAsset(asset, (bytes) => {
        arrived += bytes;
        progress(arrived, total);
      });
    const [worker, script, module, weights, helper] = await Promise.all(assets.map(take));
    const text = new TextDecoder();
    this.threads = threads;
    this.scripts = [text.decode(script), text.decode(worker)];
    this.parts = {
      module: await WebAssembly.compile(module),
      weights,
      model: manifest.model.file,
      threads,
      helper: helper ? text.decode(helper) : null,
      script: this.scripts[0],
    };
    await this.start();
  }

  // Another worker in the place of the present one, whose work is lost.
  async start(): Promise<void> {
    this.worker?.terminate();
    this.rejectAll(new EngineError("cancelled", cancelled));
    const address = URL.createObjectURL(new Blob(this.scripts, { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.onmessage = (event: MessageEvent) => this.receive(event.data);
    this.worker.onerror = (event) => this.rejectAll(new EngineError(event.message || "the worker failed", 3));
    const starting = this.send("start", this.parts) as Promise<{ formats: ResultFormat[]; kernels: string }>;
    this.ready = starting;
    try {
      const described = await starting;
      this.formats.splice(0, this.formats.length, ...described.formats);
      this.kernels = described.kernels;
    } finally {
      URL.revokeObjectURL(address);
    }
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

  private rejectAll(error: EngineError): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(error);
  }

  private receive(data: { id: number; value?: unknown; error?: string; code?: number; broken?: boolean; stage?: string; share?: number }): void {
    const waiting = this.waiting.get(data.id);
    if (!waiting) return;
    if (data.stage !== undefined) return waiting.progress?.(data.stage, data.share ?? 0);
    this.waiting.delete(data.id);
    if (data.error === undefined) return waiting.resolve(data.value);
    waiting.reject(new EngineError(data.error, data.code ?? 3));
    // A module that failed has lost its way in its memory: the next call gets a new one.
    if (data.broken && this.formats.length > 0) void this.start().catch(() => undefined);
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
