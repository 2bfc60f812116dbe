/**
 * Runs FFmpeg as WebAssembly in a separate process. It reads its standard input as `/input` and writes `/output` to its standard output.
 * The program inside reaches nothing else; its other files are in memory.
 * usage: decoder.worker CORE MEMORY_MIB WORD …
 */
import { fstatSync, readFileSync, readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

type FileNode = { node_ops: object; stream_ops: object };
type OpenFile = { position: number };
type FileCall = [file: OpenFile, buffer: Int8Array, offset: number, length: number, position: number];
type Core = {
  exec(...words: string[]): number;
  FS: { create(path: string, mode: number): FileNode };
};
type CoreOptions = { instantiateWasm(imports: object, receive: (instance: Instance) => void): object };

/** The parts of WebAssembly that we use. Node's types leave these to browsers' types. */
type Memory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
type Instance = { readonly exports: Readonly<Record<string, unknown>> };
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => Instance;
  Memory: new (limits: { initial: number }) => Memory;
};

const pageBytes = 65_536; // WebAssembly's
const [inputDescriptor, outputDescriptor] = [0, 1];

const [corePath = '', memoryMiB = '', ...words] = process.argv.slice(2);
const core = await openCore(corePath, Number(memoryMiB) * 1024 ** 2);
connectInput(core);
connectOutput(core);
process.exit(core.exec(...words) === 0 ? 0 : 1);

async function openCore(path: string, memoryBytesMax: number): Promise<Core> {
  // The package is written for a browser worker and asks where it was loaded from.
  Object.assign(globalThis, { self: { location: { href: '' } } });
  // The package declares no types. These match its source.
  const make = createRequire(import.meta.url)(path) as (options: CoreOptions) => Promise<Core>;
  const program = new WebAssembly.Module(readFileSync(path.replace(/\.js$/, '.wasm')));
  globalThis.gc?.(); // frees the bytes just read
  return await make({
    instantiateWasm: (imports, receive) => {
      const instance = new WebAssembly.Instance(program, imports);
      limitMemory(instance, memoryBytesMax);
      receive(instance);
      return instance.exports;
    },
  });
}

/** Limits the memory that the program can grow to. FFmpeg takes a refusal as on a small machine. */
function limitMemory({ exports }: Instance, bytesMax: number): void {
  const memory = Object.values(exports).find(each => each instanceof WebAssembly.Memory);
  if (memory === undefined) throw new Error('The decoder exports no memory that could be limited.');
  const grow = memory.grow.bind(memory);
  memory.grow = pages => {
    if (memory.buffer.byteLength + pages * pageBytes > bytesMax) throw new RangeError('No more memory.');
    return grow(pages);
  };
}

function connectInput({ FS }: Core): void {
  const { size } = fstatSync(inputDescriptor);
  const node = FS.create('/input', 0o444);
  const origins = [() => 0, (file: OpenFile) => file.position, () => size];
  const at = new Date(0);
  const facts = { dev: 1, ino: 1, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: 1 };
  const getattr = () => ({ ...facts, mode: 0o100444, size, atime: at, mtime: at, ctime: at });
  node.node_ops = { ...node.node_ops, getattr };
  node.stream_ops = {
    ...node.stream_ops,
    read: (...[, buffer, offset, length, position]: FileCall) =>
      readSync(inputDescriptor, buffer, offset, length, position),
    llseek: (file: OpenFile, offset: number, whence: number) => (origins[whence]?.(file) ?? 0) + offset,
  };
}

function connectOutput({ FS }: Core): void {
  const node = FS.create('/output', 0o666);
  node.stream_ops = {
    ...node.stream_ops,
    write: (...[, buffer, offset, length]: FileCall) => {
      for (let written = 0; written < length; )
        written += writeSync(outputDescriptor, buffer, offset + written, length - written);
      return length;
    },
  };
}
