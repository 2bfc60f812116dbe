/** A row of the list: an entry, or a gap with its number of missing entries. */
import { memo, type ReactNode } from 'react';
import { isolate } from '../../../format/direction.ts';
import { countThings } from '../../../format/numbers.ts';
import { cutLine } from '../../../format/searchTerms.ts';
import { formatPreciseDayTime } from '../../../format/times.ts';
import type { LogEntry } from '../../../queries/logs.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { readField } from '../columns.ts';
import { Highlight } from '../highlight/Highlight.tsx';
import { StyledLine } from '../highlight/StyledText.tsx';
import { levelLooks } from '../levels.ts';
import { nameMetadata } from '../queryFilters.ts';
import type { Gap } from '../results.ts';
import type { SharedFields } from '../sharedFields.ts';
import type { View } from '../view.ts';
import { RowPicture } from './RowPicture.tsx';
import { beginsAtRight } from './rightToLeft.ts';
import { UnfoldedText } from './UnfoldedText.tsx';
import { describeRest } from './unfolding.ts';

const pairsShownMax = 4;
const lineCharactersMax = { cut: 400, wrapped: 3_000 }; // more than the widest screen or a dozen rows show
const valueCharactersMax = 80;
/** Parts of a chat message shown elsewhere: the sender as resource, pictures and colours in the open entry. */
const saidOtherwise = /^(?:chat|embed|attachments)\./;
/** For values with a menu, named by `data-field`. */
const valueStyle = 'decoration-edge decoration-dotted underline-offset-3 hover:underline';

type OptionProps = {
  id: string;
  isOpen: boolean;
  isActive: boolean;
  place: LinePlace;
  onOpen: () => void;
};

type LinePlace = {
  index: number;
  startPixels: number;
  /** Wrapped rows grow with their text. */
  heightPixels: number;
  isWrapped: boolean;
  measure: (element: HTMLElement | null) => void;
};

/** Warning-coloured text is too faint on this background. */
const openStyle = 'bg-accent/12 [&_[data-field=level]]:text-ink';

function Option({ id, isOpen, isActive, place, onOpen, children }: OptionProps & { children: ReactNode }) {
  const { index, startPixels, heightPixels, isWrapped, measure } = place;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and says which line is meant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys for all of its lines
    <div
      id={id}
      role="option"
      aria-selected={isOpen}
      onClick={onOpen}
      ref={isWrapped ? measure : null}
      data-index={index}
      style={{
        [isWrapped ? 'minHeight' : 'height']: heightPixels,
        transform: `translateY(${startPixels}px)`,
      }}
      className={`absolute inset-x-0 top-0 grid cursor-pointer content-center border-b border-line/55 pr-3 pl-3.5 text-[0.82rem] leading-tight
        md:grid-cols-(--lines) md:gap-x-2 ${isWrapped ? 'py-1.5 md:items-baseline' : 'md:items-center'}
        ${isOpen ? openStyle : 'hover:bg-well'} ${isActive ? 'outline-1 -outline-offset-1 outline-edge' : ''}`}
    >
      {children}
    </div>
  );
}

type LineProps = OptionProps & {
  project: string;
  entry: LogEntry;
  terms: readonly string[];
  view: View;
  /** True if columns get no space of their own. */
  isNarrow: boolean;
  shared: SharedFields;
  /** True if the whole text is shown below the row. */
  isUnfolded: boolean;
  onUnfold: (traceId: string) => void;
};

export function EntryLine(props: LineProps) {
  const { project, entry, terms, view, isNarrow, shared, isUnfolded, onUnfold, ...option } = props;
  const content = { project, entry, terms, view, isNarrow, shared, isUnfolded, onUnfold };
  return (
    <Option {...option}>
      <LineContent {...content} />
    </Option>
  );
}

type ContentProps = Omit<LineProps, keyof OptionProps>;

/** Memoized, because scrolling moves rows often. */
const LineContent = memo(function LineContent(props: ContentProps) {
  const { project, entry, terms, view, isNarrow, shared, isUnfolded, onUnfold } = props;
  const { level, timestamp } = entry;
  const rest = view.isWrapped ? null : describeRest(entry.body);
  const looks = levelLooks[level];
  const { columns, isWrapped, zone } = view;
  const time = formatPreciseDayTime(timestamp, { zone });
  return (
    <>
      <span aria-hidden="true" className={`absolute inset-y-0 left-0 w-[3px] ${looks.fill}`} />
      {/* The trailing spaces separate the fields when copied. */}
      <span className="flex items-baseline gap-3 md:contents">
        <time
          dateTime={timestamp}
          title={timestamp}
          className="font-mono text-[0.74rem] whitespace-pre text-muted tabular-nums"
        >
          {`${time} `}
        </time>
        <span
          data-field="level"
          className={`font-mono text-[0.74rem] whitespace-pre ${valueStyle} ${looks.text}`}
        >{`${level} `}</span>
      </span>
      {!isNarrow &&
        columns.map(name => <Cell key={name} name={name} value={readField(entry, name)} terms={terms} />)}
      <span
        className={
          isWrapped ? 'line-clamp-12 wrap-anywhere' : beginsAtRight(entry.body) ? 'turned' : 'truncate'
        }
      >
        {rest !== null && (
          <UnfoldMark rest={rest} isOpen={isUnfolded} onPress={() => onUnfold(entry.traceId)} />
        )}
        <RowPicture project={project} entry={entry} />
        <Said entry={entry} terms={terms} view={view} shared={shared} isBelow={isUnfolded} />{' '}
        {/* Screen readers read the text in the list, and the metadata in the open entry. */}
        <span aria-hidden="true">
          <Pairs
            metadata={entry.metadata}
            terms={terms}
            columns={columns}
            leftOut={shared.paths}
            comesFirst={isNarrow}
          />
        </span>
      </span>
      {isUnfolded && (
        <span
          aria-hidden="true"
          data-unfolded=""
          onClick={event => event.stopPropagation()}
          className="col-span-full mt-1 mb-1.5 max-h-[60dvh] cursor-text overflow-y-auto rounded-md bg-well/70 px-3 py-2 font-mono text-[0.78rem] leading-relaxed select-text"
        >
          <UnfoldedText body={entry.body} terms={terms} />
        </span>
      )}
    </>
  );
});

type UnfoldMarkProps = { rest: string; isOpen: boolean; onPress: () => void };

/** Not a button, because a listbox option may not contain one. Arrow keys do the same. */
function UnfoldMark({ rest, isOpen, onPress }: UnfoldMarkProps) {
  return (
    <span
      aria-hidden="true"
      data-unfold=""
      title={isOpen ? 'Close (←)' : 'Show all of it here (→)'}
      onClick={event => {
        event.stopPropagation();
        onPress();
      }}
      className="mr-1.5 inline-flex items-center gap-0.5 rounded-sm border border-line px-1 align-text-bottom font-mono text-[0.7rem] leading-[1.1rem] text-muted
        hover:border-edge hover:text-ink"
    >
      <Icon name={isOpen ? 'down' : 'right'} className="size-2.5" />
      {rest}
    </span>
  );
}

type SaidProps = Pick<LineProps, 'entry' | 'terms' | 'view' | 'shared'> & {
  isBelow: boolean;
};

/** Omits parts that have their own columns, or are the same in all rows. */
function Said({ entry: { dataset, resource, body }, terms, view, shared, isBelow }: SaidProps) {
  const { columns, isWrapped } = view;
  const charactersMax = isWrapped ? lineCharactersMax.wrapped : lineCharactersMax.cut;
  return (
    <>
      {!shared.dataset && !columns.includes('dataset') && (
        <span
          data-field="dataset"
          className={`mr-1.5 inline-block max-w-[35%] truncate align-bottom font-mono text-[0.74rem] text-muted ${valueStyle}`}
        >{`${dataset} `}</span>
      )}
      {resource && !shared.resource && !columns.includes('resource') && (
        <>
          <bdi
            data-field="resource"
            className={`mr-1.5 inline-block max-w-[35%] truncate align-bottom font-medium ${valueStyle}`}
          >
            {resource}
          </bdi>{' '}
        </>
      )}
      {body ? (
        <bdi className={isBelow ? 'sr-only' : isWrapped ? 'whitespace-pre-wrap' : ''}>
          <StyledLine text={body} terms={terms} charactersMax={charactersMax} />
        </bdi>
      ) : (
        <span className="text-muted">No text</span>
      )}
    </>
  );
}

function Cell({ name, value, terms }: { name: string; value: string | undefined; terms: readonly string[] }) {
  if (value === undefined) return <span />;
  return (
    <span className="truncate font-mono text-[0.76rem]">
      <bdi data-field={name} title={isolate(value)} className={valueStyle}>
        <StyledLine text={value} terms={terms} charactersMax={valueCharactersMax} />
      </bdi>{' '}
    </span>
  );
}

type PairsProps = Pick<LogEntry, 'metadata'> & {
  terms: readonly string[];
  /** Paths with their own columns. */
  columns: readonly string[];
  /** Paths with the same value in all rows. */
  leftOut?: ReadonlySet<string>;
  /** True if those with columns come first instead. */
  comesFirst: boolean;
};

/** The first few metadata values, on one line. */
export function Pairs({ metadata, terms, columns, leftOut, comesFirst }: PairsProps) {
  const all = Object.entries(metadata).filter(([path]) => !leftOut?.has(path) && !saidOtherwise.test(path));
  const pairs = pickPairs(all, columns, comesFirst);
  if (pairs.length === 0) return null;
  return (
    <span className="ml-2 font-mono text-[0.74rem] text-muted">
      {pairs.map(({ path, name, value }) => (
        <span key={path} data-field={name} className={`mr-2 ${valueStyle}`}>
          <Highlight
            text={`${isolate(path)}=${isolate(cutLine(value, terms, valueCharactersMax))} `}
            terms={terms}
          />
        </span>
      ))}
    </span>
  );
}

function pickPairs(
  all: readonly (readonly [string, string])[],
  columns: readonly string[],
  comesFirst: boolean,
) {
  // Computes names only for the visible ones.
  if (columns.length === 0) return all.slice(0, pairsShownMax).map(nameIt);
  const named = all.map(nameIt);
  const others = named.filter(({ name }) => !columns.includes(name));
  const chosen = comesFirst ? columns.flatMap(column => named.find(({ name }) => name === column) ?? []) : [];
  return [...chosen, ...others].slice(0, Math.max(pairsShownMax, chosen.length));
}

function nameIt([path, value]: readonly [string, string]) {
  return { path, name: nameMetadata(path), value };
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
