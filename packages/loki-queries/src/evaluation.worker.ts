/** The thread that parses lines one by one, so that an expensive query slows down nobody else. */
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { evaluationAnswers, openEvaluation } from './evaluation.ts';
import type { EvaluationMessage, EvaluationReply } from './evaluationProtocol.ts';
import { unpackLines } from './lineLabels.ts';

const niceness = 5; // the main thread comes first

if (parentPort !== null) {
  const port = parentPort;
  // Of Linux's calls this one means the thread; elsewhere it would mean the whole process.
  if (process.platform === 'linux') os.setPriority(niceness);
  let evaluation: ReturnType<typeof openEvaluation> | null = null;
  port.on('message', (message: EvaluationMessage) => {
    const reply: EvaluationReply = evaluationAnswers(() => {
      if (message.kind === 'open') {
        evaluation = openEvaluation(message.task);
        return { kind: 'opened' };
      }
      if (evaluation === null) throw new Error('nothing is open');
      return message.kind === 'lines' ? evaluation.take(unpackLines(message.packed)) : evaluation.finish();
    });
    port.postMessage(reply);
  });
}
