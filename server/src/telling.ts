/** Builds what carries notifications to their channels. */
import type { Config } from './config.ts';
import type { Clock } from './domain/ports/clock.ts';
import type { Postman } from './domain/ports/postman.ts';
import { openTeller, type Teller } from './domain/telling/letters.ts';
import { openSharpPainter } from './stores/images/sharpPainter.ts';
import { openPostman } from './stores/postman/postman.ts';

export function openTelling({ outgoing }: Config, clock: Clock): { postman: Postman; tell: Teller } {
  const postman = openPostman({ ...outgoing, clock });
  return { postman, tell: openTeller({ postman, painter: openSharpPainter() }) };
}
