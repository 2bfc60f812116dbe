/** Takes in syslog over UDP and TCP. Nothing is acknowledged there: what was read is stored within a second. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { entryLimits } from '@tapedeck/log-entries';
import { packMessages, readDatagram, SyslogFrames } from '@tapedeck/log-protocols';
import type { ListeningPlace } from '../settings/listeners.ts';
import { MessageBatches } from './messageBatches.ts';
import type { StoreSent } from './sentStore.ts';
import { type Conversation, listenTcp, type Place, type TcpListener } from './tcpListener.ts';

const headBytesMax = 16 * 1024; // priority, names and structured data in front of the text
const messageBytesMax = entryLimits.messageBytesMax + headBytesMax;
const receiveBufferBytes = 4 * 1024 ** 2; // for bursts of datagrams; the system may grant less

type SyslogOptions = {
  store: StoreSent;
  /** Is told why messages are lost, and how many. */
  report(error: unknown, lost: number): void;
};

/** Ends when it is disposed of: what was read is stored then. */
export async function openSyslogListeners(
  places: readonly ListeningPlace[],
  { store, report }: SyslogOptions,
): Promise<AsyncDisposable & { ports: number[] }> {
  await using opened = new AsyncDisposableStack();
  const batches = opened.use(
    new MessageBatches({
      store: async messages => void (await store(packMessages(messages), { protocol: 'syslog', said: {} })),
      report,
    }),
  );
  const ports: number[] = [];
  for (const place of places) {
    const listener = opened.use(
      place.transport === 'tcp'
        ? await listenTcp(place, socket => converse(socket, batches))
        : await listenUdp(place, { batches, report }),
    );
    ports.push(listener.port);
  }
  const kept = opened.move();
  return { ports, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function converse(socket: Socket, batches: MessageBatches): Conversation {
  const frames = new SyslogFrames(messageBytesMax);
  const add = (messages: readonly Buffer[]) => {
    for (const message of messages) batches.add(Buffer.from(message)); // without the rest of the bytes around it
  };
  // A socket without an encoding gives buffers.
  socket.on('data', (chunk: Buffer) => {
    add(frames.take(chunk));
    if (!batches.isFull) return;
    socket.pause(); // the sender waits
    void batches.awaitRoom().then(() => socket.resume());
  });
  socket.once('end', () => add(frames.end()));
  socket.once('close', () => add(frames.end()));
  return { stop: async () => void socket.pause() };
}

type UdpOptions = Pick<SyslogOptions, 'report'> & { batches: MessageBatches };

async function listenUdp({ host, port }: Place, { batches, report }: UdpOptions): Promise<TcpListener> {
  const socket = createSocket({
    type: host.includes(':') ? 'udp6' : 'udp4',
    recvBufferSize: receiveBufferBytes,
  });
  let lost = 0;
  const tellLost = () => {
    if (lost > 0) report(new Error('More came than could be stored.'), lost);
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
  await once(socket, 'listening'); // rejects where the port is taken
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
