/**
 * Cuts the power under load, during merges, upgrades, backups, restores and `migrate-to`: server/tests/durability/README.md says how, and what that
 * proves. `BENCH_KINDS` selects kinds. Needs root, and for `migrate-to` PostgreSQL and Swift (`scripts/debian.sh engines`).
 */
import assert from 'node:assert/strict';
import { cutDuringBackups, cutDuringRestores } from '../server/tests/durability/backupCuts.ts';
import type { CutResult, CutRounds } from '../server/tests/durability/cutChecks.ts';
import { cutUnderLoad } from '../server/tests/durability/cutsUnderLoad.ts';
import { cutDuringMoves } from '../server/tests/durability/moveCuts.ts';
import { openVault, type Vault } from '../server/tests/durability/powerCutDrives.ts';
import { cutDuringUpgrades } from '../server/tests/durability/upgradeCuts.ts';
import { type Bench, printTable } from './bench.ts';

type Kind = {
  /** The kind's name in `BENCH_KINDS=load,upgrade`. */
  word: string;
  name: string;
  /** Its share of a hundred cuts. */
  share: number;
  /** After this many cuts, the installation is recreated. */
  cutsMax: number;
  run(vault: Vault, rounds: CutRounds): Promise<CutResult>;
};

const kinds: readonly Kind[] = [
  { word: 'load', name: 'under load, every other within a merge', share: 50, cutsMax: 20, run: cutUnderLoad },
  { word: 'upgrade', name: 'within an upgrade', share: 15, cutsMax: 30, run: cutDuringUpgrades },
  { word: 'backup', name: 'within a backup', share: 15, cutsMax: 30, run: cutDuringBackups },
  { word: 'restore', name: 'within a restore', share: 15, cutsMax: 30, run: cutDuringRestores },
  { word: 'move', name: 'within migrate-to', share: 5, cutsMax: 10, run: cutDuringMoves },
];

const words = kinds.map(({ word }) => word);
const chosen = process.env.BENCH_KINDS?.split(',') ?? words;

export const powerCuts: Bench = {
  name: 'power-cuts',
  about: 'a reflink clone of the drive while everything runs, and what a service finds that starts on it',
  run: async (_keptDirectory, { cuts }) => {
    const head = ['', 'cuts', 'within it', 'entries', 'files', 'tokens', 'uploads', 'faults', 'minutes'];
    const rows: string[][] = [];
    const faults: string[] = [];
    assert.ok(
      chosen.every(word => words.includes(word)),
      `BENCH_KINDS takes ${words.join(', ')}.`,
    );
    for (const kind of kinds.filter(({ word }) => chosen.includes(word))) {
      const begunAt = performance.now();
      const result = await runKind(kind, Math.ceil((cuts * kind.share) / 100));
      const counts = [
        result.cuts,
        result.within,
        result.entries,
        result.files,
        result.tokens,
        result.uploads,
      ];
      const minutes = ((performance.now() - begunAt) / 60_000).toFixed(1);
      rows.push([kind.name, ...counts.map(String), String(result.faults.length), minutes]);
      faults.push(...result.faults.map(fault => `${kind.name}: ${fault}`));
    }
    printTable(head, rows);
    assert.deepEqual(faults, []);
  },
};

/** Adds up the counts of all installations of the kind. */
async function runKind(kind: Kind, cuts: number): Promise<CutResult> {
  const all: CutResult = { cuts: 0, within: 0, entries: 0, files: 0, tokens: 0, uploads: 0, faults: [] };
  while (all.cuts < cuts) {
    await using vault = await openVault();
    const rounds = { cuts: Math.min(kind.cutsMax, cuts - all.cuts), tell: console.log };
    const { faults, ...counts } = await kind.run(vault, rounds);
    for (const fault of faults) console.log(`FAULT ${fault}`);
    all.faults.push(...faults);
    all.cuts += counts.cuts;
    all.within += counts.within;
    all.entries += counts.entries;
    all.files += counts.files;
    all.tokens += counts.tokens;
    all.uploads += counts.uploads;
  }
  return all;
}
