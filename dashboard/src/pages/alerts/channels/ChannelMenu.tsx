/** The menu of a channel's actions, except the test. */
import { useState } from 'react';
import type { Channel } from '../../../queries/channels.ts';
import type { Rule } from '../../../queries/rules.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu, MenuAction, MenuLine } from '../../../ui/Menu.tsx';
import { DeleteChannelDialog } from './DeleteChannelDialog.tsx';
import { EditChannelDialog } from './EditChannelDialog.tsx';
import { RotateDialog } from './RotateDialog.tsx';

type ChannelMenuProps = {
  project: string;
  channel: Channel;
  /** The rules that notify this channel. */
  rules: readonly Rule[];
  onEnable: (enabled: boolean) => void;
};

export function ChannelMenu({ project, channel, rules, onEnable }: ChannelMenuProps) {
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const { name, kind, enabled } = channel;
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button size="icon" aria-label={`Actions for ${name}`}>
            <Icon name="more" />
          </Button>
        }
      >
        <MenuAction onClick={() => setOpen('edit')}>
          <Icon name="pencil" />
          Change
        </MenuAction>
        {kind === 'webhook' && (
          <MenuAction onClick={() => setOpen('rotate')}>
            <Icon name="key" />
            New secret
          </MenuAction>
        )}
        <MenuAction onClick={() => onEnable(!enabled)}>
          <Icon name={enabled ? 'pause' : 'play'} />
          {enabled ? 'Turn off' : 'Turn on again'}
        </MenuAction>
        <MenuLine />
        <MenuAction onClick={() => setOpen('delete')}>
          <Icon name="bin" />
          Delete
        </MenuAction>
      </Menu>
      {open === 'edit' && <EditChannelDialog project={project} channel={channel} onClose={close} />}
      {open === 'rotate' && <RotateDialog project={project} channel={channel} onClose={close} />}
      <DeleteChannelDialog
        project={project}
        channel={open === 'delete' ? channel : null}
        rules={rules}
        onClose={close}
      />
    </>
  );
}
