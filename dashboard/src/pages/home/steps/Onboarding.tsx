/** Shows how to send the first file and the first log, with text to paste and a token. Disappears once both have arrived. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { OnboardingState } from '../../../queries/onboarding.ts';
import type { Project } from '../../../queries/projects.ts';
import { useTokenCreation } from '../../../queries/tokens.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { Button } from '../../../ui/Button.tsx';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { Select } from '../../../ui/forms/Select.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { recallCollapsed, rememberCollapsed } from './collapsed.ts';
import {
  recallTool,
  rememberTool,
  type SnippetTool,
  type StepKind,
  snippetTools,
  writeSnippet,
} from './snippets.ts';

type Step = { kind: StepKind; title: string; about: string; label: string };

const steps: readonly Step[] = [
  {
    kind: 'media',
    title: 'Upload a first file',
    about: 'An image, video or audio file. The response contains its public URL.',
    label: 'command that uploads a file',
  },
  {
    kind: 'logs',
    title: 'Send a first log entry',
    about: 'One entry, or up to 10,000 per request. Searchable as soon as the response arrives.',
    label: 'command that writes a log entry',
  },
];

type FirstStepsProps = { project: Project; taken: OnboardingState };

export function Onboarding({ project, taken }: FirstStepsProps) {
  const [tool, setTool] = useState(recallTool);
  // Users who need only one of the two can collapse the steps.
  const [isOpen, setOpen] = useState(() => !recallCollapsed(project.project));
  const fold = (isUnfolded: boolean) => {
    setOpen(isUnfolded);
    rememberCollapsed(project.project, !isUnfolded);
  };
  const choose = (chosen: SnippetTool) => {
    setTool(chosen);
    rememberTool(chosen);
  };
  return (
    <details
      open={isOpen}
      onToggle={event => fold(event.currentTarget.open)}
      className="group rounded-xl not-open:border not-open:border-line not-open:bg-panel not-open:px-4 not-open:shadow-panel"
    >
      <summary className="flex min-h-11 list-none items-center gap-2 rounded-lg [&::-webkit-details-marker]:hidden">
        <Icon name="down" className="-rotate-90 text-muted transition-transform group-open:rotate-0" />
        <h2 className="text-lg font-semibold tracking-tight">First steps</h2>
      </summary>
      <div className="grid gap-4">
        <span className="flex items-center gap-2.5 text-sm text-muted">
          With
          <Select small aria-label="Tool" value={tool} options={snippetTools} onChange={choose} />
        </span>
        <p className="text-sm text-muted">
          Or{' '}
          <Link
            to="/projects/$project/connect/{-$tool}"
            params={{ project: project.project }}
            className="font-medium text-ink underline decoration-edge underline-offset-3 hover:decoration-ink"
          >
            connect a tool
          </Link>{' '}
          you already use: loggers, log shippers, screenshot tools, chat webhooks, games.
        </p>
        <div className="grid items-start gap-5 lg:grid-cols-2">
          {steps.map(step => (
            <StepPanel
              key={step.kind}
              step={step}
              tool={tool}
              project={project}
              done={<Done kind={step.kind} project={project.project} taken={taken} />}
            />
          ))}
        </div>
      </div>
    </details>
  );
}

type StepPanelProps = { step: Step; tool: SnippetTool; project: Project; done: ReactNode };

function StepPanel({ step, tool, project, done }: StepPanelProps) {
  const [token, setToken] = useState<string | null>(null);
  const creation = useTokenCreation(project.project);
  const create = () =>
    creation.mutate(
      { kind: step.kind, name: 'First steps' },
      { onSuccess: answer => setToken(answer.token) },
    );
  return (
    <Panel title={step.title} about={step.about}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3.5">
        <CodeBlock code={writeSnippet(step.kind, tool, token ?? `<${step.kind} token>`)} label={step.label} />
        {creation.error && <Notice look="error">{creation.error.message}</Notice>}
        {token === null ? (
          isRoleAtLeast(project.role, 'member') && (
            <Button className="justify-self-start" size="small" busy={creation.isPending} onClick={create}>
              <Icon name="key" />
              Create a {step.kind} token
            </Button>
          )
        ) : (
          <p className="animate-arrive text-sm text-muted">
            The command now contains a new token. It is shown only here, until you leave this page.
          </p>
        )}
        {done}
      </div>
    </Panel>
  );
}

function Done({ kind, project, taken }: { kind: StepKind; project: string; taken: OnboardingState }) {
  const isDone = kind === 'logs' ? taken.hasLogs : taken.hasFiles;
  const linkStyle = 'font-medium underline decoration-edge underline-offset-3 hover:decoration-ink';
  return (
    // The region is there from the start, so that screen readers announce what appears in it.
    <div role="status" className="empty:hidden">
      {isDone && (
        <p className="flex animate-arrive items-center gap-2 text-sm">
          <Icon name="check" className="text-good" />
          {kind === 'logs' ? (
            <span>
              Log entries received.{' '}
              <Link to="/projects/$project/logs" params={{ project }} className={linkStyle}>
                See them in Logs
              </Link>
            </span>
          ) : (
            <span>
              Files received.{' '}
              <Link to="/projects/$project/files" params={{ project }} className={linkStyle}>
                See them in Files
              </Link>
            </span>
          )}
        </p>
      )}
    </div>
  );
}
