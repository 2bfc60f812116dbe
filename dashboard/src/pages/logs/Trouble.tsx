/** What is wrong with the search, said once, and a way not to wait for the page to ask again by itself. */
import { useQueryClient } from '@tanstack/react-query';
import { Button } from '../../parts/Button.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { mayPass } from '../../queries/cache.ts';
import { logsKeyOf } from '../../queries/logs.ts';
import { isRefusedQuery } from './box/mistakes.ts';

export function Trouble({ project, error }: { project: string; error: Error }) {
  const queries = useQueryClient();
  // The box marks what is wrong with its text, and says it.
  if (isRefusedQuery(error)) return null;
  return (
    <Notice look="error">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span>
          {error.message}
          {mayPass(error) && ' This page asks again by itself.'}
        </span>
        <Button size="small" onClick={() => void queries.invalidateQueries(logsKeyOf(project))}>
          Try again
        </Button>
      </div>
    </Notice>
  );
}
