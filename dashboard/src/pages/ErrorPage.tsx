/** A page that could not be shown, with the reason in the words of the service. */

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
            <Button onClick={() => void router.invalidate()}>Try again</Button>
            <Link to="/" className={styleButton({ look: 'quiet' })}>
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
  const status = error instanceof ApiError ? error.status : null;
  return status === 404 || status === 403 ? 'Nothing to show here' : 'This may be temporary';
}
