/** Computes the memory limits of the log engine, of a single query, and of the filters of pairs, on this machine or in this container. */
import os from 'node:os';

type EngineMemory = { bytesMax: number; questionBytesMax: number };

const megabyte = 1_000_000;
const usualShare = 0.25;
const usualBytes = { min: 800 * megabyte, max: 8_000 * megabyte }; // what searches need, and the most that they can use
const smallShare = 0.45; // the service itself takes up to 300 MB under load
const leastBytes = 400 * megabyte; // the engine takes 250 MB before it has done anything
const questionBytes = 500 * megabyte; // the engine's memory fits a few queries at a time
const questionShare = 0.6;

/** A container may have less memory than its machine. Without a limit, the number is absurdly large or missing. */
export function measureMemory(): number {
  return Math.min(process.constrainedMemory() || os.totalmem(), os.totalmem());
}

/** Gives the engine a quarter of the machine, within limits; on small machines more, as long as the service has room beside it. */
export function divideMemory(machineBytes: number): EngineMemory {
  const usual = Math.min(Math.max(machineBytes * usualShare, usualBytes.min), usualBytes.max);
  const bytesMax = Math.floor(Math.max(Math.min(usual, machineBytes * smallShare), leastBytes));
  return { bytesMax, questionBytesMax: Math.floor(Math.min(questionBytes, bytesMax * questionShare)) };
}

const knownTextShare = 1 / 96;
const knownTextBytes = { min: 64 * 1024 ** 2, max: 256 * 1024 ** 2 }; // a search looks into every filter

/** For what is known of inserts and in summaries of parts together: 64 MiB suffice for some thirty million identifiers, 256 MiB for four times as many. */
export function chooseKnownTextBytes(machineBytes: number): number {
  return Math.floor(
    Math.min(Math.max(machineBytes * knownTextShare, knownTextBytes.min), knownTextBytes.max),
  );
}
