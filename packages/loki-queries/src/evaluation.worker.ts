/** The thread that parses lines one by one and computes with many series, so that an expensive query does not slow down other requests. */
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { evaluationAnswers, openEvaluation } from './evaluation.ts';
import type { EvaluationMessage, EvaluationReply } from './evaluationProtocol.ts';
import { listMoved } from './packedOperand.ts';

const niceness = 5; // the main thread comes first

if (parentPort !== null) {
  const port = parentPort;
  // On Linux this affects only the thread; elsewhere it would affect the whole process.
  if (process.platform === 'linux') os.setPriority(niceness);
  let evaluation: ReturnType<typeof openEvaluation> | null = null;
  port.on('message', (message: EvaluationMessage) => {
    const reply: EvaluationReply = evaluationAnswers(() => {
      if (message.kind === 'open') {
        evaluation = openEvaluation(message.task);
        return { kind: 'opened' };
      }
      if (evaluation === null) throw new Error('nothing is open');
      const answer = evaluation(message);
      if (message.kind === 'finish') evaluation = null; // releases its memory
      return answer;
    });
    port.postMessage(reply, reply.kind === 'operand' ? listMoved(reply.packed) : []);
  });
}
