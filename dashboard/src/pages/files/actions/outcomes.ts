/** Reports the outcome of an action on files. */
import { countThings } from '../../../format/numbers.ts';
import type { Outcome } from '../../../queries/fileChanges.ts';
import { showToast } from '../../../ui/Toasts.tsx';

/** `3 files moved`. */
export function announceOutcome({ done, failed, reason }: Outcome, what: string, onShow?: () => void): void {
  const sentence = describeFailures({ done, failed, reason }, what);
  const way = onShow ? { words: 'Show', go: onShow } : null;
  showToast(sentence ?? `${countThings(done, 'file')} ${what}`, way);
}

/** Returns null if all succeeded. */
export function describeFailures({ done, failed, reason }: Outcome, what: string): string | null {
  if (failed === 0) return null;
  const rest = done > 0 ? `${countThings(done, 'file')} ${what}, ` : '';
  return `${rest}${countThings(failed, 'file')} not: ${reason}`;
}
