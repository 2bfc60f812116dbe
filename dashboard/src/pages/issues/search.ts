/** Reads and writes the filters of the Issues page in the address. */

export type ShownState = 'open' | 'resolved' | 'ignored';

export type IssueSearch = {
  /** Absent: new and returned issues. */
  state?: Exclude<ShownState, 'open'>;
  /** Absent: seven days. */
  days?: OfferedDays;
  /** Present: includes warnings. */
  warnings?: string;
  /** Text that the template or the sample contains. */
  text?: string;
  /** Absent: most entries first. */
  sort?: IssueSort;
};

export const daysOffered = ['1', '7', '30'] as const;
export type OfferedDays = (typeof daysOffered)[number];
export const usualDays = '7';

export const issueSorts = ['entries', 'lastSeen', 'firstSeen', 'players'] as const;
export type IssueSort = (typeof issueSorts)[number];
export const usualSort = 'entries';

export function readIssueSearch({ state, days, warnings, text, sort }: Record<string, unknown>): IssueSearch {
  const known = daysOffered.find(each => each === days);
  const knownSort = issueSorts.find(each => each === sort);
  return {
    ...((state === 'resolved' || state === 'ignored') && { state }),
    ...(known !== undefined && known !== usualDays && { days: known }),
    ...(typeof warnings === 'string' && { warnings: '1' }),
    ...(typeof text === 'string' && text !== '' && { text }),
    ...(knownSort !== undefined && knownSort !== usualSort && { sort: knownSort }),
  };
}
