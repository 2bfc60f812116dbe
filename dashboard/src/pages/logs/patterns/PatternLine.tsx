/** Shows a pattern: its text, count, times, levels, and when it was first seen. */
import { logLevels } from '@tapedeck/client';
import type { ReactElement } from 'react';
import { countThings, formatCount, formatShort } from '../../../format/numbers.ts';
import { formatExact, formatRelative } from '../../../format/times.ts';
import type { LogPattern } from '../../../queries/logPatterns.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { levelLooks } from '../levels.ts';
import { MergedCount } from './MergedCount.tsx';
import { Sparkline } from './Sparkline.tsx';
import { Template } from './Template.tsx';

type PatternLineProps = {
  found: LogPattern;
  /** The share of all matches, 0 to 1; null while unknown. */
  share: number | null;
  isNew: boolean;
  onOpen: () => void;
  onExclude: () => void;
  /** A link to a new rule; null if the user may not create one. */
  alertLink: ReactElement | null;
};

export function PatternLine({ found, share, isNew, onOpen, onExclude, alertLink }: PatternLineProps) {
  const { template, entries, counts, levels, sample } = found;
  const main = logLevels.reduce((most, level) => (levels[level] >= levels[most] ? level : most));
  return (
    <li
      className="group relative grid items-center gap-x-4 gap-y-1 border-b border-line/55 py-2 pr-18 pl-3.5 text-[0.82rem] last:border-b-0
        hover:bg-well md:grid-cols-[minmax(0,1fr)_7rem_5.5rem_7.5rem] phone:grid-cols-[minmax(0,1fr)_5.5rem]"
    >
      <span aria-hidden="true" className={`absolute inset-y-0 left-0 w-[3px] ${levelLooks[main].fill}`} />
      <div className="grid min-w-0 gap-0.5 phone:col-span-2">
        <button
          type="button"
          data-pattern
          title={sample}
          onClick={onOpen}
          className="line-clamp-2 text-left font-mono text-[0.8rem] wrap-anywhere before:absolute before:inset-0"
        >
          <bdi>
            <Template found={found} />
          </bdi>
        </button>
        <div className="flex flex-wrap gap-x-3 text-[0.74rem] text-muted">
          <LevelCounts levels={levels} />
          <MergedCount found={found} />
        </div>
      </div>
      <Sparkline counts={counts} variable={levelLooks[main].variable} />
      <p className="text-right leading-tight tabular-nums" title={countThings(entries, 'entry', 'entries')}>
        <span className="font-mono">{formatCount(entries)}</span>
        <br />
        <span className="text-[0.74rem] text-muted">{share !== null && formatShare(share)}</span>
      </p>
      <FirstSeen found={found} isNew={isNew} />
      <button
        type="button"
        aria-label={`Not ${template || 'these'}`}
        title="Not these entries"
        onClick={onExclude}
        className="absolute top-1.5 right-1.5 grid size-7 place-items-center rounded-md text-muted opacity-0 group-hover:opacity-100
          hover:bg-ink/8 hover:text-ink focus-visible:opacity-100 pointer-coarse:opacity-100"
      >
        <Icon name="minus" className="size-3.5" />
      </button>
      {alertLink && (
        <span className="absolute top-1.5 right-9 opacity-0 group-hover:opacity-100 has-focus-visible:opacity-100 pointer-coarse:opacity-100">
          {alertLink}
        </span>
      )}
    </li>
  );
}

function FirstSeen({ found, isNew }: Pick<PatternLineProps, 'found' | 'isNew'>) {
  const { firstSeenAt, lastSeenAt } = found;
  return (
    <p className="text-right leading-tight text-muted phone:col-span-2 phone:flex phone:gap-1.5">
      {isNew ? <span className="font-medium text-accent">New</span> : 'First seen'}
      <br className="phone:hidden" />{' '}
      <time
        dateTime={firstSeenAt}
        title={`${formatExact(firstSeenAt)}, last ${formatExact(lastSeenAt)}`}
        className="text-[0.74rem] whitespace-nowrap phone:text-[0.82rem]"
      >
        {formatRelative(firstSeenAt, Date.now())}
      </time>
    </p>
  );
}

function LevelCounts({ levels }: Pick<LogPattern, 'levels'>) {
  return (
    <ul aria-label="Levels" className="flex flex-wrap gap-x-3">
      {logLevels.map(
        level =>
          levels[level] > 0 && (
            <li key={level} className="flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-1.5 rounded-full ${levelLooks[level].fill}`} />
              {formatShort(levels[level])} {level}
            </li>
          ),
      )}
    </ul>
  );
}

/** Never shows a share above zero as zero. */
function formatShare(share: number): string {
  const percent = share * 100;
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}
