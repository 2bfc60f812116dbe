/** Dataset management: size, retention and deletion. */
import Type from 'typebox';
import { defineRoute } from './route.ts';
import { Days, Instant, nullable, ProjectParams } from './values.ts';
import { patterns } from './vocabulary.ts';

const area = 'Datasets';

const DatasetParams = Type.Object({
  ...ProjectParams.properties,
  dataset: Type.String({ pattern: patterns.dataset, description: 'The name of a dataset.' }),
});

export const DatasetRecord = Type.Object({
  name: Type.String(),
  entries: Type.Integer(),
  bytes: Type.Integer({ description: 'Size on disk in bytes, including indexes.' }),
  retentionDays: Days,
  lastEntryAt: nullable(Instant),
});

export const listManagedDatasets = defineRoute({
  id: 'listManagedDatasets',
  method: 'GET',
  path: '/api/manage/projects/{project}/datasets',
  area,
  summary: 'List the datasets that hold entries or have their own retention.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  answer: Type.Object({ datasets: Type.Array(DatasetRecord) }),
  errors: ['engine_unavailable', 'query_timeout'],
});

export const updateDataset = defineRoute({
  id: 'updateDataset',
  method: 'PATCH',
  path: '/api/manage/projects/{project}/datasets/{dataset}',
  area,
  summary: 'Set how long a dataset keeps its entries, including those that it already has.',
  access: { by: 'manager', role: 'admin' },
  params: DatasetParams,
  body: Type.Object({ retentionDays: Days }),
  answer: Type.Object({ dataset: Type.Object({ name: Type.String(), retentionDays: Days }) }),
  errors: [],
});

export const deleteDataset = defineRoute({
  id: 'deleteDataset',
  method: 'DELETE',
  path: '/api/manage/projects/{project}/datasets/{dataset}',
  area,
  summary:
    'Delete all entries of a dataset and its retention. With dryRun, only count what would be deleted.',
  access: { by: 'manager', role: 'admin' },
  params: DatasetParams,
  query: Type.Object({ dryRun: Type.Optional(Type.Boolean({ default: false })) }),
  answer: Type.Object({ entries: Type.Integer(), bytes: Type.Integer(), dryRun: Type.Boolean() }),
  errors: ['engine_unavailable', 'query_timeout', 'not_found'],
});
