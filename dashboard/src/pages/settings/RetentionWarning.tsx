/** Warns before saving that shorter retention will delete files. */
import { useQuery } from '@tanstack/react-query';
import { limits } from '@tapedeck/client';
import { countThings } from '../../format/numbers.ts';
import { formatBytes } from '../../format/sizes.ts';
import { agedFilesQuery } from '../../queries/usage.ts';
import { Spinner } from '../../ui/Spinner.tsx';

/** `days`: the shortest retention among the shortened rules. */
export function RetentionWarning({ project, days }: { project: string; days: number }) {
  const isCounted = days <= limits.usageDaysMax;
  const { data, isPending } = useQuery({ ...agedFilesQuery(project, days), enabled: isCounted });
  if (isCounted && isPending) return <Spinner label="Counting" />;
  return (
    <>
      {data?.files === 0 && <p>No files are that old yet. Files will be deleted once they reach this age.</p>}
      {data && data.files > 0 && (
        <p>
          <strong className="font-medium text-ink">
            {countThings(data.files, 'file')}, {formatBytes(data.bytes)},
          </strong>{' '}
          at most will be deleted: uploaded more than {countThings(days, 'day')} ago.
        </p>
      )}
      {data?.files !== 0 && (
        <p>
          Files affected by a shorter rule are deleted and their links stop working. Exempt files are kept.
          This can’t be undone.
        </p>
      )}
    </>
  );
}
