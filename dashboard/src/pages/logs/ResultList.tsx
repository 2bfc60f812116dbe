/** What a search has found, or is still looking for. */
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Notice } from '../../parts/Notice.tsx';
import { PageReels } from '../../parts/Reels.tsx';
import type { LogEntry } from '../../queries/logs.ts';
import { EntryList } from './EntryList.tsx';

type ResultListProps = {
  /** Newest first. */
  entries: readonly LogEntry[];
  pages: Pick<
    UseInfiniteQueryResult,
    'error' | 'isPending' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage' | 'isPlaceholderData'
  >;
  /** What is searched for. */
  terms: readonly string[];
  /** Stands where no entry is. */
  nothing: ReactNode;
  openEntry: string | null;
  onOpen: (traceId: string | null) => void;
};

export function ResultList({ entries, pages, terms, nothing, openEntry, onOpen }: ResultListProps) {
  if (pages.error && entries.length === 0) return <Notice look="error">{pages.error.message}</Notice>;
  if (pages.isPending) return <PageReels />;
  if (entries.length === 0) return nothing;
  const readOn = () => {
    if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
  };
  return (
    <div className={`grid gap-2 transition-opacity ${pages.isPlaceholderData ? 'opacity-60' : ''}`}>
      <EntryList
        entries={entries}
        terms={terms}
        isMore={pages.hasNextPage}
        openEntry={openEntry}
        onOpen={onOpen}
        onEnd={readOn}
      />
      {pages.error && <Notice look="error">{pages.error.message}</Notice>}
    </div>
  );
}
