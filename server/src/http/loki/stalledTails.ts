/** Cuts tails whose clients stopped reading, because they hold places that other clients wait for. */
import type { WebSocket } from 'ws';

const pingsPerPause = 8; // a ping each 15 s by default, below the idle limit of common proxies

/**
 * Pings the client. Cuts the connection once the client has read nothing for `pauseMsMax`: it answered no ping, and the entries that wait for it did not
 * become fewer.
 */
export function cutWhenStalled(socket: WebSocket, pauseMsMax: number): Disposable {
  let unansweredPings = 0;
  let unsentBytes = 0;
  socket.on('pong', () => {
    unansweredPings = 0;
  });
  const look = () => {
    if (socket.bufferedAmount < unsentBytes) unansweredPings = 0;
    unsentBytes = socket.bufferedAmount;
    if (unansweredPings++ < pingsPerPause) socket.ping();
    else socket.terminate();
  };
  const timer = setInterval(look, pauseMsMax / pingsPerPause).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
