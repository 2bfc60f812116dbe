/** Which issues are shown, as it stands in the address. */

export const shownStates = ['open', 'resolved', 'ignored'] as const;
export type ShownState = (typeof shownStates)[number];

export type IssueSearch = {
  /** Absent: those that nobody has dealt with, and those that came back. */
  state?: Exclude<ShownState, 'open'>;
  /** Absent: seven. */
  days?: string;
  /** Present: warnings as well. */
  warnings?: string;
};

export const daysOffered = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
] as const;
export const usualDays = '7';

export function readIssueSearch({ state, days, warnings }: Record<string, unknown>): IssueSearch {
  const known = daysOffered.find(({ value }) => value === days)?.value;
  return {
    ...((state === 'resolved' || state === 'ignored') && { state }),
    ...(known !== undefined && known !== usualDays && { days: known }),
    ...(typeof warnings === 'string' && { warnings: '1' }),
  };
}
