/** Shows a failed search's error once, with a button to retry at once. */
import { useQueryClient } from '@tanstack/react-query';
import { isTransient } from '../../queries/cache.ts';
import { logsKeyOf } from '../../queries/logs.ts';
import { isRefusedQuery } from '../../queryBox/queryErrors.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';

export function SearchError({ project, error }: { project: string; error: Error }) {
  const queries = useQueryClient();
  // The query box marks and explains errors in its text.
  if (isRefusedQuery(error)) return null;
  return (
    <Notice look="error">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span>
          {error.message}
          {isTransient(error) && ' Retrying automatically.'}
        </span>
        <Button size="small" onClick={() => void queries.invalidateQueries(logsKeyOf(project))}>
          Try again
        </Button>
      </div>
    </Notice>
  );
}
