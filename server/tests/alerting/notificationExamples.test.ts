/** Runs the webhook receivers in the documentation: they accept what the service signs, once, and nothing else. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createChannel, rotateChannel, testChannel } from '@tapedeck/contract/channels';
import { repeatDelivery } from '@tapedeck/contract/deliveries';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { leaveDeliveries, untilDeliveries } from '../support/outboxRows.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';

const guide = path.join(import.meta.dirname, '../../../docs/notifications.md');
const params = { project: 'default' };

async function readExample(language: string): Promise<string> {
  const found = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(await readFile(guide, 'utf8'));
  assert.ok(found !== null, language);
  return found[1]!;
}

describe('the documentation’s receiver', () => {
  const rows = [
    ['js', process.execPath, 'receive.mjs'],
    ['python', 'python3', 'receive.py'],
  ] as const;
  for (const [language, command, file] of rows) {
    it(`in ${language} accepts each signed message once, even after a rotation`, async () => {
      await using directory = await makeDirectory();
      await using service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
      const owner = await addPerson(service, { isOwner: true });
      const port = await findFreePort();
      const target = `http://127.0.0.1:${port}/`;
      const body = { name: 'Example', kind: 'webhook', target } as const;
      const { channel, secret } = await owner.call(createChannel, { params, body });
      const place = { params: { ...params, channel: channel.id } };
      await writeFile(path.join(directory.path, file), await readExample(language));
      const environment = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) };
      const child = spawn(command, [file], { cwd: directory.path, env: environment, stdio: 'pipe' });
      const exited = once(child, 'exit');
      try {
        const lines: string[] = [];
        createInterface(child.stdout).on('line', line => lines.push(line));
        const sendTest = () => owner.call(testChannel, place);
        const deadline = Date.now() + 60_000;
        for (let answer = await sendTest(); answer.status !== 204; answer = await sendTest()) {
          assert.ok(answer.status === null && Date.now() < deadline, JSON.stringify(answer));
          await wait(100);
        }
        const [delivery] = await leaveDeliveries(service, { channel: channel.id, rule: 'Script errors' });
        await owner.call(rotateChannel, place);
        await untilDeliveries(owner, channel.id, all => all.get(delivery!)!.state === 'delivered');
        await owner.call(repeatDelivery, { params: { ...params, delivery: delivery! } });
        await untilDeliveries(owner, channel.id, all =>
          [...all.values()].every(
            ({ state, attempts }) => state === 'delivered' && attempts[0]!.status === 204,
          ),
        );
        assert.deepEqual(
          lines.map(line => line.replace(/^\S+ /, '').trim()),
          ['channel.test', 'rule.fired Script errors'],
        );
        const now = String(Math.floor(Date.now() / 1000));
        const forged = {
          'webhook-id': 'a',
          'webhook-timestamp': now,
          'webhook-signature': `v1,${'A'.repeat(43)}=`,
        };
        for (const headers of [{}, forged, { ...forged, 'webhook-timestamp': '1' }])
          assert.equal((await fetch(target, { method: 'POST', headers, body: '{}' })).status, 401);
        assert.equal(lines.length, 2);
      } finally {
        child.kill();
        await exited;
      }
    });
  }
});
