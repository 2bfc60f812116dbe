/** The compose files: whose word about visitors counts, who can reach the port, and which ClickHouse was tried. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, test } from 'node:test';
import { getMachine } from '@tapedeck/contract/machine';
import { openClientAddresses } from '@tapedeck/web/client-addresses';
import { parse } from 'yaml';
import { readConfig } from '../server/src/config.ts';
import { addPerson } from '../server/tests/support/people.ts';
import { startQuietService } from '../server/tests/support/service.ts';

type Compose = {
  services: Record<string, { image?: string; ports?: string[]; environment?: Record<string, string> }>;
  networks: { default: { ipam: { config: [{ subnet: string; gateway: string }] } } };
};

/** With the defaults in the file. */
async function read(name: string): Promise<Compose> {
  const text = await readFile(path.join(import.meta.dirname, name), 'utf8');
  return parse(text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'), { merge: true }) as Compose; // as Compose has it
}

function findVisitor(trusted: string, peer: string): string {
  const { trustedProxies } = readConfig({ TAPEDECK_TRUSTED_PROXIES: trusted });
  const find = openClientAddresses(trustedProxies);
  type Request = Parameters<typeof find>[0];
  const request = { socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': '198.51.100.7' } };
  return find(request as unknown as Request); // nothing else of a request is looked at
}

describe('on one machine', () => {
  it('trusts a proxy on the host and no other address of the network', async () => {
    const { services, networks } = await read('compose.yaml');
    const { TAPEDECK_TRUSTED_PROXIES: trusted = '' } = services.tapedeck?.environment ?? {};
    const { subnet, gateway } = networks.default.ipam.config[0];
    assert.ok(subnet.startsWith(gateway.replace(/\d+$/, '')));
    assert.equal(findVisitor(trusted, gateway), '198.51.100.7');
    for (const other of [gateway.replace(/\d+$/, '2'), '172.17.0.1', '203.0.113.9'])
      assert.equal(findVisitor(trusted, other), other);
  });

  it('the port is for the host alone: behind it strangers would look like the gateway', async () => {
    const { services } = await read('compose.yaml');
    assert.deepEqual(services.tapedeck?.ports, ['127.0.0.1:8787:8787']);
  });
});

test('several nodes can be reached only through the proxy, which they trust', async () => {
  const { services, networks } = await read('compose.many.yaml');
  const { subnet, gateway } = networks.default.ipam.config[0];
  for (const name of ['node-1', 'node-2', 'node-3']) {
    const { ports, environment = {} } = services[name] ?? {};
    assert.deepEqual([ports, environment.TAPEDECK_TRUSTED_PROXIES], [undefined, subnet]);
  }
  assert.equal(findVisitor(subnet, gateway.replace(/\d+$/, '9')), '198.51.100.7');
  assert.equal(findVisitor(subnet, '172.17.0.1'), '172.17.0.1');
});

test('the ClickHouse of several nodes is the release that the tests run', async () => {
  const { services } = await read('compose.many.yaml');
  await using service = await startQuietService();
  const owner = await addPerson(service, { isOwner: true });
  const { engine } = await owner.call(getMachine);
  const [major, minor] = (engine.servers[0]?.version ?? '').split('.');
  assert.equal(services.clickhouse?.image, `clickhouse/clickhouse-server:${major}.${minor}`);
});
