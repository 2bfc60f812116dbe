/** Runs the commands in README.md and the guides as they are written. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { cleanEnvironment, commandOf } from '../support/tapedeck.ts';
import { makePicture } from '../support/uploading.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const place = await makeDirectory();
after(() => place[Symbol.asyncDispose]());
const programs = path.join(place.path, 'bin');
const run = promisify(execFile);

const words = commandOf([]).map(word => `'${word}'`);
const scripts = {
  npm: `shift 4\nexec ${words.join(' ')} "$@"`, // `npm run --silent tapedeck -- …`
  curl: 'PATH=$OTHERS exec curl --silent --show-error --fail-with-body "$@"',
};

before(async () => {
  await mkdir(programs);
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(path.join(programs, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(programs, name), 0o755);
  }
  await cp(path.join(repositoryRoot, 'pictures'), path.join(place.path, 'pictures'), { recursive: true });
  await writeFile(path.join(place.path, 'clip.mp4'), await makePicture());
});

async function readDocument(file: string): Promise<string> {
  return await readFile(path.join(repositoryRoot, file), 'utf8');
}

/** Lists the blocks that call the service or create a token for it. */
function listCommands(document: string): string[] {
  return [...document.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, block = '']) => block)
    .filter(block => /curl .*localhost:8787|token create/.test(block));
}

describe('the commands work', () => {
  const rows: [string, number, RegExp[]][] = [
    ['README.md', 2, [/"url":"[^"]*\/media\/default\/clips\/files-\w+\.png"/, /"body":"player joined"/]],
    ['docs/uploads.md', 9, [/"sha256":"/, /files-\w+\.png/, /clip-\w+\.png/, /"presignedUrl":"/]],
    ['docs/logs.md', 3, [/"body":"player joined"/, /"data":\[\]/]],
    ['docs/clients.md', 1, [/200|204/]],
  ];
  for (const [file, count, printed] of rows) {
    it(`in ${file}`, async () => {
      const commands = listCommands(await readDocument(file));
      assert.equal(commands.length, count);
      const script = commands.join('\n').replaceAll('http://localhost:8787', service.url);
      const { stdout } = await run('sh', ['-euc', script], {
        cwd: place.path,
        env: {
          ...cleanEnvironment(),
          OTHERS: process.env.PATH,
          PATH: `${programs}:${process.env.PATH}`,
          TAPEDECK_DATA_DIR: service.dataDir,
        },
      });
      for (const pattern of printed) assert.match(stdout, pattern);
    });
  }
});

test('README.md fits on a few screens', async () => {
  const lines = (await readDocument('README.md')).split('\n').length - 1;
  assert.ok(lines <= 120, `${lines} lines; move something to docs/`);
});
