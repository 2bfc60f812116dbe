/** Writes text to standard output or a pager, and remarks to standard error. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { type Pager, type RunningPager, startPager } from './pager.ts';

export type Output = AsyncDisposable & {
  /** Aborted once nobody reads any more. */
  gone: AbortSignal;
  /** Resolves once there is room for more. */
  write(text: string): Promise<void>;
  /** On standard error, when the pager has ended. */
  note(text: string): void;
  /** Shown on a terminal while it is worked and nothing is written to it, if it takes its time. */
  progress: string;
};

const progressAfterMs = 700; // quicker work needs no word
const progressEveryMs = 250;

/** The pager starts when there is more than a screen holds. A terminal that cannot clear a line is shown no progress. */
export function openOutput(pager: Pager | null, canClear = true): Output {
  const gone = new AbortController();
  const notes: string[] = [];
  const progress = openProgress(canClear);
  let running: RunningPager | null = null;
  let stream: Writable | null = pager === null ? process.stdout : null;
  let held = '';
  process.stdout.on('error', () => gone.abort()); // its reader has gone
  const open = () => {
    running = pager && startPager(pager, gone);
    stream = running?.input ?? process.stdout;
    return stream;
  };
  return {
    gone: gone.signal,
    write: async text => {
      held += text;
      if (stream === null && fitsScreen(held)) return;
      progress.pause();
      const to = stream ?? open();
      const hasRoom = gone.signal.aborted || to.write(held);
      held = '';
      if (!hasRoom) await once(to, 'drain', { signal: gone.signal }).catch(() => undefined); // gone while it was full
    },
    note: text => {
      progress.clear();
      if (running === null && held === '') process.stderr.write(`${text}\n`);
      else notes.push(`${text}\n`);
    },
    set progress(text: string) {
      progress.text = text;
    },
    [Symbol.asyncDispose]: async () => {
      progress.end();
      if (held !== '') process.stdout.write(held);
      running?.input.end();
      await running?.ended;
      for (const note of notes) process.stderr.write(note);
    },
  };
}

/** Whether the text fits, with one line left for the prompt. */
function fitsScreen(text: string): boolean {
  const { rows = 24, columns = 80 } = process.stdout;
  const lines = stripVTControlCharacters(text).split('\n');
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0) <= rows;
}

/** One line that is written over. */
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
  // Where the text itself goes elsewhere, it can go on.
  return Object.assign(progress, { end, pause: process.stdout.isTTY ? end : clear });
}
