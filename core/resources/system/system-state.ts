import { field, type Route } from '@tapline/plugin-sdk';
import { auditor } from '../../rbac/rules.ts';
import { shownList } from './shown-list.ts';
import { shownPage } from './shown-page.ts';

/** What is found by looking at this node, its engine and its database. */
export interface SystemFindings {
  read: () => Promise<readonly { level: string; what: string; remedy?: string }[]>;
}

interface Deps {
  config: { nodeName: string };
  systemFindings?: SystemFindings;
}

const path = '/api/v2/system_state/';

const fields = {
  level: field.choice(['ok', 'warn', 'fail'], { help: 'fail: something does not work at all.' }),
  what: field.string(),
  remedy: field.string({ help: 'How to mend it.' }),
  node: field.string({ help: 'Who looked: others may see other things.' }),
};

/** What `tapline doctor` says of the node that answers, for whoever has no shell there. */
export const systemStateRoute = ({ systemFindings, config }: Deps): Route => ({
  path,
  root: 'system_state',
  summary: 'What is missing or unsafe on this node, and how to mend it',
  access: { GET: auditor },
  answers: { GET: shownPage(fields) },
  async handler(call) {
    const found = (await systemFindings?.read()) ?? [];
    const shown = found.map(({ level, what, remedy = '' }) => ({ level, what, remedy, node: config.nodeName }));
    return shownList({ path, label: 'Finding', fields, search: ['what', 'remedy'] }, call, shown);
  },
});
