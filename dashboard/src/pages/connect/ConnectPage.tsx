/** Connects a tool: the user picks one, gets its settings and token, and sees its data arrive. */

import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../queries/projects.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { GuideView } from './GuideView.tsx';
import { findGuide } from './guides.ts';
import type { MadeToken } from './madeToken.ts';
import { ToolPicker } from './ToolPicker.tsx';
import { Welcome } from './Welcome.tsx';

const route = '/projects/$project/connect/{-$tool}';

export function ConnectPage() {
  const { project: slug, tool } = useParams({ from: `/inside${route}` });
  const project = useProject(slug);
  const navigate = useNavigate();
  // By project and tool, while the page is open: a user who returns to a tool finds its settings filled in.
  const [made, setMade] = useState<Readonly<Record<string, MadeToken>>>({});
  const guide = tool === undefined ? undefined : findGuide(tool);
  const open = (id: string | undefined) => void navigate({ to: route, params: { project: slug, tool: id } });
  const key = `${slug}/${guide?.id}`;
  return (
    <>
      <PageHead
        title={guide ? `Connect ${guide.title}` : 'Connect'}
        about={guide ? guide.about : 'Pick a tool to get its settings and a token for it.'}
      />
      <div className="grid items-start gap-6 lg:grid-cols-[18rem_minmax(0,1fr)] lg:gap-8">
        <div className={`lg:sticky lg:top-6 ${guide ? 'max-lg:hidden' : ''}`}>
          <ToolPicker open={guide?.id} onOpen={open} />
        </div>
        <div className={`grid min-w-0 gap-5 ${tool === undefined ? 'max-lg:hidden' : ''}`}>
          {guide && (
            <Link
              to={route}
              params={{ project: slug, tool: undefined }}
              className="flex min-h-[24px] items-center gap-1.5 justify-self-start text-sm underline decoration-edge underline-offset-3 hover:decoration-ink lg:hidden"
            >
              <Icon name="left" />
              All tools
            </Link>
          )}
          {tool !== undefined && !guide && (
            <Notice look="warning">There is no tool at this address. Find it in the list.</Notice>
          )}
          {guide ? (
            <GuideView
              key={key}
              guide={guide}
              project={project}
              made={made[key] ?? null}
              onMade={token =>
                setMade(({ [key]: _before, ...others }) => (token ? { ...others, [key]: token } : others))
              }
            />
          ) : (
            <Welcome project={slug} />
          )}
        </div>
      </div>
    </>
  );
}
