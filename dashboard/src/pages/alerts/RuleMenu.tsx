/** The menu of actions for a rule. */
import { Link } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import type { Rule } from '../../queries/rules.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Menu, MenuAction, MenuLine, MenuLink } from '../../ui/Menu.tsx';
import { DeleteRuleDialog } from './DeleteRuleDialog.tsx';
import { MuteDialog } from './MuteDialog.tsx';
import { inAnHour, isMuted, nextMonday } from './mute.ts';
import type { RuleActions } from './ruleActions.ts';

type RuleMenuProps = {
  project: string;
  rule: Rule;
  actions: RuleActions;
  trigger: ReactElement;
  /** Called after deletion, to leave the page. */
  onDeleted?: () => void;
};

export function RuleMenu({ project, rule, actions, trigger, onDeleted }: RuleMenuProps) {
  const [asking, setAsking] = useState<'mute' | 'delete' | null>(null);
  const close = () => setAsking(null);
  return (
    <>
      <Menu align="end" trigger={trigger}>
        <MenuLink to={<Link to="/projects/$project/alerts/$rule/edit" params={{ project, rule: rule.id }} />}>
          <Icon name="pencil" />
          Edit
        </MenuLink>
        <MenuLine />
        {isMuted(rule, Date.now()) ? (
          <MenuAction onClick={() => actions.mute(rule, null)}>
            <Icon name="bell" />
            Unmute
          </MenuAction>
        ) : (
          <>
            <MenuAction onClick={() => actions.mute(rule, inAnHour(Date.now()))}>
              <Icon name="mute" />
              Mute for an hour
            </MenuAction>
            <MenuAction onClick={() => actions.mute(rule, nextMonday(Date.now()))}>
              <Icon name="mute" />
              Mute until Monday
            </MenuAction>
          </>
        )}
        <MenuAction onClick={() => setAsking('mute')}>
          <Icon name="mute" />
          Mute until…
        </MenuAction>
        <MenuLine />
        <MenuAction onClick={() => actions.enable(rule, !rule.enabled)}>
          <Icon name={rule.enabled ? 'pause' : 'play'} />
          {rule.enabled ? 'Turn off' : 'Turn on'}
        </MenuAction>
        <MenuAction onClick={() => setAsking('delete')}>
          <Icon name="bin" />
          Delete
        </MenuAction>
      </Menu>
      {asking === 'mute' && (
        <MuteDialog rule={rule} onChoose={until => actions.mute(rule, until)} onClose={close} />
      )}
      <DeleteRuleDialog
        project={project}
        rule={asking === 'delete' ? rule : null}
        onClose={close}
        {...(onDeleted && { onDeleted })}
      />
    </>
  );
}
