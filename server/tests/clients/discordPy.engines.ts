/** Tests discord.py and discord-webhook from PyPI: the service stores messages with files, and the clients report refusals. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, it } from 'node:test';
import { smallPng } from '@tapedeck/media-facts/samples';
import { installPythonClients } from '../../../scripts/clients/installedClients.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { pathOf } from '../support/uploading.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });

it('responds to messages with embeds and files as the client expects', async () => {
  const { token } = await addToken(owner, { kind: 'webhook' });
  const { python } = await installPythonClients();
  const program = path.join(import.meta.dirname, 'discordPy.py');
  const child = spawn(python, [program, service.url, token, smallPng.toString('hex')]);
  const [printed, complained, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(status, 0, complained);
  const results: Record<string, string> = JSON.parse(printed);
  assert.equal(results.content, 'report');
  assert.match(results.refusal ?? '', /cannot be changed/);
  for (const url of [results.url, results.simple]) {
    const opened = await service.fetch(pathOf(url ?? ''));
    assert.deepEqual(Buffer.from(await opened.arrayBuffer()), smallPng);
  }
});
