/** Suggests a threshold that a usual week does not reach. */
import { stepOf } from '../chart/columns.ts';

const usualShare = 0.98; // share of the week; anything beyond is worth an alert
const margin = 1.2; // this much more, or less, than usual

/** Suggests from the fullest or emptiest window of each interval of the week; null if no threshold makes sense. */
export function suggestThreshold(
  counts: readonly number[],
  { isSilence }: { isSilence: boolean },
): number | null {
  const sorted = counts.toSorted((one, other) => (isSilence ? other - one : one - other));
  const usual = sorted[Math.ceil(sorted.length * usualShare) - 1];
  if (usual === undefined) return null;
  // Never above the usual count, or silence would be usual.
  if (isSilence)
    return usual < 1 ? null : Math.max(1, Math.min(usual, roundTwoDigits(usual / margin, 'floor')));
  return Math.max(usual + 1, roundTwoDigits(usual * margin, 'ceil'));
}

/** People choose 330 rather than 327. */
function roundTwoDigits(value: number, direction: 'ceil' | 'floor'): number {
  const unit = stepOf(value);
  return Math[direction](value / unit) * unit;
}
