/** Accepts syslog over UDP and TCP. Syslog has no acknowledgements, so everything read is stored within a second. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { entryLimits } from '@tapedeck/log-entries';
import { packMessages, readDatagram, SyslogFrames, type SyslogMessage } from '@tapedeck/log-protocols';
import type { ListenAddress } from '../settings/listeners.ts';
import type { StoreSent } from './listenerStore.ts';
import { MessageBatches } from './messageBatches.ts';
import { type Conversation, listenTcp, type Place, type TcpListener } from './tcpListener.ts';
import type { Report } from './troubleLog.ts';

const headBytesMax = 16 * 1024; // priority, names and structured data before the text
const messageBytesMax = entryLimits.messageBytesMax + headBytesMax;
const receiveBufferBytes = 4 * 1024 ** 2; // for bursts of datagrams; the system may grant less

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
        ? await listenTcp(place, { begin: socket => converse(socket, batches), report })
        : await listenUdp(place, { batches, report }),
    );
    ports.push(listener.port);
  }
  const kept = opened.move();
  return { ports, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function converse(socket: Socket, batches: MessageBatches): Conversation {
  const frames = new SyslogFrames(messageBytesMax);
  const add = (messages: readonly SyslogMessage[]) => {
    // Copies the message, without the bytes around it.
    for (const { bytes, sentBytes } of messages) batches.add({ bytes: Buffer.from(bytes), sentBytes });
  };
  let timer: NodeJS.Timeout | undefined;
  // A socket without an encoding yields buffers.
  socket.on('data', (chunk: Buffer) => {
    clearTimeout(timer);
    add(frames.take(chunk));
    if (frames.waitsBehindLine) timer = setTimeout(() => add(frames.end()), lineEndMs);
    if (!batches.isFull) return;
    socket.pause(); // the sender waits
    void batches.awaitRoom().then(() => socket.resume());
  });
  socket.once('end', () => add(frames.end()));
  socket.once('close', () => {
    clearTimeout(timer);
    add(frames.end());
  });
  return {
    /** Takes the line under way now: when the connection has closed, messages are no longer stored. */
    stop: async () => {
      socket.pause();
      clearTimeout(timer);
      add(frames.end());
    },
  };
}

type UdpOptions = Pick<SyslogOptions, 'report'> & { batches: MessageBatches };

async function listenUdp({ host, port }: Place, { batches, report }: UdpOptions): Promise<TcpListener> {
  const socket = createSocket({
    type: host.includes(':') ? 'udp6' : 'udp4',
    recvBufferSize: receiveBufferBytes,
  });
  let lost = 0;
  const tellLost = () => {
    if (lost > 0) report(new Error('Messages arrived faster than they could be stored.'), lost);
    lost = 0;
  };
  const timer = setInterval(tellLost, tellIntervalMs).unref();
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
      tellLost();
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

const tellIntervalMs = 60_000;
const refusedSentence =
  'Messages were not stored: they are older than the retention of their dataset, or exceed its limits.';
