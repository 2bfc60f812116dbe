/** Grafana's format for times and ranges, and how its request tests read responses. */
import { type AskedFor, baseSeconds } from './lokiEntries.ts';

/** Fields that any response may hold. */
export type Answer = {
  status?: string;
  data?: unknown;
  fields?: { label: string; parsers: string[] | null; type: string }[];
  values?: string[];
  detectedLabels?: { label: string; cardinality: number }[];
  entries?: number;
  version?: string;
};
type Result = { metric: Record<string, string>; values?: [number, string][]; value?: [number, string] };

export function resultsOf({ data }: Answer): Result[] {
  return (data as { result: Result[] }).result; // every query's result
}

export function addUp(answer: Answer): number {
  return resultsOf(answer)
    .flatMap(({ values = [], value }) => (value === undefined ? values : [value]))
    .reduce((sum, [, each]) => sum + Number(each), 0);
}

export function labelsOf(answer: Answer, name: string): string[] {
  return resultsOf(answer)
    .map(({ metric }) => metric[name] ?? '')
    .sort();
}

export function linesOf({ data }: Answer): unknown[][] {
  return (data as { result: { values: unknown[][] }[] }).result.flatMap(({ values }) => values);
}

export type Row = readonly [
  title: string,
  path: string,
  parameters: AskedFor,
  check: (answer: Answer) => void,
  headers?: AskedFor,
];

/** A time within the hour of `lokiHour.ts`, in nanoseconds. */
export const ns = (seconds: number) => `${baseSeconds + seconds}000000000`;
const iso = (seconds: number) => new Date((baseSeconds + seconds) * 1000).toISOString();
export const hour = { start: ns(0), end: ns(3600) };
export const isoHour = { start: iso(0), end: iso(3600) };
export const categorized = { 'X-Loki-Response-Encoding-Flags': 'categorize-labels' };
export const range = { ...hour, direction: 'backward', step: '15000ms' };
