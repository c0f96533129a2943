import { definePlugin, type NavigationEntry } from '@tapline/plugin-sdk';

const access = 'Access';
const resources = 'Resources';
const system = 'System';

const menu: NavigationEntry[] = [
  { path: '/', label: 'Overview', order: 0 },
  { path: '/jobs', label: 'Jobs', order: 100 },
  { path: '/approvals', label: 'Approvals', order: 105 },
  { path: '/schedules', label: 'Schedules', order: 108 },
  { path: '/templates', label: 'Templates', order: 110, section: resources },
  { path: '/workflow_job_templates', label: 'Workflows', order: 120, section: resources },
  { path: '/projects', label: 'Projects', order: 200, section: resources },
  { path: '/inventories', label: 'Inventories', order: 210, section: resources },
  { path: '/hosts', label: 'Hosts', order: 220, section: resources },
  { path: '/credentials', label: 'Credentials', order: 230, section: resources },
  { path: '/notification_templates', label: 'Notification templates', order: 240, section: resources },
  { path: '/organizations', label: 'Organizations', order: 300, section: access },
  { path: '/teams', label: 'Teams', order: 310, section: access },
  { path: '/users', label: 'Users', order: 320, section: access },
  { path: '/applications', label: 'Applications', order: 330, section: access },
  { path: '/tokens', label: 'Tokens', order: 340, section: access },
  { path: '/activity', label: 'Activity', order: 400, section: system },
  { path: '/audit', label: 'Audit', order: 410, section: system },
  { path: '/credential_types', label: 'Credential types', order: 420, section: system },
  { path: '/instance_groups', label: 'Instance groups', order: 430, section: system },
  { path: '/instances', label: 'Instances', order: 435, section: system },
  { path: '/execution_environments', label: 'Execution environments', order: 440, section: system },
  { path: '/settings', label: 'Settings', order: 450, section: system },
  { path: '/system_job_templates', label: 'System jobs', order: 455, section: system },
  { path: '/system', label: 'System state', order: 460, section: system },
  { path: '/hooks', label: 'Hooks', order: 470, section: system },
  { path: '/setup', label: 'Set up', order: 800, section: system },
  { path: '/plugins', label: 'Plugins', order: 900, section: system },
];

/** The web console: static files, everything they show comes from the API with the rights of whoever is logged in. */
export default definePlugin({
  id: 'console',
  title: 'Console',
  version: '0.1.0',
  description: 'The web console at /: what runs, what failed and why, launching with prompts.',
  sdk: '^1.0.0',

  register(api) {
    api.pages({ path: '/', folder: new URL('./dist/', import.meta.url), browse: 'browse.html' });

    for (const entry of menu) api.nav(entry);
  },
});
