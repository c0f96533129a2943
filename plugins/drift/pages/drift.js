import { pagesOf } from '@tapline/console-kit';
import { AlertsPage } from './alerts.js';
import { ChangePage } from './change.js';
import { ChangesPage } from './changes.js';
import { ComparePage } from './compare.js';
import { alert, change, rule, snapshot } from './resources.js';
import { RulesPage } from './rules.js';
import { TimelinePage } from './timeline.js';

/** The pages of a resource, with a list of our own. */
const withList = (resource, page) =>
  pagesOf(resource).map((route) => (route.pattern === `/${resource.path}` ? { ...route, page } : route));

// of changes a page of its own shows each; what is more exact stands first
const [list] = withList(change, ChangesPage);
export const routes = [
  ...withList(rule, RulesPage),
  ...withList(alert, AlertsPage),
  ...pagesOf(snapshot),
  { pattern: '/drift/compare', page: ComparePage },
  { pattern: '/drift/hosts/:id', page: TimelinePage },
  list,
  { pattern: '/drift/:id', page: ChangePage },
];
