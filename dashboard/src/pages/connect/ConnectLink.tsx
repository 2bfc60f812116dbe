/** Links empty pages to the next step: connecting a tool. */
import { Link } from '@tanstack/react-router';
import { styleButton } from '../../ui/Button.tsx';

export function ConnectLink({ project }: { project: string }) {
  return (
    <Link to="/projects/$project/connect/{-$tool}" params={{ project }} className={styleButton()}>
      Connect a tool
    </Link>
  );
}
