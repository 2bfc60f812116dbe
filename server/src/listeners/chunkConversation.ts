/** Passes what a connection sends to a reader, one chunk after the other. An error of the reader ends the connection, and nothing else. */
import type { Socket } from 'node:net';
import type { Conversation } from './tcpListener.ts';
import type { Report } from './troubleLog.ts';

export type ChunkReader = {
  take(chunk: Buffer): Promise<void>;
  /** Resolves once there is room for another chunk. */
  awaitRoom(): Promise<void>;
  /** After a pause of this length, `takeRest` is called; null: only at the end. */
  readonly pauseMs: number | null;
  /** Takes what it has of an unfinished message. */
  takeRest(): void;
};

export function converseInChunks(socket: Socket, reader: ChunkReader, report: Report): Conversation {
  let timer: NodeJS.Timeout | undefined;
  let taking: Promise<void> = Promise.resolve();
  let isStopped = false;
  const fail = (error: unknown) => {
    report(error, 0);
    socket.destroy();
  };
  const takeRest = () => {
    try {
      reader.takeRest();
    } catch (error) {
      fail(error);
    }
  };
  const take = async (chunk: Buffer) => {
    await reader.take(chunk);
    if (reader.pauseMs !== null) timer = setTimeout(takeRest, reader.pauseMs);
  };
  const goOn = async () => {
    await taking;
    await reader.awaitRoom();
    if (!isStopped) socket.resume();
  };
  /** Takes the rest after the chunk under way. */
  const end = async () => {
    await taking;
    clearTimeout(timer);
    takeRest();
  };
  // A socket without an encoding yields buffers.
  socket.on('data', (chunk: Buffer) => {
    clearTimeout(timer);
    socket.pause(); // the sender waits
    taking = take(chunk).catch(fail);
    void goOn().catch(fail);
  });
  socket.once('end', end).once('close', end);
  return {
    /** Takes the rest now: when the connection has closed, messages are no longer stored. */
    stop: async () => {
      isStopped = true;
      socket.pause();
      await end();
    },
  };
}
