/** The dashboard's pages, in navigation order. */
import type { Role } from '@tapedeck/client';
import type { IconName } from '../ui/Icon.tsx';

/** Pages of the open project. `role`: the role a user needs. */
export const projectLinks = [
  { name: 'Home', to: '/projects/$project', icon: 'overview', role: 'viewer' },
  { name: 'Logs', to: '/projects/$project/logs', icon: 'lines', role: 'viewer' },
  { name: 'Issues', to: '/projects/$project/issues', icon: 'warning', role: 'viewer' },
  { name: 'Files', to: '/projects/$project/files', icon: 'picture', role: 'viewer' },
  { name: 'Players', to: '/projects/$project/players', icon: 'person', role: 'viewer' },
  { name: 'Alerts', to: '/projects/$project/alerts', icon: 'bell', role: 'viewer' },
  { name: 'Datasets', to: '/projects/$project/datasets', icon: 'drawers', role: 'viewer' },
  { name: 'Live sessions', to: '/projects/$project/sessions', icon: 'pulse', role: 'viewer' },
  { name: 'Connect', to: '/projects/$project/connect/{-$tool}', icon: 'plug', role: 'viewer' },
  { name: 'Tokens', to: '/projects/$project/tokens', icon: 'key', role: 'viewer' },
  { name: 'Members', to: '/projects/$project/members', icon: 'people', role: 'viewer' },
  { name: 'Settings', to: '/projects/$project/settings', icon: 'sliders', role: 'viewer' },
  { name: 'Audit log', to: '/projects/$project/audit', icon: 'history', role: 'admin' },
] as const satisfies readonly { name: string; to: string; icon: IconName; role: Role }[];

/** Pages of the installation, for its owners. */
export const installationLinks = [
  { name: 'Users', to: '/users', icon: 'person' },
  { name: 'Installation audit', to: '/audit', icon: 'history' },
] as const satisfies readonly { name: string; to: string; icon: IconName }[];
