/** An error while one connection is read ends that connection, is reported, and leaves the process and other connections alone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type ChunkReader, converseInChunks } from './chunkConversation.ts';
import { listenTcp } from './tcpListener.ts';

const fault = new Error('the reader failed');
const fail = (): never => {
  throw fault;
};

/** Chunks that begin with `!` meet a reader's error in the named place. */
const places: readonly (keyof ChunkReader)[] = ['take', 'awaitRoom', 'takeRest', 'pauseMs'];

for (const place of places) {
  test(`an error in ${place} ends one connection`, async () => {
    const reported: unknown[] = [];
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    const received = Promise.withResolvers<string>();
    const openReader = (): ChunkReader => {
      let isFaulty = false;
      const meet = (at: keyof ChunkReader) => (isFaulty && at === place ? fail() : undefined);
      return {
        async take(chunk) {
          isFaulty = chunk.toString().startsWith('!');
          meet('take');
          if (!isFaulty) received.resolve(chunk.toString());
        },
        async awaitRoom() {
          meet('awaitRoom');
        },
        get pauseMs() {
          meet('pauseMs');
          return 1;
        },
        takeRest: () => meet('takeRest'),
      };
    };
    const report = (error: unknown) => reported.push(error);
    const listening = { host: '127.0.0.1', port: 0 };
    {
      await using listener = await listenTcp(listening, {
        begin: socket => converseInChunks(socket, openReader(), report),
        report,
      });
      const broken = connect(listener.port, '127.0.0.1')
        .on('error', () => {})
        .resume();
      const whole = connect(listener.port, '127.0.0.1');
      broken.write('!');
      await once(broken, 'close');
      whole.write('fine');
      assert.equal(await received.promise, 'fine');
      whole.destroy();
    }
    process.off('unhandledRejection', note);
    assert.ok(reported.length > 0 && reported.every(error => error === fault), String(reported));
    assert.deepEqual(rejections, []);
  });
}
