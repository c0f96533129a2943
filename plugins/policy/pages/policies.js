import { drawnPage, element } from '@tapline/console-kit';
import { labelled, table } from './parts.js';
import { waiversOf } from './waivers.js';

const draft = 'package tapline.example\n\nwarn contains "Name what you launch." if input.resource_name == ""\n';
const triedMs = 400;

/** The page in the console: policies, an editor that tries what is typed, and what was decided. */
async function show(root, context) {
  const [options, policies, decisions] = await Promise.all([
    context.request('OPTIONS', 'policies/'),
    context.request('GET', 'policies/?page_size=200'),
    context.request('GET', 'policy_decisions/?page_size=20'),
  ]);
  const editor = element('section');
  const open = (policy) =>
    editor.replaceChildren(
      editorOf(context, policy, decisions.results, () => show(root, context)),
      ...(policy ? [waiversOf(context, policy)] : []),
    );
  root.replaceChildren(
    options.actions.POST
      ? element(
          'p',
          {},
          element('button', { class: 'button primary', type: 'button', click: () => open() }, 'New policy'),
        )
      : '',
    editor,
    listOf(policies.results, open),
    element('h2', {}, 'Decisions'),
    decisionsOf(decisions.results),
  );
}

function listOf(policies, open) {
  if (!policies.length) return element('p', { class: 'empty' }, 'There is no policy yet.');
  return table(
    ['Name', 'Enforcement', 'Enabled', 'Pushed', 'Hits'],
    policies.map((policy) => [
      element('button', { class: 'button', type: 'button', click: () => open(policy) }, policy.name),
      policy.shadow ? `${policy.enforcement}, only tried` : policy.enforcement,
      policy.enabled ? 'yes' : 'no',
      policy.last_sync_status || 'never',
      String(policy.trigger_count),
    ]),
  );
}

function decisionsOf(decisions) {
  if (!decisions.length) return element('p', { class: 'empty' }, 'Nothing was warned of or denied so far.');
  return table(
    ['When', 'Policy', 'Decision', 'Message', 'Context'],
    decisions.map(({ created, policy_name: name, decision, waived, message, url }) => [
      new Date(created).toLocaleString(),
      name,
      waived ? `${decision}, waived` : decision,
      message,
      element('a', { href: url }, 'Show'),
    ]),
  );
}

function editorOf(context, policy, decisions, saved) {
  const name = element('input', { value: policy?.name ?? '', required: '' });
  const enforcement = element(
    'select',
    {},
    ...['warn', 'enforce', 'none'].map((mode) => element('option', { selected: policy?.enforcement === mode }, mode)),
  );
  const module = element('textarea', { rows: '14', spellcheck: 'false' });
  module.value = policy?.rego_module ?? draft;
  const tried = element('select', {}, element('option', { value: '' }, 'no context'));
  tried.append(
    ...decisions.map(({ url, policy_name: of, created }) =>
      element('option', { value: url }, `${of}, ${new Date(created).toLocaleString()}`),
    ),
  );
  const said = element('pre', { role: 'status' });
  const tell = (error) => (said.textContent = error.message);
  const attempt = policy ? trial(context, policy, { module, tried, said }) : () => undefined;
  for (const control of [module, tried]) control.addEventListener('input', attempt);
  const save = async (event) => {
    event.preventDefault();
    const body = { name: name.value, enforcement: enforcement.value, rego_module: module.value };
    // another package has another path
    const sent = policy && policy.rego_module === module.value ? body : { ...body, package_path: '' };
    const made = policy
      ? await context.request('PATCH', policy.url, { body: sent })
      : await context.request('POST', 'policies/', { body: sent });
    context.toast(made.last_sync_status === 'failed' ? 'Saved; the engine did not take it.' : 'Saved.');
    await saved();
  };
  return element(
    'form',
    { class: 'card', submit: (event) => void save(event).catch(tell) },
    labelled('Name', name),
    labelled('Enforcement', enforcement),
    labelled('Module', module),
    ...(policy ? [labelled('Try with the context of', tried), said] : [said]),
    !policy || policy.summary_fields.user_capabilities.edit
      ? element('button', { class: 'button primary' }, 'Save')
      : element('p', { class: 'hint' }, 'You may read this policy and not change it.'),
  );
}

/** While it is typed: what the text says of the chosen launch, or what the engine says of the text. */
function trial({ request }, policy, { module, tried, said }) {
  let timer;
  let latest = 0;
  async function run() {
    const own = ++latest;
    const text = await (async () => {
      const input = tried.value ? (await request('GET', tried.value)).context : {};
      const body = { input, rego_module: module.value };
      const answer = await request('POST', `${policy.url}test/`, { body });
      const messages = [...answer.deny, ...answer.warn].join('\n');
      return [answer.recognized ? answer.decision : 'a result of no known shape: allow', messages]
        .filter(Boolean)
        .join('\n');
    })().catch(({ message, body }) => [].concat(body?.rego_module ?? message).join('\n'));
    // what was typed since has an answer of its own
    if (own === latest) said.textContent = text;
  }
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, triedMs);
  };
}

export const routes = [{ pattern: '/policies', page: drawnPage({ title: 'Policies', path: '/policies', draw: show }) }];
