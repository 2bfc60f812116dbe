/** What the search has found, and above it how that is looked at. */
import type { ReactNode } from 'react';
import { LiveControls } from './LiveControls.tsx';
import { ViewMenu } from './list/ViewMenu.tsx';
import type { LogSearch } from './search.ts';
import type { ChangeSearch } from './searching.ts';
import type { Tail } from './tail.ts';

type ResultTabsProps = {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
  tail: Tail;
  onLive: (isLive: boolean) => void;
  children: ReactNode;
};

export function ResultTabs({ project, search, onChange, tail, onLive, children }: ResultTabsProps) {
  return (
    <div className="flex min-w-0 flex-col gap-2 phone:gap-1.5 lg:h-full lg:min-h-0">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
        <h2 className="text-sm font-medium">Entries</h2>
        <div className="flex flex-wrap items-center gap-2">
          <LiveControls tail={tail} isLive={search.live !== undefined} onLive={onLive} />
          <ViewMenu {...{ project, search, onChange }} />
        </div>
      </div>
      <div className="lg:min-h-0 lg:flex-1">{children}</div>
    </div>
  );
}
