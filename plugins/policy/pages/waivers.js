import { element } from '@tapline/console-kit';
import { labelled, table } from './parts.js';

/** What each scope names: the field, and the list to choose from. */
const scopes = {
  template: [
    'unified_job_template',
    'unified_job_templates/?type__in=job_template,workflow_job_template&order_by=name&page_size=200',
  ],
  inventory: ['inventory', 'inventories/?order_by=name&page_size=200'],
  organization: ['organization', 'organizations/?order_by=name&page_size=200'],
  everything: [],
};

/** The waivers of a policy, and a form for another one. */
export function waiversOf(context, policy) {
  const list = element('div');
  async function draw() {
    const { results } = await context.request('GET', `${policy.url}waivers/?page_size=200`);
    list.replaceChildren(listOf(results, end));
  }
  async function end(waiver) {
    await context.request('DELETE', waiver.url);
    context.toast('Ended.');
    await draw();
  }
  const failed = ({ message }) => list.replaceChildren(element('p', { role: 'alert' }, message));
  void draw().catch(failed);
  // who administers the policy waives its denials
  const may = policy.summary_fields.user_capabilities.edit;
  return element('section', {}, element('h2', {}, 'Waivers'), list, may && formOf(context, policy, draw));
}

function listOf(waivers, end) {
  if (!waivers.length) return element('p', { class: 'empty' }, 'Its denials are not waived for anything.');
  return table(
    ['For', 'Reason', 'Owner', 'Until', 'End it'],
    waivers.map((waiver) => {
      const { scope, summary_fields: named, reason, expires } = waiver;
      const target = named[scopes[scope][0]]?.name;
      const until = new Date(expires);
      return [
        target === undefined ? scope : `${scope} ${target}`,
        reason,
        named.owner?.username ?? '',
        until > new Date() ? until.toLocaleString() : `${until.toLocaleString()}, expired`,
        named.user_capabilities.delete &&
          element('button', { class: 'button', type: 'button', click: () => void end(waiver) }, 'End'),
      ];
    }),
  );
}

function formOf({ request, toast }, policy, made) {
  const scope = element('select', {}, ...Object.keys(scopes).map((name) => element('option', {}, name)));
  const target = element('select');
  const choice = labelled('Named', target);
  const reason = element('input', { required: '', maxlength: '1024' });
  const expires = element('input', { type: 'datetime-local', required: '' });
  const said = element('p', { role: 'alert' });
  const tell = ({ message, body }) =>
    (said.textContent = body ? Object.values(body).flat().map(String).join(' ') : message);
  async function offer() {
    const [, path] = scopes[scope.value];
    choice.hidden = path === undefined;
    target.replaceChildren();
    if (path === undefined) return;
    const { results } = await request('GET', path);
    target.append(...results.map(({ id, name }) => element('option', { value: String(id) }, name)));
  }
  async function save(event) {
    event.preventDefault();
    const [name] = scopes[scope.value];
    const me = (await request('GET', 'me/')).results[0];
    const body = {
      policy: policy.id,
      scope: scope.value,
      reason: reason.value,
      owner: me.id,
      expires: new Date(expires.value).toISOString(),
      ...(name === undefined ? {} : { [name]: Number(target.value) }),
    };
    await request('POST', 'policy_waivers/', { body });
    said.textContent = '';
    reason.value = '';
    toast('Waived.');
    await made();
  }
  scope.addEventListener('input', () => void offer().catch(tell));
  void offer().catch(tell);
  return element(
    'form',
    { class: 'card', submit: (event) => void save(event).catch(tell) },
    labelled('Waive denials for', scope),
    choice,
    labelled('Reason', reason),
    labelled('Until', expires),
    said,
    element('button', { class: 'button' }, 'Waive'),
  );
}
