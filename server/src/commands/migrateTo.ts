/** `tapedeck migrate-to`: moves the database, files and log entries to the configured stores while the service runs. */

import { formatBytes, formatNumber, formatSeconds } from '@tapedeck/command-line';
import { openMetadataStore } from '@tapedeck/metadata-store';
import type { Command } from './command.ts';
import { estimateMove, type MoveEstimate } from './moving/moveEstimate.ts';
import { type MoveReport, moveUp, recordMoved } from './moving/moveInstallation.ts';
import { type MovePlan, makePlan, targetOptions } from './moving/movePlan.ts';

export const migrateTo: Command = {
  name: 'migrate-to',
  usage:
    '[--dry-run] [--ahead] [--database-url URL] [--s3-bucket NAME …] [--clickhouse-url URL … --clickhouse-cluster NAME]',
  about:
    'Move data from DATA_DIR to the PostgreSQL, S3 or ClickHouse in the settings. Copies while the service runs, then asks you to stop it.',
  options: {
    'dry-run': { type: 'boolean', about: 'only estimate size and time' },
    ahead: { type: 'boolean', about: 'copy ahead of time, and leave the switch for later' },
    ...targetOptions,
  },
  run: async (_config, given) => {
    const plan = await makePlan(given);
    if (plan.isToBeNoted) await completeRecords(plan);
    if (plan.parts.length === 0) {
      const text = [
        'Everything is already in the stores that the settings name.',
        ...describeSettings(plan),
      ].join('\n');
      return { text, json: { parts: [], settings: plan.lines } };
    }
    if (given.flag('dry-run')) {
      const estimate = await estimateMove(plan);
      return { text: describeEstimate(estimate), json: estimate };
    }
    const say = (line: string) => process.stderr.write(`${line}\n`);
    const report = await moveUp(plan, { say, isAhead: given.flag('ahead') });
    return { text: describeReport(plan, report), json: { ...report, settings: plan.lines } };
  },
};

/** Completes the records of an earlier try that ended between its last two notes. */
async function completeRecords({ to }: MovePlan): Promise<void> {
  await using store = await openMetadataStore(to.database);
  await recordMoved({ store, to, isOther: false }, ['database', 'media', 'logs']);
}

const titles = { database: 'the database', media: 'the files', logs: 'the log entries' } as const;

function describeReport(plan: MovePlan, report: MoveReport): string {
  const { files, fileBytes, leftOut, entries, rows, stoppedMs } = report;
  const counts = [
    ...(plan.parts.includes('media') ? [`${formatNumber(files)} files (${formatBytes(fileBytes)})`] : []),
    ...(plan.parts.includes('logs') ? [`${formatNumber(entries)} log entries`] : []),
    ...(plan.parts.includes('database') ? [`${formatNumber(rows)} rows`] : []),
  ].join(', ');
  if (stoppedMs === null)
    return `Copied ${counts} in advance. Stop the service and run this again: little is left.`;
  const left = plan.parts.map(part => titles[part]).join(' and ');
  return [
    `Moved ${counts}; compared, and equal. The service was stopped for ${formatSeconds(stoppedMs / 1_000)} of it.`,
    ...(leftOut > 0
      ? [
          `${leftOut} files were left out: their bytes are gone or not what was uploaded; \`tapedeck verify\` names them.`,
        ]
      : []),
    'Start the service with these settings:',
    ...describeSettings(plan),
    `${plan.to.dataDir} still has the previous copy of ${left}. It is no longer used: keep it until you are sure, then remove it.`,
  ].join('\n');
}

function describeSettings({ to, lines }: MovePlan): string[] {
  const secret = `TAPEDECK_SECRET=$(cat ${to.dataDir}/secret)`;
  const needsSecret = to.database.kind === 'postgres' && to.secret === null;
  return [...lines, ...(needsSecret ? [secret] : [])].map(line => `  ${line}`);
}

function describeEstimate({ parts, targets, files, bytes, entries, rows, seconds }: MoveEstimate): string {
  const what = {
    media: `${formatNumber(files)} files, ${formatBytes(bytes)}`,
    logs: `${formatNumber(entries)} log entries`,
    database: `${formatNumber(rows)} rows`,
  };
  return [
    ...parts.map(part => `${what[part]} would be copied to ${targets[part]}.`),
    `It would take about ${formatSeconds(seconds)} while the service runs, and a short stop at the end.`,
  ].join('\n');
}
