/**
 * Runs FFmpeg, from the system or as WebAssembly. It parses untrusted bytes, so each decoding is a separate process with time and memory
 * limits, an empty environment, and one file to read.
 */
import { execFile, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Command } from './commands.ts';

const addressMiBMax = 1500; // address space for the system's FFmpeg, which uses less than a tenth
const decoderMemoryMiBMax = 384; // WebAssembly's memory; a 1080p picture takes 60, a 4K picture 160
const heapMiBMax = 64; // the JavaScript around it, which holds nothing

export type DecodingLimits = { timeMs: number; processorSeconds: number; memoryMiB?: number };

export type Decoding<T> = {
  file: string;
  command: Command;
  limits: DecodingLimits;
  /** Reads what the decoder writes. Returning early ends the decoder. */
  collect: (output: AsyncIterable<Buffer>) => Promise<T | null>;
};

/** `decode` resolves once the process has ended, to null if it failed for any reason. */
export type Decoder = { name: 'system' | 'shipped'; decode<T>(decoding: Decoding<T>): Promise<T | null> };

/** Finds decoders, in the order in which to try them. */
export async function findDecoders(): Promise<Decoder[]> {
  const system = await findSystemProgram();
  const shipped = openShippedDecoder();
  return system === null ? [shipped] : [openSystemDecoder(system), shipped];
}

/** Returns the path of the system's FFmpeg if it starts. */
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

/** Compiles only the functions that run, in a quarter of a still's time, and frees the program's bytes. */
const engineOptions = [
  '--wasm-lazy-compilation',
  '--wasm-lazy-validation',
  '--expose-gc',
  `--max-old-space-size=${heapMiBMax}`,
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
