/** Tests the official Python client of the Model Context Protocol from PyPI: with a handshake, and when it detects the revision. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { after, it } from 'node:test';
import { promisify } from 'node:util';
import { smallPng } from '@tapedeck/media-facts/samples';
import { installPythonClients } from '../../../scripts/clients/installedClients.ts';
import { readText } from '../mcp/assistant.ts';
import { openLogClient } from '../support/logSender.ts';
import { addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { mediaEnvironment, uploadFile } from '../support/uploading.ts';

const run = promisify(execFile);
const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner, store } = await openLogClient(service);
await store(
  [
    { level: 'error', message: 'the door is stuck', resource: 'lobby' },
    { level: 'info', message: 'a player joined' },
  ],
  'game',
);
const { id } = await uploadFile(service, smallPng, { filename: 'door.png' });
const { token: logs } = await addToken(owner, { kind: 'logs', scopes: ['read'] });
const { token: media } = await addToken(owner, { kind: 'media', scopes: ['read'] });
const { python } = await installPythonClients();

type Result = {
  server: string;
  version: string;
  instructions: string;
  tools: string[];
  readOnly: boolean;
  found: string;
  counted: string;
  wrong: [isError: boolean, text: string];
  picture: string[];
  pictureType: string;
  refused?: string;
};

for (const mode of ['legacy', 'auto'])
  it(`mcp for Python, ${mode}: reads logs and views pictures`, async () => {
    const program = path.join(import.meta.dirname, 'assistant.py');
    const { stdout } = await run(python, [program, `${service.url}/mcp`, logs, media, id, mode]);
    const result = JSON.parse(stdout) as Result;
    assert.equal(result.server, 'tapedeck');
    assert.match(result.version, mode === 'auto' ? /^2026-07-28$/ : /^2025-/);
    assert.match(result.instructions, /Tapedeck stores logs/);
    assert.deepEqual([result.tools.length, result.readOnly], [6, true]);
    assert.deepEqual(
      readText(result.found).rows.map(({ body }) => body),
      ['the door is stuck'],
    );
    assert.match(result.counted, /2/);
    assert.equal(result.wrong[0], true);
    assert.match(result.wrong[1], /Close this bracket.*position 0/);
    assert.deepEqual(result.picture, ['text', 'image']);
    assert.match(result.pictureType, /^image\//);
    assert.match(result.refused ?? '', /error response/); // the client shows no more
  });
