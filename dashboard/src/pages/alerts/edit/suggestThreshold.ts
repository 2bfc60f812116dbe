/** Proposes a threshold that a usual week does not reach. */
import { stepOf } from '../chart/columns.ts';

const usualShare = 0.98; // part of the week; anything beyond is worth an alert
const margin = 1.2; // so much more, or less, than usual

/** Suggests a threshold from the fullest or emptiest windows of each part of the week; null if none makes sense. */
export function suggestThreshold(
  counts: readonly number[],
  { isSilence }: { isSilence: boolean },
): number | null {
  const sorted = counts.toSorted((one, other) => (isSilence ? other - one : one - other));
  const usual = sorted[Math.ceil(sorted.length * usualShare) - 1];
  if (usual === undefined) return null;
  // Never so many that fewer would be usual.
  if (isSilence)
    return usual < 1 ? null : Math.max(1, Math.min(usual, roundTwoDigits(usual / margin, 'floor')));
  return Math.max(usual + 1, roundTwoDigits(usual * margin, 'ceil'));
}

/** People write 330 rather than 327. */
function roundTwoDigits(value: number, direction: 'ceil' | 'floor'): number {
  const unit = stepOf(value);
  return Math[direction](value / unit) * unit;
}
