/**
 * Runs FFmpeg, from the system or as WebAssembly. It reads bytes from strangers, so each decoding is a separate process with limits on time
 * and memory, without the service's environment, and with one file to read.
 */
import { execFile, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Command } from './commands.ts';

const addressMiBMax = 1500; // memory that the system's FFmpeg may reserve; it uses less than a tenth
const decoderMemoryMiBMax = 384; // WebAssembly's memory; a picture in 1080p takes 60, one in 4K 160
const heapMiBMax = 64; // the JavaScript around it, which holds nothing

export type DecodingLimits = { timeMs: number; processorSeconds: number; memoryMiB?: number };

export type Decoding<T> = {
  file: string;
  command: Command;
  limits: DecodingLimits;
  /** Reads what the decoder writes. When it returns early, the decoder ends. */
  collect: (output: AsyncIterable<Buffer>) => Promise<T | null>;
};

/** `decode` resolves to null when it fails for any reason, and when the process has ended. */
export type Decoder = { name: 'system' | 'shipped'; decode<T>(decoding: Decoding<T>): Promise<T | null> };

/** Finds decoders, in the order in which to try them. */
export async function findDecoders(): Promise<Decoder[]> {
  const system = await findSystemProgram();
  const shipped = openShippedDecoder();
  return system === null ? [shipped] : [openSystemDecoder(system), shipped];
}

/** The path of the system's FFmpeg, if it starts. */
async function findSystemProgram(): Promise<string | null> {
  try {
    const run = promisify(execFile);
    const { stdout } = await run('/bin/sh', ['-c', 'command -v ffmpeg && ffmpeg -version >/dev/null']);
    return stdout.trim();
  } catch {
    return null;
  }
}

const quiet = ['-v', 'quiet'];

function openSystemDecoder(program: string): Decoder {
  return {
    name: 'system',
    decode: decoding => {
      const input = ['-nostdin', '-threads', '1', ...decoding.command(decoding.file), 'pipe:1'];
      const limits = `ulimit -v ${(decoding.limits.memoryMiB ?? addressMiBMax) * 1024}`;
      return runProcess({ limits, words: [program, ...quiet, ...input], stdin: 'ignore' }, decoding);
    },
  };
}

const workerModule = path.join(import.meta.dirname, `decoder.worker${path.extname(import.meta.filename)}`);

/** Validates and compiles what is called alone, a quarter of the time of a still; and gives the bytes of the program back. */
const engineOptions = [
  ...['--wasm-lazy-compilation', '--wasm-lazy-validation'],
  ...['--expose-gc', `--max-old-space-size=${heapMiBMax}`],
];

function openShippedDecoder(): Decoder {
  const core = createRequire(import.meta.url).resolve('@ffmpeg/core');
  return {
    name: 'shipped',
    decode: async decoding => {
      const memoryMiB = decoding.limits.memoryMiB ?? decoderMemoryMiBMax;
      const input = [...quiet, ...decoding.command('/input'), '/output'];
      const words = [...engineOptions, workerModule, core, String(memoryMiB), ...input];
      await using file = await open(decoding.file);
      return await runProcess({ limits: ':', words: [process.execPath, ...words], stdin: file }, decoding);
    },
  };
}

type Program = { limits: string; words: readonly string[]; stdin: 'ignore' | FileHandle };

async function runProcess<T>(
  { limits, words, stdin }: Program,
  { collect, limits: { timeMs, processorSeconds } }: Decoding<T>,
): Promise<T | null> {
  const script = `${limits}; ulimit -t ${processorSeconds}; ulimit -c 0; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', script, 'decoder', ...words], {
    stdio: [stdin === 'ignore' ? stdin : stdin.fd, 'pipe', 'ignore'],
    env: {},
    timeout: timeMs,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>(resolve => {
    child.once('close', resolve).once('error', () => resolve(null));
  });
  const { stdout } = child;
  if (stdout === null) throw new Error('The output of the decoder is a pipe.');
  const made = await collect(stdout).catch(() => null);
  if (made === null) child.kill('SIGKILL');
  return (await ended) === 0 ? made : null;
}
