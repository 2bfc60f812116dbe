/** Who may go on when not all can at once. */
export { Gate, type GateOptions, type QueueLimit, type WaitLimit } from './gate.ts';
export { createKeyedMutex, type KeyedMutex } from './keyedMutex.ts';
