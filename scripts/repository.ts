/** Lists the files of this repository, without installed, built or stored ones. Does not use git. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const repositoryRoot = resolve(import.meta.dirname, '..');

/** Folders named in .gitignore. */
const ignoredNames = new Set(['node_modules', 'dist', '.git']);
const ignoredPaths = new Set(['data', '.cache']);
const ignoredEndings = /\.(log|tgz)$/;

/** Paths relative to the root, sorted, with `/` between folders. */
export function listRepositoryFiles(root = repositoryRoot, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (ignoredNames.has(entry.name) || ignoredPaths.has(path) || ignoredEndings.test(path)) return [];
      if (entry.isDirectory()) return listRepositoryFiles(root, path);
      return entry.isFile() ? [path] : [];
    });
}

/** Changes if any file changes, appears or disappears, or if another Node.js runs. */
export function hashRepository(root = repositoryRoot): string {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}`);
  for (const path of listRepositoryFiles(root)) {
    const content = createHash('sha256')
      .update(readFileSync(join(root, path)))
      .digest('hex');
    hash.update(`\n${path} ${content}`);
  }
  return hash.digest('hex');
}
