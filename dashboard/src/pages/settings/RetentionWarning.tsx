/** What shorter rules may take away, said before they are saved. */
import { useQuery } from '@tanstack/react-query';
import { limits } from '@tapedeck/client';
import { countThings } from '../../format/numbers.ts';
import { formatBytes } from '../../format/sizes.ts';
import { agedFilesQuery } from '../../queries/usage.ts';
import { Spinner } from '../../ui/Spinner.tsx';

/** `days`: the shortest of the rules that became shorter. */
export function RetentionWarning({ project, days }: { project: string; days: number }) {
  const isCounted = days <= limits.usageDaysMax;
  const { data, isPending } = useQuery({ ...agedFilesQuery(project, days), enabled: isCounted });
  if (isCounted && isPending) return <Spinner label="Counting" />;
  return (
    <>
      {data?.files === 0 && <p>No file is that old yet. From now on each is deleted at its age.</p>}
      {data && data.files > 0 && (
        <p>
          <strong className="font-medium text-ink">
            {countThings(data.files, 'file')}, {formatBytes(data.bytes)},
          </strong>{' '}
          at most: so many were uploaded more than {countThings(days, 'day')} ago.
        </p>
      )}
      {data?.files !== 0 && (
        <p>
          Those that a shorter rule is about are deleted, and their URLs lead nowhere. Files uploaded as
          exempt stay. This cannot be undone.
        </p>
      )}
    </>
  );
}
