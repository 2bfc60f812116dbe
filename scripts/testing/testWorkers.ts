/**
 * Runs many test files in each process, one after another, because loading the service and Chromium for each took a third of the suite's processor
 * time. If a file fails or leaves something behind, its process ends and the next file gets a new one.
 */
import { join, resolve } from 'node:path';
import { repositoryRoot } from '../repository.ts';
import { roomyHeap } from './processGroups.ts';
import {
  countResults,
  describeEarlyEnd,
  describeTimeout,
  type FileResult,
  noTest,
  type TestEvent,
} from './results.ts';
import { mayShareEngines } from './sharedEngines.ts';
import { makeTemporary, removeTemporary } from './temporaryFolders.ts';
import { endLeftovers, endProcess, reporter, startTestProcess, type TestProcess } from './testProcess.ts';

const filesPerProcessMax = 25; // modules keep memory for good, which adds up

const pathSeparator = ', ';

/** Returns the files whose process had the result. */
export function listFiles({ path }: FileResult): string[] {
  return path.split(pathSeparator);
}

export class TestWorkers {
  readonly #idle: TestWorker[] = [];
  readonly #endMsMax: number;
  readonly #flags: readonly string[];

  /** `flags`: of Node.js. */
  constructor(endMsMax = 20_000, flags = roomyHeap) {
    this.#endMsMax = endMsMax; // for a process that has finished its files
    this.#flags = flags;
  }

  async run(path: string, timeMsMax: number): Promise<FileResult> {
    const worker = this.#idle.pop() ?? new TestWorker(this.#flags);
    const result = await worker.run(path, timeMsMax);
    if (result.failures.length > 0) await worker.end(this.#endMsMax);
    else if (worker.files.length < filesPerProcessMax) this.#idle.push(worker);
    else {
      result.failures.push(...countResults([], await worker.end(this.#endMsMax)).failures);
      result.output += worker.takeOutput();
    }
    return result;
  }

  /** Returns failures of processes whose files all passed but which ended badly. Their paths name all files, see `listFiles`. */
  async end(): Promise<FileResult[]> {
    const ended = await Promise.all(
      this.#idle.splice(0).map(async worker => ({ worker, problems: await worker.end(this.#endMsMax) })),
    );
    return ended
      .filter(({ problems }) => problems.length > 0)
      .map(({ worker, problems }) => {
        const { passed, failures } = countResults([], problems);
        const [path, output] = [worker.files.join(pathSeparator), worker.takeOutput()];
        return { path, passed, failures, output, tookMs: 0, processorMs: 0 };
      });
  }
}

class TestWorker {
  readonly files: string[] = [];
  readonly #home = makeTemporary();
  readonly #process: TestProcess;
  #processorMs = 0;
  isOver = false;

  constructor(flags: readonly string[]) {
    const program = join(import.meta.dirname, 'worker.mjs');
    const args = [...flags, reporter, program];
    this.#process = startTestProcess(args, { temporary: this.#home, hasMessages: true });
  }

  async run(path: string, timeMsMax: number): Promise<FileResult> {
    const startedAt = performance.now();
    const temporary = makeTemporary();
    this.files.push(path);
    const { events, problems } = await this.#awaitEnd(path, { temporary, timeMsMax });
    problems.push(...(await endLeftovers(this.#process.child, this.isOver)));
    const { passed, failures } = countResults(events, problems);
    if (failures.length === 0 && passed === 0) failures.push(...countResults([], [noTest]).failures);
    removeTemporary(temporary);
    const before = this.#processorMs;
    this.#processorMs = events.find(event => event.type === 'end')?.processorMs ?? before;
    const tookMs = performance.now() - startedAt;
    const processorMs = this.#processorMs - before;
    return { path, passed, failures, output: this.#process.takeOutput(), tookMs, processorMs };
  }

  /** Returns the process's output since its last file. */
  takeOutput(): string {
    return this.#process.takeOutput();
  }

  /** Returns problems at the end: nothing that a file opened should keep the process alive. */
  async end(endMsMax: number): Promise<string[]> {
    const { child, exit } = this.#process;
    const problems: string[] = [];
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => {
      problems.push(describeTimeout(endMsMax));
      endProcess(child);
    }, endMsMax);
    const { status, signal } = await exit;
    clearTimeout(timer);
    if (!this.isOver && status !== 0 && problems.length === 0)
      problems.push(`Its process ended with ${signal ?? status}.`);
    if (!this.isOver) problems.push(...(await endLeftovers(child, true)));
    removeTemporary(this.#home);
    this.isOver = true;
    return problems;
  }

  async #awaitEnd(
    path: string,
    { temporary, timeMsMax }: { temporary: string; timeMsMax: number },
  ): Promise<{ events: TestEvent[]; problems: string[] }> {
    const { child, exit } = this.#process;
    const [events, problems] = [[] as TestEvent[], [] as string[]];
    const timer = setTimeout(() => {
      problems.push(describeTimeout(timeMsMax));
      endProcess(child);
    }, timeMsMax);
    const ended = Promise.withResolvers<void>();
    const take = (event: TestEvent) => {
      events.push(event);
      if (event.type === 'end') ended.resolve();
    };
    child.on('message', take);
    child.send({ path: resolve(repositoryRoot, path), temporary, sharesEngines: mayShareEngines(path) });
    const status = await Promise.race([
      ended.promise.then(() => 'runs' as const),
      exit.then(({ status }) => status),
    ]);
    clearTimeout(timer);
    child.off('message', take);
    this.isOver = status !== 'runs';
    if (status !== 'runs' && problems.length === 0) problems.push(describeEarlyEnd(status));
    return { events, problems };
  }
}
