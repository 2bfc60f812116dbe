/** Reads the catalogue's settings as their tools do and sends what they describe. It arrives with the token in the settings. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { findGuide, guides } from '../support/connectGuides.ts';
import { awaitArrival, openGuideConnections } from '../support/guideConnections.ts';
import { readRequest, settingsGuides } from '../support/guideRequests.ts';
import { startTestService } from '../support/service.ts';
import { makePicture } from '../support/uploading.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const connect = await openGuideConnections(service);
const run = promisify(execFile);
const place = await mkdtemp(path.join(tmpdir(), 'tapedeck-guides-'));
after(() => rm(place, { recursive: true }));

/** Other tests cover these: commands, routes that need several requests, scripts that users edit first. */
const elsewhere = ['sharex', 'obs', 'hosted-media', 'hosted-logs', 'fivem-screenshots', 'presigned-url'];

describe('settings', () => {
  for (const guide of settingsGuides.filter(({ id }) => !elsewhere.includes(id))) {
    it(guide.title, async () => {
      const connection = await connect(guide);
      const before = (
        guide.sends === 'media' ? await connection.listFileNames() : await connection.readEntries()
      ).length;
      const request = await readRequest(guide, connection);
      assert.ok(request, 'its texts name the host it sends to');
      const { url, ...init } = request;
      const response = await fetch(url, init);
      assert.ok(
        response.ok,
        `${init.method} ${url} was answered ${response.status}: ${await response.text()}`,
      );
      await awaitArrival(guide, connection, before);
    });
  }
});

describe('files are well-formed', () => {
  for (const guide of guides) {
    for (const { name, language, write } of guide.snippets) {
      if (language !== 'yaml' && language !== 'json') continue;
      it(`${guide.title}: ${name}`, async () => {
        const text = write(await connect(guide));
        if (language === 'json') return void JSON.parse(text);
        for (const { errors, warnings } of parseAllDocuments(text))
          assert.deepEqual([...errors, ...warnings], []);
      });
    }
  }
});

describe('scripts without packages run', () => {
  for (const id of ['node-fetch-logs', 'node-fetch-files']) {
    it(id, async () => {
      const guide = findGuide(id)!;
      const connection = await connect(guide);
      await writeFile(path.join(place, 'photo.png'), await makePicture());
      for (const { name, write } of [...guide.snippets, guide.test])
        await writeFile(path.join(place, name), write(connection));
      await run(process.execPath, [guide.test.name], { cwd: place });
      await awaitArrival(guide, connection, 0);
    });
  }

  it('scripts for a hosted service send here once their host is replaced', async () => {
    const guide = findGuide('hosted-media')!;
    const connection = await connect(guide);
    const script = path.join(place, 'config.lua');
    await writeFile(
      script,
      `Url = 'https://api.fivemanage.com/api/image'\nOther = "https://api.fivemerr.com/v1/logs"\n`,
    );
    await run('sh', ['-c', guide.snippets[0]!.write(connection)], { cwd: place });
    assert.equal(
      await readFile(script, 'utf8'),
      `Url = '${service.url}/api/image'\nOther = "${service.url}/v1/logs"\n`,
    );
  });
});
