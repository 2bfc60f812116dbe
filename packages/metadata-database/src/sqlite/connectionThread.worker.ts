/** The thread around one SQLite connection. It handles requests in arrival order and batches its replies. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type Connection, describeFailure, openConnection } from './connection.ts';
import {
  openingId,
  type Statement,
  type StatementResult,
  type ThreadOptions,
  type ThreadReply,
  type ThreadRequest,
} from './protocol.ts';
import { TransactionQueue } from './transactionQueue.ts';

type Replies = { add: (reply: ThreadReply) => void; flush: () => void };

function buildReplies(port: MessagePort): Replies {
  let replies: ThreadReply[] = [];
  return {
    add: reply => {
      replies.push(reply);
    },
    flush: () => {
      if (replies.length === 0) return;
      port.postMessage(replies);
      replies = [];
    },
  };
}

function serveConnection(port: MessagePort, options: ThreadOptions): void {
  const replies = buildReplies(port);
  try {
    const connection = openConnection(options);
    if (options.role === 'writer') serveWriter(port, connection, replies);
    else serveReader(port, connection, replies);
    replies.add({ id: openingId, results: [] });
    replies.flush();
  } catch (error) {
    replies.add({ id: openingId, failure: describeFailure(error) });
    replies.flush();
    port.close();
  }
}

function serveWriter(port: MessagePort, connection: Connection, replies: Replies): void {
  let closing: number | null = null;
  const setAsideClosing = (requests: ThreadRequest[]) => {
    for (const request of requests) if (request.kind === 'close') closing = request.id;
    return requests;
  };
  const queue = new TransactionQueue({
    now: () => performance.now(),
    connection,
    reply: replies.add,
    flush: replies.flush,
    takeArrived: () => setAsideClosing(receiveArrived(port)),
  });
  port.on('message', (requests: ThreadRequest[]) => {
    queue.receive(setAsideClosing(requests));
    if (closing !== null) closeConnection(port, connection, { id: closing, replies });
  });
}

function receiveArrived(port: MessagePort): ThreadRequest[] {
  const received = receiveMessageOnPort(port);
  // The main thread sends arrays of requests and nothing else.
  return received === undefined ? [] : (received.message as ThreadRequest[]);
}

function serveReader(port: MessagePort, connection: Connection, replies: Replies): void {
  port.on('message', (requests: ThreadRequest[]) => {
    for (const request of requests) {
      if (request.kind === 'close') closeConnection(port, connection, { id: request.id, replies });
      else if (request.kind === 'read' || request.kind === 'batch')
        replies.add(answerRead(connection, request));
    }
    replies.flush();
  });
}

function answerRead(
  connection: Connection,
  request: Extract<ThreadRequest, { kind: 'read' | 'batch' }>,
): ThreadReply {
  try {
    if (request.kind === 'read') return { id: request.id, results: [connection.run(request.statement)] };
    return { id: request.id, results: readTogether(connection, request.statements) };
  } catch (error) {
    return { id: request.id, failure: describeFailure(error) };
  }
}

function readTogether(connection: Connection, statements: readonly Statement[]): StatementResult[] {
  connection.execute('BEGIN');
  try {
    return statements.map(statement => connection.run(statement));
  } finally {
    connection.execute('ROLLBACK');
  }
}

function closeConnection(
  port: MessagePort,
  connection: Connection,
  closing: { id: number; replies: Replies },
): void {
  try {
    connection.close();
    closing.replies.add({ id: closing.id, results: [] });
  } catch (error) {
    closing.replies.add({ id: closing.id, failure: describeFailure(error) });
  }
  closing.replies.flush();
  port.close();
}

if (parentPort === null) throw new Error('This module runs as a thread.');
// `ConnectionThread` starts this module with exactly these options.
serveConnection(parentPort, workerData as ThreadOptions);
