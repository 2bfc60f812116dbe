/** Waits for the first data from a tool, and shows it. */

import { Link } from '@tanstack/react-router';
import { type Guide, readsOnly } from '@tapedeck/guides';
import type { ReactNode } from 'react';
import type { FileRecord } from '../../queries/fileRecords.ts';
import type { LogEntry } from '../../queries/logs.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { Thumbnail } from '../files/list/Thumbnail.tsx';
import { levelLooks } from '../logs/levels.ts';
import { useArrival, useTokenUse } from './arrivals.ts';
import type { MadeToken } from './madeToken.ts';

type ArrivalProps = { guide: Guide; project: string; made: MadeToken | null };

export function Arrival({ guide, project, made }: ArrivalProps) {
  const WatchTool = readsOnly(guide) ? WatchQuestions : Watch;
  return (
    // The region is there from the start, so that screen readers announce what appears in it.
    <div role="status" className="grid">
      {made === null ? (
        <Line>
          {readsOnly(guide)
            ? 'Create the token above. The first query appears here.'
            : 'Create the token above. The first entry or file appears here.'}
        </Line>
      ) : (
        <WatchTool key={made.id} guide={guide} project={project} made={made} />
      )}
    </div>
  );
}

/** A tool that only reads shows no more than its first query. */
function WatchQuestions({ project, made }: ArrivalProps & { made: MadeToken }) {
  if (!useTokenUse({ project, made })) return <Line isTurning>Waiting for the first query…</Line>;
  return (
    <div className={arrivedStyle}>
      <ArrivedTitle>Connected: the first query with this token arrived</ArrivedTitle>
    </div>
  );
}

const arrivedStyle = 'grid animate-arrive gap-3 rounded-lg border border-good/60 bg-good/8 px-4 py-3.5';

function ArrivedTitle({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 font-medium">
      <Icon name="check" className="text-good" />
      {children}
    </p>
  );
}

function Watch({ guide, project, made }: ArrivalProps & { made: MadeToken }) {
  const { entry, file, isUsed, isArriving } = useArrival({ project, made, sends: guide.sends });
  const thing = guide.sends === 'media' ? 'file' : 'entry';
  if (isUsed && (entry || file)) {
    return (
      <div className={arrivedStyle}>
        <ArrivedTitle>Connected: {guide.title}</ArrivedTitle>
        {entry && <ArrivedEntry project={project} entry={entry} />}
        {file && <ArrivedFile project={project} file={file} />}
      </div>
    );
  }
  if (isArriving)
    return <Line isTurning>Something is arriving. Checking whether it came with this token…</Line>;
  if (isUsed) {
    return (
      <Line isTurning>
        The token was used, but nothing has been stored with it yet. Check the response that the tool
        received. Still waiting for the first {thing}…
      </Line>
    );
  }
  return <Line isTurning>Waiting for the first {thing}…</Line>;
}

function Line({ isTurning = false, children }: { isTurning?: boolean; children: ReactNode }) {
  return (
    <p className="flex items-center gap-3 rounded-lg border border-dashed border-edge/70 px-4 py-3 text-sm text-muted">
      {isTurning && (
        <span aria-hidden="true" className="contents">
          <Spinner label="" />
        </span>
      )}
      <span>{children}</span>
    </p>
  );
}

const linkStyle = 'text-sm font-medium underline decoration-edge underline-offset-3 hover:decoration-ink';

function ArrivedEntry({ project, entry }: { project: string; entry: LogEntry }) {
  const { level, body, resource, dataset, timestamp, traceId } = entry;
  return (
    <>
      <p className="grid gap-x-3 text-sm sm:grid-cols-[auto_minmax(0,1fr)_auto] sm:items-baseline">
        <span className={`font-mono text-[0.82rem] ${levelLooks[level].text}`}>{level}</span>
        <span className="line-clamp-3 font-mono text-[0.86em] wrap-anywhere">{body}</span>
        <span className="text-muted">
          {resource && <bdi>{resource}</bdi>} <Timestamp at={timestamp} />
        </span>
      </p>
      <Link
        to="/projects/$project/logs"
        params={{ project }}
        search={{ dataset, entry: traceId }}
        className={`${linkStyle} justify-self-start`}
      >
        Open it in Logs
      </Link>
    </>
  );
}

function ArrivedFile({ project, file }: { project: string; file: FileRecord }) {
  return (
    <div className="flex items-center gap-4">
      <Thumbnail project={project} file={file} className="h-14 w-20 shrink-0 rounded-md" />
      <span className="grid min-w-0 gap-0.5">
        <bdi className="truncate text-sm">{file.filename}</bdi>
        <Link
          to="/projects/$project/files"
          params={{ project }}
          search={{ file: file.id }}
          className={`${linkStyle} justify-self-start`}
        >
          Open it in Files
        </Link>
      </span>
    </div>
  );
}
