/** Shows why a page could not be shown, in the service's words. */

import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { ApiError } from '@tapedeck/client';
import { useEffect } from 'react';
import { Button, styleButton } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { PageHead } from '../ui/PageHead.tsx';

export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  const boundary = useQueryErrorResetBoundary();
  useEffect(() => boundary.reset(), [boundary]);
  return (
    <div className="mx-auto max-w-2xl px-5 py-10">
      <PageHead title={titleOf(error)} />
      <EmptyState
        title={adviceOf(error)}
        action={
          <div className="flex gap-2.5">
            {!isFinal(error) && <Button onClick={() => void router.invalidate()}>Try again</Button>}
            <Link to="/" className={styleButton({ look: isFinal(error) ? 'plain' : 'quiet' })}>
              Go to the dashboard
            </Link>
          </div>
        }
      >
        {error instanceof ApiError ? error.message : 'Something went wrong on this page. Reloading may help.'}
      </EmptyState>
    </div>
  );
}

function titleOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong';
  if (error.status === 404) return 'Not found';
  if (error.status === 403) return 'No access';
  return error.status === 0 ? 'No connection' : 'Something went wrong';
}

function adviceOf(error: unknown): string {
  if (!isFinal(error)) return 'This may be temporary';
  return error.status === 404
    ? 'It may have been deleted, or you no longer have access'
    : 'Ask someone who has access';
}

/** True if a retry changes nothing. */
function isFinal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 403 || error.status === 404);
}
