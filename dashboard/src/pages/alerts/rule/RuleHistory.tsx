/** Shows when a rule fired, who worked on it and when it was resolved, with sample entries. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { formatMeasure } from '../../../format/numbers.ts';
import { formatDayTime } from '../../../format/times.ts';
import { type Rule, type RuleEvent, ruleHistoryQuery } from '../../../queries/rules.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Spinner } from '../../../ui/Spinner.tsx';
import { nameActor } from '../AcknowledgedBy.tsx';
import { FiredText } from '../FiredText.tsx';
import { countedWords, HistoryLink } from './HistoryLink.tsx';

export function RuleHistory({ project, rule }: { project: string; rule: Rule }) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    ruleHistoryQuery(project, rule.id),
  );
  const events = data?.pages.flatMap(({ changes }) => changes);
  return (
    <Panel title="History" about="The last thirty days.">
      {events === undefined && !error && <Spinner />}
      {error && <Notice look="error">{error.message}</Notice>}
      {events?.length === 0 && <p className="text-sm text-muted">It has not fired yet.</p>}
      {events !== undefined && events.length > 0 && (
        <ol className="-my-2 grid divide-y divide-line text-sm">
          {events.map(event => (
            <EventLine key={event.id} project={project} rule={rule} event={event} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button size="small" className="mt-4" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older
        </Button>
      )}
    </Panel>
  );
}

const lamps = { fired: 'bg-danger-fill', acknowledged: 'bg-accent', resolved: 'bg-good' } as const;
const words = { fired: 'Fired', acknowledged: 'Acknowledged', resolved: 'Resolved' } as const;

type EventLineProps = { project: string; rule: Rule; event: RuleEvent };

function EventLine({ project, rule, event }: EventLineProps) {
  const { kind, at, value, count, muted, by } = event;
  const isFired = kind === 'fired';
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 py-2">
      <time dateTime={at} className="font-mono text-[0.8rem] text-muted tabular-nums">
        {formatDayTime(at)}
      </time>
      <span className="flex items-center gap-2">
        <span aria-hidden="true" className={`size-2 rounded-full ${lamps[kind]}`} />
        {words[kind]}{' '}
        {by !== null && (
          <span className="text-muted">
            by <bdi>{nameActor(by)}</bdi>
          </span>
        )}
        {muted && <span className="text-muted">, muted</span>}
      </span>
      {value !== null && (
        <FiredText
          project={project}
          rule={rule}
          value={value}
          className="line-clamp-1 min-w-0 font-mono text-[0.82rem] wrap-anywhere"
        />
      )}
      {isFired && <span className="text-muted">{countedWords(rule, formatMeasure(count))}</span>}
      <span className="ml-auto">
        <HistoryLink project={project} rule={rule} at={at} value={value}>
          Show the entries
        </HistoryLink>
      </span>
      {event.entries.length > 0 && <Entries entries={event.entries} />}
    </li>
  );
}

/** A few of the entries that made it fire. */
function Entries({ entries }: Pick<RuleEvent, 'entries'>) {
  return (
    <ul aria-label="Entries" className="grid w-full gap-0.5 border-l-2 border-line pl-3">
      {entries.map(({ at, level, resource, message }, index) => (
        // Two entries may be identical, and their order never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={index} className="truncate font-mono text-[0.78rem] text-muted">
          <time dateTime={at}>{formatDayTime(at)}</time> {level}
          {resource !== null && ` ${resource}`} <bdi className="text-ink">{message}</bdi>
        </li>
      ))}
    </ul>
  );
}
