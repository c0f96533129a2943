import { element } from '@tapline/console-kit';
import { button, field, select, table, time } from './dom.js';

const severities = ['low', 'medium', 'high', 'critical'].map((name) => [name, name]);
const categories = ['packages', 'services', 'users_groups', 'network', 'mounts', 'kernel', 'other'];

/** Rules, what each would have done last week, and a form for another one. */
export async function showRules(part, context) {
  const { request } = context;
  const [{ results }, organizations, templates, remedies] = await Promise.all([
    request('GET', 'drift_alert_rules/?page_size=200'),
    request('GET', 'organizations/?page_size=200'),
    request('GET', 'notification_templates/?page_size=200'),
    request('GET', 'job_templates/?ask_limit_on_launch=true&page_size=200'),
  ]);
  const preview = element('div', { role: 'status' });
  part.replaceChildren(
    results.length
      ? table(
          'Rules',
          ['Rule', 'Hosts', 'Fires at', 'Then silent for', 'State', 'Do'],
          results.map((rule) => rowOf(rule, preview, context, part)),
        )
      : element('p', { class: 'empty' }, 'No rule tells anybody of drift yet.'),
    preview,
    newRule(part, context, organizations.results, templates.results, remedies.results),
  );
}

function rowOf(rule, preview, { request, toast, ...more }, part) {
  const { id, name, enabled, user_capabilities: may = rule.summary_fields.user_capabilities ?? {} } = rule;
  const what = rule.categories.length ? rule.categories.join(', ') : 'any change';
  const again = () => showRules(part, { request, toast, ...more });
  const change = async (method, path, said) => {
    await request(method, `drift_alert_rules/${id}/${path}`);
    toast(said, 'good');
    await again();
  };
  const ask = async () =>
    preview.replaceChildren(...told(rule, await request('GET', `drift_alert_rules/${id}/preview/`)));
  return [
    name,
    rule.host_filter || '*',
    `${rule.threshold_count} × ${what}, ${rule.severity_min} or worse, in ${rule.threshold_window_minutes} min`,
    `${rule.cooldown_minutes} min`,
    enabled ? 'on' : 'off',
    element(
      'div',
      {},
      may.edit && button('Last week?', ask, { 'aria-label': `What would ${name} have done last week?` }),
      may.edit &&
        button(enabled ? 'Disable' : 'Enable', () =>
          change('POST', enabled ? 'disable/' : 'enable/', enabled ? `${name} is off.` : `${name} is on.`),
        ),
      may.delete &&
        button('Delete', () => change('DELETE', '', `${name} is deleted.`), { 'aria-label': `Delete ${name}` }),
    ),
  ];
}

const told = ({ name }, { days, count, results }) =>
  [
    element('p', {}, `${name} would have fired ${count} times in the last ${days} days.`),
    count > 0 &&
      element(
        'ul',
        {},
        ...results
          .toReversed()
          .slice(0, 50)
          .map(({ host_name: host, at, drift_count: changes }) =>
            element('li', {}, time(at), ` ${host}: ${changes} changes`),
          ),
      ),
  ].filter(Boolean);

function newRule(part, context, organizations, templates, remedies) {
  const { request, toast } = context;
  const named = (rows) => rows.map(({ id, name }) => [id, name]);
  const number = (name, value, min) => element('input', { name, type: 'number', value, min, required: true });
  const problem = element('p', { class: 'error', role: 'alert' });
  const form = element(
    'form',
    {
      'aria-label': 'New rule',
      submit: async (event) => {
        event.preventDefault();
        try {
          await request('POST', 'drift_alert_rules/', { body: bodyOf(form) });
        } catch (error) {
          problem.textContent = error.message;
          return;
        }
        toast('The rule is made.', 'good');
        await showRules(part, context);
      },
    },
    element('h2', {}, 'New rule'),
    field('Name', element('input', { name: 'name', required: true })),
    field('Organization', select('organization', named(organizations))),
    field('Notification template', select('notification_template', named(templates))),
    field('Names of hosts', element('input', { name: 'host_filter', value: '*' })),
    field('Severity at least', select('severity_min', severities)),
    element(
      'fieldset',
      { class: 'choices' },
      element('legend', {}, 'Categories, none for all'),
      ...categories.map(choice),
    ),
    field('Changes', number('threshold_count', 1, 1)),
    field('Within minutes', number('threshold_window_minutes', 60, 1)),
    field('Then silent for minutes', number('cooldown_minutes', 60, 0)),
    field('Put right by', select('remediation_template', [['', 'Nothing'], ...named(remedies)])),
    problem,
    element('button', { class: 'button primary' }, 'Make the rule'),
  );
  return form;
}

const choice = (name) =>
  element('label', {}, element('input', { type: 'checkbox', name: 'categories', value: name }), ` ${name}`);

function bodyOf(form) {
  const data = new FormData(form);
  const { categories: _one, remediation_template: remedy, ...texts } = Object.fromEntries(data);
  const numbers = [
    'organization',
    'notification_template',
    'threshold_count',
    'threshold_window_minutes',
    'cooldown_minutes',
  ];
  const values = Object.entries(texts).map(([name, text]) => [name, numbers.includes(name) ? Number(text) : text]);
  return {
    ...Object.fromEntries(values),
    remediation_template: Number(remedy) || null,
    categories: data.getAll('categories'),
  };
}
