/** Suggests popular tools before one is picked. */

import { Link } from '@tanstack/react-router';
import type { Guide } from '@tapedeck/guides';
import { Cassette } from '../../ui/Cassette.tsx';
import { findGuide } from './guides.ts';
import { ToolCard } from './ToolCard.tsx';

const popular = [
  'curl-logs',
  'sharex',
  'discord-webhook',
  'fivem-logs',
  'winston-loki',
  'opentelemetry-environment',
];

export function Welcome({ project }: { project: string }) {
  const guides = popular.map(findGuide).filter((guide): guide is Guide => guide !== undefined);
  return (
    <div className="grid gap-6">
      <div className="flex items-center gap-6 rounded-xl border border-line bg-panel px-6 py-5 shadow-panel">
        <Cassette label="side A" className="h-28 shrink-0" />
        <p className="max-w-prose text-pretty text-muted">
          Loggers, log shippers, games and screenshot programs work as they are, because this service speaks
          their protocols. For each you get settings to copy, a token that can do only what it needs, and a
          confirmation when its first entry or file arrives.
        </p>
      </div>
      <ul aria-label="Popular tools" className="grid gap-3 sm:grid-cols-2">
        {guides.map(guide => (
          <li key={guide.id}>
            <Link
              to="/projects/$project/connect/{-$tool}"
              params={{ project, tool: guide.id }}
              className="flex h-full gap-4 rounded-xl border border-line bg-panel px-4 py-4 shadow-panel transition-colors hover:border-edge"
            >
              <ToolCard guide={guide} large />
              <span className="grid content-start gap-0.5">
                <span className="font-medium">{guide.title}</span>
                <span className="text-sm text-pretty text-muted">{guide.about}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
