/** Two equally long time spans: the one that is searched, and the one it is compared with. */
import type { LogQuestion } from '../../../queries/logs.ts';
import { askLogs, type LogSearch } from '../search.ts';

export const baselines = [
  { value: 'previous', label: 'The time just before' },
  { value: 'day', label: 'The day before' },
  { value: 'week', label: 'A week before' },
] as const;
type Baseline = (typeof baselines)[number]['value'];

export type SpanPair = { now: LogQuestion; before: LogQuestion };

const dayMs = 86_400_000;

export function readBaseline({ against }: LogSearch): Baseline {
  return baselines.find(({ value }) => value === against)?.value ?? 'previous';
}

/** null: a span without a beginning has nothing before it. */
export function pairSpans(search: LogSearch, now: number): SpanPair | null {
  const question = askLogs(search, now);
  const { from } = question;
  if (from === undefined) return null;
  const [start, end] = [Date.parse(from), question.to === undefined ? now : Date.parse(question.to)];
  const backMs = backMsOf(readBaseline(search), end - start);
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    now: { ...question, from: at(start), to: at(end) },
    // An end counts as a part of its span, and the other one begins there.
    before: { ...question, from: at(start - backMs), to: at(end - backMs - 1) },
  };
}

function backMsOf(baseline: Baseline, spanMs: number): number {
  if (baseline === 'previous') return spanMs;
  return baseline === 'day' ? dayMs : 7 * dayMs;
}
