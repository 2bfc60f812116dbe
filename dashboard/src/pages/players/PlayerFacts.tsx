/** Shows a player's names with their times, other identifiers, and counts of entries and files. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { countThings, formatCount } from '../../format/numbers.ts';
import { formatDay } from '../../format/times.ts';
import type { Subject } from '../../queries/subjects.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { composeIdQuery } from './subjectQuestion.ts';

const shownMax = 12; // per list; a button shows the rest

type PlayerFactsProps = { project: string; subject: Subject };

export function PlayerFacts({ project, subject }: PlayerFactsProps) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? Number.POSITIVE_INFINITY : shownMax;
  const showAll = () => setIsWhole(true);
  const { names, identifiers } = subject;
  return (
    <Panel title="Identity">
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(7.5rem,1fr))] gap-x-4 gap-y-3 text-sm">
        <Fact name="ID">
          <span className="flex items-center gap-2">
            <code className="wrap-anywhere">{subject.id}</code>
            <CopyButton text={subject.id} label="Copy the ID" />
          </span>
        </Fact>
        <Fact name="First seen">
          <Timestamp at={subject.firstSeenAt} />
        </Fact>
        <Fact name="Last seen">
          <Timestamp at={subject.lastSeenAt} />
        </Fact>
        {names.length > 0 && (
          <Fact name="Names" isWide>
            <ul className="grid gap-1">
              {names.slice(0, shown).map(({ name, firstSeenAt, lastSeenAt }) => (
                <li key={name} className="flex flex-wrap justify-between gap-x-4">
                  <bdi className="font-medium wrap-anywhere">{name}</bdi>
                  <span className="text-muted">{formatSpan(firstSeenAt, lastSeenAt)}</span>
                </li>
              ))}
            </ul>
            <More count={names.length - shown} of="names" onPress={showAll} />
          </Fact>
        )}
        {identifiers.length > 0 && (
          <Fact name="Identifiers" isWide>
            <Identifiers project={project} subject={subject} shown={shown} />
            <More count={identifiers.length - shown} of="identifiers" onPress={showAll} />
          </Fact>
        )}
        <Fact name="Seen in" isWide>
          <SeenIn project={project} subject={subject} />
        </Fact>
      </dl>
    </Panel>
  );
}

const countStyle =
  'inline-block min-h-6 phone:min-h-11 underline decoration-edge underline-offset-3 hover:decoration-ink';

/** Each count links to what it counts. */
function SeenIn({ project, subject }: PlayerFactsProps) {
  const { entries, files, levels, types } = subject;
  const query = composeIdQuery(subject);
  const inLogs = [
    [countThings(entries, 'log entry', 'log entries'), entries, ''],
    [countThings(levels.error, 'error'), levels.error, ' level:error'],
    [countThings(levels.warn, 'warning'), levels.warn, ' level:warn'],
  ] as const;
  const inFiles = [
    [countThings(files, 'file'), files, ''],
    [countThings(types.image, 'picture'), types.image, ' type:image'],
    [countThings(types.video, 'video'), types.video, ' type:video'],
    [countThings(types.audio, 'sound'), types.audio, ' type:audio'],
  ] as const;
  const params = { project };
  return (
    <span className="flex flex-wrap gap-x-4">
      {inLogs.map(([words, count, part]) =>
        count === 0 ? null : (
          <Link
            key={part}
            to="/projects/$project/logs"
            params={params}
            search={{ query: `${query}${part}`, range: 'all' }}
            className={countStyle}
          >
            {words}
          </Link>
        ),
      )}
      {inFiles.map(([words, count, part]) =>
        count === 0 ? null : (
          <Link
            key={part}
            to="/projects/$project/files"
            params={params}
            search={{ query: `${query}${part}` }}
            className={countStyle}
          >
            {words}
          </Link>
        ),
      )}
    </span>
  );
}

/** Each is another id of the player, with its own page. */
function Identifiers({
  project,
  subject: { kind, identifiers },
  shown,
}: Pick<PlayerFactsProps, 'project' | 'subject'> & { shown: number }) {
  return (
    <ul className="grid gap-1">
      {identifiers.slice(0, shown).map(({ path, value }) => (
        <li key={`${path} ${value}`} className="wrap-anywhere">
          <span className="text-muted">{`${path} `}</span>
          <Link
            to="/projects/$project/players"
            params={{ project }}
            search={{ kind, id: value }}
            className="inline-block min-h-6 underline decoration-edge underline-offset-3 hover:decoration-ink"
          >
            <code>{value}</code>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function More({ count, of, onPress }: { count: number; of: string; onPress: () => void }) {
  return count > 0 ? (
    <Button look="quiet" size="small" onClick={onPress}>{`Show ${formatCount(count)} more ${of}`}</Button>
  ) : null;
}

function formatSpan(firstAt: string, lastAt: string): string {
  const [first, last] = [formatDay(firstAt), formatDay(lastAt)];
  return first === last ? first : `${first} – ${last}`;
}

type FactProps = { name: string; isWide?: boolean; children: ReactNode };

function Fact({ name, isWide = false, children }: FactProps) {
  const style = isWide ? 'col-span-full border-t border-line/70 pt-2.5' : '';
  return (
    <div className={`grid content-start gap-0.5 ${style}`}>
      <dt className="engraved">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
