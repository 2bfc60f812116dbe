/** Entries and requests shared by the tests of Loki's read API. */
import assert from 'node:assert/strict';
import { openLogClient } from '../support/logSender.ts';
import type { TestService } from '../support/service.ts';

export type LokiClient = {
  token: string;
  owner: Awaited<ReturnType<typeof openLogClient>>['owner'];
  store: Awaited<ReturnType<typeof openLogClient>>['store'];
  ask(path: string, parameters?: AskedFor, headers?: Record<string, string>): Promise<Response>;
  /** Returns the body of a 200. */
  read(path: string, parameters?: AskedFor, headers?: Record<string, string>): Promise<Answer>;
  /** Returns labels and lines in response order. */
  list(query: string, parameters?: AskedFor): Promise<[labels: Record<string, string>, line: string][]>;
  /** Returns values by labels and seconds. */
  draw(query: string, parameters?: AskedFor): Promise<Record<string, Record<string, string>>>;
};

export type AskedFor = Readonly<Record<string, string>>;

/** The parts of responses that tests look at. */
type Answer = {
  status?: string;
  data: unknown;
};

type Stream = { stream: Record<string, string>; values: [string, string][] };
type Drawn = { metric: Record<string, string>; values?: [number, string][]; value?: [number, string] };

/** The start of an hour, some hours ago. */
export const baseSeconds = Math.floor(Date.now() / 3_600_000) * 3_600 - 2 * 3_600;

export function at(seconds: number): string {
  return new Date((baseSeconds + seconds) * 1000).toISOString();
}

export async function openLoki(service: TestService): Promise<LokiClient> {
  const { token, owner, store } = await openLogClient(service);
  const ask: LokiClient['ask'] = (path, parameters = {}, headers = {}) =>
    service.fetch(`/loki/api/v1/${path}?${new URLSearchParams(parameters)}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  const read: LokiClient['read'] = async (path, parameters, headers) => {
    const response = await ask(path, parameters, headers);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text) as Answer; // the test names the shape
  };
  const hour = {
    start: String(baseSeconds),
    end: String(baseSeconds + 3600),
    limit: '5000',
    direction: 'forward',
  };
  const results = async (path: string, query: string, parameters: AskedFor = {}) => {
    const { data } = await read(path, { ...hour, query, ...parameters });
    return (data as { result: unknown }).result; // every query's result
  };
  return {
    token,
    owner,
    store,
    ask,
    read,
    list: async (query, parameters) => {
      const streams = (await results('query_range', query, parameters)) as Stream[]; // a query for lines
      return streams
        .flatMap(({ stream, values }) => values.map(([time, line]) => ({ stream, time, line })))
        .sort((one, other) => (one.time < other.time ? -1 : 1))
        .map(({ stream, line }) => [stream, line]);
    },
    draw: async (query, parameters) => {
      const series = (await results('query_range', query, { step: '600', ...parameters })) as Drawn[]; // a query for numbers
      return Object.fromEntries(
        series.map(({ metric, values = [] }) => [
          JSON.stringify(metric),
          Object.fromEntries(values.map(([seconds, value]) => [String(seconds - baseSeconds), value])),
        ]),
      );
    },
  };
}
