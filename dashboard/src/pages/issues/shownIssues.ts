/** Filters and sorts the issues to show. */
import type { Issue } from '../../queries/issues.ts';
import type { IssueSort, ShownState } from './search.ts';

type Wanted = { state: ShownState; text: string; sort: IssueSort };

const readers: Readonly<Record<IssueSort, (issue: Issue) => number>> = {
  entries: ({ entries }) => entries,
  lastSeen: ({ lastSeenAt }) => Date.parse(lastSeenAt),
  firstSeen: ({ firstSeenAt }) => Date.parse(firstSeenAt),
  players: ({ players }) => players ?? 0,
};

/** Puts returned issues first in every order. */
export function pickIssues(issues: readonly Issue[], { state, text, sort }: Wanted): Issue[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ template, sample }: Issue) => {
    const said = `${template} ${sample}`.toLowerCase();
    return words.every(word => said.includes(word));
  };
  const read = readers[sort];
  const isBack = (issue: Issue) => Number(issue.state === 'returned');
  return issues
    .filter(issue => readShownState(issue) === state && matches(issue))
    .toSorted((a, b) => isBack(b) - isBack(a) || read(b) - read(a));
}

/** Returned issues count as open. */
export function readShownState({ state }: Pick<Issue, 'state'>): ShownState {
  return state === 'returned' ? 'open' : state;
}
