/** What fires at present: since when, how many, and the entries behind it. */

import { formatMeasure } from '../../../format/numbers.ts';
import type { Rule } from '../../../queries/rules.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { countedWords, HistoryLink } from './HistoryLink.tsx';

export function FiringValues({ project, rule }: { project: string; rule: Rule }) {
  return (
    <Panel title="Firing now">
      <ul className="-my-2 grid divide-y divide-line text-sm">
        {rule.firing.map(({ value, since, count }) => (
          <li key={value} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 py-2">
            <span className="min-w-0 font-medium wrap-anywhere">
              {value === null ? rule.name : <bdi className="font-mono text-[0.9em]">{value}</bdi>}
            </span>
            <span className="text-muted">
              {[countedWords(rule, formatMeasure(count)), 'since '].filter(Boolean).join(', ')}
              <Timestamp at={since} />
            </span>
            <span className="ml-auto">
              <HistoryLink
                project={project}
                rule={rule}
                at={new Date().toISOString()}
                value={value}
                since={since}
              >
                Show the entries
              </HistoryLink>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
