/** Tests allowed and forbidden requests against servers on this machine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { describe, it, test } from 'node:test';
import { OutgoingFailure } from './failure.ts';
import { Outgoing, type OutgoingOptions, type OutgoingRequest } from './outgoing.ts';

const request = (url: string): OutgoingRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'text/plain' },
  body: 'hello',
});

async function startServer(listener: RequestListener): Promise<AsyncDisposable & { port: number }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // the server listens on a port, not on a socket's path
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function failure(sent: Promise<unknown>): Promise<[string, string]> {
  const error = await sent.then(
    () => assert.fail('it was answered'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof OutgoingFailure, String(error));
  return [error.code, error.message];
}

const trusting = new Outgoing({ isAllowed: () => true });

test('returns the status, headers and body of a response', async () => {
  await using server = await startServer((incoming, answer) => {
    const chunks: string[] = [];
    incoming.setEncoding('utf8').on('data', chunk => chunks.push(chunk));
    incoming.on('end', () =>
      answer.writeHead(201, { 'retry-after': '7' }).end(`${incoming.method} ${chunks.join('')}`),
    );
  });
  const { status, headers, body } = await trusting.send(request(`http://127.0.0.1:${server.port}/a`));
  assert.deepEqual([status, headers['retry-after'], body.toString()], [201, '7', 'POST hello']);
});

test('returns a redirect as a response', async () => {
  let asked = 0;
  await using server = await startServer((_incoming, answer) => {
    asked += 1;
    answer.writeHead(302, { location: '/elsewhere' }).end();
  });
  assert.equal((await trusting.send(request(`http://127.0.0.1:${server.port}/`))).status, 302);
  assert.equal(asked, 1);
});

describe('never connects to private addresses', () => {
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '0.0.0.0',
    '[::]',
    'localhost',
  ];
  for (const host of hosts) {
    it(host, async () => {
      let asked = 0;
      await using server = await startServer((_incoming, answer) => {
        asked += 1;
        answer.end();
      });
      const [code] = await failure(new Outgoing().send(request(`http://${host}:${server.port}/`)));
      assert.equal(code, 'target_private');
      assert.equal(asked, 0);
    });
  }

  it('by a name with both allowed and private addresses', async () => {
    const found = [
      { address: '127.0.0.1', family: 4 },
      { address: '127.0.0.2', family: 4 },
    ];
    const outgoing = new Outgoing({
      isAllowed: address => address === '127.0.0.1',
      resolve: async () => found,
    });
    const [code, sentence] = await failure(outgoing.send(request('http://mixed.example:9/secret')));
    assert.equal(code, 'target_private');
    assert.ok(!sentence.includes('secret'));
  });
});

describe('checks the addresses that a name resolves to', () => {
  const rows: [string, string, number][] = [
    ['IPv4 mapped into IPv6', '::ffff:127.0.0.1', 6],
    ['IPv4 mapped into IPv6, in hexadecimal', '::ffff:7f00:1', 6],
    ['IPv4 within IPv6, as with NAT64', '64:ff9b::7f00:1', 6],
    ['link-local with a zone', 'fe80::1%eth0', 6],
    ['unique local', 'fd00::1', 6],
    ['the metadata service of a cloud', '169.254.169.254', 4],
    ['any address', '0.0.0.0', 4],
    ['the unspecified IPv6 address', '::', 6],
  ];
  for (const [name, address, family] of rows) {
    it(name, async () => {
      const outgoing = new Outgoing({ resolve: async () => [{ address, family }] });
      const [code] = await failure(outgoing.send(request('http://turned.example:9/')));
      assert.equal(code, 'target_private');
    });
  }

  it('no address', async () => {
    const outgoing = new Outgoing({ resolve: async () => [] });
    const [code, sentence] = await failure(outgoing.send(request('http://empty.example/')));
    assert.deepEqual([code, sentence], ['unreachable', 'Could not find the host empty.example.']);
  });
});

test('resolves a name only once, even if it would change', async () => {
  await using server = await startServer((_incoming, answer) => void answer.end('the first'));
  let lookUps = 0;
  const outgoing = new Outgoing({
    isAllowed: address => address === '127.0.0.1',
    resolve: async () => [{ address: lookUps++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }],
  });
  const { body } = await outgoing.send(request(`http://rebound.example:${server.port}/`));
  assert.deepEqual([body.toString(), lookUps], ['the first', 1]);
});

describe('explains failures', () => {
  const rows: [string, string, OutgoingOptions, [string, RegExp]][] = [
    ['no URL', 'not a url', {}, ['target_invalid', /https:\/\//]],
    ['another protocol', 'file:///etc/passwd', {}, ['target_invalid', /https:\/\//]],
    ['a line break inside', 'https://example.org/a\nb', {}, ['target_invalid', /line breaks/]],
    ['a line break at its end', 'https://example.org/a\r\n', {}, ['target_invalid', /line breaks/]],
    ['a tab in its host', 'https://exa\tmple.org/', {}, ['target_invalid', /line breaks/]],
    ['a leading space', ' https://example.org/', {}, ['target_invalid', /spaces/]],
    ['a space inside', 'https://example.org/a b', {}, ['target_invalid', /spaces/]],
    ['a wide space', 'https://example.org/a\u3000b', {}, ['target_invalid', /spaces/]],
    ['a NUL character', 'https://example.org/\0', {}, ['target_invalid', /spaces/]],
    ['an invisible character', 'https://exam\u200bple.org/', {}, ['target_invalid', /invisible/]],
    ['backslashes', 'https:\\\\example.org', {}, ['target_invalid', /backslashes/]],
    ['an incomplete escape', 'http://%zz@example.org/', {}, ['target_invalid', /percent-encoded/]],
    [
      'an unknown host',
      'http://nobody.invalid/',
      {},
      ['unreachable', /Could not find the host nobody\.invalid/],
    ],
    [
      'a closed port',
      'http://127.0.0.1:1/',
      { isAllowed: () => true },
      ['unreachable', /refused the connection/],
    ],
  ];
  for (const [name, url, options, [code, sentence]] of rows) {
    it(name, async () => {
      const found = await failure(new Outgoing(options).send(request(url)));
      assert.equal(found[0], code);
      assert.match(found[1], sentence);
    });
  }

  it('a silent server', async () => {
    await using server = await startServer(() => {});
    const outgoing = new Outgoing({ isAllowed: () => true, timeMsMax: 100 });
    const [code] = await failure(outgoing.send(request(`http://127.0.0.1:${server.port}/`)));
    assert.equal(code, 'silent');
  });

  it('a hanging look-up', async () => {
    const outgoing = new Outgoing({ resolve: () => new Promise(() => {}), timeMsMax: 100 });
    assert.equal((await failure(outgoing.send(request('http://hanging.example/'))))[0], 'silent');
  });

  it('a server that does not speak HTTP', async () => {
    const server = createPlainServer(socket => socket.end('hello there\r\n\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as above
    const [code, sentence] = await failure(trusting.send(request(`http://127.0.0.1:${port}/`)));
    assert.deepEqual([code, /did not answer with HTTP/.test(sentence)], ['unreachable', true]);
    server.close();
  });
});

test('reads the beginning of a long response', async () => {
  await using server = await startServer((_incoming, answer) => {
    const more = () => {
      while (answer.write('x'.repeat(65_536)));
    };
    answer.on('drain', more);
    more();
  });
  const outgoing = new Outgoing({ isAllowed: () => true, answerBytesMax: 100_000 });
  const { status, body } = await outgoing.send(request(`http://127.0.0.1:${server.port}/`));
  assert.deepEqual([status, body.length], [200, 100_000]);
});

test('returns the received part of a response whose body hangs', async () => {
  await using server = await startServer((_incoming, answer) => void answer.write('begun'));
  const outgoing = new Outgoing({ isAllowed: () => true, timeMsMax: 200 });
  const { status, body } = await outgoing.send(request(`http://127.0.0.1:${server.port}/`));
  assert.deepEqual([status, body.toString()], [200, 'begun']);
});

test("an aborted request rejects with the caller's reason", async () => {
  const leaving = new AbortController();
  await using server = await startServer(() => leaving.abort(new Error('stopping')));
  await assert.rejects(
    trusting.send(request(`http://127.0.0.1:${server.port}/`), leaving.signal),
    /stopping/,
  );
});
