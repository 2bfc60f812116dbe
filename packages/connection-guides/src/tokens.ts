/** The least that tools need of a token, by what they send. */
import type { TokenNeed } from './guide.ts';

export const writesLogs: TokenNeed = { kind: 'logs', actions: ['write'], narrowedBy: ['dataset'] };
export const uploads: TokenNeed = { kind: 'media', actions: ['write'], narrowedBy: ['folder'] };
