/** Interrupted folder moves on SQLite. */
import { describe } from 'node:test';
import { tryBrokenMoves } from './brokenMoves.ts';

describe('an interrupted move', () => tryBrokenMoves({}));
