/** An address where nothing is. */
import { Link } from '@tanstack/react-router';
import { styleButton } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { PageHead } from '../ui/PageHead.tsx';

export function NotFound() {
  return (
    <div className="mx-auto max-w-2xl px-5 py-10">
      <PageHead title="Nothing here" />
      <EmptyState
        title="This tape is blank"
        action={
          <Link to="/" className={styleButton()}>
            To the dashboard
          </Link>
        }
      >
        There is no page at this address. It may have been moved, or the link was cut off.
      </EmptyState>
    </div>
  );
}
