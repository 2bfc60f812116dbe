/** `tapedeck project …`: creates, changes and lists projects on this machine. */
import { Misuse, printTable } from '@tapedeck/command-line';
import { readRetentionRules } from '@tapedeck/domain/files/retention';
import type { Project } from '@tapedeck/domain/ports/metadata';
import {
  createProject,
  findProjectCalled,
  type ProjectChanges,
  updateProject,
} from '@tapedeck/domain/projects/projects';
import { listOwnHosts } from '@tapedeck/domain/reservedNames';
import { type Command, commandLine, withStore } from './command.ts';

export const projectCreate: Command = {
  name: 'project create',
  usage: 'NAME [--slug S]',
  about: 'Create a project and print its slug.',
  options: { slug: { type: 'string', about: 'name in URLs; cannot be changed later' } },
  positionals: { min: 1, max: 1 },
  run: async (config, { positionals: [name = ''], text }) => {
    const slug = text('slug') ?? null;
    const project = await withStore(config, deps => createProject(deps, commandLine, { name, slug }));
    return { text: project.slug, json: describeProject(project) };
  },
};

export const projectList: Command = {
  name: 'project list',
  usage: '',
  about: 'List the projects and how much each stores.',
  options: {},
  run: async config => {
    const json = await withStore(config, async ({ store }) => {
      const projects = await store.read.projects.list();
      return await Promise.all(
        projects.map(async project => ({
          ...describeProject(project),
          stored: await store.files.usage(project.slug),
        })),
      );
    });
    const rows = json.map(({ project, name, stored, cdnDomain, createdAt }) => [
      project,
      name,
      String(stored.files),
      String(stored.bytes),
      cdnDomain ?? 'none',
      createdAt,
    ]);
    return { text: printTable(['project', 'name', 'files', 'bytes', 'domain', 'created'], rows), json };
  },
};

export const projectSet: Command = {
  name: 'project set',
  usage:
    'PROJECT [--name N] [--cdn-domain D|none] [--cdn-enabled true|false] [--bytes-max N|none] [--files-max N|none] [--retain image=30d,video=7d,audio=none,path:clips/=7d]',
  about: 'Change a project, given by slug or name. Only the options you pass are changed.',
  options: {
    name: { type: 'string', about: 'new name' },
    'cdn-domain': { type: 'string', about: 'host name for file URLs, or none' },
    'cdn-enabled': {
      type: 'string',
      values: ['true', 'false'],
      about: 'whether file URLs use that host name',
    },
    'bytes-max': { type: 'string', about: 'quota in bytes, or none' },
    'files-max': { type: 'string', about: 'quota in files, or none' },
    retain: {
      type: 'string',
      multiple: true,
      about: 'how long to keep files: image=30d, audio=none, path:clips/=7d',
    },
  },
  positionals: { min: 1, max: 1 },
  run: async (config, given) => {
    const retention = readRetentionRules(given.list('retain'));
    const changes = { ...readChanges(given), ...(retention && { retention }) };
    const project = await withStore(config, async deps => {
      const { slug } = await findProjectCalled(deps, given.positionals[0] ?? '');
      return updateProject({ ...deps, ownHosts: listOwnHosts(config) }, commandLine, { slug, changes });
    });
    return { text: `Project ${project.slug} is set.`, json: describeProject(project) };
  },
};

function readChanges(given: Parameters<Command['run']>[1]): ProjectChanges {
  const domain = given.text('cdn-domain');
  const enabled = given.text('cdn-enabled');
  const name = given.text('name');
  const bytesMax = readQuota('bytes-max', given.text('bytes-max'));
  const filesMax = readQuota('files-max', given.text('files-max'));
  return {
    ...(domain !== undefined && { cdnDomain: domain === '' || domain === 'none' ? null : domain }),
    ...(enabled !== undefined && { cdnEnabled: enabled === 'true' }),
    ...(name !== undefined && { name }),
    ...(bytesMax !== undefined && { bytesMax }),
    ...(filesMax !== undefined && { filesMax }),
  };
}

function readQuota(option: string, text: string | undefined): number | null | undefined {
  if (text === undefined || text === '' || text === 'none') return text === undefined ? undefined : null;
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw new Misuse(`--${option} must be a whole number, or none.`);
}

function describeProject(project: Project) {
  const { slug, name, cdnDomain, cdnEnabled, retention, bytesMax, filesMax, createdAt } = project;
  return {
    project: slug,
    name,
    cdnDomain,
    cdnEnabled,
    retention,
    bytesMax,
    filesMax,
    createdAt: new Date(createdAt).toISOString(),
  };
}
