/**
 * Finds the members that paths lead to, in the order in which the line has them. Like Loki's reader, it skips what does not
 * belong into JSON, and stops where it cannot tell what follows.
 */
import type { JsonPath } from '../language/jsonPaths.ts';
import { JsonMistake, JsonScanner, readListEscapes } from './jsonScanning.ts';
import { replaceBroken } from './texts.ts';

type Taking = {
  /** Called once per path, with the text at its end; JSON if that is an object or a list. */
  take(path: number, text: string): void;
  fail(mistake: JsonMistake): void;
};

export function walkJson(line: string, paths: readonly JsonPath[], taking: Taking): void {
  try {
    new JsonWalk(line, paths, taking).run();
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error;
  }
}

class JsonWalk {
  readonly #scanner: JsonScanner;
  readonly #paths: readonly JsonPath[];
  readonly #taking: Taking;
  /** Paths that have not ended yet. */
  readonly #open: Set<number>;

  constructor(line: string, paths: readonly JsonPath[], taking: Taking) {
    this.#scanner = new JsonScanner(line);
    this.#paths = paths;
    this.#taking = taking;
    this.#open = new Set(paths.keys());
  }

  run(): void {
    const scanner = this.#scanner;
    for (let sign = scanner.peek(); sign !== '' && this.#open.size > 0; sign = scanner.peek())
      if (!this.#enter(sign, [...this.#open], 0)) scanner.at++;
  }

  /** Returns false if no object or list begins here. */
  #enter(sign: string, paths: readonly number[], depth: number): boolean {
    if (sign === '{') this.#walkObject(paths, depth);
    else if (sign === '[') this.#walkList(paths, depth);
    else return false;
    return true;
  }

  #walkObject(paths: readonly number[], depth: number): void {
    const scanner = this.#scanner;
    scanner.at++;
    for (let sign = scanner.peek(); sign !== '}'; sign = scanner.peek()) {
      if (sign === '') return;
      if (sign === '"') {
        const key = scanner.readString();
        if (scanner.accept(':')) this.#walkValue(this.#choose(paths, depth, key), depth);
      } else if (sign === '{' || sign === '[') scanner.readRaw();
      else scanner.at++;
      if (this.#open.size === 0) return;
    }
    scanner.at++;
  }

  #walkList(paths: readonly number[], depth: number): void {
    const scanner = this.#scanner;
    scanner.at++;
    for (let index = 0; scanner.peek() !== ']'; index++) {
      const start = scanner.at;
      this.#walkValue(this.#choose(paths, depth, index), depth);
      if (scanner.at === start) scanner.readRaw();
      if (this.#open.size === 0 || !scanner.accept(',')) return;
    }
    scanner.at++;
  }

  #choose(paths: readonly number[], depth: number, step: string | number): number[] {
    return paths.filter(path => this.#open.has(path) && this.#paths[path]?.[depth] === step);
  }

  /** Does not move if no path leads here. */
  #walkValue(paths: readonly number[], depth: number): void {
    if (paths.length === 0) return;
    const scanner = this.#scanner;
    const sign = scanner.peek();
    const start = scanner.at;
    const isEnd = (path: number) => this.#paths[path]?.length === depth + 1;
    for (const path of paths.filter(isEnd)) {
      scanner.at = start;
      this.#open.delete(path);
      this.#takeValue(path, sign);
    }
    const further = paths.filter(path => !isEnd(path));
    if (further.length === 0) return;
    scanner.at = start;
    this.#enter(sign, further, depth + 1);
  }

  #takeValue(path: number, sign: string): void {
    try {
      this.#taking.take(path, this.#readValue(sign));
    } catch (error) {
      if (!(error instanceof JsonMistake)) throw error;
      this.#taking.fail(error);
    }
  }

  #readValue(sign: string): string {
    if (sign === '"') return replaceBroken(this.#scanner.readString());
    const raw = this.#scanner.readRaw();
    if (sign === '[') return replaceBroken(readListEscapes(raw));
    return raw === 'null' ? '' : raw;
  }
}
