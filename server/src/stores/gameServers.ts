/** Queries game servers over HTTP. Users choose these addresses, so requests pass the guard for outgoing requests. */

import type { GameServers } from '@tapedeck/domain/ports/gameServers';
import { Outgoing, OutgoingFailure } from '@tapedeck/outgoing/requests';

const timeMsMax = 5_000; // a user waits
const answerBytesMax = 64 * 1024;

/** `outgoingPrivate`: the operator allows private addresses. */
export function openGameServers({ outgoingPrivate }: { outgoingPrivate: boolean }): GameServers {
  const outgoing = new Outgoing({
    ...(outgoingPrivate && { isAllowed: () => true }),
    timeMsMax,
    answerBytesMax,
  });
  return {
    async ask({ url, token, fields }) {
      try {
        const { status, body } = await outgoing.send({
          method: fields === null ? 'GET' : 'POST',
          url,
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: fields === null ? null : JSON.stringify(fields),
        });
        return { isAnswered: true, status, body: body.toString() };
      } catch (error) {
        if (error instanceof OutgoingFailure) return { isAnswered: false, sentence: error.message };
        throw error;
      }
    },
  };
}
