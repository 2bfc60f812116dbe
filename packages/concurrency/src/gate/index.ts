/** A fair semaphore: decides who may enter when not all can at once. */
export { Gate, type GateOptions, type QueueLimit, type WaitLimit } from './gate.ts';
export { createKeyedMutex, type KeyedMutex } from './keyedMutex.ts';
