/** The ZIP archives of what games load: the FiveM resource and the Roblox module. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository.ts';
import { writeZip } from './zip.ts';

/** `folder`: the one in the archive, by whose name the game knows it. */
const resources = [
  { from: 'integrations/fivem', folder: 'tapedeck', file: 'tapedeck-fivem' },
  { from: 'integrations/roblox', folder: 'tapedeck', file: 'tapedeck-roblox' },
];

/** Makes the archives in the folder, and answers their paths. */
export function makeResources(targetDirectory: string): string[] {
  mkdirSync(targetDirectory, { recursive: true });
  // The file is npm's, which names the version of all.
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
    version: string;
  };
  return resources.map(({ from, folder, file }) => {
    const source = join(repositoryRoot, from);
    const names = globSync('**/*.{lua,luau,md}', { cwd: source })
      .map(name => name.replaceAll('\\', '/'))
      .sort();
    const files = names.map(name => ({ name: `${folder}/${name}`, bytes: readFileSync(join(source, name)) }));
    const path = join(targetDirectory, `${file}-${version}.zip`);
    writeFileSync(path, writeZip(files));
    return path;
  });
}
