/** What fires at present: since when, how many, and the entries behind it. */
import { Moment } from '../../../parts/Moment.tsx';
import { Panel } from '../../../parts/Panel.tsx';
import type { Rule } from '../../../queries/rules.ts';
import { formatMeasure } from '../../../text/numbers.ts';
import { countedWords, MomentLink } from './MomentLink.tsx';

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
              <Moment at={since} />
            </span>
            <span className="ml-auto">
              <MomentLink
                project={project}
                rule={rule}
                at={new Date().toISOString()}
                value={value}
                since={since}
              >
                Show the entries
              </MomentLink>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
