/** Sends `100 Continue` only once the body is read, so that a client learns of a refusal before it sends the body. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export function respondExpectations(server: Server): void {
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response);
  server.on('checkContinue', (request, response) => {
    let isAwaited = true;
    const goOn = () => {
      // An answer without interest in the body also drains it.
      if (isAwaited && !response.headersSent) response.writeContinue();
      isAwaited = false;
    };
    request.once('resume', goOn);
    // A reader that takes the body piece by piece, as iteration does, adds this listener instead.
    request.on('newListener', name => {
      if (name === 'readable') goOn();
    });
    serve(request, response);
  });
  // Serves requests with unknown expectations, which Node.js would answer with an empty 417.
  server.on('checkExpectation', serve);
}
