/** Lists what is firing: since when, how many, who is working on it, and the entries behind it. */

import { formatMeasure } from '../../../format/numbers.ts';
import { type Rule, useAcknowledgement } from '../../../queries/rules.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { AcknowledgedBy } from '../AcknowledgedBy.tsx';
import { FiredText } from '../FiredText.tsx';
import { firesByPattern } from '../ruleState.ts';
import { countedWords, HistoryLink } from './HistoryLink.tsx';

type FiringValuesProps = { project: string; rule: Rule; mayChange: boolean };

export function FiringValues({ project, rule, mayChange }: FiringValuesProps) {
  const acknowledgement = useAcknowledgement(project, rule.id);
  const { isPending, variables, error } = acknowledgement;
  return (
    <Panel title="Firing now">
      {error && <Notice look="error">{error.message}</Notice>}
      <ul className="-my-2 grid divide-y divide-line text-sm">
        {rule.firing.map(firing => (
          <FiringValue
            key={firing.value}
            project={project}
            rule={rule}
            firing={firing}
            busy={isPending && variables === firing.value}
            onAcknowledge={mayChange ? () => acknowledgement.mutate(firing.value) : null}
          />
        ))}
      </ul>
    </Panel>
  );
}

type FiringValueProps = {
  project: string;
  rule: Rule;
  firing: Rule['firing'][number];
  busy: boolean;
  /** null if the user may only view. */
  onAcknowledge: (() => void) | null;
};

function FiringValue({ project, rule, firing, busy, onAcknowledge }: FiringValueProps) {
  const { value, since, count, acknowledged } = firing;
  const name = value === null || firesByPattern(rule) ? rule.name : value;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
      <span className="min-w-0 font-medium wrap-anywhere">
        {value === null ? (
          name
        ) : (
          <FiredText
            project={project}
            rule={rule}
            value={value}
            className="line-clamp-2 font-mono text-[0.9em]"
          />
        )}
      </span>
      <span className="text-muted">
        {[countedWords(rule, formatMeasure(count)), 'started '].filter(Boolean).join(', ')}
        <Timestamp at={since} />
      </span>
      {acknowledged && (
        <span>
          <AcknowledgedBy {...acknowledged} />
        </span>
      )}
      <span className="ml-auto flex flex-wrap items-center gap-x-4 gap-y-1">
        {acknowledged === null && onAcknowledge && (
          <Button size="small" aria-label={`I’m on it: ${name}`} busy={busy} onClick={onAcknowledge}>
            I’m on it
          </Button>
        )}
        <HistoryLink project={project} rule={rule} at={new Date().toISOString()} value={value} since={since}>
          Show the entries
        </HistoryLink>
      </span>
    </li>
  );
}
