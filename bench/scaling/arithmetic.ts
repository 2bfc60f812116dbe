/** Computes the resources for a rate of entries or of file bytes, from the costs of one entry or file. */
import { entryCosts, fileCosts, importCosts, machines, planning, segmentCosts } from './costs.ts';

const daySeconds = 86_400;

export type EntryNeeds = {
  entriesPerSecond: number;
  serviceCores: number;
  engineCores: number;
  nodes: number;
  nodeCores: number;
  shards: number;
  shardCores: number;
  /** The rate of one shard's lane, which imports one batch after another. */
  laneRate: number;
  sentBytesPerSecond: number;
  putsPerSecond: number;
  requestsPerDay: number;
  rowWritesPerSecond: number;
  /** Rows in the registry at a time, which cover ten minutes. */
  registryRows: number;
  databaseConnections: number;
  diskBytesPerDay: number;
  /** Disk that one shard needs for 30 days of entries. */
  shardDiskBytes: number;
};

const rowsKeptSeconds = 600; // the registry forgets imports after ten minutes

export function reckonEntries(entriesPerSecond: number): EntryNeeds {
  const serviceCores = (entriesPerSecond * entryCosts.serviceMicros) / 1e6;
  const engineCores = (entriesPerSecond * entryCosts.engineMicros) / 1e6;
  const machine = chooseMachines(entriesPerSecond);
  const { nodeCores, shardCores } = machine;
  const nodes = Math.max(machine.nodes, Math.ceil(serviceCores / (nodeCores * planning.useMax)));
  const laneRate = reckonLane((shardCores * 1e6) / entryCosts.engineMicros);
  const shards = Math.max(
    machine.shards,
    Math.ceil(engineCores / (shardCores * planning.useMax)),
    Math.ceil(entriesPerSecond / (laneRate * planning.useMax)),
  );
  const putsPerSecond = reckonPuts(entriesPerSecond, nodes);
  const diskBytesPerDay = entriesPerSecond * daySeconds * entryCosts.restBytes;
  return {
    entriesPerSecond,
    serviceCores,
    engineCores,
    nodes,
    shards,
    nodeCores,
    shardCores,
    putsPerSecond,
    diskBytesPerDay,
    laneRate,
    sentBytesPerSecond: entriesPerSecond * entryCosts.sentBytes,
    requestsPerDay: putsPerSecond * segmentCosts.requestsEach * daySeconds,
    rowWritesPerSecond: putsPerSecond * segmentCosts.rowWritesEach,
    registryRows: putsPerSecond * rowsKeptSeconds,
    databaseConnections: nodes * planning.databaseConnections,
    shardDiskBytes: (diskBytesPerDay * planning.retainedDays * entryCosts.roomFactor) / shards,
  };
}

function chooseMachines(entriesPerSecond: number): (typeof machines)[number] {
  const fitting = machines.find(({ entriesBelow }) => entriesPerSecond < entriesBelow);
  if (fitting === undefined) throw new Error('The last kind of machines has no bound.');
  return fitting;
}

function reckonLane(shardRate: number): number {
  const { rowsMax, besideMs } = importCosts;
  return rowsMax / (besideMs / 1_000 + rowsMax / shardRate);
}

/** A node sends a group ten times a second, or when it is full. */
function reckonPuts(entriesPerSecond: number, nodes: number): number {
  const byTime = 1_000 / segmentCosts.gatherMs;
  const bySize = ((entriesPerSecond / nodes) * entryCosts.segmentBytes) / segmentCosts.fullBytes;
  return nodes * Math.max(byTime, bySize);
}

export type FileNeeds = {
  bytes: number;
  files: number;
  rowBytes: number;
  /** Requests of the daily sweep over the whole bucket. */
  listPages: number;
  listHours: number;
  /** The time to write all files once, at the upload rate of one core. */
  uploadCoreDays: number;
};

export const fileBytesMean = 1_000_000; // pictures of games are 0.2 to 2 MB, short videos 5 to 30

export function reckonFiles(bytes: number): FileNeeds {
  const files = bytes / fileBytesMean;
  const listPages = files / fileCosts.listedAtOnce;
  return {
    bytes,
    files,
    listPages,
    rowBytes: files * fileCosts.rowBytes,
    listHours: (listPages * fileCosts.listMs) / 3_600_000,
    uploadCoreDays: (files * fileCosts.uploadMicros) / 1e6 / daySeconds,
  };
}
