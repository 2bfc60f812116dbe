/** Chooses the entries of a rule: a query and a dataset. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { datasetsQuery, listDatasetOptions } from '../../../queries/datasets.ts';
import { isRefusedQuery } from '../../../queryBox/queryErrors.ts';
import { Field } from '../../../ui/forms/Field.tsx';
import { Select } from '../../../ui/forms/Select.tsx';
import { QueryBox } from '../../logs/box/QueryBox.tsx';
import type { RuleDraft } from './draft.ts';

type QuestionFieldsProps = {
  project: string;
  draft: RuleDraft;
  error: Error | null;
  onChange: (change: Partial<RuleDraft>) => void;
};

export function QueryFields({ project, draft, error, onChange }: QuestionFieldsProps) {
  const { query, dataset } = draft;
  const label = useId();
  return (
    <div className="grid items-start gap-x-4 gap-y-5 md:grid-cols-[minmax(0,1fr)_13rem]">
      <div className="grid gap-1.5">
        <p id={label} className="text-sm font-medium">
          Entries that match
        </p>
        <QueryBox
          project={project}
          search={{ dataset: dataset || undefined, query: query || undefined, range: '7d' }}
          onChange={change => onChange(readChange(change))}
          refusal={isRefusedQuery(error) ? error : null}
          isField
          label="Entries that match"
          hint="Same syntax as the log search. Leave empty for all entries."
        />
      </div>
      <DatasetField project={project} dataset={dataset} onChange={chosen => onChange({ dataset: chosen })} />
    </div>
  );
}

/** A pasted Logs URL also sets the dataset. */
function readChange(change: { query?: string | undefined; dataset?: string | undefined }) {
  return {
    ...('query' in change && { query: change.query ?? '' }),
    ...('dataset' in change && { dataset: change.dataset ?? '' }),
  };
}

type DatasetFieldProps = { project: string; dataset: string; onChange: (dataset: string) => void };

function DatasetField({ project, dataset, onChange }: DatasetFieldProps) {
  const { data = [] } = useQuery(datasetsQuery(project));
  const options = listDatasetOptions(data, dataset);
  return (
    <Field label="Dataset">
      {control => <Select {...control} value={dataset} options={options} onChange={onChange} />}
    </Field>
  );
}
