/** Sends `100 Continue` only when something reads the body, so that a client hears a refusal before it sends the body. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export function answerExpectations(server: Server): void {
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response);
  server.on('checkContinue', (request, response) => {
    // However it is read, flowing or piece by piece, its bytes are asked for so.
    const read = request._read;
    request._read = size => {
      request._read = read;
      // An answer that does not want the body lets it run out, too.
      if (!response.headersSent) response.writeContinue();
      read.call(request, size);
    };
    serve(request, response);
  });
  // Node.js would answer expectations it does not know with an empty 417; they are passed over.
  server.on('checkExpectation', serve);
}
