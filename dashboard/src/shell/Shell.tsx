/** The frame of every page after sign-in: navigation at the side, or behind a button on a phone. */
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { rememberProject } from '../recentProject.ts';
import { PaletteKey } from './palette/PaletteKey.tsx';
import { Sidebar } from './Sidebar.tsx';
import { TopBar } from './TopBar.tsx';
import { UploadTray } from './UploadTray.tsx';

export function Shell() {
  const { project } = useParams({ strict: false });
  useEffect(() => {
    if (project !== undefined) rememberProject(project);
  }, [project]);
  const queries = useQueryClient();
  useEffect(() => {
    const listening = new AbortController();
    for (const kind of ['dragover', 'drop'] as const)
      window.addEventListener(kind, refuseFiles, { signal: listening.signal });
    import('../queries/hiddenTabs.ts').then(
      ({ restWhileHidden }) => restWhileHidden(queries, listening.signal),
      () => {}, // without it, a hidden tab's queries run to their end
    );
    return () => listening.abort();
  }, [queries]);
  return (
    <div className="md:grid md:min-h-dvh md:grid-cols-[15.5rem_minmax(0,1fr)]">
      <a
        href="#page"
        className="fixed top-2 left-2 z-30 -translate-y-20 rounded-lg bg-ink px-3 py-2 text-sm text-on-ink focus:translate-y-0"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 h-dvh border-r border-line phone:hidden">
        <Sidebar />
      </aside>
      <TopBar />
      <main id="page" tabIndex={-1} className="min-w-0 outline-none">
        <div className="px-4 pt-6 pb-20 md:px-8 md:pt-8">
          <Outlet />
        </div>
      </main>
      <UploadTray />
      <PaletteKey />
    </div>
  );
}

/** Otherwise the browser would open a dropped file instead of the page. */
function refuseFiles(event: DragEvent): void {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
}
