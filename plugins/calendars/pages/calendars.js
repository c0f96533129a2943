import { historyTab, pagesOf, t } from '@tapline/console-kit';
import { boundTab } from './bound-to.js';
import { WindowsField } from './windows-field.js';
import { Zone } from './zone.js';

const calendar = {
  path: 'calendars',
  type: 'calendar',
  one: t`calendar`,
  many: t`calendars`,
  intro: t`Windows of time in which launches are allowed, or denied, wherever a calendar is bound.`,
  columns: ['name', 'kind', 'organization', 'timezone'],
  filters: ['name', 'kind', 'organization', 'timezone'],
  fields: ['name', 'description', 'organization', 'kind', 'timezone', 'windows'],
  // panels tell them
  elsewhere: ['windows'],
  custom: { timezone: Zone, windows: WindowsField },
  tabs: [
    boundTab({ id: 'organizations', label: t`Organizations`, one: t`organization`, many: t`organizations` }),
    boundTab({ id: 'inventories', label: t`Inventories`, one: t`inventory`, many: t`inventories` }),
    boundTab({
      id: 'unified_job_templates',
      label: t`Templates`,
      one: t`template`,
      many: t`templates`,
      kinds: {
        job_template: ['job_templates', t`Job template`],
        workflow_job_template: ['workflow_job_templates', t`Workflow`],
        project: ['projects', t`Project`],
        inventory_source: ['inventory_sources', t`Inventory source`],
        system_job_template: ['system_job_templates', t`System job`],
      },
    }),
    historyTab,
  ],
};

export const routes = pagesOf(calendar);
