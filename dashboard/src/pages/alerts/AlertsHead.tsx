/** The head of the alert pages: title, and tabs for rules, channels and deliveries. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHead } from '../../ui/PageHead.tsx';

const tabs = [
  { name: 'Rules', to: '/projects/$project/alerts' },
  { name: 'Channels', to: '/projects/$project/alerts/channels' },
  { name: 'Deliveries', to: '/projects/$project/alerts/deliveries' },
] as const;

const tabStyle = `relative inline-flex h-9 items-center rounded-md px-2.5 text-sm text-muted hover:text-ink aria-[current=page]:font-medium
  aria-[current=page]:text-ink aria-[current=page]:after:absolute aria-[current=page]:after:inset-x-2.5 aria-[current=page]:after:bottom-0
  aria-[current=page]:after:h-0.5 aria-[current=page]:after:rounded-full aria-[current=page]:after:bg-accent`;

type AlertsHeadProps = { project: string; about: string; actions?: ReactNode };

export function AlertsHead({ project, about, actions }: AlertsHeadProps) {
  return (
    <>
      <div className="-mb-3">
        <PageHead title="Alerts" about={about} actions={actions} />
      </div>
      <nav aria-label="Alerts" className="mb-5 -ml-2.5 flex gap-1 border-b border-line">
        {tabs.map(({ name, to }) => (
          <Link key={name} to={to} params={{ project }} activeOptions={{ exact: true }} className={tabStyle}>
            {name}
          </Link>
        ))}
        <a
          href="/docs/notifications"
          target="_blank"
          rel="noreferrer"
          className="ml-auto inline-flex h-9 items-center rounded-md px-2.5 text-sm text-muted underline decoration-edge underline-offset-3 hover:text-ink hover:decoration-ink"
        >
          Guide
        </a>
      </nav>
    </>
  );
}
