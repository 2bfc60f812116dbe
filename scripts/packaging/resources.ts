/** Makes the ZIP archives for games: the FiveM resource and the Roblox module. */
import { createReadStream, globSync, mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeZip, type ZipEntry } from '@tapedeck/zip-archives';
import { repositoryRoot } from '../repository.ts';

const firstDay = new Date('1980-01-01'); // a fixed date, so that equal files give equal archives

/** `folder`: the folder in the archive, whose name is the resource's name in the game. */
const resources = [
  { from: 'integrations/fivem', folder: 'tapedeck', file: 'tapedeck-fivem' },
  { from: 'integrations/roblox', folder: 'tapedeck', file: 'tapedeck-roblox' },
];

/** Makes the archives in the folder and returns their paths. */
export async function makeResources(targetDirectory: string): Promise<string[]> {
  mkdirSync(targetDirectory, { recursive: true });
  // npm's manifest, which holds the version of all.
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
    version: string;
  };
  const paths: string[] = [];
  for (const { from, folder, file } of resources) {
    const source = join(repositoryRoot, from);
    const names = globSync('**/*.{lua,luau,md}', { cwd: source })
      .map(name => name.replaceAll('\\', '/'))
      .sort();
    const entries = names.map(
      (name): ZipEntry => ({
        path: `${folder}/${name}`,
        modifiedAt: firstDay,
        bytes: createReadStream(join(source, name)),
        sizeBytesMax: 1024 * 1024, // source code
        compressed: true,
      }),
    );
    const path = join(targetDirectory, `${file}-${version}.zip`);
    await writeFile(path, writeZip(entries));
    paths.push(path);
  }
  return paths;
}
