/** Writes text to standard output or a pager, and notes to standard error. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { type Pager, type RunningPager, startPager } from './pager.ts';

export type Output = AsyncDisposable & {
  /** Aborts once the reader is gone. */
  closed: AbortSignal;
  /** Resolves once there is room for more. */
  write(text: string): Promise<void>;
  /** On standard error, after the pager has ended. */
  printNote(text: string): void;
  /** Shown on a terminal while slow work produces no output. */
  progress: string;
};

const progressAfterMs = 700; // faster work needs no progress
const progressEveryMs = 250;

/** Starts the pager if the text exceeds one screen. Shows no progress on a terminal that cannot clear a line. */
export function openOutput(pager: Pager | null, canClear = true): Output {
  const closed = new AbortController();
  const notes: string[] = [];
  const progress = openProgress(canClear);
  let running: RunningPager | null = null;
  let stream: Writable | null = pager === null ? process.stdout : null;
  let buffered = '';
  process.stdout.on('error', () => closed.abort()); // the reader is gone
  const open = () => {
    running = pager && startPager(pager, closed);
    stream = running?.input ?? process.stdout;
    return stream;
  };
  return {
    closed: closed.signal,
    write: async text => {
      buffered += text;
      if (stream === null && fitsScreen(buffered)) return;
      progress.pause();
      const to = stream ?? open();
      const canWrite = closed.signal.aborted || to.write(buffered);
      buffered = '';
      if (!canWrite) await once(to, 'drain', { signal: closed.signal }).catch(() => undefined); // the reader left while the stream was full
    },
    printNote: text => {
      progress.clear();
      if (running === null && buffered === '') process.stderr.write(`${text}\n`);
      else notes.push(`${text}\n`);
    },
    set progress(text: string) {
      progress.text = text;
    },
    [Symbol.asyncDispose]: async () => {
      progress.end();
      if (buffered !== '') process.stdout.write(buffered);
      running?.input.end();
      await running?.ended;
      for (const note of notes) process.stderr.write(note);
    },
  };
}

/** Returns whether the text fits, with one line left for the prompt. */
function fitsScreen(text: string): boolean {
  const { rows = 24, columns = 80 } = process.stdout;
  const lines = stripVTControlCharacters(text).split('\n');
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0) <= rows;
}

/** Shows one line that it overwrites. */
function openProgress(canClear: boolean) {
  const { stderr } = process;
  let isShown = false;
  const clear = () => {
    if (isShown) stderr.write('\r\u001b[K');
    isShown = false;
  };
  const progress = { text: '', clear, pause: clear, end: clear };
  if (!stderr.isTTY || !canClear) return progress;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    if (progress.text === '' || performance.now() - startedAt < progressAfterMs) return;
    stderr.write(`\r${progress.text}\u001b[K`);
    isShown = true;
  }, progressEveryMs).unref();
  const end = () => {
    clearInterval(timer);
    clear();
  };
  // If the text goes elsewhere, progress continues.
  return Object.assign(progress, { end, pause: process.stdout.isTTY ? end : clear });
}
