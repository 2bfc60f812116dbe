/** Sets the state of all issues that match the search text, with one click. */
import { countThings, formatCount } from '../../format/numbers.ts';
import type { Decision, Issue } from '../../queries/issues.ts';
import { Button } from '../../ui/Button.tsx';
import { decisions } from './decisions.ts';
import type { ShownState } from './search.ts';

type DecideAllProps = {
  issues: readonly Issue[];
  /** The state of the issues it applies to. */
  state: ShownState;
  isBusy: boolean;
  onDecide: (state: Decision) => void;
};

const names: Readonly<Record<Decision, (count: string) => string>> = {
  resolved: count => `Resolve all ${count}`,
  ignored: count => `Ignore all ${count}`,
  open: count => `Open all ${count} again`,
};

export function DecideAll({ issues, state, isBusy, onDecide }: DecideAllProps) {
  return (
    <div className="mb-2 flex flex-wrap items-center gap-1.5 pr-3 text-sm">
      <span className="mr-auto text-muted">{countThings(issues.length, 'issue')}</span>
      {decisions[state].map(([chosen]) => (
        <Button key={chosen} size="small" busy={isBusy} onClick={() => onDecide(chosen)}>
          {names[chosen](formatCount(issues.length))}
        </Button>
      ))}
    </div>
  );
}
