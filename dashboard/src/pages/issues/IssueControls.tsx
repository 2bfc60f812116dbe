/** Filters of the Issues page: state, words, warnings, days, order. */
import { formatCount } from '../../format/numbers.ts';
import type { FoundIssues } from '../../queries/issues.ts';
import { Button } from '../../ui/Button.tsx';
import { controlStyle } from '../../ui/forms/Field.tsx';
import { Select } from '../../ui/forms/Select.tsx';
import {
  daysOffered,
  type IssueSearch,
  type IssueSort,
  issueSorts,
  type OfferedDays,
  type ShownState,
  usualDays,
  usualSort,
} from './search.ts';
import { readShownState } from './shownIssues.ts';

const shownStates = ['open', 'resolved', 'ignored'] as const;
const dayNames: Readonly<Record<OfferedDays, string>> = {
  1: 'Last 24 hours',
  7: 'Last 7 days',
  30: 'Last 30 days',
};
const sortNames: Readonly<Record<IssueSort, string>> = {
  entries: 'Most frequent',
  lastSeen: 'Last seen',
  firstSeen: 'Newest',
  players: 'Most players',
};

export const stateNames: Readonly<Record<ShownState, string>> = {
  open: 'Open',
  resolved: 'Resolved',
  ignored: 'Ignored',
};

/** undefined removes a filter from the address. */
export type IssueChange = { [Key in keyof IssueSearch]: IssueSearch[Key] | undefined };

type ControlsProps = {
  search: IssueSearch;
  data: FoundIssues | undefined;
  onChange: (change: IssueChange) => void;
};

export function IssueControls({ search, data, onChange }: ControlsProps) {
  const { state = 'open', days = usualDays, warnings, text = '', sort = usualSort } = search;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <StateTabs state={state} data={data} onChoose={chosen => onChange({ state: chosen })} />
      <span className="min-w-52 flex-1 phone:basis-full">
        <input
          type="search"
          aria-label="Find an issue"
          placeholder="Find an issue"
          autoComplete="off"
          spellCheck={false}
          value={text}
          className={`${controlStyle} h-8 phone:h-11 text-sm`}
          onChange={event => onChange({ text: event.target.value === '' ? undefined : event.target.value })}
        />
      </span>
      <Button
        size="small"
        aria-pressed={warnings !== undefined}
        className="aria-pressed:border-accent"
        onClick={() => onChange({ warnings: warnings === undefined ? '1' : undefined })}
      >
        With warnings
      </Button>
      <Select
        small
        aria-label="Order"
        value={sort}
        options={issueSorts.map(value => ({ value, label: sortNames[value] }))}
        onChange={chosen => onChange({ sort: chosen === usualSort ? undefined : chosen })}
      />
      <Select
        small
        aria-label="Time"
        value={days}
        options={daysOffered.map(value => ({ value, label: dayNames[value] }))}
        onChange={chosen => onChange({ days: chosen === usualDays ? undefined : chosen })}
      />
    </div>
  );
}

type StateTabsProps = {
  state: ShownState;
  data: FoundIssues | undefined;
  onChoose: (state: Exclude<ShownState, 'open'> | undefined) => void;
};

function StateTabs({ state, data, onChoose }: StateTabsProps) {
  const count = (wanted: ShownState) => data?.issues.filter(issue => readShownState(issue) === wanted).length;
  return (
    <fieldset className="flex gap-1.5">
      <legend className="sr-only">State</legend>
      {shownStates.map(each => (
        <Button
          key={each}
          size="small"
          aria-pressed={each === state}
          className="aria-pressed:border-accent"
          onClick={() => onChoose(each === 'open' ? undefined : each)}
        >
          {stateNames[each]}
          {data !== undefined && (
            <span className="text-muted tabular-nums">{formatCount(count(each) ?? 0)}</span>
          )}
        </Button>
      ))}
    </fieldset>
  );
}
