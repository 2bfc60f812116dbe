/** Shows an entry's parents above it, and its children below, which open on a click. */
import { useQuery } from '@tanstack/react-query';
import { limits } from '@tapedeck/client';
import { type ReactNode, useState } from 'react';
import { formatPreciseTime } from '../../../format/times.ts';
import { type Ancestry, ancestryQuery, childrenQuery, type LogEntry } from '../../../queries/logs.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { StyledLine } from '../highlight/StyledText.tsx';
import { levelLooks } from '../levels.ts';
import { toggleOnly } from '../queryFilters.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { useZone } from '../view.ts';

const depthMax = 12; // entries may form a cycle
const lineCharactersMax = 200;
const noTerms: readonly string[] = [];

type TraceProps = { project: string; entry: LogEntry; onChange: ChangeSearch };

export function Trace({ project, entry, onChange }: TraceProps) {
  const hasParent = entry.parentId !== '';
  const ancestry = useQuery({ ...ancestryQuery(project, entry), enabled: hasParent });
  const children = useQuery(childrenQuery(project, entry.traceId));
  const error = ancestry.error ?? children.error;
  const isAlone = !hasParent && (children.data === undefined || children.data.length === 0);
  if (isAlone && error === null) return null;
  const path = ancestry.data?.entries ?? [];
  const current = (
    <Branch project={project} entry={entry} onChange={onChange} depth={path.length} isCurrent />
  );
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h3 className="text-sm font-semibold">Trace</h3>
      {error && <Notice look="error">{error.message}</Notice>}
      {ancestry.data && <Beginning ancestry={ancestry.data} />}
      {(ancestry.data || !hasParent) && (
        <ul aria-label="Trace" className="overflow-hidden rounded-lg border border-line py-1">
          {path.map((each, depth) => (
            <li key={each.traceId}>
              <TraceLine entry={each} depth={depth} onOpen={() => onChange({ entry: each.traceId })} />
            </li>
          ))}
          {current}
        </ul>
      )}
    </section>
  );
}

function Beginning({ ancestry: { missing, isCut } }: { ancestry: Ancestry }) {
  if (missing === null && !isCut) return null;
  return (
    <p className="text-sm text-muted">
      {missing === null ? (
        'More parents exist; they are not shown.'
      ) : (
        <>
          The parent <code className="font-mono text-[0.78rem] wrap-anywhere">{missing}</code> is missing: it
          was deleted or never written.
        </>
      )}
    </p>
  );
}

type BranchProps = TraceProps & { depth: number; isCurrent?: boolean };

/** An entry with its children, which load once it is opened. */
function Branch({ project, entry, onChange, depth, isCurrent = false }: BranchProps) {
  const [isOpen, setOpen] = useState(isCurrent);
  const { data, error, isPending } = useQuery({ ...childrenQuery(project, entry.traceId), enabled: isOpen });
  const isLeaf = depth >= depthMax || (isOpen && data?.length === 0);
  return (
    <li>
      <TraceLine
        entry={entry}
        depth={depth}
        isCurrent={isCurrent}
        toggle={isLeaf ? null : { isOpen, onChange: setOpen }}
        onOpen={() => onChange({ entry: entry.traceId })}
      />
      {isOpen && isPending && <Remark depth={depth + 1}>Loading…</Remark>}
      {isOpen && error && <Remark depth={depth + 1}>{error.message}</Remark>}
      {isOpen && data && data.length > 0 && (
        <ul>
          {data.map(each => (
            <Branch key={each.traceId} entry={each} depth={depth + 1} project={project} onChange={onChange} />
          ))}
        </ul>
      )}
      {isOpen && data?.length === limits.logChildrenMax && (
        <Remark depth={depth + 1}>
          The first {limits.logChildrenMax}.{' '}
          <Button
            size="small"
            onClick={() => onChange({ query: toggleOnly('', 'parentId', entry.traceId), entry: undefined })}
          >
            Show all in the list
          </Button>
        </Remark>
      )}
    </li>
  );
}

type TraceLineProps = {
  entry: LogEntry;
  depth: number;
  isCurrent?: boolean;
  toggle?: { isOpen: boolean; onChange: (isOpen: boolean) => void } | null;
  onOpen: () => void;
};

function TraceLine({ entry, depth, isCurrent = false, toggle = null, onOpen }: TraceLineProps) {
  const zone = useZone();
  const { level, timestamp, resource, body } = entry;
  return (
    <div
      style={{ paddingLeft: indent(depth) }}
      className={`flex items-center gap-1 pr-2 text-[0.8rem] ${isCurrent ? 'bg-accent/12' : ''}`}
    >
      {toggle ? (
        <button
          type="button"
          aria-expanded={toggle.isOpen}
          aria-label={toggle.isOpen ? 'Collapse' : 'Expand'}
          onClick={() => toggle.onChange(!toggle.isOpen)}
          className="grid size-6 shrink-0 place-items-center rounded-md text-muted hover:bg-ink/6 hover:text-ink"
        >
          <Icon name={toggle.isOpen ? 'down' : 'right'} className="size-3" />
        </button>
      ) : (
        <span className="size-6 shrink-0" />
      )}
      <button
        type="button"
        aria-current={isCurrent ? 'true' : undefined}
        disabled={isCurrent}
        onClick={onOpen}
        className="flex min-h-7 min-w-0 flex-1 items-center gap-2 rounded-md text-left enabled:hover:underline"
      >
        <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${levelLooks[level].fill}`} />
        <time dateTime={timestamp} className="shrink-0 font-mono text-[0.72rem] text-muted tabular-nums">
          {formatPreciseTime(timestamp, zone)}
        </time>
        <span className="min-w-0 truncate">
          {resource && <bdi className="mr-1.5 font-medium">{resource}</bdi>}
          <bdi>
            {body ? <StyledLine text={body} terms={noTerms} charactersMax={lineCharactersMax} /> : 'No text'}
          </bdi>
        </span>
      </button>
    </div>
  );
}

function Remark({ depth, children }: { depth: number; children: ReactNode }) {
  return (
    <p style={{ paddingLeft: indent(depth) }} className="py-1 text-[0.8rem] text-muted">
      <span className="pl-7">{children}</span>
    </p>
  );
}

/** Limits the indent, or deep trees would push text out of the panel. */
function indent(depth: number): string {
  return `${0.25 + Math.min(depth, 8) * 0.9}rem`;
}
