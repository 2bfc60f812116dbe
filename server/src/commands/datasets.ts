/** `tapedeck dataset …`: lists datasets and sets their retention. */
import { Misuse, printTable } from '@tapedeck/command-line';
import { readDays } from '@tapedeck/domain/files/retention';
import {
  listManagedDatasets,
  type ManagedDataset,
  setDatasetRetention,
} from '@tapedeck/domain/logs/datasets';
import { findProjectCalled } from '@tapedeck/domain/projects/projects';
import { defaultProject } from '@tapedeck/domain/vocabulary';
import { type Command, commandLine, withStore } from './command.ts';
import { withLogStore } from './logStore.ts';

export const datasetList: Command = {
  name: 'dataset list',
  usage: '[--project P]',
  about: 'List the datasets of one project or of all, with the number of entries.',
  options: { project: { type: 'string', about: 'slug or name of the project' } },
  run: async (config, given) => {
    const projects = await withStore(config, async deps => {
      const word = given.text('project');
      return word === undefined ? deps.store.read.projects.list() : [await findProjectCalled(deps, word)];
    });
    const json = await withLogStore(config, async logs => {
      await logs?.flush();
      const logQueries = logs?.queries ?? { listDatasets: async () => [] };
      const listed = projects.map(async project => {
        const datasets = await listManagedDatasets({ logQueries }, project, new AbortController().signal);
        return datasets.map(dataset => describeDataset(project.slug, dataset));
      });
      return (await Promise.all(listed)).flat();
    });
    const rows = json.map(({ project, dataset, entries, bytes, retentionDays, lastEntryAt }) => [
      project,
      dataset,
      String(entries),
      String(bytes),
      retentionDays === null ? 'forever' : `${retentionDays} days`,
      lastEntryAt ?? 'never',
    ]);
    return { text: printTable(['project', 'dataset', 'entries', 'bytes', 'kept', 'last entry'], rows), json };
  },
};

function describeDataset(project: string, dataset: ManagedDataset) {
  const { name, entries, bytes, retentionDays, lastEntryMicros } = dataset;
  const lastEntryAt = lastEntryMicros === null ? null : new Date(lastEntryMicros / 1_000).toISOString();
  return { project, dataset: name, entries, bytes, retentionDays, lastEntryAt };
}

export const datasetSet: Command = {
  name: 'dataset set',
  usage: 'NAME --retain 30d|none [--project P]',
  about: 'Set how long a dataset keeps its log entries.',
  options: {
    project: { type: 'string', about: 'slug or name of the project' },
    retain: { type: 'string', isRequired: true, about: 'days, such as 30d, or none to keep entries forever' },
  },
  positionals: { min: 1, max: 1 },
  run: async (config, given) => {
    const [dataset = ''] = given.positionals;
    const retain = given.text('retain') ?? '';
    const days = readDays(retain);
    if (days === undefined) throw new Misuse(`"${retain}" is not a length of time; write 30d or none.`);
    const project = await withStore(config, async deps => {
      const { slug } = await findProjectCalled(deps, given.text('project') ?? defaultProject);
      await setDatasetRetention(deps, commandLine, { project: slug, dataset, days });
      return slug;
    });
    const text =
      days === null
        ? `Dataset ${dataset} keeps its entries forever.`
        : `Dataset ${dataset} keeps its entries for ${days} days.`;
    return { text, json: { project, dataset, retentionDays: days } };
  },
};
