/** The page for unknown addresses. */
import { Link } from '@tanstack/react-router';
import { styleButton } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { PageHead } from '../ui/PageHead.tsx';

export function NotFound() {
  return (
    <div className="mx-auto max-w-2xl px-5 py-10">
      <PageHead title="Nothing here" />
      <EmptyState
        title="Page not found"
        action={
          <Link to="/" className={styleButton()}>
            Go to the dashboard
          </Link>
        }
      >
        No page exists at this address. It may have moved, or the link is incomplete.
      </EmptyState>
    </div>
  );
}
