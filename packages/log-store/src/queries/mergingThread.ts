/** Merges many templates in a worker thread, so that other requests do not wait. The thread ends after some idle time. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type MergedTexts, type MergeTask, mergeTexts } from './textMerging.ts';

/** The worker is `.js` in compiled packages and `.ts` in the repository. */
const threadModule = new URL(`./mergingThread.worker${extname(import.meta.url)}`, import.meta.url);
const aloneMin = 1_000; // fewer take about ten milliseconds
const oldSpaceMegabytesMax = 512; // 100,000 templates take a few hundred
const youngSpaceMegabytesMax = 96; // almost all objects are short-lived
const idleMsMax = 300_000; // then the thread releases its memory; a new thread must warm up again

type Mergeable = { readonly template: string; readonly paths: readonly string[] };
/** A task with an id, which its answer repeats. */
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
