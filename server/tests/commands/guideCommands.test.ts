/** Runs the catalogue's commands as they stand: what they send arrives, with no more rights than their guide asks for. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Snippet } from '@tapedeck/guides';
import { guides } from '../support/connectGuides.ts';
import { awaitArrival, openGuideConnections } from '../support/guideConnections.ts';
import { startTestService } from '../support/service.ts';
import { makePicture } from '../support/uploading.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const connect = await openGuideConnections(service);
const run = promisify(execFile);

/** The folder in which commands run. */
let place = '';
before(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'tapedeck-guides-'));
  for (const name of ['photo.png', 'screenshot.png', 'recording.mkv', 'app.js'])
    await writeFile(path.join(place, name), await makePicture());
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(path.join(place, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(place, name), 0o755);
  }
});
after(() => rm(place, { recursive: true }));

/** Replaces desktop and systemd programs, which test machines lack, by commands with the same output. */
const picture = 'cat screenshot.png';
const clipboard = 'cat > clipboard';
const programs: Readonly<Record<string, string>> = {
  flameshot: picture,
  grim: picture,
  maim: picture,
  slurp: 'echo 1,1',
  screencapture: 'cp screenshot.png "$2"',
  xclip: clipboard,
  'wl-copy': clipboard,
  pbcopy: clipboard,
  inotifywait: 'echo ./recording.mkv; echo ./notes.txt',
  journalctl: `echo '{"MESSAGE":"Started","PRIORITY":"6","__REALTIME_TIMESTAMP":"${Date.now()}000","SYSLOG_IDENTIFIER":"systemd"}'`,
};

/** These need programs that the test machine lacks; other tests cover what they send. */
const others = /\b(?:docker|pino-http-send)\b/;
/** This only requests a URL and sends nothing. */
const asksAlone = 'On the server: request a URL';

describe('commands', () => {
  for (const guide of guides) {
    const commands = [...guide.snippets, guide.test].filter(isCommand);
    for (const snippet of commands) {
      it(`${guide.title}: ${snippet.name}`, async () => {
        const connection = await connect(guide);
        await run('sh', ['-c', snippet.write(connection)], {
          cwd: place,
          env: { ...process.env, PATH: `${place}:${process.env.PATH}` },
        });
        await awaitArrival(guide, connection, 0);
      });
    }
  }
});

function isCommand(snippet: Snippet): boolean {
  const text = snippet.write({ address: 'https://host', token: 'token', dataset: 'default', folder: '' });
  if (snippet.name === asksAlone) return false;
  return snippet.language === 'sh' && text.includes('curl') && text.includes('//host') && !others.test(text);
}

it('a screenshot leaves only URLs in the clipboard', async () => {
  const guide = guides.find(({ id }) => id === 'flameshot');
  assert.ok(guide);
  const [snippet] = guide.snippets;
  await run('sh', ['-c', snippet!.write(await connect(guide))], {
    cwd: place,
    env: { ...process.env, PATH: `${place}:${process.env.PATH}` },
  });
  const { stdout } = await run('cat', ['clipboard'], { cwd: place });
  assert.match(stdout, /^http:\/\/\S+\.png\s?$/);
  assert.equal((await fetch(stdout.trim().replace(/^http:\/\/[^/]+/, service.url))).status, 200);
});
