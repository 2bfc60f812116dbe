/** Compares the last hour's errors with the same hour yesterday and a week ago, and says it in words. */
import type { Counts } from '../../queries/home.ts';

const hoursADay = 24;
const hoursAWeek = 7 * hoursADay;
const alarmErrorsMin = 10; // fewer are no reason for an alarm
const manyTimes = 2;
const moreTimes = 1.5;
const fewerTimes = 0.5;

type Comparison = {
  now: number;
  /** null if there were no entries that early. */
  yesterday: number | null;
  lastWeek: number | null;
  /** The larger of both; null if there is neither. */
  usual: number | null;
  word: string;
  isAlarm: boolean;
  /** The last 24 hours, oldest first. */
  day: readonly number[];
};

/** `hours` ends with the current one. */
export function compareErrors(hours: readonly Counts[]): Comparison {
  const errors = hours.map(({ error }) => error);
  const now = errors.at(-1) ?? 0;
  const [yesterday, lastWeek] = [hoursADay, hoursAWeek].map(ago => countBefore(hours, errors, ago));
  const past = [yesterday, lastWeek].filter(count => typeof count === 'number');
  const usual = past.length === 0 ? null : Math.max(...past);
  return {
    now,
    yesterday: yesterday ?? null,
    lastWeek: lastWeek ?? null,
    usual,
    ...judge(now, usual),
    day: errors.slice(-hoursADay),
  };
}

export function sumCounts(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Looks back no further than the first entry. */
function countBefore(hours: readonly Counts[], counts: readonly number[], ago: number): number | null {
  const place = counts.length - 1 - ago;
  const first = hours.findIndex(each => sumCounts(each) > 0);
  return first === -1 || place < first ? null : (counts[place] ?? null);
}

function judge(now: number, usual: number | null): Pick<Comparison, 'word' | 'isAlarm'> {
  if (usual === null) return { word: 'no history to compare with yet', isAlarm: false };
  const isMuch = now >= alarmErrorsMin;
  if (usual === 0)
    return isMuch
      ? { word: 'usually none', isAlarm: true }
      : { word: now === 0 ? 'as usual' : 'usually none', isAlarm: false };
  const times = now / usual;
  if (isMuch && times >= manyTimes) return { word: `${Math.round(times)}× higher than usual`, isAlarm: true };
  if (isMuch && times >= moreTimes) return { word: 'higher than usual', isAlarm: false };
  if (usual >= alarmErrorsMin && times <= fewerTimes) return { word: 'lower than usual', isAlarm: false };
  return { word: 'as usual', isAlarm: false };
}
