/** The navigation: open project, its pages, the installation's pages, and the account menu. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMe } from '../queries/session.ts';
import { isRoleAtLeast } from '../roles.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Wordmark } from '../ui/Logo.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { AlertBell } from './AlertBell.tsx';
import { useOpenProject } from './currentProject.ts';
import { installationLinks, projectLinks } from './navigation.ts';
import { ProjectSwitcher } from './ProjectSwitcher.tsx';
import { PaletteButton } from './palette/PaletteKey.tsx';

const roomStyle = `flex h-8 items-center gap-2.5 rounded-lg px-2.5 text-sm text-muted transition-colors
  hover:bg-ink/5 hover:text-ink aria-[current=page]:bg-ink/8 aria-[current=page]:font-medium
  aria-[current=page]:text-ink aria-[current=page]:[&>svg]:text-accent`;

export function Sidebar() {
  const me = useMe();
  const project = useOpenProject();
  return (
    <div className="flex h-full flex-col overflow-y-auto px-3.5 pt-5 pb-3.5">
      <div className="flex shrink-0 flex-col">
        <div className="mb-4 flex items-center justify-between">
          <Link to="/" className="rounded-lg px-2.5 py-1" aria-label="Tapedeck, home">
            <Wordmark />
          </Link>
          <span className="phone:hidden">
            <AlertBell />
          </span>
        </div>
        <ProjectSwitcher current={project} />
        <PaletteButton />
      </div>
      <div className="-mx-3.5 mt-3 grid min-h-40 grow content-start gap-4 overflow-y-auto px-3.5 py-1">
        {project && (
          <Group label="Project">
            {projectLinks
              .filter(room => isRoleAtLeast(project.role, room.role))
              .map(room => (
                <Link
                  key={room.to}
                  to={room.to}
                  params={{ project: project.project }}
                  activeOptions={{ exact: room.to === '/projects/$project' }}
                  className={roomStyle}
                >
                  <PageName icon={room.icon} name={room.name} />
                </Link>
              ))}
          </Group>
        )}
        {me.isOwner && (
          <Group label="Installation" showLabel>
            {installationLinks.map(room => (
              <Link key={room.to} to={room.to} className={roomStyle}>
                <PageName icon={room.icon} name={room.name} />
              </Link>
            ))}
          </Group>
        )}
      </div>
      <div className="shrink-0 pt-3">
        <AccountMenu />
      </div>
    </div>
  );
}

type GroupProps = { label: string; showLabel?: boolean; children: ReactNode };

function Group({ label, showLabel = false, children }: GroupProps) {
  return (
    <nav aria-label={label} className="grid gap-0.5">
      {showLabel && <p className="engraved px-2.5 pb-1.5">{label}</p>}
      {children}
    </nav>
  );
}

function PageName({ icon, name }: { icon: IconName; name: string }) {
  return (
    <>
      <Icon name={icon} />
      {name}
    </>
  );
}
