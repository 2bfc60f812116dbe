/** Pairs the searched time span with an equally long one to compare. */
import type { LogQuestion } from '../../../queries/logs.ts';
import { composeLogQuestion, type LogSearch } from '../search.ts';

export const baselines = [
  { value: 'previous', label: 'The time just before' },
  { value: 'day', label: 'The day before' },
  { value: 'week', label: 'A week before' },
] as const;
type NamedBaseline = (typeof baselines)[number]['value'];
/** When the other span starts. */
type ChosenBaseline = { start: number };
type Baseline = NamedBaseline | ChosenBaseline;

type ClosedQuestion = LogQuestion & { from: string; to: string };
export type SpanPair = { now: ClosedQuestion; before: ClosedQuestion };

const dayMs = 86_400_000;

export function readBaseline({ against }: LogSearch): Baseline {
  const named = baselines.find(({ value }) => value === against)?.value;
  if (named !== undefined) return named;
  const start = Date.parse(against ?? '');
  return Number.isNaN(start) ? 'previous' : { start };
}

/** Returns null for a span without a start, which has nothing before it. */
export function pairSpans(search: LogSearch, now: number): SpanPair | null {
  const question = composeLogQuestion(search, now);
  const { from } = question;
  if (from === undefined) return null;
  const [start, end] = [Date.parse(from), question.to === undefined ? now : Date.parse(question.to)];
  const otherStart = startOf(readBaseline(search), start, end);
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    now: { ...question, from: at(start), to: at(end) },
    // A span includes its end, where the searched one starts.
    before: { ...question, from: at(otherStart), to: at(otherStart + end - start - 1) },
  };
}

function startOf(baseline: Baseline, start: number, end: number): number {
  if (typeof baseline === 'object') return baseline.start;
  if (baseline === 'previous') return start - (end - start);
  return start - (baseline === 'day' ? dayMs : 7 * dayMs);
}
