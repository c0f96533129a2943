import type { Route } from './router.ts';
import { JobPage } from './pages/job/job-page.tsx';
import { JobsPage } from './pages/jobs/jobs-page.tsx';
import { LaunchPage } from './pages/launch/launch-page.tsx';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { PluginsPage } from './pages/plugins/plugins-page.tsx';
import { ProjectUpdatePage } from './pages/job/project-update-page.tsx';
import { RecommendationsPage } from './pages/overview/recommendations-page.tsx';
import { SetupPage } from './pages/setup/setup-page.tsx';
import { TemplatesPage } from './pages/templates/templates-page.tsx';

/** Every page, one line each. The menu comes from the service: the plugin's index.ts names what stands in it. */
export const routes: readonly Route[] = [
  { pattern: '/', page: OverviewPage },
  { pattern: '/jobs', page: JobsPage },
  { pattern: '/jobs/:id', page: JobPage },
  { pattern: '/project_updates/:id', page: ProjectUpdatePage },
  { pattern: '/templates', page: TemplatesPage },
  { pattern: '/templates/:id/launch', page: LaunchPage },
  { pattern: '/recommendations', page: RecommendationsPage },
  { pattern: '/setup', page: SetupPage },
  { pattern: '/plugins', page: PluginsPage },
];
