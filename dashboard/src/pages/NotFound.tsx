/** An address where nothing is. */
import { Link } from '@tanstack/react-router';
import { styleButton } from '../parts/Button.tsx';
import { Empty } from '../parts/Empty.tsx';
import { PageHead } from '../parts/PageHead.tsx';

export function NotFound() {
  return (
    <div className="mx-auto max-w-2xl px-5 py-10">
      <PageHead title="Nothing here" />
      <Empty
        title="This tape is blank"
        action={
          <Link to="/" className={styleButton()}>
            To the dashboard
          </Link>
        }
      >
        There is no page at this address. It may have been moved, or the link was cut off.
      </Empty>
    </div>
  );
}
