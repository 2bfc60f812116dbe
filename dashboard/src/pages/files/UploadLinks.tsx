/** Lists the user's upload links and what arrived through each. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countThings, formatCount } from '../../format/numbers.ts';
import { formatBytes } from '../../format/sizes.ts';
import { uploadLinksQuery } from '../../queries/files.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';

export function UploadLinks({ project, onLeave }: { project: string; onLeave: () => void }) {
  const { data: links = [], error } = useQuery(uploadLinksQuery(project));
  if (error) return <Notice look="error">{error.message}</Notice>;
  if (links.length === 0) return null;
  return (
    <section className="grid gap-2 border-t border-line pt-4">
      <h3 className="text-sm font-semibold">Your upload links</h3>
      <ul aria-label="Your upload links" className="grid max-h-60 gap-2 overflow-y-auto text-sm">
        {links.map(({ id, path, uses, createdAt, expiresAt, files, bytes, query }) => (
          <li key={id} className="grid gap-0.5">
            <span className="flex flex-wrap justify-between gap-x-4">
              <bdi className="font-medium wrap-anywhere">{path === '' ? 'Any folder' : path}</bdi>
              {files === 0 ? (
                <span className="text-muted">No uploads yet</span>
              ) : (
                <Link
                  to="/projects/$project/files"
                  params={{ project }}
                  search={{ query }}
                  onClick={onLeave}
                  className="inline-block min-h-6 underline decoration-edge underline-offset-3 hover:decoration-ink"
                >
                  {`${countThings(files, 'file')}, ${formatBytes(bytes)}`}
                </Link>
              )}
            </span>
            <span className="text-[0.82rem] text-muted">
              Created <Timestamp at={createdAt} />
              {`, ${uses === 1 ? 'one upload' : `up to ${formatCount(uses)} uploads`}, `}
              {Date.parse(expiresAt) > Date.now() ? 'expires ' : 'expired '}
              <Timestamp at={expiresAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
