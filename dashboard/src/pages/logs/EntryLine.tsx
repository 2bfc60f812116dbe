/** One line of the list: an entry, or how many are missing between two. */

import type { ReactNode } from 'react';
import type { LogEntry } from '../../queries/logs.ts';
import { isolate } from '../../text/direction.ts';
import { formatDayTime } from '../../text/instants.ts';
import { countThings } from '../../text/numbers.ts';
import { cutLine } from '../../text/terms.ts';
import { levelLooks } from './levels.ts';
import { Marked } from './Marked.tsx';
import { PaintedLine } from './Painted.tsx';
import type { Gap } from './results.ts';

const pairsShownMax = 4;
const lineCharactersMax = 400; // more than the widest screen shows
const valueCharactersMax = 80;

type OptionProps = {
  id: string;
  isOpen: boolean;
  isActive: boolean;
  place: { height: number; transform: string };
  onOpen: () => void;
};

function Option({ id, isOpen, isActive, place, onOpen, children }: OptionProps & { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and says which line is meant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys for all of its lines
    <div
      id={id}
      role="option"
      aria-selected={isOpen}
      onClick={onOpen}
      style={place}
      className={`absolute inset-x-0 top-0 grid cursor-pointer content-center border-b border-line/55 pr-3 pl-3.5 text-[0.82rem] leading-tight
        md:grid-cols-[var(--time)_2.9rem_minmax(0,1fr)] md:items-center md:gap-x-2
        ${isOpen ? 'bg-accent/12' : 'hover:bg-well'} ${isActive ? 'outline-1 -outline-offset-1 outline-edge' : ''}`}
    >
      {children}
    </div>
  );
}

type LineProps = OptionProps & {
  entry: LogEntry;
  terms: readonly string[];
  namesDataset: boolean;
};

export function EntryLine({ entry, terms, namesDataset, ...option }: LineProps) {
  const { level, dataset, resource, body, timestamp } = entry;
  const looks = levelLooks[level];
  const time = `${formatDayTime(timestamp)}${timestamp.slice(19, 23)}`;
  return (
    <Option {...option}>
      <span aria-hidden="true" className={`absolute inset-y-0 left-0 w-[3px] ${looks.fill}`} />
      {/* The blanks at the ends part what is copied. */}
      <span className="flex items-baseline gap-3 md:contents">
        <time
          dateTime={timestamp}
          title={timestamp}
          className="font-mono text-[0.74rem] whitespace-pre text-muted tabular-nums"
        >
          {`${time} `}
        </time>
        <span className={`font-mono text-[0.74rem] whitespace-pre ${looks.text}`}>{`${level} `}</span>
      </span>
      <span className="truncate">
        {namesDataset && <span className="mr-1.5 font-mono text-[0.74rem] text-muted">{`${dataset} `}</span>}
        {resource && (
          <>
            <bdi className="mr-1.5 inline-block max-w-[35%] truncate align-bottom font-medium">
              {resource}
            </bdi>{' '}
          </>
        )}
        {body ? (
          <bdi>
            <PaintedLine text={body} terms={terms} charactersMax={lineCharactersMax} />
          </bdi>
        ) : (
          <span className="text-muted">No text</span>
        )}{' '}
        {/* Who listens to the list hears the text; the metadata is read in the open entry. */}
        <span aria-hidden="true">
          <Pairs metadata={entry.metadata} terms={terms} />
        </span>
      </span>
    </Option>
  );
}

/** The first of the metadata, on one line. */
export function Pairs({ metadata, terms }: Pick<LogEntry, 'metadata'> & { terms: readonly string[] }) {
  const pairs = Object.entries(metadata).slice(0, pairsShownMax);
  if (pairs.length === 0) return null;
  const texts = pairs.map(
    ([path, value]) => `${isolate(path)}=${isolate(cutLine(value, terms, valueCharactersMax))}`,
  );
  return (
    <bdi className="ml-2 font-mono text-[0.74rem] text-muted">
      <Marked text={texts.join(' ')} terms={terms} />
    </bdi>
  );
}

export function GapLine({ gap, ...option }: OptionProps & { gap: Gap }) {
  const { missing, isLoading } = gap;
  const words = isLoading ? 'Loading…' : `${countThings(missing, 'entry', 'entries')} not shown`;
  return (
    <Option {...option}>
      <span className="col-span-full flex items-center justify-center gap-3 text-muted">
        {words}{' '}
        {!isLoading && <span className="font-medium text-ink underline underline-offset-3">Load them</span>}
      </span>
    </Option>
  );
}
