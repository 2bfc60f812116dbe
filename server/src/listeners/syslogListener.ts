/** Accepts syslog over UDP and TCP. Syslog has no acknowledgements, so everything read is stored within a second. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gate } from '@tapedeck/concurrency/gate';
import { entryLimits } from '@tapedeck/log-entries';
import { packMessages, readDatagram, SyslogFrames, type SyslogMessage } from '@tapedeck/log-protocols';
import type { ListenAddress } from '../settings/listeners.ts';
import { type ChunkReader, converseInChunks } from './chunkConversation.ts';
import type { StoreSent } from './listenerStore.ts';
import { MessageBatches } from './messageBatches.ts';
import { listenTcp, type Place, type TcpListener } from './tcpListener.ts';
import type { Report } from './troubleLog.ts';

const headBytesMax = 16 * 1024; // priority, names and structured data before the text
const messageBytesMax = entryLimits.messageBytesMax + headBytesMax;
const receiveBufferBytes = 4 * 1024 ** 2; // for bursts of datagrams; the system may grant less

const sliceBytes = 16 * 1024; // of a chunk; may hold eight thousand messages, taken in some milliseconds
const lineEndMs = 300; // within the one second for storing received lines: CONTRACT.md, 16.3

type SyslogOptions = { store: StoreSent; report: Report };

/** Disposing stores everything read so far, then stops. */
export async function openSyslogListeners(
  places: readonly ListenAddress[],
  { store, report }: SyslogOptions,
): Promise<AsyncDisposable & { ports: number[] }> {
  await using opened = new AsyncDisposableStack();
  const batches = opened.use(
    new MessageBatches({
      async store(messages) {
        const refused = await store(packMessages(messages), { protocol: 'syslog', said: {} });
        // The protocol shows a number.
        if (Number(refused) > 0) report(new Error(refusedSentence), Number(refused));
      },
      report,
    }),
  );
  const ports: number[] = [];
  for (const place of places) {
    const listener = opened.use(
      place.transport === 'tcp'
        ? await listenTcp(place, {
            begin: socket =>
              converseInChunks(socket, openReader(socket.remoteAddress ?? '', batches), report),
            report,
          })
        : await listenUdp(place, { batches, report }),
    );
    ports.push(listener.port);
  }
  const kept = opened.move();
  return { ports, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** One at a time, and the addresses in turn: anyone may send thousands of tiny messages, on many connections. */
const splitting = new Gate(1);

function openReader(address: string, batches: MessageBatches): ChunkReader {
  const frames = new SyslogFrames(messageBytesMax);
  const add = (messages: readonly SyslogMessage[]) => {
    // Copies the message, without the bytes around it.
    for (const { bytes, sentBytes } of messages) batches.add({ bytes: Buffer.from(bytes), sentBytes });
  };
  return {
    async take(chunk) {
      for (let at = 0; at < chunk.length; at += sliceBytes) {
        using _pass = await splitting.enter(address);
        add(frames.take(chunk.subarray(at, at + sliceBytes)));
        if (chunk.length > sliceBytes) await nextTurn();
      }
    },
    awaitRoom: () => batches.awaitRoom(),
    get pauseMs() {
      return frames.waitsBehindLine ? lineEndMs : null;
    },
    takeRest: () => add(frames.end()),
  };
}

type UdpOptions = Pick<SyslogOptions, 'report'> & { batches: MessageBatches };

async function listenUdp({ host, port }: Place, { batches, report }: UdpOptions): Promise<TcpListener> {
  const socket = createSocket({
    type: host.includes(':') ? 'udp6' : 'udp4',
    recvBufferSize: receiveBufferBytes,
  });
  let lost = 0;
  const reportLost = () => {
    if (lost > 0) report(new Error('Messages arrived faster than they could be stored.'), lost);
    lost = 0;
  };
  const timer = setInterval(reportLost, reportIntervalMs).unref();
  socket.on('message', message => {
    if (batches.isFull) {
      lost++;
      return;
    }
    const taken = readDatagram(message, messageBytesMax);
    if (taken !== null) batches.add(taken);
  });
  socket.bind(port, host);
  await once(socket, 'listening'); // rejects if the port is taken
  socket.on('error', error => report(error, 0)); // a datagram was unreadable; the next ones may not be
  return {
    port: socket.address().port,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      reportLost();
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

const reportIntervalMs = 60_000;
const refusedSentence =
  'Messages were not stored: they are older than the retention of their dataset, or exceed its limits.';
