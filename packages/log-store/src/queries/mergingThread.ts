/** Merges many templates in a thread of its own, so that nobody else waits meanwhile; it ends when nothing was merged for a while. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { mergeTemplates } from '@tapedeck/log-patterns';
import type { MergeReply, MergeTask } from './mergingThread.worker.ts';

/** Compiled packages hold `.js` beside this module, the repository `.ts`. */
const threadModule = new URL(`./mergingThread.worker${extname(import.meta.url)}`, import.meta.url);
const aloneMin = 1_000; // fewer take some ten milliseconds
const oldSpaceMegabytesMax = 512; // 100,000 templates take some hundred
const youngSpaceMegabytesMax = 96; // nearly all that is made is gone after a moment
const idleMsMax = 30_000; // afterwards what the thread took of memory is given back

type Mergeable = { readonly template: string; readonly paths: readonly string[] };
/** The members by index. */
type Merged = { template: string; members: ArrayLike<number> };
type Waiting = { resolve(rows: MergeReply['rows']): void; reject(error: unknown): void };

export class MergingThread {
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #tasks = 0;
  readonly #waiting = new Map<number, Waiting>();

  async merge(templates: readonly Mergeable[]): Promise<readonly Merged[]> {
    const paths = [...new Set(templates.flatMap(one => one.paths))];
    const texts = templates.map(({ template }) => template);
    return texts.length < aloneMin ? mergeTexts({ texts, paths }) : this.#ask({ texts, paths });
  }

  #ask(task: Omit<MergeTask, 'id'>): Promise<MergeReply['rows']> {
    const { promise, resolve, reject } = Promise.withResolvers<MergeReply['rows']>();
    const id = this.#tasks++;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting.set(id, { resolve, reject });
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage({ id, ...task } satisfies MergeTask);
    return promise;
  }

  #start(): Worker {
    const resourceLimits = {
      maxOldGenerationSizeMb: oldSpaceMegabytesMax,
      maxYoungGenerationSizeMb: youngSpaceMegabytesMax,
    };
    const worker = new Worker(threadModule, { name: 'pattern merging', resourceLimits });
    worker.on('message', ({ id, rows }: MergeReply) => {
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

export async function mergeTexts({ texts, paths }: Omit<MergeTask, 'id'>): Promise<MergeReply['rows']> {
  // One with all paths is enough: they are taken together.
  const merged = await mergeTemplates(
    texts.map((template, index) => ({ template, index, ...(index === 0 && { paths }) })),
  );
  return merged.map(({ template, members }) => {
    return { template, members: Uint32Array.from(members, ({ index }) => index) };
  });
}
