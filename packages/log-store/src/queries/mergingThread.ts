/** Merges many templates in a thread of its own, so that nobody else waits meanwhile; it ends when nothing was merged for a while. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type MergedTexts, type MergeTask, mergeTexts } from './textMerging.ts';

/** Compiled packages hold `.js` beside this module, the repository `.ts`. */
const threadModule = new URL(`./mergingThread.worker${extname(import.meta.url)}`, import.meta.url);
const aloneMin = 1_000; // fewer take some ten milliseconds
const oldSpaceMegabytesMax = 512; // 100,000 templates take some hundred
const youngSpaceMegabytesMax = 96; // nearly all that is made is gone after a moment
const idleMsMax = 300_000; // afterwards its memory is given back; a new one needs as long again until its code is fast

type Mergeable = { readonly template: string; readonly paths: readonly string[] };
/** With numbers, so that answers find their question. */
type NumberedTask = MergeTask & { id: number };
type NumberedAnswer = { id: number; rows: MergedTexts };
type Waiting = { resolve(rows: MergedTexts): void; reject(error: unknown): void };

export class MergingThread {
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #tasks = 0;
  readonly #waiting = new Map<number, Waiting>();

  async merge(templates: readonly Mergeable[]): Promise<MergedTexts> {
    const paths = [...new Set(templates.flatMap(one => one.paths))];
    const texts = templates.map(({ template }) => template);
    return texts.length < aloneMin ? mergeTexts({ texts, paths }) : this.#ask({ texts, paths });
  }

  #ask(task: MergeTask): Promise<MergedTexts> {
    const { promise, resolve, reject } = Promise.withResolvers<MergedTexts>();
    const id = this.#tasks++;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting.set(id, { resolve, reject });
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage({ id, ...task } satisfies NumberedTask);
    return promise;
  }

  #start(): Worker {
    const resourceLimits = {
      maxOldGenerationSizeMb: oldSpaceMegabytesMax,
      maxYoungGenerationSizeMb: youngSpaceMegabytesMax,
    };
    const worker = new Worker(threadModule, { name: 'pattern merging', resourceLimits });
    worker.on('message', ({ id, rows }: NumberedAnswer) => {
      this.#waiting.get(id)?.resolve(rows);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#idle(worker);
    });
    worker.on('error', error => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error('The thread that merges patterns ended.')));
    return worker;
  }

  #idle(worker: Worker): void {
    worker.unref();
    this.#timer = setTimeout(() => {
      this.#worker = null;
      void worker.terminate();
    }, idleMsMax).unref();
  }

  #lose(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
