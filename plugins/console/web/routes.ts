import { pagesOf, type Route } from '@tapline/console-kit';
import { ApprovalsPage } from './approvals/lazy-page.ts';
import { commandPage } from './pages/command/lazy-page.tsx';
import { runRoutes } from './pages/job/run-page.tsx';
import { JobsPage } from './pages/jobs/jobs-page.tsx';
import { HooksPage, SystemPage, WizardPage } from './pages/lazy-pages.ts';
import { KitPage } from './pages/kit/lazy-page.ts';
import { LaunchPage, LaunchWorkflowPage } from './pages/launch/launch-page.tsx';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { PluginsPage } from './pages/plugins/plugins-page.tsx';
import { SettingsCategoryPage } from './pages/settings/settings-category-page.tsx';
import { SettingsPage } from './pages/settings/settings-page.tsx';
import { SetupPage } from './pages/setup/setup-page.tsx';
import { WorkflowRunPage } from './pages/workflow/lazy-pages.ts';
import { resources } from './resources/registry.ts';

/** Every page, one line each; those of resources by their entries in the registry. The menu comes from the service. */
export const routes: readonly Route[] = [
  { pattern: '/', page: OverviewPage },
  { pattern: '/jobs', page: JobsPage },
  { pattern: '/templates/:id/launch', page: LaunchPage },
  { pattern: '/approvals', page: ApprovalsPage },
  { pattern: '/workflow_jobs/:id', page: WorkflowRunPage },
  { pattern: '/workflow_job_templates/:id/launch', page: LaunchWorkflowPage },
  { pattern: '/inventories/:id/command', page: commandPage('inventories') },
  { pattern: '/hosts/:id/command', page: commandPage('hosts') },
  { pattern: '/groups/:id/command', page: commandPage('groups') },
  ...resources.flatMap(pagesOf),
  { pattern: '/setup', page: SetupPage },
  { pattern: '/settings', page: SettingsPage },
  { pattern: '/settings/:slug', page: SettingsCategoryPage },
  { pattern: '/plugins', page: PluginsPage },
  { pattern: '/hooks', page: HooksPage },
  { pattern: '/system', page: SystemPage },
  { pattern: '/wizards/:name', page: WizardPage },
  // in no menu: for whoever writes a page
  { pattern: '/kit', page: KitPage },
  // a kind of runs that has a page of its own has it above
  ...runRoutes,
];
