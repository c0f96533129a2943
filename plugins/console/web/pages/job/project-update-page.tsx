import { RunPage } from './job-page.tsx';

const kind = { path: 'project_updates', events: 'events/', group: 'project_update_events', noun: 'Project update' };

export const ProjectUpdatePage = ({ params }: { params: Record<string, string> }) => (
  <RunPage kind={kind} id={Number(params['id'])} />
);
