/** Sends `100 Continue` only once the body is read, so that a client learns of a rejection before it sends the body. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export function respondExpectations(server: Server): void {
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response);
  server.on('checkContinue', (request, response) => {
    let isAwaited = true;
    const goOn = () => {
      // An answer that does not want the body lets it run out, too.
      if (isAwaited && !response.headersSent) response.writeContinue();
      isAwaited = false;
    };
    request.once('resume', goOn);
    // Who reads piece by piece, as iteration does, listens for that instead of letting it flow.
    request.on('newListener', name => {
      if (name === 'readable') goOn();
    });
    serve(request, response);
  });
  // Node.js would answer expectations it does not know with an empty 417; they are passed over.
  server.on('checkExpectation', serve);
}
