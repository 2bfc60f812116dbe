/** Shows what a game server reports, and runs its actions. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type LiveSession,
  type ServerAction,
  serverReportQuery,
  useServerAction,
} from '../../queries/sessions.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { nameSession } from './columns.tsx';

type ServerDialogProps = {
  project: string;
  session: LiveSession | null;
  mayAct: boolean;
  onClose: () => void;
};

export function ServerDialog({ project, session, mayAct, onClose }: ServerDialogProps) {
  return (
    <Dialog title={session ? nameSession(session)[0] : 'Server'} open={session !== null} onClose={onClose}>
      {session && <ServerReport project={project} session={session.id} mayAct={mayAct} />}
    </Dialog>
  );
}

function ServerReport({ project, session, mayAct }: { project: string; session: string; mayAct: boolean }) {
  const { data, error } = useQuery(serverReportQuery(project, session));
  if (error) return <Notice look="error">{error.message}</Notice>;
  if (!data) return <Spinner label="Asking the server" />;
  if (data.problem !== null) return <Notice look="warning">{data.problem}</Notice>;
  return (
    <div className="grid gap-5">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 text-sm">
        {data.health.map(({ name, value }) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      {mayAct &&
        data.actions.map(action => (
          <ActionForm key={action.id} project={project} session={session} action={action} />
        ))}
    </div>
  );
}

type ActionFormProps = { project: string; session: string; action: ServerAction };

function ActionForm({ project, session, action }: ActionFormProps) {
  const [fields, setFields] = useState<Record<string, string>>({});
  const acting = useServerAction(project, session);
  const { data: outcome } = acting;
  return (
    <Form onSubmit={() => acting.mutate({ action: action.id, fields })}>
      {action.fields.map(name => (
        <TextField
          key={name}
          label={name}
          autoComplete="off"
          value={fields[name] ?? ''}
          onChange={value => setFields({ ...fields, [name]: value })}
        />
      ))}
      <div>
        <Button type="submit" busy={acting.isPending}>
          {action.title}
        </Button>
      </div>
      {acting.error && <Notice look="error">{acting.error.message}</Notice>}
      {outcome && <Notice look={outcome.done ? 'plain' : 'warning'}>{outcome.message || 'Done.'}</Notice>}
    </Form>
  );
}
