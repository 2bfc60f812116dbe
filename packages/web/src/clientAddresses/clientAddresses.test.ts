/** Tests finding the client's address behind proxies. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { findClientSubnet, loopback, openClientAddresses, readSubnet } from './index.ts';

const trusted = [...loopback, readSubnet('10.0.0.0/8')!, readSubnet('2001:db8::/32')!];
const findAddress = openClientAddresses(trusted);

function makeRequest(remoteAddress: string | undefined, forwarded?: string) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress } as IncomingMessage['socket'], headers }; // the code reads nothing else of the socket
}

const rows: readonly (readonly [
  connection: string | undefined,
  forwarded: string | undefined,
  found: string,
])[] = [
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['::ffff:127.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['::1', '198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['203.0.113.7', '127.0.0.1', '203.0.113.7'],
  ['10.0.0.1', 'unknown', '10.0.0.1'],
  ['2001:db8::1', '[2001:0DB9::0001%eth0]:80', '2001:db9::1'],
  [undefined, '203.0.113.7', ''],
];

for (const [connection, forwarded, found] of rows) {
  test(`${connection} that forwards ${forwarded} is ${found || 'nobody'}`, () => {
    assert.equal(findAddress(makeRequest(connection, forwarded)), found);
  });
}

test('finds the address or network that belongs to one client', () => {
  assert.equal(findClientSubnet('203.0.113.7'), '203.0.113.7');
  assert.equal(findClientSubnet('2001:db8::1'), '2001:db8:0:0::/64');
  assert.equal(findClientSubnet('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
});

test('reads subnets', () => {
  assert.deepEqual(readSubnet('192.168.0.0/16'), { address: '192.168.0.0', prefixBits: 16 });
  assert.deepEqual(readSubnet('::1'), { address: '::1', prefixBits: 128 });
  for (const text of ['', '10.0.0.0/33', '10.0.0', 'localhost', '::/129', '10.0.0.0/8/8']) {
    assert.equal(readSubnet(text), null, text);
  }
});
