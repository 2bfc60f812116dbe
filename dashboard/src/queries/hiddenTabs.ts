/** Stops the log queries of a hidden tab, so that they leave the log engine and the browser's connections to other tabs. */
import type { Query, QueryClient } from '@tanstack/react-query';

/** The third word in the keys of queries that the log engine answers. */
const logAreas: readonly unknown[] = ['logs', 'issues', 'newest-errors', 'rules', 'subjects', 'timeline'];
/** For a glance at another tab. Most searches are complete by then. */
const patienceMs = 5_000;

/** Runs until the signal aborts. Shown again, the page repeats what has no data or old data, as the query cache always does. */
export function restWhileHidden(queries: QueryClient, signal: AbortSignal): void {
  let timer = 0;
  const react = () => {
    clearInterval(timer);
    if (document.hidden && !signal.aborted)
      timer = window.setInterval(() => queries.cancelQueries({ predicate: isOfLogs }), patienceMs);
  };
  react();
  document.addEventListener('visibilitychange', react, { signal });
  signal.addEventListener('abort', react);
}

function isOfLogs({ queryKey }: Query): boolean {
  return logAreas.includes(queryKey[2]);
}
