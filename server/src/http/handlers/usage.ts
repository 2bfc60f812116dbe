/** Handles the usage routes. */
import * as contract from '@tapedeck/contract/usage';
import { dayMs } from '@tapedeck/domain/instants';
import { readStorage, type StorageDeps } from '@tapedeck/domain/projects/storage';
import { readUsage, type UsageDay, type UsageDeps } from '@tapedeck/domain/projects/usage';
import { limits } from '@tapedeck/domain/vocabulary';
import { type HandledRoute, handle, signalOf } from '../routing.ts';
import { writeInstant } from './jsonRecords.ts';

export function handleUsage(deps: UsageDeps & StorageDeps): HandledRoute[] {
  return [
    handle(contract.getUsage, async ({ params, query, reply }) => {
      const options = { days: query.days ?? limits.usageDaysDefault, signal: signalOf(reply) };
      const { totals, days } = await readUsage(deps, params.project, options);
      return { totals, days: days.map(writeDay) };
    }),
    handle(contract.getStorage, async ({ params, reply }) => {
      const { kinds, days, pace, bytesMax, quotaDaysLeft } = await readStorage(
        deps,
        params.project,
        signalOf(reply),
      );
      const { items: entries, bytes } = kinds.logs;
      return {
        kinds: {
          image: writeFiles(kinds.image),
          video: writeFiles(kinds.video),
          audio: writeFiles(kinds.audio),
          logs: { entries, bytes },
        },
        days: days.map(({ day, at, image, video, audio, logs }) => ({
          day: writeDate(day),
          at: writeInstant(at),
          image,
          video,
          audio,
          logs,
        })),
        bytesMax,
        pace: pace && {
          since: writeInstant(pace.sinceAt),
          mediaBytesADay: pace.mediaBytesADay,
          logBytesADay: pace.logBytesADay,
        },
        quotaDaysLeft,
      };
    }),
  ];
}

function writeDay({ day, datasets, ...counted }: UsageDay) {
  return { day: writeDate(day), ...counted, datasets: Object.fromEntries(datasets) };
}

function writeFiles({ items: files, bytes }: { items: number; bytes: number }) {
  return { files, bytes };
}

function writeDate(day: number): string {
  return writeInstant(day * dayMs).slice(0, 10);
}
