/** Rules for datasets: valid names, access by tokens, and retention. */

import type { LogTarget } from '../ports/logs.ts';
import type { Project } from '../ports/metadata.ts';
import { invalidFieldError, patterns, ServiceError } from '../vocabulary.ts';

/** The dataset used if none is named. */
export const usualDataset = 'default'; // SERVICE.md, Limits

const pattern = new RegExp(patterns.dataset); // CONTRACT.md, 4.1

export function isDatasetName(name: string): boolean {
  return pattern.test(name);
}

export function requireDatasetName(name: string): void {
  if (isDatasetName(name)) return;
  throw invalidFieldError('dataset', 'The dataset must be 1 to 64 letters, digits, _, . or -.');
}

/** Datasets in the scopes; null: no restriction. */
type DatasetScopes = { datasets: ReadonlySet<string> | null };

/** Throws if the scopes do not allow storing entries in the dataset. */
export function requireDatasetScope({ datasets }: DatasetScopes, dataset: string): void {
  if (datasets === null || datasets.has(dataset)) return;
  throw new ServiceError('scope_missing', `The token is not for the dataset ${dataset}.`);
}

/** Returns the requested dataset or, for null, all that the scopes allow. Returns null for all of the project. */
export function chooseDatasets({ datasets }: DatasetScopes, requested: string | null): string[] | null {
  if (requested === null) return datasets === null ? null : [...datasets];
  if (datasets === null || datasets.has(requested)) return [requested];
  throw new ServiceError('scope_missing', `This token may not read the dataset ${requested}.`);
}

/** Returns null for "forever". Checks own properties, because a dataset may be called `constructor`. */
export function findRetentionDays({ logRetention }: Project, dataset: string): number | null {
  return Object.hasOwn(logRetention, dataset) ? (logRetention[dataset] ?? null) : null;
}

/** Looks up retention by dataset name, in the projects held in memory; null if the project does not exist. */
export function openRetentions(projects: {
  findProject(slug: string): Project | null;
}): (target: LogTarget) => number | null {
  return ({ project: slug, dataset }) => {
    const project = projects.findProject(slug);
    return project && findRetentionDays(project, dataset);
  };
}
