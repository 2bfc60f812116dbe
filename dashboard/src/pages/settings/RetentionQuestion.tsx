/** Warns before saving that shorter retention will delete files. */
import { useQuery } from '@tanstack/react-query';
import { limits } from '@tapedeck/client';
import { countThings } from '../../format/numbers.ts';
import { formatBytes } from '../../format/sizes.ts';
import { agedFilesQuery } from '../../queries/usage.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import type { SavingQuestion } from './SettingsPanel.tsx';

/** `days`: the shortest retention among the shortened rules. */
type RetentionQuestionProps = SavingQuestion & { project: string; days: number };

/** Can be confirmed once the files are counted, or if they can’t be. */
export function RetentionQuestion({ project, days, ...question }: RetentionQuestionProps) {
  const isCounted = days <= limits.usageDaysMax;
  const counted = useQuery({ ...agedFilesQuery(project, days), enabled: isCounted && question.open });
  const isCounting = isCounted && counted.isPending;
  return (
    <ConfirmDialog
      {...question}
      title="Delete files sooner?"
      action="Shorten retention"
      disabled={isCounting}
    >
      {isCounting ? <Spinner label="Counting" /> : <Loss counted={counted.data} days={days} />}
    </ConfirmDialog>
  );
}

type LossProps = { counted: { files: number; bytes: number } | undefined; days: number };

function Loss({ counted, days }: LossProps) {
  return (
    <>
      {counted?.files === 0 && (
        <p>No files are that old yet. Files will be deleted once they reach this age.</p>
      )}
      {counted && counted.files > 0 && (
        <p>
          <strong className="font-medium text-ink">
            {countThings(counted.files, 'file')}, {formatBytes(counted.bytes)},
          </strong>{' '}
          at most will be deleted: uploaded more than {countThings(days, 'day')} ago.
        </p>
      )}
      {counted?.files !== 0 && (
        <p>
          Files affected by a shorter rule are deleted and their links stop working. Exempt files are kept.
          This can’t be undone.
        </p>
      )}
    </>
  );
}
