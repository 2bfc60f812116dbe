/** Reads the service to import from through its V3 API, using only what SERVICE.md promises. */
import { ApiError } from '@tapedeck/client';
import { Misuse } from '@tapedeck/command-line';
import { Failure } from '@tapedeck/values/failure';
import { isObject } from '@tapedeck/values/json';
import { Remote } from './remote.ts';
import {
  readEntry,
  readFile,
  readList,
  readPagination,
  type SourceEntry,
  type SourceFile,
} from './sourceShapes.ts';

const pageSize = 100; // SERVICE.md, Limits
const patience = { retryForMs: 600_000, requestTimeoutMs: 60_000 }; // rate limits and restarts pass; a day's outage does not
const briefPatience = { retryForMs: 5_000, requestTimeoutMs: 60_000 };

export type FilePage = { files: readonly SourceFile[]; isLast: boolean; total: number | null };
export type EntryPage = { entries: readonly SourceEntry[]; isLast: boolean };
type EntryPlace = { dataset: string; from: string | null; offset: number };

export class Source {
  readonly baseUrl: string;
  readonly #remote: Remote;

  constructor(url: string, token: string) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new Misuse('--from must be a URL such as https://media.example.org.');
    // Documentation of such services often gives paths that begin with /api.
    this.baseUrl = url.replace(/\/+$/, '').replace(/\/api(?:\/v3)?$/, '');
    this.#remote = new Remote({ baseUrl: this.baseUrl, token }, patience);
  }

  async listFiles(page: number): Promise<FilePage> {
    const answer = await this.#ask('/api/v3/file', { page, limit: pageSize });
    const listed = this.#requireList(answer);
    const { total = null, limit = pageSize } = readPagination(answer);
    const isEnd = total === null ? listed.length < limit : page * limit >= total;
    const files = listed.map(readFile).filter(file => file !== null);
    return { files, isLast: listed.length === 0 || isEnd, total };
  }

  /** Oldest first. */
  async listEntries({ dataset, from, offset }: EntryPlace): Promise<EntryPage> {
    const place = { dataset, offset, ...(from !== null && { from }) };
    const answer = await this.#ask('/api/v3/logs', { ...place, limit: pageSize, order: 'asc' });
    const listed = this.#requireList(answer);
    const { hasMore = listed.length === pageSize } = readPagination(answer);
    const entries = listed.map(readEntry).filter(entry => entry !== null);
    return { entries, isLast: listed.length === 0 || !hasMore };
  }

  /** Returns null if the service does not count entries. */
  async countEntries(place: { dataset: string; from: string | null; to: string }): Promise<number | null> {
    const { dataset, to, from } = place;
    const range = { to, ...(from !== null && { from }) };
    const answer = await this.#ask('/api/v3/logs', { dataset, ...range, limit: 1, includeTotal: true });
    return readPagination(answer).total ?? null;
  }

  /** Returns null if there is no such entry. */
  async findEntry(traceId: string): Promise<SourceEntry | null> {
    try {
      const answer = await this.#remote.get(`/api/v3/logs/${encodeURIComponent(traceId)}`);
      return isObject(answer) ? readEntry(answer.data) : null;
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) return null;
      throw this.#explain(error);
    }
  }

  /** Returns null if the service does not list datasets, which SERVICE.md does not require. */
  async listDatasets(): Promise<string[] | null> {
    try {
      const listed = readList(await this.#remote.get('/api/v3/logs/datasets', {}, briefPatience));
      if (listed === null) return null;
      const names = listed.map(each => (isObject(each) ? each.name : undefined));
      return names.every(name => typeof name === 'string') ? names : null;
    } catch (error) {
      if (error instanceof ApiError && ![0, 401, 429].includes(error.status)) return null;
      throw this.#explain(error);
    }
  }

  async #ask(path: string, query: Record<string, string | number | boolean>): Promise<unknown> {
    try {
      return await this.#remote.get(path, query);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #requireList(answer: unknown): readonly unknown[] {
    const listed = readList(answer);
    if (listed !== null) return listed;
    throw new Failure('unavailable', `${this.baseUrl} does not answer as a V3 API does; check --from.`);
  }

  #explain(error: unknown): unknown {
    if (!(error instanceof ApiError)) return error;
    const sentence =
      error.status === 0
        ? `${this.baseUrl} cannot be reached. Run the command again later: it continues where it stopped.`
        : `${this.baseUrl} answers ${error.status}: ${error.message} Run the command again later: it continues where it stopped.`;
    const refused = `${this.baseUrl} refuses the token: ${error.message} Check --token.`;
    return new Failure('unavailable', [401, 403].includes(error.status) ? refused : sentence, {
      cause: error,
    });
  }
}
