// Unpacks files with what browsers have, because the module has no zlib: .gz, and the parts of .npz and .xlsx. What is
// not understood here goes to the module as it is, which says what is wrong with it.

export class TooLarge extends Error {}

// As the program says it.
const damaged = (name: string) => new Error(`${name}: the gzip file is damaged or cut off: make it anew, or unpack it yourself`);

// At most `most` bytes: a small file can unpack to any size.
async function inflated(bytes: Uint8Array, format: CompressionFormat, most: number): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream(format)).getReader();
  const parts: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    total += value.length;
    if (total > most) {
      await reader.cancel();
      throw new TooLarge();
    }
    parts.push(value);
  }
  return joined(parts, total);
}

function joined(parts: Uint8Array[], total: number): Uint8Array {
  const all = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const localHeader = 0x04034b50, directoryEntry = 0x02014b50, endOfDirectory = 0x06054b50;
const stored = 0, deflated = 8;

// The same archive with all parts stored; null where it is not a plain one (64 bits, several disks, secrets, damage).
async function storedZip(bytes: Uint8Array, most: number): Promise<Uint8Array | null> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - 22 - 0xffff && view.getUint32(end, true) !== endOfDirectory) --end;
  if (end < 0 || view.getUint32(end, true) !== endOfDirectory) return null;
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const files: Uint8Array[] = [], directory: Uint8Array[] = [];
  let written = 0, directoryBytes = 0;
  for (let k = 0; k < count; ++k) {
    if (view.getUint32(at, true) !== directoryEntry) return null;
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    const nameBytes = view.getUint16(at + 28, true), from = view.getUint32(at + 42, true);
    const name = bytes.subarray(at + 46, at + 46 + nameBytes);
    if ((flags & 1) !== 0 || (method !== stored && method !== deflated) || packed === 0xffffffff || size === 0xffffffff) return null;
    if (view.getUint32(from, true) !== localHeader) return null;
    const begin = from + 30 + view.getUint16(from + 26, true) + view.getUint16(from + 28, true);
    const content = bytes.subarray(begin, begin + packed);
    const plain = method === stored ? content : await inflated(content, "deflate-raw", most - written);
    if (plain.length !== size) return null;
    // Both records begin alike, the directory's with one field more: version, flags, method, time, checksum, sizes, name.
    const record = (head: number, field: number) => {
      const made = new Uint8Array(head + nameBytes), out = new DataView(made.buffer);
      out.setUint16(field, 20, true);
      out.setUint16(field + 2, flags & ~8, true); // sizes stand here, not behind the content
      out.setUint16(field + 4, stored, true);
      made.set(bytes.subarray(at + 12, at + 20), field + 6);
      out.setUint32(field + 14, size, true);
      out.setUint32(field + 18, size, true);
      out.setUint16(field + 22, nameBytes, true);
      made.set(name, head);
      return { made, out };
    };
    const local = record(30, 4), entry = record(46, 6);
    local.out.setUint32(0, localHeader, true);
    entry.out.setUint32(0, directoryEntry, true);
    entry.out.setUint32(42, written, true);
    files.push(local.made, plain);
    directory.push(entry.made);
    written += local.made.length + plain.length;
    directoryBytes += entry.made.length;
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  const last = new Uint8Array(22), out = new DataView(last.buffer);
  out.setUint32(0, endOfDirectory, true);
  out.setUint16(8, count, true);
  out.setUint16(10, count, true);
  out.setUint32(12, directoryBytes, true);
  out.setUint32(16, written, true);
  return joined([...files, ...directory, last], written + directoryBytes + 22);
}

// Throws TooLarge, or an Error in the program's words.
export async function unpacked(name: string, bytes: Uint8Array, most: number): Promise<Uint8Array> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      return await inflated(bytes, "gzip", most);
    } catch (error) {
      throw error instanceof TooLarge ? error : damaged(name);
    }
  }
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return bytes;
  try {
    return (await storedZip(bytes, most)) ?? bytes;
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    return bytes;
  }
}
