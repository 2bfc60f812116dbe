/** Forbidden and hostile channel targets: the service sends nothing to forbidden ones, and hostile ones do not hold it up. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it, test } from 'node:test';
import * as contract from '@tapedeck/contract/channels';
import { listDeliveries } from '@tapedeck/contract/deliveries';
import { leaveDeliveries, untilDeliveries } from '../support/outboxRows.ts';
import { addPerson, addProject, type Person } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const params = { project: 'default' };

type Listening = AsyncDisposable & {
  port: number;
  connections: Set<Socket>;
  connected: number;
  most: number;
};

async function listen(server: Server): Promise<Listening> {
  const listening = {
    port: 0,
    connections: new Set<Socket>(),
    connected: 0,
    most: 0,
    [Symbol.asyncDispose]: async () => {
      for (const socket of listening.connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('connection', (socket: Socket) => {
    listening.connected += 1;
    listening.connections.add(socket.on('error', () => {}));
    listening.most = Math.max(listening.most, listening.connections.size);
    socket.once('close', () => listening.connections.delete(socket));
  });
  await once(server.listen(0, '::'), 'listening'); // IPv4 and IPv6
  listening.port = (server.address() as AddressInfo).port; // it listens on a port
  return listening;
}

const answerWith = (listener: RequestListener) => listen(createHttpServer(listener));

let names = 0;

async function addChannel(person: Person, target: string, project = 'default') {
  const body = { name: `channel ${++names}`, kind: 'webhook', target } as const;
  const { channel } = await person.call(contract.createChannel, { params: { project }, body });
  return { id: channel.id, shown: channel.target, place: { params: { project, channel: channel.id } } };
}

describe('when private addresses are not allowed', () => {
  let service: TestService;
  let owner: Person;
  let inside: Listening;

  before(async () => {
    inside = await answerWith((_request, response) => void response.end('inside'));
    service = await startTestService();
    owner = await addPerson(service, { isOwner: true });
  });
  after(async () => {
    assert.equal(inside.connected, 0, 'no connection was made');
    await service[Symbol.asyncDispose]();
    await inside[Symbol.asyncDispose]();
  });

  const digits = [
    '127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '127.0.0.1.',
    '0.0.0.0', '0', '10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254', '224.0.0.1',
    '255.255.255.255', '198.18.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1',
    '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:a00:1]', '[::127.0.0.1]', '[fe80::1]', '[fc00::1]',
    '[fd12:3456:789a::1]', '[ff02::1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::1]', '[2002:7f00:1::]',
    '[2001::1]', '[100::1]', '[2001:db8::1]', 'somebody:secret@127.0.0.1', 'example.org@10.0.0.1',
  ]; // biome-ignore format: a table
  for (const host of digits) {
    it(`rejects ${host} as a target`, async () => {
      const url = new URL(`http://${host}/hook`);
      url.port = String(inside.port);
      for (const target of [url.href, `http://${host}/hook`]) {
        const body = { name: 'x', kind: 'webhook', target } as const;
        const response = await owner.send(contract.createChannel, { params, body });
        const { error, field } = (await response.json()) as { error: string; field: string };
        assert.deepEqual([response.status, field], [400, 'target'], error);
        assert.match(error, /private network/);
        assert.doesNotMatch(error, /secret|hook/);
      }
    });
  }

  for (const host of ['localhost', 'LOCALHOST', 'somebody:secret@localhost']) {
    it(`fails deliveries to the name ${host} permanently`, async () => {
      const { id, place } = await addChannel(owner, `http://${host}:${inside.port}/hook/secret-part`);
      const { status, answer } = await owner.call(contract.testChannel, place);
      assert.equal(status, null);
      assert.match(answer, /^localhost:\d+ is on this machine or a private network/);
      const [delivery] = await leaveDeliveries(service, { channel: id, rule: 'one' });
      const attempted = await untilDeliveries(owner, id, all => all.get(delivery!)!.state === 'failed');
      assert.equal(attempted.get(delivery!)!.attempts.length, 1);
    });
  }

  it('rejects one as the new target', async () => {
    const { place } = await addChannel(owner, 'https://example.org/hook');
    const changed = { ...place, body: { target: `http://[::1]:${inside.port}/` } };
    assert.equal(await owner.refuse(contract.updateChannel, changed), '400 invalid_field');
  });

  it('rejects an invalid or unusable address', async () => {
    const wrong = [
      'ftp://example.org/', 'file:///etc/passwd', 'gopher://example.org', 'javascript:alert(1)', '//example.org',
      'http://', 'https:// example.org', 'http://%zz@example.org/', 'http://example.org:70000/',
    ]; // biome-ignore format: a table
    for (const target of wrong) {
      const body = { name: 'x', kind: 'webhook', target } as const;
      assert.equal(await owner.refuse(contract.createChannel, { params, body }), '400 invalid_field', target);
    }
  });
});

describe('targets', () => {
  let service: TestService;
  let owner: Person;

  before(async () => {
    service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
    owner = await addPerson(service, { isOwner: true });
  });
  after(() => service[Symbol.asyncDispose]());

  for (const status of [301, 302, 303, 307, 308]) {
    it(`that redirect with ${status} are not followed, and the delivery fails`, async () => {
      await using elsewhere = await answerWith((_request, response) => void response.end());
      await using here = await answerWith((_request, response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${elsewhere.port}/` }).end('over there');
      });
      const { id, place } = await addChannel(owner, `http://127.0.0.1:${here.port}/`);
      const answer = await owner.call(contract.testChannel, place);
      assert.deepEqual([answer.status, answer.answer], [status, 'over there']);
      const [delivery] = await leaveDeliveries(service, { channel: id, rule: 'one' });
      await untilDeliveries(owner, id, all => all.get(delivery!)!.state === 'failed');
      assert.deepEqual([here.connected, elsewhere.connected], [2, 0]);
    });
  }

  it('that respond without end are cut off after a mebibyte', async () => {
    let sentBytes = 0;
    await using here = await answerWith((_request, response) => {
      const chunk = Buffer.alloc(65_536, 'x');
      const more = () => {
        do sentBytes += chunk.length;
        while (response.write(chunk) && sentBytes < 2 ** 28);
      };
      response.on('drain', more);
      more();
    });
    const { place } = await addChannel(owner, `http://127.0.0.1:${here.port}/`);
    const { status, answer } = await owner.call(contract.testChannel, place);
    assert.deepEqual([status, answer], [200, 'x'.repeat(1024)]);
    while (here.connections.size > 0) await once([...here.connections][0]!, 'close');
    assert.ok(sentBytes < 2 ** 25, `${sentBytes} bytes were written, some of them into buffers`);
  });

  it('that respond slowly are cut off after ten seconds, with a partial response or none', {
    timeout: 90_000,
  }, async () => {
    const drip = (socket: Socket, head: string) => {
      socket.write(head);
      const timer = setInterval(() => socket.write('x'), 300);
      socket.once('close', () => clearInterval(timer));
    };
    await using body = await listen(createServer(socket => drip(socket, 'HTTP/1.1 202 Yes\r\n\r\n')));
    await using head = await listen(createServer(socket => drip(socket, 'HTTP/1.1 202 Yes\r\nx-')));
    await using interim = await listen(
      createServer(socket => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 300);
        socket.once('close', () => clearInterval(timer));
      }),
    );
    const try_ = async ({ port }: Listening) =>
      owner.call(contract.testChannel, (await addChannel(owner, `http://127.0.0.1:${port}/`)).place);
    const [first, second, third] = await Promise.all([try_(body), try_(head), try_(interim)]);
    assert.match(`${first.status} ${first.answer}`, /^202 x+$/);
    for (const { status, answer, tookMs } of [second, third]) {
      assert.equal(status, null);
      assert.match(answer, /did not answer within 10 seconds/);
      assert.ok(tookMs >= 9_900, String(tookMs));
    }
  });

  it('that echo the request do not reveal any of it', async () => {
    await using here = await answerWith(({ method, url, headers }, response) => {
      response.writeHead(404).end(`Cannot ${method} ${url} as ${headers.authorization ?? 'nobody'}`);
    });
    const place = `somebody:l0ng%20passw0rd@127.0.0.1:${here.port}`;
    const target = `http://${place}/api/hooks/1234567890/T0P-s3cret?key=an0ther-s3cret`;
    const { id, shown, place: channel } = await addChannel(owner, target);
    const { status, answer } = await owner.call(contract.testChannel, channel);
    assert.deepEqual([status, /^Cannot POST … as Basic …$/.test(answer)], [404, true], answer);
    const [delivery] = await leaveDeliveries(service, { channel: id, rule: 'one' });
    await untilDeliveries(owner, id, all => all.get(delivery!)!.state === 'failed');
    const { deliveries } = await owner.call(listDeliveries, { params });
    const { channels } = await owner.call(contract.listChannels, { params });
    const metrics = await (await service.fetch('/metrics')).text();
    const said = [JSON.stringify([deliveries, channels]), shown, answer, metrics, ...service.logged].join(
      '\n',
    );
    for (const secret of ['s3cret', '1234567890', 'l0ng', 'somebody'])
      assert.ok(!said.includes(secret), secret);
  });

  const kept: [string, Buffer, RegExp][] = [
    ['whole letters', Buffer.from('é'.repeat(1_000)), /^é{512}$/],
    ['letters of four bytes', Buffer.from(`a${'😀'.repeat(500)}`), /^a(?:😀){255}$/u],
    ['no zeros', Buffer.from('a\0b'), /^ab$/],
    ['bytes that are not text', Buffer.alloc(3_000, 0xff), /^\ufffd{341}$/],
    ['an empty response', Buffer.alloc(0), /^$/],
  ];
  for (const [name, body, expected] of kept) {
    it(`are recorded up to the first KiB: ${name}`, async () => {
      await using here = await answerWith((_request, response) => void response.writeHead(500).end(body));
      const { id, place } = await addChannel(owner, `http://127.0.0.1:${here.port}/`);
      const { answer } = await owner.call(contract.testChannel, place);
      assert.match(answer, expected);
      const [delivery] = await leaveDeliveries(service, { channel: id, rule: 'one' });
      const attempted = await untilDeliveries(owner, id, all => all.get(delivery!)!.attempts.length === 1);
      assert.equal(attempted.get(delivery!)!.attempts[0]!.answer, answer);
      assert.ok(Buffer.byteLength(answer) <= 1024);
    });
  }
});

test('silent channels of one project, however many, do not delay other projects', async () => {
  await using silent = await listen(createServer());
  await using receiver = await startReceiver();
  await using service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
  const owner = await addPerson(service, { isOwner: true });
  const project = await addProject(owner, 'silent');
  const channels: string[] = [];
  for (let count = 0; count < 20; count++)
    channels.push((await addChannel(owner, `http://127.0.0.1:${silent.port}/`, project)).id);
  const left = channels.map(channel => ({ channel, project, rule: channel }));
  await leaveDeliveries(service, ...left, ...left, ...left);
  const { id } = await addChannel(owner, receiver.url);
  await leaveDeliveries(service, { channel: id, rule: 'one' });
  await receiver.wait(1);
  assert.ok(silent.most <= 8, `${silent.most} at a time`);
});
