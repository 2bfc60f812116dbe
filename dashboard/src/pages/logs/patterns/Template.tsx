/** Shows a pattern's text, with its placeholders set apart. */
import { parseTemplate, type TemplatePart } from '@tapedeck/log-patterns/templates';
import type { LogPattern } from '../../../queries/logPatterns.ts';

export function Template({ found: { template, paths } }: { found: Pick<LogPattern, 'template' | 'paths'> }) {
  if (template === '') return <span className="text-muted italic">No text</span>;
  return parseTemplate(template, paths).map((part, index) =>
    part.kind === 'text' ? (
      part.text
    ) : (
      <var
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing but their places
        key={index}
        title={describePlace(part)}
        className="mx-px rounded-sm bg-accent/14 px-1 text-[0.92em] text-ink not-italic"
      >
        {namePlace(part)}
      </var>
    ),
  );
}

type Place = Exclude<TemplatePart, { kind: 'text' }>;

function namePlace(place: Place): string {
  if (place.kind === 'words') return '…';
  return place.kind === 'path' ? place.path : place.name;
}

function describePlace(place: Place): string | undefined {
  if (place.kind === 'words') return 'Different words';
  return place.kind === 'path' ? `The value of ${place.path}` : undefined;
}
