/** Rule about sizes: whatever users read names binary units. */
import type { Finding, Rule } from './rule.ts';

/** The guide to scaling plans disks and networks, whose makers count decimally, and says so. */
const readByUsers =
  /^(?:README|CHANGELOG)\.md$|^docs\/(?!scaling\.md).*\.md$|^dashboard\/SENTENCES\.md$|^openapi\.json$|^integrations\/.*README\.md$|^dashboard\/src\/(?!.*\.test\.).*\.tsx?$/;

const decimalUnit = /(?<![A-Za-z-])[kKMGTP]B\b/;

export const sizeUnits: Rule = {
  name: 'users read sizes in KiB, MiB and GiB',
  find: ({ files }) =>
    [...files]
      .filter(([path]) => readByUsers.test(path))
      .flatMap(([path, text]) =>
        text.split('\n').flatMap((line, index): Finding[] => {
          const unit = decimalUnit.exec(line)?.[0];
          if (unit === undefined) return [];
          const advice = `"${unit}" is a decimal unit: limits are in binary ones, so write ${unit.slice(0, 1).toUpperCase()}iB.`;
          return [{ path, line: index + 1, advice }];
        }),
      ),
};
