import { ListView, useOptions, t } from '@tapline/console-kit';
import { h } from 'preact';
import { Frame } from './frame.js';
import { rule } from './resources.js';

/** When drift is worth a message, and who gets it. */
export function RulesPage() {
  const options = useOptions('drift_alert_rules/');
  const create = options.data.value?.actions.POST;
  return h(
    Frame,
    {
      title: t`Rules about drift`,
      intro: t`When drift of a host is worth a message, and who gets it.`,
      actions: create && h('a', { class: 'button primary', href: '/drift/rules/new' }, t`New rule`),
    },
    h(ListView, { resource: rule, options }),
  );
}
