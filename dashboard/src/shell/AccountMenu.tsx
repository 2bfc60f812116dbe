/** The account menu: account, theme, API documentation, sign-out. */
import { Link, useNavigate } from '@tanstack/react-router';
import { type SignedInUser, useMe, useSignOut } from '../queries/session.ts';
import { setTheme, useTheme } from '../theme.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu, MenuAction, MenuChoices, MenuLine, MenuLink } from '../ui/Menu.tsx';

export function AccountMenu() {
  const me = useMe();
  const theme = useTheme();
  const navigate = useNavigate();
  const signOut = useSignOut(() => navigate({ to: '/sign-in' }));
  return (
    <Menu side="top" trigger={<AccountButton user={me} />}>
      <MenuLink to={<Link to="/account" />}>
        <Icon name="person" />
        Account
      </MenuLink>
      <MenuLink to={<a href="/docs" target="_blank" rel="noreferrer" />}>
        <Icon name="book" />
        API documentation
      </MenuLink>
      <MenuLine />
      <MenuChoices
        label="Theme"
        value={theme}
        onChange={setTheme}
        choices={[
          {
            value: 'system',
            content: (
              <>
                <Icon name="screen" /> System
              </>
            ),
          },
          {
            value: 'light',
            content: (
              <>
                <Icon name="sun" /> Light
              </>
            ),
          },
          {
            value: 'dark',
            content: (
              <>
                <Icon name="moon" /> Dark
              </>
            ),
          },
        ]}
      />
      <MenuLine />
      <MenuAction onClick={() => signOut.mutate()}>
        <Icon name="leave" />
        Sign out
      </MenuAction>
    </Menu>
  );
}

/** The menu passes its props and ref to the button. */
function AccountButton({ user, ...rest }: { user: SignedInUser }) {
  return (
    <button
      type="button"
      {...rest}
      className="relative flex w-full items-center gap-3 rounded-lg px-2.5 py-2 text-left transition-colors hover:bg-ink/5"
    >
      <span
        aria-hidden="true"
        className="grid size-8 shrink-0 place-items-center rounded-full border border-edge font-mono text-xs uppercase"
      >
        {user.name.slice(0, 2)}
      </span>
      <span className="grid min-w-0 flex-1">
        <span className="truncate text-sm font-medium">{user.name}</span>
        <span className="truncate text-xs text-muted">{user.email}</span>
      </span>
      <span className="sr-only">account, theme, sign out</span>
      <Icon name="more" className="text-muted" />
    </button>
  );
}
