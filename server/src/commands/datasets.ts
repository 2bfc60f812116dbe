/** `tapedeck dataset set`: how long a dataset keeps its log entries. */
import { setDatasetRetention } from '../domain/datasets.ts';
import { findProjectCalled } from '../domain/projects.ts';
import { readDays } from '../domain/retention.ts';
import { defaultProject, ServiceError } from '../vocabulary.ts';
import { type Command, commandLine, withStore } from './command.ts';

export const datasetSet: Command = {
  name: 'dataset set',
  usage: 'NAME --retain 30d|none [--project P]',
  about: 'Set how long a dataset keeps its log entries.',
  options: { project: { type: 'string' }, retain: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  run: async (config, given) => {
    const [dataset = ''] = given.positionals;
    const retain = given.text('retain');
    if (retain === undefined)
      throw new ServiceError('invalid_field', 'Say how long: --retain 30d, or --retain none.');
    const days = readDays(retain);
    if (days === undefined) {
      throw new ServiceError('invalid_field', `"${retain}" is no time to keep entries; write 30d or none.`);
    }
    const project = await withStore(config, async deps => {
      const { slug } = await findProjectCalled(deps, given.text('project') ?? defaultProject);
      await setDatasetRetention(deps, commandLine, { project: slug, dataset, days });
      return slug;
    });
    const text =
      days === null ? `Dataset ${dataset} keeps for ever.` : `Dataset ${dataset} keeps ${days} days.`;
    return { text, json: { project, dataset, retentionDays: days } };
  },
};
